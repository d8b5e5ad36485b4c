"""Scol-PCA: selects one column at a time, then computes the leading eigenvector on all of them.

He, Monteiro, Park (2010), Algorithm 1.

Differences from the paper:

1. Vectors are scaled to norm 1, not sqrt(s).
2. The second phase starts from the signs of the first phase. It uses the Lanczos method or the
   power method.
3. The sign of 0, which the paper does not specify, is +1.
"""

from spcabench.iterate import Facts, Iterate, Traits
from spcabench.steps import greedy_signs, leading_on
from spcabench.vectors import normalize

TRAITS = Traits(control="cardinality", accepts="either")
FACTS = Facts(
    authors="He, Monteiro, Park",
    title="An efficient algorithm for rank-1 sparse PCA",
    year=2010,
    cost="n per column; m n if the input is data",
    code="none found",
)
COLOUR = "#009E73"
EXAMPLE = dict(k=10)
MAX_ITERATIONS = 10**6  # there is one iteration per column, followed by the second phase


def solve(problem, *, k: int, second: str = "lanczos", second_tol: float = 1e-9):
    """Yield unit x (n,) after each column, with entries of equal size, then from the second phase.

    k : cardinality (the paper's s).
    second : method of the second phase, "lanczos" or "power".
    second_tol : the Lanczos method stops when the relative increase of its value is below this.
    """
    Sigma = problem.covariance  # (n, n)
    for signs, _J in greedy_signs(Sigma, [1] * k):
        yield Iterate(normalize(signs), phase="columns")
    for x in leading_on(Sigma, signs, second, second_tol):
        yield Iterate(x, phase="eigenvector")
