"""Truncated power method (TPower).

Yuan and Zhang, "Truncated power method for sparse eigenvalue problems", JMLR 14 (2013),
jmlr.org/papers/volume14/yuan13a/yuan13a.pdf, Algorithm 1.

Cost: n k, for the k-sparse x; n^2 the first time.

Code: TPower (MATLAB), on the first author's page sites.google.com/site/xtyuan1980, not at hand.
"""

import numpy as np

from spcabench.iterate import Traits
from spcabench.vectors import project

TRAITS = Traits(control="cardinality", accepts="either")
EXAMPLE = dict(k=10)


def solve(problem, *, k, start=None):
    """Yield k-sparse unit vectors x (n,): x+ = P_k(Sigma x).

    start : a loading (n,); the unit vector of the largest variance unless given.
    """
    Sigma = problem.covariance  # (n, n)
    if start is None:
        start = np.zeros(problem.n)
        start[Sigma.largest_variance()] = 1.0
    x = project(start, k)
    while True:
        yield x
        x = project(Sigma @ x, k)
