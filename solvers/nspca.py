"""Nonnegative sparse PCA by coordinate ascent (NSPCA).

Zass and Shashua, "Nonnegative sparse PCA", NIPS 2006: over U >= 0 (n, q), q components jointly, maximise
F(U) = tr(U'Sigma U) / 2 - alpha ||I - U'U||^2 / 4 - beta sum_rs u_rs, one entry of U after the other.

Differs from the paper in:

1. alpha is in units of lambda_1: a number that serves every problem.
2. Entries are visited by increasing variance, so that the last variable left is the one of the largest.
3. For data A it is A U that is kept up to date, not Sigma U: an entry costs m, and n x n is never formed.
4. Of several random starts, swept side by side, that of the largest F is the answer; its columns are normalised.
"""

import numpy as np

from spcabench.iterate import Iterate, Traits
from spcabench.kernels import compiled, inlined
from spcabench.steps import lanczos
from spcabench.vectors import normalize

TRAITS = Traits(control="penalty", penalty="beta", nonnegative="always", components="joint")
COLOUR = "#E69F00"
EXAMPLE = dict(k=10)
STOP, MAX_ITERATIONS = "end", 2000
ALPHA = 10.0


def penalty_range(problem):
    """Penalties between which the cardinality falls from n to one: a variable of variance a alone is worth beta."""
    a = float(problem.covariance.diagonal().max())
    alpha = ALPHA * _lambda_1(problem)
    high = (a + alpha) / 3.0 * np.sqrt(2.0 * (a + alpha) / (3.0 * alpha))
    return 1e-6 * high, high


def solve(problem, *, beta, alpha=ALPHA, components=1, restarts=5, tol_F=1e-9, seed=0):
    """Yield x (n,) and Z (n, q), nonnegative with columns of norm one, after each sweep; x has the largest variance.

    beta, alpha : weight of sparsity, and of orthonormality in units of lambda_1.
    components : q.
    tol_F : relative change of F at which a start has converged.
    """
    if min(restarts, components) < 1:
        raise ValueError(f"restarts, components: {restarts}, {components}; at least 1 of each is needed")
    given = problem.form == "covariance"
    R = problem.matrix.S if given else problem.given_as("data").data.dense().T  # (n, p): rows of Sigma, columns of A
    a = problem.covariance.diagonal()  # (n,)
    order = np.argsort(a, kind="stable")
    weight = alpha * _lambda_1(problem)
    rng = np.random.default_rng(seed)
    rank = np.argsort(order)  # numbers are drawn in the order of the visits: renaming variables changes nothing
    states = [start(R, np.abs(rng.standard_normal((problem.n, components)))[rank]) for _ in range(restarts)]
    F = np.full(restarts, -np.inf)
    yield iterate(*states[0], given, F[0])
    moving = range(restarts)
    while len(moving):
        before = F.copy()
        for i in moving:
            F[i] = sweep(R, given, a, order, *states[i], weight, beta)
        moving = [i for i in moving if F[i] - before[i] > tol_F * abs(F[i])]
        yield iterate(*states[F.argmax()], given, F.max())


def start(R, U):
    """U (n, q) with columns of norm one, and what the sweeps keep up to date: Y = U'R (q, p)."""
    U = U / np.sqrt((U * U).sum(axis=0))
    return U, product(R, U)


def iterate(U, Y, given, F):
    """The columns of U, normalised, those of the largest variance first."""
    norms = np.sqrt((U * U).sum(axis=0))
    scale = np.where(norms > 0.0, norms, 1.0)
    variances = (Y * (U.T if given else Y)).sum(axis=1) / scale**2
    first = np.argsort(-variances, kind="stable")
    Z = (U / scale)[:, first]
    return Iterate(normalize(Z[:, 0]), Z=Z, extra={"objective": float(F)})


def _lambda_1(problem):
    Sigma = problem.covariance
    v = lanczos(lambda y: Sigma @ y, normalize(Sigma.diagonal()), 1e-9)
    return float(v @ (Sigma @ v))


@compiled("Tuple((int64, float64[:, ::1]))(float64[:, ::1], float64[:, ::1])")
def product(R, U):
    """U'R (q, p): n p q flops."""
    return R.size * U.shape[1], np.ascontiguousarray(U.T) @ R


@inlined
def largest_root(c2, c1, alpha):
    """The largest real root of -alpha u^3 + c2 u + c1: where the quartic has its maximum over u > 0, if any."""
    p, q = c2 / alpha, c1 / alpha  # u^3 = p u + q
    inside = (q / 2.0) ** 2 - (p / 3.0) ** 3
    if inside < 0.0:
        u = 2.0 * np.sqrt(p / 3.0) * np.cos(np.arccos(min(max(1.5 * q / p * np.sqrt(3.0 / p), -1.0), 1.0)) / 3.0)
    else:
        u = np.cbrt(q / 2.0 + np.sqrt(inside)) + np.cbrt(q / 2.0 - np.sqrt(inside))
    for _ in range(2):
        slope = 3.0 * u * u - p
        if slope > 0.0:
            u -= ((u * u - p) * u - q) / slope
    return u


@inlined
def gain(u, c2, c1, alpha):
    """F as a function of one entry, up to a constant."""
    return ((-0.25 * alpha * u * u + 0.5 * c2) * u + c1) * u


@compiled(
    "Tuple((int64, float64))(float64[:, ::1], boolean, float64[::1], int64[::1], float64[:, ::1], float64[:, ::1], "
    "float64, float64)"
)
def sweep(R, given, a, order, U, Y, alpha, beta):
    """Every entry of U set to its best value, in place, Y = U'R kept up to date; returns F(U). Source: section 3.

    given : R is Sigma, else the transpose of A. p flops where an entry changes, and p for its gradient if not given.
    """
    q = U.shape[1]
    G = np.ascontiguousarray(U.T) @ U  # (q, q)
    work = 0
    for r in order:
        for s in range(q):
            u = U[r, s]
            c2 = a[r] + alpha - alpha * (G[s, s] - u * u)
            c1 = (Y[s, r] if given else np.dot(R[r], Y[s])) - a[r] * u - beta
            for j in range(q):
                if j != s:
                    c2 -= alpha * U[r, j] ** 2
                    c1 -= alpha * U[r, j] * (G[j, s] - U[r, j] * u)
            new = largest_root(c2, c1, alpha)
            if new <= 0.0 or gain(new, c2, c1, alpha) <= 0.0:
                new = 0.0
            work += 0 if given else R.shape[1]
            if new != u:
                work += R.shape[1]
                Y[s] += (new - u) * R[r]
                for j in range(q):
                    G[j, s] += (new - u) * U[r, j] if j != s else new * new - u * u
                    G[s, j] = G[j, s]
                U[r, s] = new
    apart = G - np.eye(q)
    F = 0.5 * (Y * (U.T if given else Y)).sum() - 0.25 * alpha * (apart * apart).sum() - beta * U.sum()
    return work, F
