"""Approximate greedy forward selection (PathSPCA).

d'Aspremont, Bach, El Ghaoui (2008), Algorithm 2 ("approximate greedy search").
"""

import numpy as np

from spcabench.iterate import Facts, Traits
from spcabench.vectors import embed, first_largest

TRAITS = Traits(control="cardinality", accepts="either")
FACTS = Facts(
    authors="d'Aspremont, Bach, El Ghaoui",
    title="Optimal solutions for sparse principal component analysis",
    venue="JMLR 9",
    year=2008,
    cost="n j + 9 j^3 for a support of j variables",
    code="PathSPCA (MATLAB), on the first author's page www.di.ens.fr/~aspremon, not available",
)
EXAMPLE = dict(k=10)
STOP = "end"
MAX_ITERATIONS = 10**6


def solve(problem, *, k: int):
    """Yield unit x (n,), the leading eigenvector on a support; each step adds one variable."""
    Sigma = problem.covariance  # (n, n)
    support = np.array([Sigma.largest_variance()])
    x = embed(np.ones(1), support, problem.n)
    yield x
    for _ in range(k - 1):
        # lambda (a_i'p)^2, where p is the leading left singular vector of A on the support
        scores = (Sigma @ x) ** 2
        scores[support] = -1.0
        support = np.sort(np.append(support, first_largest(scores)))
        x = embed(Sigma[support].leading()[1], support, problem.n)
        yield x
