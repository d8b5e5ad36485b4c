"""Simple thresholding: the k largest entries of the leading eigenvector.

Cadima and Jolliffe, "Loadings and correlations in the interpretation of principal components",
Journal of Applied Statistics 22 (1995), section 2, doi:10.1080/757584614.

Cost: 9 n^3, once.

Code: none: it needs none.
"""

from spcabench.iterate import Traits
from spcabench.vectors import project

TRAITS = Traits(control="cardinality", accepts="either")
EXAMPLE = dict(k=10)
STOP = "end"


def solve(problem, *, k):
    """Yield the one answer x (n,)."""
    Sigma = problem.covariance  # (n, n)
    _, v = Sigma.leading()
    yield project(v, k)
