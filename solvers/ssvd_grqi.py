"""Sparse singular value decomposition by generalized Rayleigh quotient iteration (SSVD).

Kuleshov, "Fast algorithms for sparse principal component analysis based on
Rayleigh quotient iteration", ICML 2013, Algorithm 5.

Differs from the paper in:

1. The Schur complement's system is solved in its bordered form: the same direction, regular at
   convergence, sign kept.
2. u and v are unit vectors each; the paper scales the stacked vector (v, u).
"""

from spcabench.errors import InputError
from spcabench.iterate import Iterate, Traits
from spcabench.vectors import embed, project, support

TRAITS = Traits(control="cardinality", accepts="data", rectangular=True)
COLOUR = "#E69F00"
EXAMPLE = dict(k=10)


def solve(problem, *, k, k_u: int | None = None, start=None):
    """Yield sparse singular vectors v (n,), u (m,) of the data R (m, n), maximising u'Rv.

    k : cardinality of v.
    k_u : cardinality of u; all m samples unless given.
    start : v (n,) to start from; u is then R v.
    """
    R = problem.data  # (m, n)
    m, n = R.shape
    k_u = m if k_u is None else k_u
    if not 1 <= k_u <= m:
        raise InputError(f"k_u: {k_u} is out of range; allowed are 1 to m = {m}")
    if start is None:
        v, u = project(R.largest_row(), k), project(R.largest_column(), k_u)
        if u @ (R @ v) < 0:
            u = -u
    else:
        v = project(start, k)
        u = project(R @ v, k_u)
    yield Iterate(v, u=u)
    while True:
        W_u, W_v = support(u), support(v)
        _, v_W = R[W_u, W_v].rayleigh_step(u[W_u], v[W_v])
        v = embed(v_W, W_v, n)
        u = project(R @ v, k_u)  # power step, with the new u in the second half
        v = project(R.T @ u, k)
        yield Iterate(v, u=u)
