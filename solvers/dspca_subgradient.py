"""Plain subgradient method for the dual of the semidefinite relaxation.

The method that smoothing improves on in d'Aspremont, El Ghaoui, Jordan, Lanckriet (2007), section
4: it takes O(1/eps^2) iterations instead of O(1/eps). Step and mean are those of Nesterov,
"Introductory lectures on convex optimization", 2004, section 3.2.3.

Differs from the paper in:

1. The paper specifies no step. Here it is rho n / sqrt(k + 1): the size of the box divided by the
   square root of the iteration.
2. The primal is the mean of the subgradients vv', weighted by the steps.
3. Variables are first screened by connected components, unless ``screen=False``; the optimum is the
   same.
4. x is the leading eigenvector of X, with entries below 1 % of the largest set to zero. The harness
   refits it on request.

The steps drive the largest eigenvalues together, which magnifies rounding errors. With the rows
reordered, 3 of 236 answers to small problems with ties differed, by up to 1.2 % of the variance.
The gap at which the run ends, 1 %, is of the same size.
"""

import numpy as np

from spcabench.iterate import Facts, Traits
from spcabench.methods.relaxation import Pair, by_component, value
from spcabench.problem.spectral import eigen, last_vector

TRAITS = Traits(
    control="penalty", accepts="covariance", penalty="rho", relaxation=True, stable=False
)
FACTS = Facts(
    authors="d'Aspremont, El Ghaoui, Jordan, Lanckriet",
    title="A direct formulation for sparse PCA using semidefinite programming",
    venue="SIAM Review 49",
    year=2007,
    address="https://doi.org/10.1137/050645506",
    cost="9 n^3, with n the variables of a connected component",
    code="none: the paper has it for comparison only",
)
COLOUR = "#999999"
EXAMPLE = dict(k=5)
STOP = "gap"
TOL = 1e-2
MAX_ITERATIONS = 5000


def penalty_range(problem):
    """Penalties between which the cardinality falls from n to 1."""
    top = float(problem.covariance.diagonal().max())
    return 1e-3 * top, top


def solve(problem, *, rho: float, screen: bool = True):
    """Yield x (n,) with X and U of the relaxation max Tr(Sigma X) - rho ||X||_1, Tr X = 1, X PSD.

    rho : the penalty.
    screen : solve on the connected components of |Sigma_ij| > rho.
    """
    Sigma = problem.matrix.S  # (n, n)
    yield from by_component(Sigma, rho, lambda A: subgradients(A, rho), screen)


def subgradients(A, rho):
    """Primal-dual pairs of min lambda_max(A + U), |U_ij| <= rho.

    Each step goes along -vv', where v is the leading eigenvector, and is projected onto the box.
    """
    n = len(A)
    U, mean, steps = np.zeros_like(A), np.zeros_like(A), 0.0
    k = 0
    while True:
        w, V = eigen(A + U)
        v = last_vector(w, V)
        G = np.outer(v, v)
        step = 1.0 / np.sqrt(k + 1)
        steps += step
        mean = mean + step / steps * (G - mean)
        yield Pair(v, mean, U, value(A, mean, rho), float(w[-1]))
        U = np.clip(U - rho * n * step * G, -rho, rho)
        k += 1
