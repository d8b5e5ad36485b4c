"""Diagonal thresholding: the leading eigenvector on the k variables with the largest variances.

Johnstone and Lu (2009), section 2.3.

Differences from the paper:

1. It selects the k largest variances, instead of those above a threshold, because k is the input of
   all solvers here.
2. The eigenvector on these variables is not thresholded again.
"""

from spcabench.iterate import Facts, Traits
from spcabench.vectors import embed, largest_indices

TRAITS = Traits(control="cardinality", accepts="either")
FACTS = Facts(
    authors="Johnstone and Lu",
    title="On consistency and sparsity for principal components analysis in high dimensions",
    venue="Journal of the American Statistical Association 104",
    year=2009,
    address="https://doi.org/10.1198/jasa.2009.0121",
    cost="9 k^3, once",
    code="none found",
    reproduced="its failure on its counterexample",
)
EXAMPLE = dict(k=10)
STOP = "end"


def solve(problem, *, k: int):
    """Yield a single answer x (n,)."""
    Sigma = problem.covariance  # (n, n)
    I = largest_indices(Sigma.diagonal(), k, Sigma.column_squares)  # noqa: E741
    _, v = Sigma[I].leading()
    yield embed(v, I, problem.n)
