"""Rayleigh quotient iteration: an eigenvector of Sigma, not sparse.

Kuleshov (2013) (proceedings.mlr.press/v28/kuleshov13.html), Table 1; Parlett, "The symmetric
eigenvalue problem", 1998, section 4.6.

Differs from the paper in:

1. The shifted system is solved in its bordered form: the same direction, but regular at
   convergence, its sign kept.

Cost: n^3 + 2 n^2.

Code: none: it needs none.
"""

import numpy as np

from spcabench.iterate import Traits
from spcabench.vectors import normalize

TRAITS = Traits(control=None, accepts="either")
EXAMPLE: dict = {}


def solve(problem, *, start=None):
    """Yield unit vectors x (n,): x+ = (Sigma - mu I)^-1 x with mu = x'Sigma x, scaled."""
    Sigma = problem.covariance  # (n, n)
    x = normalize(Sigma.largest_column() if start is None else start)
    Sigma_all = Sigma[np.arange(problem.n)]
    while True:
        yield x
        x = Sigma_all.rayleigh_step(x)
