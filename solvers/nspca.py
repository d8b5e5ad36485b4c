"""Nonnegative sparse PCA by coordinate ascent (NSPCA).

Zass and Shashua (2006): maximise F(U) = tr(U'Sigma U) / 2 - alpha ||I - U'U||^2 / 4 - beta sum_rs
u_rs over U >= 0 (n, q). The q components are found jointly, by updating one entry of U at a time.

Differences from the paper:

1. alpha is in units of lambda_1, so one value suits every problem.
2. Variables are visited by increasing variance, so the last remaining variable is the one with the
   largest variance.
3. If the input is data A, the product A U is updated instead of Sigma U. An entry then costs m
   flops, and no n x n matrix is formed.
4. Several random starts are run in parallel. The answer is the U with the largest F, with
   normalised columns.
"""

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.kernels import compiled, inlined
from spcabench.steps import lanczos
from spcabench.vectors import TIE, falling_order, first_largest, normalize

TRAITS = Traits(control="penalty", penalty="beta", nonnegative="always", components="joint")
FACTS = Facts(
    authors="Zass and Shashua",
    title="Nonnegative sparse PCA",
    venue="NIPS",
    year=2006,
    cost=(
        "n for each of the n q entries that changes in a sweep, or 2 m if the input is data; "
        "five starts"
    ),
    code="none found",
)
COLOUR = "#E69F00"
EXAMPLE = dict(k=10)
STOP, MAX_ITERATIONS = "end", 100
ALPHA, SWEEPS = 10.0, 20  # sweeps per iterate


def penalty_range(problem):
    """Return a range of penalties over which the cardinality falls from n to 1.

    At the upper end of the range, the optimum for a single variable, which has the largest variance
    a, drops to zero.
    """
    Sigma = problem.covariance
    d = Sigma.diagonal()
    a, alpha = float(d.max()), ALPHA * leading_value(Sigma, d)
    high = (a + alpha) / 3.0 * np.sqrt(2.0 * (a + alpha) / (3.0 * alpha))
    return 1e-6 * high, high


def solve(
    problem,
    *,
    beta: float,
    alpha: float = ALPHA,
    components: int = 1,
    restarts: int = 5,
    tol_F: float = 1e-9,
    seed: int = 0,
):
    """Yield x (n,) and Z (n, q), nonnegative with unit columns.

    x is the column of Z with the largest variance.

    beta, alpha : weights of sparsity and of orthonormality; alpha is in units of lambda_1.
    components : the number q of components.
    tol_F : a start has converged when the relative change in F per sweep is below this tolerance.
    """
    if min(restarts, components) < 1:
        raise InputError(
            f"restarts, components: {restarts}, {components}; at least 1 of each is needed"
        )
    is_Sigma = problem.form == "covariance" or problem.indefinite
    Sigma = problem.covariance
    # R (n, p) is Sigma or the transpose of A
    R = Sigma[np.arange(problem.n)].B if is_Sigma else problem.data.dense().T
    a = Sigma.diagonal()  # (n,)
    # Ties in variance are broken by |Sigma e_j|. The order is copied, because the kernel does not
    # accept a reversed view.
    order = falling_order(a, Sigma.column_squares)[::-1].copy()
    # random numbers are drawn in visiting order, so reordering the variables changes nothing
    rank = np.argsort(order)
    weight = alpha * leading_value(Sigma, a)
    rng = np.random.default_rng(seed)
    states = [
        start(R, np.abs(rng.standard_normal((problem.n, components)))[rank])
        for _ in range(restarts)
    ]
    yield iterate(states[0], is_Sigma)
    F = np.full(restarts, -np.inf)
    moving = list(range(restarts))
    while moving:
        for i in list(moving):
            F[i], done = sweeps(R, is_Sigma, a, order, *states[i], weight, beta, tol_F)
            if done:
                moving.remove(i)
        yield iterate(states[first_largest(F)], is_Sigma)


def start(R, U):
    """Return U (n, q) with unit columns, and Y = U'R (q, p), which the sweeps update."""
    U = U / np.sqrt((U * U).sum(axis=0))
    return U, product(R, U)


def iterate(state, is_Sigma):
    """Return the columns of U, normalised and ordered by decreasing variance."""
    U, Y = state
    norms = np.sqrt((U * U).sum(axis=0))
    scale = np.where(norms > 0.0, norms, 1.0)
    variances = (Y * (U.T if is_Sigma else Y)).sum(axis=1) / scale**2
    Z = (U / scale)[:, falling_order(variances)]
    return Iterate(normalize(Z[:, 0]), Z=Z)


