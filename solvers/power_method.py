"""Power method: the leading eigenvector of Sigma, not sparse.

Kuleshov (2013) (proceedings.mlr.press/v28/kuleshov13.html), Table 1; Parlett, "The symmetric
eigenvalue problem", 1998, section 4.2.

Cost: n^2.

Code: none: it needs none.
"""

from spcabench.iterate import Traits
from spcabench.vectors import normalize

TRAITS = Traits(control=None, accepts="either")
EXAMPLE: dict = {}


def solve(problem, *, start=None):
    """Yield unit vectors x (n,): x+ = Sigma x, scaled."""
    Sigma = problem.covariance  # (n, n)
    x = normalize(Sigma.largest_column() if start is None else start)
    while True:
        yield x
        x = normalize(Sigma @ x)
