"""Brute force: every support of k variables, for n up to 20.

The definition of the problem (Kuleshov 2013, equation 1,
proceedings.mlr.press/v28/kuleshov13.html): the reference of the tests.

Cost: 9 k^3 a support, n over k supports.

Code: none: it is the definition.
"""

import numpy as np

from spcabench.iterate import Traits
from spcabench.problem.spectral import principal_blocks
from spcabench.vectors import embed, first_largest

TRAITS = Traits(
    control="cardinality", accepts="covariance", nonnegative=True, exact=True, largest=20
)
EXAMPLE = dict(k=3)
STOP = "end"


def solve(problem, *, k, nonnegative=False):
    """Yield the best x (n,) so far, first over one batch of supports, then over the next.

    nonnegative : x >= 0. On its own support a best such x is a leading eigenvector: all supports of
        1 to k variables.
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
