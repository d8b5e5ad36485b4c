"""Relax and round: solves a semidefinite relaxation with row limits, then takes the k largest z.

Bertsimas, Cory-Wright, Pauphilet (2022): maximise <Sigma, X> over X PSD of trace one and z in [0,
1]^n with sum at most k, subject to ||X_i||^2 <= X_ii z_i and ||X_i||_1^2 <= k X_ii z_i for every
row i. The variables with the k largest z are selected. A general conic solver is used through
CVXPY, for small n.

Differs from the paper in:

1. The limits of the rows' l1 norms imply the limit ||X||_1 <= k of the whole matrix, which the
   authors' code adds (github.com/ryancorywright/ScalableSPCA.jl).
2. The paper's weaker relaxations for large n are left out.
3. X is also feasible for DSPCA's relaxation, and is graded there with the dual matrix U.
   ``objective`` is the value of the stronger relaxation as reported by the conic solver. The bound
   is recomputed from U, so it is valid whatever the accuracy of the conic solver.
"""

import numpy as np

from spcabench.iterate import Facts, Iterate, Traits
from spcabench.methods import cvxpy_duals
from spcabench.methods.exact_search.dual_certificate import dual_value
from spcabench.vectors import embed, largest_indices

# measured on one core: 2 s at n = 30, 6 s at 40, 37 s at 60
TRAITS = Traits(control="cardinality", accepts="covariance", relaxation=True, largest=60)
FACTS = Facts(
    authors="Bertsimas, Cory-Wright, Pauphilet",
    title="Solving large-scale sparse PCA to certifiable (near) optimality",
    venue="JMLR 23",
    year=2022,
    address="https://jmlr.org/papers/v23/20-1188.html",
    cost="not counted: a conic solver",
    code="ScalableSPCA.jl, https://github.com/ryancorywright/ScalableSPCA.jl (Julia)",
    reproduced="the optima of pit props, 3.406 and 4.173",
)
REQUIRES = "cvxpy"
EXAMPLE = dict(k=5)
STOP = "end"
COUNTED = False  # flops inside the conic solver are not counted


def solve(problem, *, k: int, solver: str = "CLARABEL", eps: float = 1e-8):
    """Yield x (n,): first the variable of largest variance, then the rounded one with X and U.

    solver : "CLARABEL" (interior point) or "SCS" (first order).
    eps : tolerance of the conic solver, with Sigma scaled to a largest entry of 1.
    """
    Sigma, n = problem.covariance, problem.n  # (n, n)
    cvxpy_duals.check(solver, n)
    unit = np.abs(Sigma.S).max() or 1.0  # zero once all components are deflated
    yield Iterate(embed(np.ones(1), np.array([Sigma.largest_variance()]), n))
    X, z, U = cvxpy_duals.row_constrained(n)(Sigma.S / unit, k, solver, eps)
    W = largest_indices(z, k, X.diagonal().take)
    _, v = Sigma[W].leading()
    U = unit * U
    bound, objective = dual_value(Sigma.S, -U, k), float(np.vdot(Sigma.S, X))
    yield Iterate(embed(v, W, n), X=X, U=U, bound=bound, extra={"objective": objective})
