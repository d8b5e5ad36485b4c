"""Fantope projection and selection (FPS): a semidefinite relaxation for several components.

Vu, Cho, Lei, Rohe (2013), Algorithm 1: maximise <S, X> - lam ||X||_1 over the Fantope (0 <= X <= I
with trace d) by the alternating direction method of multipliers. For d = 1 this is DSPCA's problem.

Differences from the paper:

1. Variables whose covariances are all at most lam are removed first, because they are zero in a
   solution. As in the authors' package, the d variables with the largest variances always remain.
2. rho starts at max |S_ij| and is doubled or halved whenever the residuals differ by a factor of
   ten, as in the package. The dual residual is in units of max |S_ij|.
3. The loadings are the d leading eigenvectors of X, with zeros in the zero rows of Z.
"""

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.problem.spectral import eigen, frobenius, rebuilt, settled
from spcabench.steps import unit_columns
from spcabench.vectors import largest_indices, soft_threshold

TRAITS = Traits(
    control="penalty", accepts="covariance", penalty="lam", components="joint", relaxation=True
)
FACTS = Facts(
    authors="Vu, Cho, Lei, Rohe",
    title="Fantope projection and selection: a near-optimal convex relaxation of sparse PCA",
    venue="NIPS 26",
    year=2013,
    address="https://papers.nips.cc/paper/5136",
    cost="9 n^3 + n^3",
    code="fps, https://github.com/vqv/fps (R)",
    reproduced="DSPCA's optimum, within the certified gaps",
)
EXAMPLE = dict(k=5)
STOP, MAX_ITERATIONS = "end", 1000


def penalty_range(problem):
    """Return a range of penalties over which the cardinality falls from n to 1."""
    top = float(problem.covariance.diagonal().max())
    return 1e-3 * top, top


def solve(problem, *, lam: float, components: int = 1, eps: float = 1e-3):
    """Yield the first component x (n,) and all components Z (n, d).

    For d = 1, also yield the primal X and the dual U of the relaxation.

    lam : weight of ||X||_1.
    components : the number d of components.
    eps : tolerance of the primal and the dual residual, both divided by sqrt(d).
    """
    Sigma, n, d = problem.covariance, problem.n, components  # (n, n)
    if not 1 <= d <= n:
        raise InputError(f"components: {d}; it must be from 1 to n = {n}")
    W = active(Sigma, lam, d)
    S = Sigma.S[np.ix_(W, W)]
    unit = np.abs(S).max() or 1.0  # zero after every component has been deflated
    Y, U, rho = np.zeros_like(S), np.zeros_like(S), unit  # the paper's Y and U, scaled
    while True:
        w, V = eigen(Y - U + S / rho)
        X = rebuilt(V, fantope(w, d))
        old, Y = Y, soft_threshold(X + U, lam / rho)
        U = U + X - Y
        primal, dual = frobenius(X - Y), rho / unit * frobenius(Y - old)
        yield shown(Sigma, lam, W, X, Y, -rho * U, settled(w[::-1], V[:, ::-1], d))
        if max(primal, dual) <= eps * np.sqrt(d):
            return
        factor = 2.0 if primal > 10.0 * dual else 0.5 if dual > 10.0 * primal else 1.0
        rho, U = rho * factor, U / factor


def active(Sigma, lam, d):
    """Return the variables that have a covariance above lam or one of the d largest variances."""
    C = np.abs(Sigma.S - np.diag(Sigma.diagonal()))
    needed = C.max(axis=0) > lam
    needed[largest_indices(Sigma.diagonal(), d, Sigma.column_squares)] = True
    return np.flatnonzero(needed)


def fantope(w, d):
    """Return the projection of eigenvalues w (n,): weights clip(w - theta, 0, 1) that sum to d."""
    theta = np.sort(np.concatenate([w, w - 1.0]))  # kinks of the sum, which decreases in theta
    sums = np.clip(w - theta[:, None], 0.0, 1.0).sum(axis=1)
    return np.clip(w - np.interp(d, sums[::-1], theta[::-1]), 0.0, 1.0)


def shown(Sigma, lam, W, X, Y, U_W, V):
    """Return the iterate for all variables, given the iterate for the variables in W."""
    n, block = Sigma.n, np.ix_(W, W)
    rows = Y.any(axis=1)
    Z = np.zeros((n, V.shape[1]))
    Z[W] = unit_columns(V * rows[:, None] if rows.any() else V)
    if V.shape[1] > 1:
        return Iterate(Z[:, 0], Z=Z)

    def primal():
        full = np.zeros((n, n))
        full[block] = X
        return full

    def dual():  # outside W, U is minus Sigma, which cancels the covariance
        full = -np.clip(Sigma.S, -lam, lam)
        np.fill_diagonal(full, -lam)
        full[block] = U_W
        return full

    return Iterate(Z[:, 0], Z=Z, X=primal, U=dual)
