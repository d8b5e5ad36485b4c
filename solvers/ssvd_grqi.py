"""Sparse singular value decomposition by generalized Rayleigh quotient iteration (SSVD).

Kuleshov (2013), Algorithm 5.

Differences from the paper:

1. The system of the Schur complement is solved in bordered form, which gives the same direction,
   remains nonsingular at convergence and preserves the sign. If even the bordered system is
   singular, or if u'Rv is not positive, u and v remain unchanged.
2. u and v are each scaled to norm one; the paper scales the stacked vector (v, u).
3. The power step is sequential: v is computed from the new u, not from the old u.
4. The start is the largest row and the largest column of R or, with ``first="covariance"``, the
   largest column of Sigma = R'R, as in Algorithm 1. The paper does not specify the start.
"""

from itertools import count

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.vectors import Vector, embed, project, support

TRAITS = Traits(control="cardinality", accepts="data", rectangular=True)
FACTS = Facts(
    paper_of="grqi",
    cost=(
        "p^2 q + p^3 + 2 p^2 + 2 p q, where p is the smaller and q the larger of k_u and k; "
        "m k + n k_u for the power step"
    ),
)
COLOUR = "#E69F00"
EXAMPLE = dict(k=10)


def solve(
    problem,
    *,
    k: int,
    k_u: int | None = None,
    J: float = np.inf,
    first: str = "data",
    start: Vector | None = None,
):
    """Yield sparse singular vectors v (n,) and u (m,) of the data R (m, n) that maximise u'Rv.

    k : cardinality of v.
    k_u : cardinality of u; by default all m samples.
    J : number of iterations that end with a power step (J = inf in the paper's experiments).
    first : start from the largest row and column of the "data" R, or from the largest column of the
        "covariance" R'R.
    start : initial v (n,), from which u = R v, projected.
    """
    if first not in ("data", "covariance"):
        raise InputError(f"first: {first!r}; choose 'data' or 'covariance'")
    R = problem.data  # (m, n)
    m, n = R.shape
    k_u = m if k_u is None else k_u
    if not 1 <= k_u <= m:
        raise InputError(f"k_u: {k_u} is out of range; it must be from 1 to m = {m}")
    if start is None and first == "covariance":
        start = problem.covariance.largest_column()
    if start is None:
        v, u = project(R.largest_row(), k), project(R.largest_column(), k_u)
        if u @ (R @ v) < 0:
            u = -u
    else:
        v = project(start, k)
        u = project(R @ v, k_u)
    yield Iterate(v, u=u)
    for j in count():
        W_u, W_v = support(u), support(v)
        u_W, v_W = R[W_u, W_v].rayleigh_step(u[W_u], v[W_v])
        u, v = embed(u_W, W_u, m), embed(v_W, W_v, n)
        if j < J:
            u = project(R @ v, k_u)  # power step, with the new u in the second half
            v = project(R.T @ u, k)
        yield Iterate(v, u=u)
