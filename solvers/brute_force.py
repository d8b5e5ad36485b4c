"""Brute force: every support of k variables, for n up to 20.

The definition of the problem (Kuleshov 2013, equation 1): the reference of the tests.
"""

import numpy as np

from spcabench.iterate import Traits
from spcabench.vectors import embed

TRAITS = Traits(control="cardinality", accepts="covariance", exact=True)
EXAMPLE = dict(k=3)
STOP = "end"
LARGEST = 20


def solve(problem, *, k):
    """Yield the best x (n,) so far, first over one batch of supports, then over the next."""
    if problem.n > LARGEST:
        raise ValueError(f"n: {problem.n} variables; brute force is for at most {LARGEST}")
    Sigma = problem.covariance  # (n, n)
    best = -np.inf
    for supports, values in Sigma.principal_blocks(k):  # (b, k), (b,)
        if values.max() > best:
            best = values.max()
            W = supports[values.argmax()]
            x = embed(Sigma[W].leading()[1], W, problem.n)
        yield x
