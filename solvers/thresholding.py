"""Simple thresholding: the k largest entries of the leading eigenvector.

Cadima and Jolliffe (1995), section 2.
"""

from spcabench.iterate import Facts, Traits
from spcabench.vectors import project

TRAITS = Traits(control="cardinality", accepts="either")
FACTS = Facts(
    authors="Cadima and Jolliffe",
    title="Loadings and correlations in the interpretation of principal components",
    venue="Journal of Applied Statistics 22",
    year=1995,
    address="https://doi.org/10.1080/757584614",
    cost="9 n^3, once",
    code="none needed",
)
EXAMPLE = dict(k=10)
STOP = "end"


def solve(problem, *, k: int):
    """Yield a single answer x (n,)."""
    Sigma = problem.covariance  # (n, n)
    _, v = Sigma.leading()
    yield project(v, k)
