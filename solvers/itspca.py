"""Iterative thresholding sparse PCA (ITSPCA): orthogonal iteration with small entries set to zero.

Ma (2013), Algorithm 1, started by a variant of Algorithm 2 (DTSPCA): T = Sigma Q is thresholded
column by column, and the next Q comes from Q R = T.

Differences from the paper:

1. The threshold of a column is a fraction gamma of its largest entry. In the paper it is gamma
   times sqrt(lambda_j log(n) / m), which requires the number of samples and a noise variance of 1.
2. The start consists of the leading eigenvectors on the variables whose variance is at least the
   median. The paper uses the variables whose variance exceeds the noise variance by a multiple of
   sqrt(log(n) / m).
"""

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.steps import unit_columns
from spcabench.vectors import soft_threshold

TRAITS = Traits(control="penalty", penalty="gamma", components="joint")
FACTS = Facts(
    authors="Ma",
    title="Sparse principal component analysis and iterative thresholding",
    venue="Annals of Statistics 41",
    year=2013,
    address="https://doi.org/10.1214/13-AOS1097",
    cost="n^2 q",
    code="SPCALab (MATLAB), not available",
    reproduced="no number of its paper is available",
)
EXAMPLE = dict(k=10)
RULES = ("hard", "soft")


def penalty_range(problem):
    """Return a range of gamma over which the cardinality falls from n to 1."""
    return 1e-6, 1.0


def solve(problem, *, gamma: float, components: int = 1, thresholding: str = "hard"):
    """Yield the first component x (n,) and all components Z (n, q), which are orthonormal.

    gamma : entries of Sigma q_j that are at most gamma times the largest entry are set to zero.
    components : the number q of components.
    thresholding : "hard" leaves the remaining entries unchanged, "soft" shrinks them towards zero.
    """
    if thresholding not in RULES or not 1 <= components <= problem.n:
        raise InputError(
            f"thresholding, components: {thresholding!r}, {components}; choose from {RULES} and 1 "
            f"to n = {problem.n}"
        )
    Sigma = problem.covariance  # (n, n)
    Q = initial(Sigma, components)  # (n, q)
    while True:
        yield Iterate(Q[:, 0], Z=Q)
        T = Sigma.products(Q)
        T = thresholded(T, gamma * np.abs(T).max(axis=0), thresholding)
        Q = orthonormal(T)


def initial(Sigma, components):
    """Return the leading eigenvectors (n, q) on the variables with at least the median variance."""
    d = Sigma.diagonal()
    I = np.flatnonzero(d >= np.median(d) * (1.0 - 1e-9))  # noqa: E741
    if len(I) < components:
        I = np.arange(len(d))  # noqa: E741
    Q = np.zeros((len(d), components))
    Q[I] = Sigma[I].leading_pairs(components)[1]
    return Q


def thresholded(T, level, rule):
    """Return T (n, q) with the entries of column j that are at most level_j set to zero."""
    if rule == "hard":
        return np.where(np.abs(T) > level, T, 0.0)
    return soft_threshold(T, level)


def orthonormal(T):
    """Return Q of the QR decomposition of T (n, q)."""
    if T.shape[1] == 1:
        return unit_columns(T)
    return np.linalg.qr(np.asarray(T))[0]
