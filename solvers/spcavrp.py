"""Sparse PCA by axis-aligned random projections (SPCAvRP).

Gataric, Wang, Samworth (2020), Algorithm 1: draw A groups of B random subsets of d variables. In
each group, select the subset with the largest leading eigenvalue. The score w_j of a variable is
the mean of (lambda_1 - lambda_2) v_j^2 over the groups. The answer uses the variables with the k
largest scores.

Differences from the paper:

1. If there are at most B subsets of d variables, a single group that contains all of them is used.
2. A = 300 and B = 100, as the authors' package recommends for a few hundred variables (600 and 200
   for about 1,000).
3. After each group, the answer from all groups so far is yielded, so a run that is cut short still
   returns an answer.
"""

from itertools import combinations
from math import comb

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Traits
from spcabench.problem.spectral import block_eigenvalues
from spcabench.vectors import embed, falling_order, first_largest, largest_indices

TRAITS = Traits(control="cardinality", accepts="covariance")
FACTS = Facts(
    authors="Gataric, Wang, Samworth",
    title="Sparse principal component analysis via axis-aligned random projections",
    venue="Journal of the Royal Statistical Society B 82",
    year=2020,
    address="https://doi.org/10.48550/arXiv.1712.05630",
    cost="9 d^3 per subset",
    code="SPCAvRP, https://cran.r-project.org/package=SPCAvRP (R)",
    reproduced="no number of its paper is available",
)
EXAMPLE = dict(k=10)
STOP, MAX_ITERATIONS = "end", 10**6


def solve(problem, *, k: int, d: int | None = None, A: int = 300, B: int = 100, seed: int = 0):
    """Yield unit x (n,), the leading eigenvector on the variables with the k largest scores.

    d : size of the subsets; by default k, as the paper recommends if k is known.
    A, B : the number of groups, and the number of subsets per group.
    """
    Sigma, n = problem.covariance, problem.n  # (n, n)
    d = k if d is None else d
    if min(A, B) < 1 or not 1 <= d <= n:
        raise InputError(
            f"A, B, d: {A}, {B}, {d}; A and B must be at least 1, and d from 1 to n = {n}"
        )
    w = np.zeros(n)
    chosen = np.zeros(0, dtype=np.intp)
    for P in projections(falling_order(Sigma.diagonal()), d, A, B, seed):  # (B, d)
        best = P[first_largest(block_eigenvalues(Sigma.S, P))]
        values, vectors = Sigma[best].leading_pairs(2)
        gap = values[0] - (values[1] if d > 1 else 0.0)
        w[best] += gap * vectors[:, 0] ** 2
        W = largest_indices(w, k)
        if not np.array_equal(W, chosen):
            chosen, v = W, Sigma[W].leading()[1]
        yield embed(v, W, n)


def projections(order, d, A, B, seed):
    """Yield the groups of subsets of d variables.

    order : the variables by decreasing variance. Subsets of their ranks are drawn, so reordering
        the variables changes nothing.
    """
    n = len(order)
    if comb(n, d) <= B:
        yield order[np.array(list(combinations(range(n), d)))]
        return
    rng = np.random.default_rng(seed)
    for _ in range(A):
        yield order[rng.random((B, n)).argpartition(d - 1, axis=1)[:, :d]]
