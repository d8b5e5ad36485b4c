"""Greedy anytime sparse PCA (SSPCA): extends every small seed greedily and returns the best result.

Holtzman, Soffer, Vilenchik (2020), algorithms GreedySPCA and SSPCA. A seed S* is a subset of k*
variables. It is extended by the variables with the largest c_i = sum over j in S* of |Sigma_ij|
(section 9: the l1 form of f1, without the diagonal). The answer is the resulting support with the
largest leading eigenvalue (f2).

Differences from the paper:

1. Variables are added one at a time, and c_i is updated after each addition, as in the authors'
   code (github.com/sdannyvi/AnytimePCA). ``bulk`` adds all variables at once, as in the paper's
   pseudocode. The results are close to the paper's Figure 2 only if variables are added one at a
   time (docs/solvers.md).
2. Seeds of 0, 1, ..., k* variables are tried in turn, so the search can be stopped at any time. The
   empty seed gives diagonal thresholding.
"""

from itertools import combinations

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.problem.spectral import block_eigenvalues
from spcabench.vectors import TIE, embed, first_largest, largest_indices

TRAITS = Traits(control="cardinality", accepts="covariance")
FACTS = Facts(
    authors="Holtzman, Soffer, Vilenchik",
    title="A greedy anytime algorithm for sparse PCA",
    venue="COLT",
    year=2020,
    address="https://proceedings.mlr.press/v125/holtzman20a.html",
    cost="9 k^3 per seed, n^k* seeds",
    code="AnytimePCA, https://github.com/sdannyvi/AnytimePCA",
    reproduced="partly: figure 2 of the paper, at n = 2,000",
)
EXAMPLE = dict(k=10)
STOP, MAX_ITERATIONS = "end", 10**9
BATCH = 256  # seeds per iterate


def solve(problem, *, k: int, k_star: int = 1, bulk: bool = False):
    """Yield the best x (n,) so far, after each batch of seeds.

    k_star : size of the largest seeds, at most k; about n^k_star seeds are tried.
    bulk : add all variables at once instead of one at a time.
    """
    if k_star < 0:
        raise InputError(f"k_star: {k_star}; it must be at least 0")
    Sigma, n = problem.covariance, problem.n  # (n, n)
    W = largest_indices(Sigma.diagonal(), k, Sigma.column_squares)
    value, v = Sigma[W].leading()
    yield Iterate(embed(v, W, n), extra={"k_star": 0.0})
    C = np.abs(Sigma.S)
    for size in range(1, min(k_star, k) + 1):
        for seeds in batches(combinations(range(n), size)):  # (batch, size)
            supports = completed(C, np.array(seeds), k, bulk)  # (batch, k)
            f2 = block_eigenvalues(Sigma.S, supports)
            if f2.max() > value * (1.0 + TIE):
                W = supports[first_largest(f2)]
                value, v = Sigma[W].leading()
            yield Iterate(embed(v, W, n), extra={"k_star": float(size)})


def completed(C, seeds, k, bulk):
    """Return the supports (b, k) that extend seeds (b, size); C (n, n) contains |Sigma_ij|."""
    S, rows = seeds, np.arange(len(seeds))[:, None]
    c = C[S].sum(axis=1)  # (b, n)
    while S.shape[1] < k:
        c[rows, S] = -1.0
        if bulk:
            new = np.array([largest_indices(row, k - S.shape[1]) for row in c])
        else:
            top = c.max(axis=1, keepdims=True)
            new = (c >= (1.0 - TIE) * top).argmax(axis=1)[:, None]  # the first of equal ones
        c += C[new].sum(axis=1)
        S = np.hstack([S, new])
    return np.sort(S, axis=1)


def batches(seeds):
    """Yield the seeds in batches."""
    while chunk := [S for _, S in zip(range(BATCH), seeds, strict=False)]:
        yield chunk
