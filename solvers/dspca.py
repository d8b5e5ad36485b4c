"""DSPCA: Nesterov's smooth minimisation for the semidefinite relaxation.

d'Aspremont, El Ghaoui, Jordan, Lanckriet (2007), sections 4.2 and 4.3 (steps 1 to 4 of the
algorithm).

Differences from the paper:

1. eps is relative to max Sigma_ii - rho, a lower bound on the optimum. The absolute accuracy is at
   least 1e-5 max |Sigma_ij|.
2. The certified gap compares the best primal (X_k or the weighted mean of the X_k) with the best
   dual (U_k at every iteration, Y_k at every tenth iteration). The paper compares Y_k with the
   mean.
3. Unless ``screen=False``, variables are first screened by connected components, which does not
   change the optimum.
4. The search for rho starts at its largest value, for which few variables remain.
5. For 200 variables or more, only eigenvalues with a weight of at least 1e-12 in the gradient are
   computed. The paper computes all eigenvalues.
6. x is the leading eigenvector of X, with entries below 1 % of the largest entry set to zero. The
   harness refits it on request.
"""

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Traits
from spcabench.methods.relaxation import by_component
from spcabench.methods.smoothing import smooth
from spcabench.vectors import Vector

TRAITS = Traits(control="penalty", accepts="covariance", penalty="rho", relaxation=True, path=True)
FACTS = Facts(
    authors="d'Aspremont, El Ghaoui, Jordan, Lanckriet",
    title="A direct formulation for sparse PCA using semidefinite programming",
    venue="SIAM Review 49",
    year=2007,
    address="https://doi.org/10.1137/050645506",
    cost="9 n^3 for a connected component of n variables",
    code="DSPCA (MATLAB), not available",
)
COLOUR = "#56B4E9"
EXAMPLE = dict(k=5)
STOP = "gap"
TOL = 1e-3
MAX_ITERATIONS = 5000
EIGENVALUES = ("auto", "full", "partial")


def penalty_range(problem):
    """Return a range of penalties over which the cardinality falls from n to 1."""
    top = float(problem.covariance.diagonal().max())
    return 1e-3 * top, top


def solve(
    problem,
    *,
    rho: float,
    eps: float = TOL,
    eigenvalues: str = "auto",
    screen: bool = True,
    start: Vector | None = None,
):
    """Yield x (n,) and the matrices X and U of the relaxation.

    The relaxation is max Tr(Sigma X) - rho ||X||_1, Tr X = 1, X PSD.

    rho : the penalty.
    eps : relative accuracy that determines the smoothing. It does not stop the run: the run stops
        when the certified gap is at most its ``tol``.
    eigenvalues : which eigenvalues to compute: "full" for all of them; "partial" for those that
        affect the gradient, by the Lanczos method; "auto" for all of them below 200 variables, and
        otherwise for those that affect the gradient, by LAPACK.
    screen : solve separately on each connected component of |Sigma_ij| > rho.
    start : x (n,), for example the answer at a larger rho. It provides the first primal matrix if
        this is better. The minimisation itself starts as usual.
    """
    if eigenvalues not in EIGENVALUES:
        raise InputError(f"eigenvalues: {eigenvalues!r}; choose 'auto', 'full' or 'partial'")
    Sigma = problem.matrix.S  # (n, n)
    yield from by_component(
        Sigma,
        rho,
        lambda A, x=None: minimised(A, rho, eps, eigenvalues),
        screen,
        start,
    )


def minimised(A, rho, eps, eigenvalues):
    """Yield primal-dual pairs of min lambda_max(A + U), |U_ij| <= rho."""
    return smooth(
        A, rho, max(eps * (A.diagonal().max() - rho), 1e-5 * np.abs(A).max()), eigenvalues
    )
