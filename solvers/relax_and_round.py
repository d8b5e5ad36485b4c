"""Relax and round: a semidefinite relaxation with row limits, and its k largest z.

Bertsimas, Cory-Wright, Pauphilet (2022): max <Sigma, X>, X PSD of trace one, z in [0, 1]^n with sum
at most k, ||X_i||^2 <= X_ii z_i and ||X_i||_1^2 <= k X_ii z_i for every row i. The k largest z are
the variables. By a general conic solver through CVXPY, for small n.

Differs from the paper in:

1. The rows' limit of the l1 norm implies that of the whole, ||X||_1 <= k, which the authors' code
   has (github.com/ryancorywright/ScalableSPCA.jl).
2. The weaker relaxations that the paper has for large n are left out.
3. X is also feasible for DSPCA's relaxation: it is graded as such, with the dual matrix U.
   ``objective`` is the value of the stronger relaxation, as the conic solver has it; the bound is
   recomputed from U, and holds whatever the accuracy of the conic solver.
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
COUNTED = False  # what the conic solver does is not counted


def solve(problem, *, k: int, solver: str = "CLARABEL", eps: float = 1e-8):
    """Yield x (n,), first the largest variance, then the rounded one with X and U.

    solver : "CLARABEL" (interior point) or "SCS" (first order).
    eps : tolerance of the solver, Sigma scaled to a largest entry of 1.
    """
    Sigma, n = problem.covariance, problem.n  # (n, n)
    cvxpy_duals.check(solver, n)
    unit = np.abs(Sigma.S).max() or 1.0  # after the last component nothing is left
    yield Iterate(embed(np.ones(1), np.array([Sigma.largest_variance()]), n))
    X, z, U = cvxpy_duals.row_constrained(n)(Sigma.S / unit, k, solver, eps)
    W = largest_indices(z, k, X.diagonal().take)
    _, v = Sigma[W].leading()
    U = unit * U
    bound, objective = dual_value(Sigma.S, -U, k), float(np.vdot(Sigma.S, X))
    yield Iterate(embed(v, W, n), X=X, U=U, bound=bound, extra={"objective": objective})
