"""Power method: the leading eigenvector of Sigma, which is not sparse.

Kuleshov (2013), Table 1; Parlett, "The symmetric eigenvalue problem", 1998, section 4.2.
"""

from spcabench.iterate import Facts, Traits
from spcabench.vectors import Vector, normalize

TRAITS = Traits(control=None, accepts="either")
FACTS = Facts(
    paper_of="grqi",
    cost="n^2",
    code="none needed",
)
EXAMPLE: dict = {}


def solve(problem, *, start: Vector | None = None):
    """Yield unit vectors x (n,): x+ = Sigma x, normalised."""
    Sigma = problem.covariance  # (n, n)
    x = normalize(Sigma.largest_column() if start is None else start)
    while True:
        yield x
        x = normalize(Sigma @ x)
