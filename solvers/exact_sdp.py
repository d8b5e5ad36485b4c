"""Penalised semidefinite relaxation, solved by a general SDP solver through CVXPY.

d'Aspremont, El Ghaoui, Jordan, Lanckriet (2007), equation 6. It is the reference for small
problems. The SDP solvers are SCS (O'Donoghue et al. 2016) and Clarabel (Goulart and Chen 2024).

Differences from the paper:

1. The SDP solver solves the dual problem; X is the multiplier of its matrix inequality.
2. Unless ``screen=False``, variables are first screened by connected components, which does not
   change the optimum.
3. x is the leading eigenvector of X, with entries below 1 % of the largest entry set to zero. The
   harness refits it on request.
"""

import numpy as np

from spcabench.iterate import Facts, Traits
from spcabench.methods import cvxpy_duals
from spcabench.methods.relaxation import Pair, by_component, value
from spcabench.problem.spectral import largest_eigenvalue, leading_pairs, nearest_density
from spcabench.vectors import without_rounding

TRAITS = Traits(control="penalty", accepts="covariance", penalty="rho", relaxation=True)
FACTS = Facts(
    paper_of="dspca",
    cost="not counted: a conic solver",
    code="none found: the paper uses a general solver",
)
COLOUR = "#000000"
REQUIRES = "cvxpy"
EXAMPLE = dict(k=5)
STOP = "end"
COUNTED = False


def penalty_range(problem):
    """Return a range of penalties over which the cardinality falls from n to 1."""
    top = float(problem.covariance.diagonal().max())
    return 1e-3 * top, top


def solve(problem, *, rho: float, solver: str = "SCS", eps: float = 1e-9, screen: bool = True):
    """Yield x (n,) and the matrices X and U, first at the start, then after each component.

    The relaxation is max Tr(Sigma X) - rho ||X||_1, Tr X = 1, X PSD.

    rho : the penalty.
    solver : "SCS" (first order) or "CLARABEL" (interior point).
    eps : tolerance of the SDP solver; Sigma is scaled so that its largest variance is 1.
    screen : solve separately on each connected component of |Sigma_ij| > rho.
    """
    Sigma = problem.matrix.S  # (n, n)
    yield from by_component(Sigma, rho, lambda S: solution(S, rho, solver, eps), screen)


def solution(S, rho, solver, eps):
    """Yield the SDP solver's answer as one primal-dual pair, projected onto the feasible set."""
    cvxpy_duals.check(solver, len(S))
    unit = np.abs(S).max()
    S_1, rho_1 = without_rounding(S / unit), float(without_rounding(np.asarray(rho / unit)))
    X, U = cvxpy_duals.penalised(len(S))(S_1, rho_1, solver, eps)
    X, U = nearest_density(X), np.clip(unit * (U + U.T) / 2, -rho, rho)
    yield Pair(leading_pairs(X, 1)[1][:, 0], X, U, value(S, X, rho), largest_eigenvalue(S + U))
