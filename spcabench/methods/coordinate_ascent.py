"""Coordinate ascent for nonnegative sparse PCA, with compiled sweeps over the entries of U.

Zass and Shashua, "Nonnegative sparse PCA", NIPS 2006, section 3: maximise F(U) = tr(U'Sigma U) / 2
- alpha ||I - U'U||^2 / 4 - beta sum_rs u_rs over U >= 0 (n, q). As a function of the entry u = u_rs
alone, F is -alpha u^4 / 4 + c2 u^2 / 2 + c1 u up to a constant, where

    c2 = Sigma_rr + alpha - alpha (sum_{i != r} u_is^2 + sum_{j != s} u_rj^2),
    c1 = sum_{i != r} Sigma_ri u_is - alpha sum_{j != s} u_rj sum_{i != r} u_ij u_is - beta.
"""

import numpy as np

from spcabench.flops import compiled, inlined
from spcabench.steps import lanczos, unit_columns
from spcabench.vectors import TIE, Array, Indices, Vector, normalize

SWEEPS = 20  # maximum number of sweeps in one call of `sweeps`


def leading_value(Sigma, d: Vector) -> float:
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


class Objective:
    """The function F of a problem with the variances a (n,).

    The problem is stored as R (n, p): Sigma itself, or the transpose of data A. With data, the
    product A U is updated instead of Sigma U. An entry then costs m flops, and no n x n matrix is
    formed.
    """

    def __init__(self, problem, a: Vector, alpha: float, beta: float) -> None:
        Sigma = problem.covariance
        self.a, self.alpha, self.beta = a, alpha, beta
        self.is_Sigma = problem.form == "covariance" or problem.indefinite
        self.R = Sigma[np.arange(problem.n)].B if self.is_Sigma else problem.data.dense().T


class Ascent:
    """A run of the ascent from U (n, q), scaled to unit columns; ``F`` is the value of U."""

    def __init__(self, objective: Objective, U: Array) -> None:
        self.objective, self.F = objective, -np.inf
        self.U = unit_columns(U)
        self.Y = product(objective.R, self.U)  # U'R (q, p)

    def sweep(self, order: Indices, tol: float) -> bool:
        """Make up to `SWEEPS` sweeps over the variables in this order, while F increases.

        Returns whether F still increases by more than the relative tolerance per sweep.
        """
        of = self.objective
        fixed = of.R, of.is_Sigma, of.a, order
        self.F, done = sweeps(*fixed, self.U, self.Y, of.alpha, of.beta, tol)
        return not done

    def variances(self) -> Vector:
        """Return u'Sigma u for each column u of U."""
        return np.asarray((self.Y * (self.U.T if self.objective.is_Sigma else self.Y)).sum(axis=1))


@compiled("Tuple((int64, float64[:, ::1]))(float64[:, ::1], float64[:, ::1])", readonly=(0,))
def product(R, U):  # type: ignore[no-untyped-def]
    """Return the flops, n p q, and U'R (q, p)."""
    return R.size * U.shape[1], np.ascontiguousarray(U.T) @ R


@inlined
def largest_root(c2, c1, alpha):  # type: ignore[no-untyped-def]
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
    for _ in range(2):  # Newton steps, because both formulas can cancel
        slope = 3.0 * u * u - p
        if slope > 0.0:
            u -= ((u * u - p) * u - q) / slope
    return u


@inlined
def gain(u, c2, c1, alpha):  # type: ignore[no-untyped-def]
    """Return F as a function of one entry, up to a constant."""
    return ((-0.25 * alpha * u * u + 0.5 * c2) * u + c1) * u


@inlined
def sweep(R, is_Sigma, a, order, U, Y, G, alpha, beta):  # type: ignore[no-untyped-def]
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
def sweeps(R, is_Sigma, a, order, U, Y, alpha, beta, tol):  # type: ignore[no-untyped-def]
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
