"""Penalised matrix decomposition, sparse in the loadings alone (PMD, SPC).

Witten, Tibshirani, Hastie (2009), Algorithm 3 with section 3.2: maximise u'Av over ||u|| <= 1,
||v|| <= 1, ||v||_1 <= c.

Differs from the paper in:

1. c is 1 / ``shrinkage``, so that a larger setting gives fewer nonzeros, as with every penalty
   here.
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
    reproduced="no number of its paper is at hand",
)
COLOUR = "#2A9D8F"
EXAMPLE = dict(k=10)
HALVINGS = 60  # bisection steps for the threshold


def penalty_range(problem):
    """1 / c, for c from above sqrt(n), where nothing is zero, to 1, where one entry is left."""
    return 0.9 / np.sqrt(problem.n), 1.0


def solve(problem, *, shrinkage: float):
    """Yield unit vectors v (n,), starting with the leading right singular vector.

    The objective is u'Av.

    shrinkage : 1 / c, between 1 / sqrt(n), where nothing is set to zero, and 1, where one entry is
        left.
    """
    A = problem.data  # (m, n)
    _, v = problem.covariance.leading()
    if shrinkage <= 0.0:
        raise InputError(f"shrinkage: {shrinkage}; it must be above 0")
    c = 1.0 / shrinkage
    v = shrunk(v, c)
    while True:
        Av = A @ v
        yield Iterate(v, extra={"objective": float(np.linalg.norm(Av))})
        u = normalize(Av)  # step 2(a)
        v = shrunk(A.T @ u, c)  # step 2(b)


def shrunk(a, c):
    """S(a, delta) / ||S(a, delta)||, with an l1 norm of at most c.

    delta is the smallest threshold for which this holds. For c < 1 the vector is zero.
    """
    if c < 1.0:
        return np.zeros_like(a)
    c = max(c * (1.0 - 1e-8), 1.0)  # close to 1 a single entry is left
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
    # entries tied for the largest enter together, with equal size
    return normalize(np.where(over, soft_threshold(a, high), 0.0) if over.any() else tied_top(a))


def tied_top(a):
    """The tied largest entries of a, set to equal size, with zeros elsewhere."""
    top = np.zeros_like(a)
    tied = tied_with_largest(np.abs(a))
    top[tied] = np.sign(a[tied])
    return top
