"""Rayleigh quotient iteration: an eigenvector of Sigma, which is not sparse.

Kuleshov (2013), Table 1; Parlett, "The symmetric eigenvalue problem", 1998, section 4.6.

Differences from the paper:

1. The shifted system is solved in bordered form, which gives the same direction, remains
   nonsingular at convergence and preserves the sign.
"""

import numpy as np

from spcabench.iterate import Facts, Traits
from spcabench.vectors import Vector, normalize

TRAITS = Traits(control=None, accepts="either")
FACTS = Facts(
    paper_of="grqi",
    cost="n^3 + 2 n^2",
    code="none needed",
)
EXAMPLE: dict = {}


def solve(problem, *, start: Vector | None = None):
    """Yield unit vectors x (n,): x+ = (Sigma - mu I)^-1 x with mu = x'Sigma x, normalised."""
    Sigma = problem.covariance  # (n, n)
    x = normalize(Sigma.largest_column() if start is None else start)
    Sigma_all = Sigma[np.arange(problem.n)]
    while True:
        yield x
        x = Sigma_all.rayleigh_step(x)