def leading_value(Sigma, d):
    """Return lambda_1, computed by the Lanczos method from the diagonal d (n,).

    If the result is below the largest variance, d is orthogonal to the leading eigenvector. The
    method is then restarted from the column of the variable with the largest variance.
    """
    value = 0.0
    for start in (lambda: d, lambda: Sigma @ np.eye(1, len(d), Sigma.largest_variance())[0]):
        v = lanczos(lambda y: Sigma @ y, normalize(start()), 1e-9)
        value = float(v @ (Sigma @ v))
        if value >= (1.0 - TIE) * d.max():
            break
    return value


@compiled("Tuple((int64, float64[:, ::1]))(float64[:, ::1], float64[:, ::1])", readonly=(0,))
def product(R, U):
    """Return the flops, n p q, and U'R (q, p)."""
    return R.size * U.shape[1], np.ascontiguousarray(U.T) @ R


@inlined
def largest_root(c2, c1, alpha):
    """Return the largest real root u of -alpha u^3 + c2 u + c1.

    If the quartic has a maximum over u > 0, the maximum is at this root.
    """
    p, q = c2 / alpha, c1 / alpha  # u^3 = p u + q
    inside = (q / 2.0) ** 2 - (p / 3.0) ** 3
    if inside < 0.0:
        u = (
            2.0
            * np.sqrt(p / 3.0)
            * np.cos(np.arccos(min(max(1.5 * q / p * np.sqrt(3.0 / p), -1.0), 1.0)) / 3.0)
        )
    else:
        u = np.cbrt(q / 2.0 + np.sqrt(inside)) + np.cbrt(q / 2.0 - np.sqrt(inside))
    for _ in range(2):
        slope = 3.0 * u * u - p
        if slope > 0.0:
            u -= ((u * u - p) * u - q) / slope
    return u


@inlined
def gain(u, c2, c1, alpha):
    """Return F as a function of one entry, up to a constant."""
    return ((-0.25 * alpha * u * u + 0.5 * c2) * u + c1) * u


@inlined
def sweep(R, is_Sigma, a, order, U, Y, G, alpha, beta):
    """Set every entry of U to its best value in place (section 3), and return the flops.

    Y = U'R and G = U'U are updated as well.

    is_Sigma : whether R is Sigma; otherwise R is the transpose of A. An entry costs p flops if it
        changes, and another p for its gradient if R is not Sigma.
    """
    work, p = 0, R.shape[1]
    for r in order:
        for s in range(len(G)):
            u = U[r, s]
            c2 = a[r] + alpha - alpha * (G[s, s] - u * u)
            c1 = (Y[s, r] if is_Sigma else np.dot(R[r], Y[s])) - a[r] * u - beta
            for j in range(len(G)):
                if j != s:
                    c2 -= alpha * U[r, j] ** 2
                    c1 -= alpha * U[r, j] * (G[j, s] - U[r, j] * u)
            new = largest_root(c2, c1, alpha)
            if new <= 0.0 or gain(new, c2, c1, alpha) <= 0.0:
                new = 0.0
            work += 0 if is_Sigma else p
            if new != u:
                work += p
                Y[s] += (new - u) * R[r]
                for j in range(len(G)):
                    G[j, s] += (new - u) * U[r, j] if j != s else new * new - u * u
                    G[s, j] = G[j, s]
                U[r, s] = new
    return work


@compiled(
    "Tuple((int64, float64, boolean))(float64[:, ::1], boolean, float64[::1], int64[::1], "
    "float64[:, ::1], float64[:, ::1], float64, float64, float64)",
    readonly=(0,),
)
def sweeps(R, is_Sigma, a, order, U, Y, alpha, beta, tol):
    """Sweep at most SWEEPS times; return the flops, F(U) and whether it converged.

    tol : relative tolerance for the change in F per sweep.
    """
    G = np.ascontiguousarray(U.T) @ U  # (q, q)
    work, F, rise = 0, -np.inf, np.inf
    for _ in range(SWEEPS):
        work += sweep(R, is_Sigma, a, order, U, Y, G, alpha, beta)
        apart = G - np.eye(len(G))
        old = F
        F = (
            0.5 * (Y * (U.T if is_Sigma else Y)).sum()
            - 0.25 * alpha * (apart * apart).sum()
            - beta * U.sum()
        )
        rise = F - old
        if rise <= tol * abs(F):
            break
    return work, F, rise <= tol * abs(F)
