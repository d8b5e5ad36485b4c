"""Diagonal thresholding: the variables of the largest variances, then their leading eigenvector.

Johnstone and Lu, "On consistency and sparsity for principal components analysis in high
dimensions", Journal of the American Statistical Association 104 (2009), section 2.3,
doi:10.1198/jasa.2009.0121.

Differs from the paper in:

1. The k largest variances are taken, in place of those above a threshold: k is what all solvers
   here are given.
2. The eigenvector on these variables is not thresholded again.

Cost: 9 k^3, once.

Code: none found.

Reproduced: its failure on its counterexample.
"""

from spcabench.iterate import Traits
from spcabench.vectors import embed, largest_indices

TRAITS = Traits(control="cardinality", accepts="either")
EXAMPLE = dict(k=10)
STOP = "end"


def solve(problem, *, k):
    """Yield the one answer x (n,)."""
    Sigma = problem.covariance  # (n, n)
    I = largest_indices(Sigma.diagonal(), k, Sigma.column_squares)  # noqa: E741
    _, v = Sigma[I].leading()
    yield embed(v, I, problem.n)
