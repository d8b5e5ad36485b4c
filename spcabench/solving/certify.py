"""Certified value and bound of the semidefinite relaxation, from a primal X and a dual U.

The value is attained by a feasible matrix computed from X. The bound follows from U, clipped to the
feasible box. The value and the bound are recomputed here and never taken from the solver, without
charging the solver. The problem is max Tr(Sigma X) - lam ||X||_1 if there is a penalty, and
otherwise max Tr(Sigma X) subject to ||X||_1 <= k.
"""

import numpy as np

from spcabench.methods import relaxation
from spcabench.problem.problem import Problem
from spcabench.problem.spectral import largest_eigenvalue, nearest_density
from spcabench.solving.bounds import ROUNDING
from spcabench.vectors import Array, Vector


def certified(
    problem: Problem, X: Array, U: Array, penalty: float | None, k: int | None
) -> tuple[float, float]:
    """Return a value attained by the relaxation, and an upper bound on its optimum.

    ``penalty`` is lam, or None for the relaxation with the constraint ||X||_1 <= k.
    """
    S = problem.given_as("covariance").matrix.S  # type: ignore[union-attr]
    X, U = nearest_density(X), (U + U.T) / 2
    if penalty is not None:
        low = relaxation.value(S, X, penalty)
        high = largest_eigenvalue(S + np.clip(U, -penalty, penalty))
    else:
        assert k is not None
        low, high = float(np.vdot(S, within(X, float(k)))), sparse_bound(problem, U, k)
    return low, max(high, low)


def within(X: Array, k: float) -> Vector:
    """Shrink the off-diagonal part of X until ||X||_1 <= k; X remains PSD with trace one."""
    D = np.diag(X.diagonal())
    off = np.abs(X - D).sum()
    share = 1.0 if off <= k - 1.0 else (k - 1.0) / off
    return D + share * (X - D)


def sparse_bound(problem: Problem, U: Array, k: int) -> float:
    """Return the minimum of lambda_max(Sigma + t U) + k max |t U_ij| over t in [0, 1].

    The minimum is an upper bound on the variance of every k-sparse unit vector. Every t U is a dual
    point, so the bound holds even if the penalty of the run does not correspond to k. The minimised
    function is convex in t.
    """
    from scipy.optimize import minimize_scalar  # slow to import, and rarely needed

    S = problem.given_as("covariance").matrix.S  # type: ignore[union-attr]
    U = (U + U.T) / 2
    top = float(np.abs(U).max())

    def bound(t: float) -> float:
        return largest_eigenvalue(S + t * U) + k * t * top

    shorter = minimize_scalar(bound, bounds=(0.0, 1.0), method="bounded", options=dict(maxiter=7))
    return min(bound(1.0), float(shorter.fun)) * (1.0 + ROUNDING)


def rectangular(A: Array, X: Array, U: Array, k_u: int, k: int) -> tuple[float, float]:
    """Return a value attained by the rectangular relaxation, and an upper bound on its optimum.

    The relaxation is max Tr(A'X12) over PSD matrices X of order m + n with Tr X11 = Tr X22 = 1 and
    ||Xij||_1 <= sqrt(ki kj).
    """
    from scipy.optimize import minimize_scalar

    m = len(A)
    C = np.zeros_like(U)
    C[:m, m:] = A / 2
    C += C.T
    U = (U + U.T) / 2
    sides = np.where(np.arange(len(U)) < m, 1.0, -1.0)
    top = [np.abs(block).max() for block in (U[:m, :m], U[m:, m:], U[:m, m:])]
    spread = float(np.abs(C).sum(axis=1).max() + np.abs(U).sum(axis=1).max())
    # any d gives a bound: y1 = lambda + d, y2 = lambda - d
    balanced = minimize_scalar(
        lambda d: largest_eigenvalue(C + U - d * np.diag(sides)),
        bounds=(-spread, spread),
        method="bounded",
    )
    high = 2.0 * balanced.fun + k_u * top[0] + k * top[1] + 2.0 * np.sqrt(k_u * k) * top[2]
    low = float(np.vdot(C, _feasible(X, m, k_u, k)))
    return low, max(high, low)


def _feasible(X: Array, m: int, k_u: int, k: int) -> Vector:
    """Make X PSD, with diagonal blocks of trace one and every block in its l1 ball."""
    w, V = np.linalg.eigh((X + X.T) / 2)
    X = (V * np.maximum(w, 0.0)) @ V.T
    d = np.ones(len(X))
    for block, most in ((slice(0, m), k_u), (slice(m, None), k)):
        B = X[block, block]
        off = B - np.diag(B.diagonal())
        trace, mass = float(np.trace(B)), float(np.abs(off).sum())
        # move the removed off-diagonal part to the diagonal, which adds a PSD matrix
        shrunk = off * (max((trace + mass) / most - trace, 0.0) / mass if mass else 0.0)
        X[block, block] = B - shrunk + np.diag(np.abs(shrunk).sum(axis=1))
        d[block] = 1.0 / np.sqrt(np.trace(X[block, block]))
    X = d[:, None] * X * d
    beside = np.abs(X[:m, m:]).sum()
    share = min(1.0, np.sqrt(k_u * k) / beside) if beside else 1.0
    X[:m, m:] *= share
    X[m:, :m] *= share
    return X
