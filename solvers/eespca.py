"""Eigenvectors from eigenvalues sparse PCA (EESPCA).

Frost (2022). The squared loadings of the leading eigenvector v are approximated by 1 -
lambda_1(M_i) / lambda_1, where M_i is the covariance without variable i. lambda_1(M_i) is
approximated by a few power steps that start from v without its entry i. The error of this
approximation is largest for the least important variables. The loadings are the square roots, and
small loadings are set to zero.

Differences from the paper:

1. The k largest loadings are retained, instead of those above 1 / sqrt(n), because k is the input
   of all solvers here.
2. v is the exact eigenvector. The paper takes at most 20 power steps from equal entries.
3. All lambda_1(M_i) are computed simultaneously, with the same number of power steps. In the paper,
   each power iteration stops when its value changes by less than 1e-6.
"""

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Traits
from spcabench.steps import unit_columns
from spcabench.vectors import project

TRAITS = Traits(control="cardinality", accepts="either")
FACTS = Facts(
    authors="Frost",
    title="Eigenvectors from eigenvalues sparse principal component analysis",
    venue="Journal of Computational and Graphical Statistics 31",
    year=2022,
    address="https://doi.org/10.1080/10618600.2021.1987254",
    cost="9 n^3 + 6 n^3, once",
    code="EESPCA, https://cran.r-project.org/package=EESPCA (R)",
    reproduced="the loadings and the variance of the package's vignette, to seven digits",
)
EXAMPLE = dict(k=10)
STOP = "end"


def solve(problem, *, k: int, steps: int = 5):
    """Yield a single answer x (n,).

    steps : number of power steps for each lambda_1(M_i).
    """
    if steps < 1:
        raise InputError(f"steps: {steps}; it must be at least 1")
    Sigma = problem.covariance  # (n, n)
    lambda_1, v = Sigma.leading()
    V = without_diagonal(np.tile(v[:, None], problem.n))  # column i: v without its entry i
    MV = without_diagonal(Sigma.products(V))
    for _ in range(steps):
        V = unit_columns(MV)
        MV = without_diagonal(Sigma.products(V))
    squared = np.maximum(1.0 - (V * MV).sum(axis=0) / lambda_1, 0.0) if lambda_1 > 0.0 else v**2
    x = np.sign(v) * np.sqrt(squared)
    yield project(x if x.any() else v, k)


def without_diagonal(V):
    """Return a copy of V (n, n) with zeros on its diagonal."""
    V = V.copy()
    np.fill_diagonal(V, 0.0)
    return V
