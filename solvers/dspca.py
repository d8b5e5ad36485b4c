"""DSPCA: the semidefinite relaxation by Nesterov's smooth minimisation.

d'Aspremont, El Ghaoui, Jordan, Lanckriet (2007), sections 4.2 and 4.3 (steps 1 to 4 of the
algorithm).

Differs from the paper in:

1. eps is relative to max Sigma_ii - rho, a lower bound of the optimum, or to 1e-5 max Sigma_ii if
   that is larger.
2. The certified gap compares the best primal (X_k or its weighted mean) with the best dual (U_k at
   every iteration, Y_k at every tenth). The paper compares Y_k with the mean.
3. Variables are first screened by connected components, unless ``screen=False``; the optimum is the
   same.
4. The search of rho starts at the largest value, where few variables are left.
5. From 200 variables on, only the largest eigenvalues are computed, namely those with a weight of
   at least 1e-12 in the gradient. The paper computes all.
6. x is the leading eigenvector of X, with entries below 1 % of the largest set to zero. The harness
   refits it on request.
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
    cost="9 n^3, with n the variables of a connected component",
    code="DSPCA (MATLAB), not at hand",
)
COLOUR = "#56B4E9"
EXAMPLE = dict(k=5)
STOP = "gap"
TOL = 1e-3
MAX_ITERATIONS = 5000
EIGENVALUES = ("auto", "full", "partial")


def penalty_range(problem):
    """Penalties between which the cardinality falls from n to 1."""
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
    """Yield x (n,) with X and U of the relaxation max Tr(Sigma X) - rho ||X||_1, Tr X = 1, X PSD.

    rho : the penalty.
    eps : relative accuracy that determines the smoothing. The run ends by its ``tol``, which the
        certified gap must reach.
    eigenvalues : "full" for all; "partial" for those that matter to the gradient, by Lanczos'
        method; "auto" for all below 200 variables, and otherwise those that matter, by LAPACK.
    screen : solve on the connected components of |Sigma_ij| > rho.
    start : x (n,), for example the answer at a larger rho. It serves as a first primal if it is
        better; the minimisation itself starts as usual.
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
    """Primal-dual pairs of min lambda_max(A + U), |U_ij| <= rho."""
    return smooth(
        A, rho, max(eps * (A.diagonal().max() - rho), 1e-5 * np.abs(A).max()), eigenvalues
    )
