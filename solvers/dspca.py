"""DSPCA: the semidefinite relaxation by Nesterov's smooth minimisation.

d'Aspremont, El Ghaoui, Jordan, Lanckriet, "A direct formulation for sparse PCA using semidefinite programming", SIAM
Review 49 (2007), sections 4.2 and 4.3 (the algorithm's steps 1 to 4).

Differs from the paper in:

1. eps is relative: to max Sigma_ii - rho, a lower bound of the optimum, but at least 1e-5 max Sigma_ii.
2. The certified gap is that of the best primal (X_k or its weighted mean) with the best dual (U_k at every iteration,
   Y_k at every tenth), in place of Y_k and the mean.
3. Variables are screened by connected components first, unless ``screen=False``: the optimum is the same.
4. x is the leading eigenvector of X, entries below 1 % of the largest set to zero; the harness refits where asked to.
"""

import numpy as np

from spcabench.iterate import Traits
from spcabench.relaxation import Pair, by_component, value
from spcabench.spectral import eigen, largest, rebuilt, top_eigen

TRAITS = Traits(control="penalty", accepts="covariance", penalty="rho", relaxation=True)
COLOUR = "#56B4E9"
EXAMPLE = dict(k=5)
STOP = "gap"
TOL = 1e-3
MAX_ITERATIONS = 5000
CHECK = 10  # iterations from one evaluation of the dual at Y_k to the next


def penalty_range(problem):
    """Penalties between which the cardinality falls from n to one."""
    top = float(problem.covariance.diagonal().max())
    return 1e-3 * top, top


def solve(problem, *, rho, eps=TOL, eigenvalues="full", screen=True):
    """Yield x (n,) with X and U of the relaxation max Tr(Sigma X) - rho ||X||_1, Tr X = 1, X PSD.

    rho : the penalty.
    eps : accuracy that the smoothing aims at, relative; the run's ``tol`` is what the certified gap must reach.
    eigenvalues : "full", or "partial": only those that matter to the gradient, by Lanczos' method.
    screen : solve on the connected components of |Sigma_ij| > rho.
    """
    if eigenvalues not in ("full", "partial"):
        raise ValueError(f"eigenvalues: {eigenvalues!r}; allowed are 'full' and 'partial'")
    Sigma = problem.matrix.S  # (n, n)
    yield from by_component(Sigma, rho, lambda A: smooth(A, rho, eps, eigenvalues == "partial"), screen)


def smooth(A, rho, eps, partial):
    """Pairs of min lambda_max(A + U), |U_ij| <= rho: Nesterov's method on the smoothed dual."""
    n, top = len(A), np.abs(A).max()
    eps = max(eps * (A.diagonal().max() - rho), 1e-5 * top)
    mu = eps / (2.0 * np.log(n))
    L = 1.0 / (2.0 * mu)
    U, G, mean = np.zeros_like(A), np.zeros_like(A), np.zeros_like(A)
    k = 0
    while True:
        x, X, bound = gradient(A + U, mu, partial)  # step 1
        Y = np.clip(U - X / L, -rho, rho)  # step 2
        G += (k + 1) / 2.0 * X
        Z = np.clip(-G / L, -rho, rho)  # step 3
        mean = (k * mean + 2.0 * X) / (k + 2)
        yield Pair(x, mean, U, value(A, mean, rho), bound)
        if k % CHECK == CHECK - 1:
            yield Pair(x, X, Y, value(A, X, rho), largest(A + Y))
        U = 2.0 / (k + 3) * Z + (k + 1) / (k + 3) * Y  # step 4
        k += 1


def gradient(M, mu, partial):
    """The leading eigenvector of M, exp(M / mu) scaled to trace one, and lambda_max(M)."""
    w, V = top_eigen(M, mu * np.log(1e12 * len(M))) if partial else eigen(M)
    p = np.exp((w - w[-1]) / mu)
    return V[:, -1], rebuilt(V, p / p.sum()), float(w[-1])
