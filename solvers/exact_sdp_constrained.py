"""Semidefinite relaxation with ||X||_1 <= k, solved by a general SDP solver through CVXPY.

d'Aspremont, El Ghaoui, Jordan, Lanckriet (2007), section 2.1; `exact_sdp` solves the penalised
form.

Differences from the paper:

1. The SDP solver solves the dual problem; X is the multiplier of its matrix inequality.
2. x consists of the k largest entries of the leading eigenvector of X, because this eigenvector
   need not be k-sparse.
"""

import numpy as np

from spcabench.iterate import Facts, Iterate, Traits
from spcabench.methods import cvxpy_duals
from spcabench.problem.spectral import leading_pairs, nearest_density
from spcabench.vectors import project

TRAITS = Traits(control="cardinality", accepts="covariance", relaxation=True)
FACTS = Facts(
    paper_of="dspca",
    cost="not counted: a conic solver",
    code="none found: the paper uses a general solver",
    reproduced="no published number for this form is known",
)
COLOUR = "#666666"
REQUIRES = "cvxpy"
EXAMPLE = dict(k=5)
STOP = "end"
COUNTED = False


def solve(problem, *, k: int, solver: str = "SCS", eps: float = 1e-9):
    """Yield x (n,): first the variable with the largest variance, then the relaxation's answer.

    The relaxation is max Tr(Sigma X), ||X||_1 <= k, Tr X = 1, X PSD.

    solver : "SCS" (first order) or "CLARABEL" (interior point).
    eps : tolerance of the SDP solver; Sigma is scaled so that its largest variance is 1.
    """
    Sigma = problem.matrix.S  # (n, n)
    n, unit = len(Sigma), np.abs(Sigma).max() or 1.0  # zero after every component has been deflated
    cvxpy_duals.check(solver, n)
    relaxed = cvxpy_duals.constrained(n)
    e = np.zeros(n)
    e[problem.covariance.largest_variance()] = 1.0
    yield Iterate(e)
    X, U = relaxed(Sigma / unit, k, solver, eps)
    X = nearest_density(X)
    yield Iterate(project(leading_pairs(X, 1)[1][:, 0], k), X=X, U=unit * U)
