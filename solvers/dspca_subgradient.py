"""Plain subgradient method for the dual of the semidefinite relaxation.

d'Aspremont, El Ghaoui, Jordan, Lanckriet (2007), section 4, mention this method for comparison: it
takes O(1/eps^2) iterations, whereas smoothing takes O(1/eps). The step size and the averaging
follow Nesterov, "Introductory lectures on convex optimization", 2004, section 3.2.3.

Differences from the paper:

1. The paper does not specify a step size. Here it is rho n / sqrt(k + 1): the size of the box
   divided by the square root of the iteration number.
2. The primal is the mean of the subgradients vv', weighted by the step sizes.
3. Unless ``screen=False``, variables are first screened by connected components, which does not
   change the optimum.
4. x is the leading eigenvector of X, with entries below 1 % of the largest entry set to zero. The
   harness refits it on request.

The steps make the largest eigenvalues nearly equal, which magnifies rounding errors. When the rows
were reordered, 3 of 236 answers to small problems with ties changed, by up to 1.2 % of the
variance. This is similar to the gap at which a run stops, 1 %.
"""

from itertools import count

import numpy as np

from spcabench.iterate import Facts, Traits
from spcabench.methods.relaxation import Pair, by_component, value
from spcabench.problem.spectral import eigen, last_vector

TRAITS = Traits(
    control="penalty", accepts="covariance", penalty="rho", relaxation=True, stable=False
)
FACTS = Facts(
    paper_of="dspca",
    cost="9 n^3 for a connected component of n variables",
    code="none: the paper only mentions it for comparison",
)
COLOUR = "#999999"
EXAMPLE = dict(k=5)
STOP = "gap"
TOL = 1e-2
MAX_ITERATIONS = 5000


def penalty_range(problem):
    """Return a range of penalties over which the cardinality falls from n to 1."""
    top = float(problem.covariance.diagonal().max())
    return 1e-3 * top, top


def solve(problem, *, rho: float, screen: bool = True):
    """Yield x (n,) and the matrices X and U of the relaxation.

    The relaxation is max Tr(Sigma X) - rho ||X||_1, Tr X = 1, X PSD.

    rho : the penalty.
    screen : solve separately on each connected component of |Sigma_ij| > rho.
    """
    Sigma = problem.matrix.S  # (n, n)
    yield from by_component(Sigma, rho, lambda A: subgradients(A, rho), screen)


def subgradients(A, rho):
    """Yield primal-dual pairs of min lambda_max(A + U), |U_ij| <= rho.

    Each step goes along -vv', where v is the leading eigenvector, and is projected onto the box.
    """
    n = len(A)
    U, mean, steps = np.zeros_like(A), np.zeros_like(A), 0.0
    for k in count():
        w, V = eigen(A + U)
        v = last_vector(w, V)
        G = np.outer(v, v)
        step = 1.0 / np.sqrt(k + 1)
        steps += step
        mean = mean + step / steps * (G - mean)
        yield Pair(v, mean, U, value(A, mean, rho), float(w[-1]))
        U = np.clip(U - rho * n * step * G, -rho, rho)
