"""Penalised matrix decomposition with sparse loadings and dense scores (PMD, SPC).

Witten, Tibshirani, Hastie (2009), Algorithm 3 with section 3.2: maximise u'Av over ||u|| <= 1,
||v|| <= 1, ||v||_1 <= c.

Differences from the paper:

1. c is 1 / ``shrinkage``, so larger values give fewer nonzeros, as with all penalties here.
"""

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.vectors import TIE, normalize, soft_threshold, tied_with_largest

TRAITS = Traits(control="penalty", accepts="data", penalty="shrinkage")
FACTS = Facts(
    authors="Witten, Tibshirani, Hastie",
    title=(
        "A penalized matrix decomposition, with applications to sparse principal components "
        "and canonical correlation analysis"
    ),
    venue="Biostatistics 10",
    year=2009,
    address="https://doi.org/10.1093/biostatistics/kxp008",
    cost="m n + m k",
    code="PMA, https://cran.r-project.org/package=PMA (R)",
    reproduced="no number of its paper is available",
)
COLOUR = "#2A9D8F"
EXAMPLE = dict(k=10)
HALVINGS = 60  # bisection steps for the threshold


def penalty_range(problem):
    """Return 1 / c, for c above sqrt(n) (no entry is zero) and for c = 1 (one nonzero)."""
    return 0.9 / np.sqrt(problem.n), 1.0


def solve(problem, *, shrinkage: float):
    """Yield unit vectors v (n,), starting from the leading right singular vector.

    The objective is u'Av.

    shrinkage : 1 / c. At 1 / sqrt(n), no entry is set to zero; at 1, a single nonzero remains.
    """
    if shrinkage <= 0.0:
        raise InputError(f"shrinkage: {shrinkage}; it must be above 0")
    A, c = problem.data, 1.0 / shrinkage  # (m, n)
    v = shrunk(problem.covariance.leading()[1], c)  # step 1
    while True:
        Av = A @ v
        yield Iterate(v, extra={"objective": float(np.linalg.norm(Av))})
        u = normalize(Av)  # step 2(a)
        v = shrunk(A.T @ u, c)  # step 2(b)


def shrunk(a, c):
    """Return S(a, delta) / ||S(a, delta)|| for the smallest delta that gives an l1 norm up to c.

    If c < 1, the vector is zero.
    """
    if c < 1.0:
        return np.zeros_like(a)
    c = max(c * (1.0 - 1e-8), 1.0)  # if c is close to 1, a single entry remains
    low, high = 0.0, float(np.abs(a).max())
    if np.abs(normalize(a)).sum() <= c:
        return normalize(a)
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        if np.abs(normalize(soft_threshold(a, middle))).sum() <= c:
            high = middle
        else:
            low = middle
    size = np.abs(a)
    over = size > high + TIE * size.max()  # an entry that equals the threshold is zero
    # all entries that tie for the largest become nonzero together, with equal size
    return normalize(np.where(over, soft_threshold(a, high), 0.0) if over.any() else tied_top(a))


def tied_top(a):
    """Return a vector with the signs of the tied largest entries of a, and zeros elsewhere."""
    top = np.zeros_like(a)
    tied = tied_with_largest(np.abs(a))
    top[tied] = np.sign(a[tied])
    return top
