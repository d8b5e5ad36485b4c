"""The variables that a support of k variables of some value can have.

A variable j can be in a support of k that reaches the value t only if

    t <= lambda_1([[S_jj, r], [r, OPT_(k-1)]]),
    r^2 = sum of the k-1 largest S_jl^2 (l != j) <= S_jj * sum of the k-1 largest S_ll.

The second form of r^2 needs the variances alone. It discards most variables of a large problem
before any covariance is computed, so that only a small covariance is ever formed. docs/bounds.md
has the proof.
"""

from collections.abc import Callable

import numpy as np

from spcabench.vectors import Array, Indices, Vector

Block = Callable[[Indices], Array]
MOST = 3000  # candidates at most: the covariance of 3000 takes 72 MB


def two_by_two_eigenvalue(a: Vector, b: float, r2: Vector) -> Vector:
    """Largest eigenvalues of [[a, r], [r, b]]."""
    return (a + b) / 2.0 + np.sqrt(((a - b) / 2.0) ** 2 + r2)


def root_bounds(S: Array, k: int, opt: float) -> Vector:
    """For each candidate (c,) a bound on the supports of k that contain it; opt bounds k - 1."""
    c, squares = len(S), S * S
    np.fill_diagonal(squares, 0.0)
    taken = min(k - 1, c - 1)
    # The slice after the partition is empty for k = 1; np.partition itself needs a valid place.
    return two_by_two_eigenvalue(
        S.diagonal(),
        opt,
        np.partition(squares, c - max(taken, 1), axis=1)[:, c - taken :].sum(axis=1),
    )


def by_variances(d: Vector, k: int, opt: float, t: float) -> Indices:
    """The variables that may be in a support of k with value t, judged by the variances d (n,).

    opt : a bound on the supports of k - 1.
    """
    sum_of_largest = np.sort(d)[::-1][: k - 1].sum()
    return np.flatnonzero(two_by_two_eigenvalue(d, opt, d * sum_of_largest) >= t)


def candidates(
    d: Vector, block: Block, k: int, opt: float, t: float
) -> tuple[Indices, Array, float] | None:
    """The variables that a support of k of value t can have, their covariance, and a bound.

    None where more than `MOST` are left by their variances alone.

    d : the variances (n,). opt : a bound on the supports of k - 1.
    """
    # First the test that needs variances alone, then (below) the sharper one on the covariance of
    # what it left. Both are necessary conditions: a feature that fails is in no support.
    W = by_variances(d, k, opt, t)
    if len(W) > MOST:
        return None
    # Fewer candidates have smaller sums of squares, so the test is repeated until it stands.
    S, reached, left = block(W), np.zeros(0), np.ones(len(W), dtype=bool)
    while len(W) >= k and not (len(reached) and left.all()):
        W, S = W[left], S[np.ix_(left, left)]
        reached = root_bounds(S, k, opt) if len(W) else reached
        left = reached >= t
    return W, S, float(reached.max(initial=0.0))
