"""Truncated power method (TPower).

Yuan and Zhang (2013), Algorithm 1.
"""

import numpy as np

from spcabench.iterate import Facts, Traits
from spcabench.vectors import Vector, project

TRAITS = Traits(control="cardinality", accepts="either")
FACTS = Facts(
    authors="Yuan and Zhang",
    title="Truncated power method for sparse eigenvalue problems",
    venue="JMLR 14",
    year=2013,
    address="https://jmlr.org/papers/volume14/yuan13a/yuan13a.pdf",
    cost="n k for the k-sparse x; n^2 for the first step",
    code=("TPower (MATLAB), formerly on sites.google.com/site/xtyuan1980, not available"),
)
EXAMPLE = dict(k=10)


def solve(problem, *, k: int, start: Vector | None = None):
    """Yield k-sparse unit vectors x (n,): x+ = P_k(Sigma x).

    start : initial loadings (n,); by default the unit vector of the variable with the largest
        variance.
    """
    Sigma = problem.covariance  # (n, n)
    if start is None:
        start = np.zeros(problem.n)
        start[Sigma.largest_variance()] = 1.0
    x = project(start, k)
    while True:
        yield x
        x = project(Sigma @ x, k)
