"""Brute force: tries every support of k variables, for n up to 20.

It solves the problem as defined by Kuleshov (2013), equation 1, and is the reference in the tests.
"""

import numpy as np

from spcabench.iterate import Facts, Traits
from spcabench.problem.spectral import principal_blocks
from spcabench.vectors import embed, first_largest

TRAITS = Traits(
    control="cardinality", accepts="covariance", nonnegative=True, exact=True, largest=20
)
FACTS = Facts(
    paper_of="grqi",
    cost="9 k^3 per support, n choose k supports",
    code="none: it follows the definition",
)
EXAMPLE = dict(k=3)
STOP = "end"


def solve(problem, *, k: int, nonnegative: bool = False):
    """Yield the best x (n,) so far, after each batch of supports.

    nonnegative : require x >= 0. The best such x is the leading eigenvector on its own support,
        which can have fewer than k variables, so supports of all sizes from 1 to k are tried.
    """
    S = problem.matrix.S  # (n, n)
    best = -np.inf
    for size in range(1, k + 1) if nonnegative else (k,):
        # supports (b, size), x_W (b, size), values (b,)
        for supports, x_W, values in principal_blocks(S, size, nonnegative):
            top = first_largest(values)
            if values[top] > best:
                best, x = values[top], embed(x_W[top], supports[top], problem.n)
            yield x
