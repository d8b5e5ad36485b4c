"""Scol-PCA: one column at a time, then the leading eigenvector on the columns chosen.

He, Monteiro, Park (2010), Algorithm 1.

Differs from the paper in:

1. Vectors are scaled to norm one, not sqrt(s).
2. The second phase starts from the signs of the first, and is Lanczos' method or the power method.
3. The sign of 0 is +1, which the paper leaves open.
"""

from spcabench.iterate import Facts, Iterate, Traits
from spcabench.steps import greedy_signs, leading_on
from spcabench.vectors import normalize

TRAITS = Traits(control="cardinality", accepts="either")
FACTS = Facts(
    authors="He, Monteiro, Park",
    title="An efficient algorithm for rank-1 sparse PCA",
    year=2010,
    cost="n a column; m n on data",
    code="none found",
)
COLOUR = "#009E73"
EXAMPLE = dict(k=10)
MAX_ITERATIONS = 10**6  # one for each column, then those of the second phase


def solve(problem, *, k: int, second: str = "lanczos", second_tol: float = 1e-9):
    """Yield unit x (n,): one more nonzero each, entries alike in size, then the second phase's.

    k : cardinality (the paper's s).
    second : "lanczos" or "power", the method of the second phase.
    second_tol : Lanczos' method ends when its value rises by less than this, relative.
    """
    Sigma = problem.covariance  # (n, n)
    for signs, _J in greedy_signs(Sigma, [1] * k):
        yield Iterate(normalize(signs), phase="columns")
    for x in leading_on(Sigma, signs, second, second_tol):
        yield Iterate(x, phase="eigenvector")
