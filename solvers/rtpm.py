"""Truncated power method, started from every unit vector (RTPM).

Kumar, Sarkar, Tian, Zhang (2026), Algorithm 1: iterate x <- top_r(Sigma x) / ||.|| from each of the
n standard unit vectors. The final vector with the largest Rayleigh quotient is the answer.

Differences from the paper:

1. r, the number of entries retained, is 2 k by default (the theory requires r of the order of k^2).
   Steps that retain k entries follow, so an answer has k nonzeros; in the paper, it has r nonzeros.
2. Every step uses the same Sigma, whereas the paper draws fresh samples.
3. The iteration from a start stops when the variance changes by less than ``tol_x``, or after T
   steps.
4. Starts are run in batches, in order of decreasing variance, so a run that is cut short still
   returns an answer.
5. The answer is the leading eigenvector on the best support, to which the steps would converge.
"""

from functools import partial

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Traits
from spcabench.steps import ascend, unit_columns
from spcabench.vectors import TIE, embed, falling_order, largest_indices, project

TRAITS = Traits(control="cardinality", accepts="either")
FACTS = Facts(
    authors="Kumar, Sarkar, Tian, Zhang",
    title="Combinatorial sparse PCA beyond the spiked identity model",
    year=2026,
    address="https://doi.org/10.48550/arXiv.2603.02607",
    cost="n^2 per start, n starts",
    code="none found",
    reproduced="the recovery stated in its theorem, for four families of matrices",
)
EXAMPLE = dict(k=10)
STOP, MAX_ITERATIONS = "end", 10**6
BATCH = 128  # starts per product


def solve(problem, *, k: int, r: int | None = None, T: int = 100, tol_x: float = 1e-6):
    """Yield the best k-sparse unit vector x (n,) so far, after each step of a batch of starts.

    r : number of entries retained in the first phase, from k to n; 2 k by default.
    T : maximum number of steps per start, for each phase (with r and with k entries).
    tol_x : relative change of x'Sigma x below which a start counts as converged.
    """
    n = problem.n
    r = min(2 * k, n) if r is None else r
    if T < 1 or not k <= r <= n:
        raise InputError(f"T, r: {T}, {r}; T must be at least 1, and r from k = {k} to n = {n}")
    Sigma = problem.covariance  # (n, n)
    order = falling_order(Sigma.diagonal())
    best, value = unit_vectors(order[:1], n)[:, 0], 0.0
    yield best
    for first in range(0, n, BATCH):
        X = unit_vectors(order[first : first + BATCH], n)  # (n, batch)
        for count in (r, k):
            for x in ascend(Sigma, X, partial(truncated, count), tol_x, T):
                yield best if first else project(x, k)
        W = largest_indices(np.abs(x), k)
        reached, v = Sigma[W].leading()
        if not first or reached > value + TIE * abs(value):
            best, value = embed(v, W, n), reached
        yield best


def unit_vectors(indices, n):
    """Return the unit vectors e_i as columns (n, b) for b indices i."""
    E = np.zeros((n, len(indices)))
    E[indices, np.arange(len(indices))] = 1.0
    return E


def truncated(count, Y, _):
    """Return the columns of Y (n, b), truncated to ``count`` entries each and normalised."""
    if count >= len(Y):
        return unit_columns(Y)
    size = np.abs(Y)
    level = np.partition(size.T.copy(), -count, axis=1)[:, -count]  # (b,)
    large = size >= (1.0 - TIE) * level
    X = np.where(large, Y, 0.0)
    for tied in np.flatnonzero(large.sum(axis=0) > count):
        X[:, tied] = project(Y[:, tied], count)
    return unit_columns(X)
