"""Relax and round: selects the k largest z of a semidefinite relaxation with row constraints.

Bertsimas, Cory-Wright, Pauphilet (2022): maximise <Sigma, X> over X PSD of trace one and z in [0,
1]^n with sum at most k, subject to ||X_i||^2 <= X_ii z_i and ||X_i||_1^2 <= k X_ii z_i for every
row i. The variables with the k largest z are selected. For small n, a general conic solver solves
the relaxation through CVXPY.

Differences from the paper:

1. The authors' code (github.com/ryancorywright/ScalableSPCA.jl) also requires ||X||_1 <= k. This
   follows from the constraints on the l1 norms of the rows, so it is omitted here.
2. The paper's weaker relaxations for large n are not implemented.
3. X is also feasible for DSPCA's relaxation, and it is graded there with the dual matrix U.
   ``objective`` is the value of the stronger relaxation as computed from the conic solver's X. The
   bound is recomputed from U, so it is valid regardless of the accuracy of the conic solver.
"""

import numpy as np

from spcabench.iterate import Facts, Iterate, Traits
from spcabench.methods import cvxpy_duals
from spcabench.methods.exact_search.dual_certificate import Shape, dual_value
from spcabench.vectors import embed, largest_indices

# measured on one core: 2 s for n = 30, 6 s for 40, 37 s for 60
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
    """Yield x (n,): first the variable with the largest variance, then the rounded x with X and U.

    solver : "CLARABEL" (interior point) or "SCS" (first order).
    eps : tolerance of the conic solver; Sigma is scaled so that its largest absolute entry is 1.
    """
    Sigma, n = problem.covariance, problem.n  # (n, n)
    cvxpy_duals.check(solver, n)
    unit = np.abs(Sigma.S).max() or 1.0  # zero after every component has been deflated
    yield Iterate(embed(np.ones(1), np.array([Sigma.largest_variance()]), n))
    X, z, U = cvxpy_duals.row_constrained(n)(Sigma.S / unit, k, solver, eps)
    W = largest_indices(z, k, X.diagonal().take)
    _, v = Sigma[W].leading()
    U = unit * U
    bound, objective = dual_value(Sigma.S, -U, Shape.single(k)), float(np.vdot(Sigma.S, X))
    yield Iterate(embed(v, W, n), X=X, U=U, bound=bound, extra={"objective": objective})
