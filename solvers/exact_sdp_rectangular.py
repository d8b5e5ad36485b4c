"""Semidefinite relaxation of the sparse SVD of a rectangular matrix, solved through CVXPY.

d'Aspremont, El Ghaoui, Jordan, Lanckriet (2007), section 2.3: maximise u'Av over unit vectors u and
v with at most k_u and k nonzeros.

Differences from the paper:

1. The SDP solver solves the dual problem; X is the multiplier of its matrix inequality.
2. u and v consist of the k_u and k largest entries of the leading singular vectors of X12.

If several optima tie, the conic solver can return any of them, so the answer depends on the order
of the rows. When the rows were reordered, 82 of 1000 answers to small problems with ties changed,
by up to 25 % of the variance.
"""

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.methods import cvxpy_duals
from spcabench.vectors import project

TRAITS = Traits(
    control="cardinality", accepts="data", rectangular=True, relaxation=True, stable=False
)
FACTS = Facts(
    paper_of="dspca",
    cost="not counted: a conic solver",
    code="none found: the paper uses a general solver",
)
COLOUR = "#BBBBBB"
REQUIRES = "cvxpy"
EXAMPLE = dict(k=3)
STOP = "end"
COUNTED = False


def solve(problem, *, k: int, k_u: int | None = None, solver: str = "SCS", eps: float = 1e-8):
    """Yield v (n,) and u (m,): first the largest entry of A (m, n), then the relaxation's answer.

    k : cardinality of v.
    k_u : cardinality of u; by default all m samples.
    solver : "SCS" (first order) or "CLARABEL" (interior point).
    eps : tolerance of the SDP solver; A is scaled so that its largest absolute entry is 1.
    """
    A = problem.data.dense()
    m, n = A.shape
    k_u = m if k_u is None else k_u
    if not 1 <= k_u <= m:
        raise InputError(f"k_u: {k_u} is out of range; it must be from 1 to m = {m}")
    cvxpy_duals.check(solver, m + n)
    relaxed = cvxpy_duals.rectangular(m, n)
    unit = np.abs(A).max() or 1.0  # zero after every component has been deflated
    i, j = np.unravel_index(np.argmax(np.abs(A)), A.shape)
    yield Iterate(np.eye(n)[j], u=np.sign(A[i, j]) * np.eye(m)[i])
    X, U = relaxed(A / unit, k_u, k, solver, eps)
    left, _, right = np.linalg.svd(X[:m, m:])
    u, v = project(left[:, 0], k_u), project(right[0], k)
    yield Iterate(v, u=u, X=X, U=unit * U)
