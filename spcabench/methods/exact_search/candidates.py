"""The variables that a support of k variables with at least a certain value can contain.

A variable j can be in a support of size k that reaches the value t only if

    t <= lambda_1([[S_jj, r], [r, OPT_(k-1)]]),
    r^2 = sum of the k-1 largest S_jl^2 (l != j) <= S_jj * sum of the k-1 largest S_ll.

The upper bound on r^2 requires only the variances. If too many variables remain, r^2 itself is
computed from the rows of S, in blocks (`largest_squares`). Only the small covariance of the
remaining variables is ever formed. docs/bounds.md contains the proof.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from spcabench.vectors import Array, Indices, Vector

Block = Callable[..., Array]  # W -> S[W, W], or I, W -> S[I, W]
MOST = 3000  # maximum number of candidates; their covariance takes 72 MB
ENTRY = 25.0  # measured cost of testing an entry of a covariance, in operations
ENTRIES = 4e8  # maximum number of entries of S that are computed for its rows, in a few seconds
AT_ONCE = 1e7  # number of these entries that are computed at a time


def two_by_two_eigenvalue(a: Vector, b: float, r2: Vector) -> Vector:
    """Return the largest eigenvalues of [[a, r], [r, b]]."""
    return (a + b) / 2.0 + np.sqrt(((a - b) / 2.0) ** 2 + r2)


def root_bounds(S: Array, k: int, opt: float) -> Vector:
    """Bound the supports of size k with each of the c candidates; ``opt`` is a bound for k - 1."""
    c, squares = len(S), S * S
    np.fill_diagonal(squares, 0.0)
    taken = min(k - 1, c - 1)
    # for k = 1 the slice after the partition is empty, but np.partition still needs a valid index
    return two_by_two_eigenvalue(
        S.diagonal(),
        opt,
        np.partition(squares, c - max(taken, 1), axis=1)[:, c - taken :].sum(axis=1),
    )


class Blocks:
    """Blocks of a covariance, of which a large one is stored.

    Data are often sparse or have many samples, so an entry costs far more than reading it.
    """

    def __init__(self, covariance: Block) -> None:
        self.covariance, self.W, self.S = covariance, np.arange(0), np.zeros((0, 0))

    def __call__(self, J: Indices, W: Indices | None = None) -> Array:
        """Return S[J, W], which is computed, or S[J, J], which is stored."""
        if W is not None:
            return self.covariance(J, W)
        if not np.isin(J, self.W).all():
            both = np.union1d(self.W, J)
            if len(both) > 2 * len(J):
                return self.covariance(J)
            self.W = both if len(both) <= MOST else np.unique(J)
            self.S = self.covariance(self.W)
        places = np.searchsorted(self.W, J)
        return self.S[np.ix_(places, places)]


def largest_squares(
    d: Vector, block: Block, rows: Indices, count: int
) -> Iterator[tuple[Indices, Array]]:
    """Bound the sums of the 1 to ``count`` largest S_jl^2, l != j, for some rows j.

    Yields blocks of rows and an array (rows, count), or nothing if ``count`` is too large. In large
    problems, only the columns with the largest variances are computed; in the other columns, S_jl^2
    is at most S_jj S_ll.
    """
    n = len(d)
    h = min(n, int(ENTRIES // len(rows)))
    if h <= count:
        return
    falling = np.argsort(-d, kind="stable")
    columns, beyond = falling[:h], d[falling[h : h + count]]
    for J in np.array_split(rows, int(np.ceil(len(rows) * h / AT_ONCE))):
        squares = block(J, columns) ** 2
        squares[J[:, None] == columns] = 0.0
        largest = np.partition(squares, h - count, axis=1)[:, h - count :]
        largest = np.hstack([largest, d[J, None] * beyond])
        yield J, -np.sort(-largest, axis=1)[:, :count].cumsum(axis=1)


@dataclass(frozen=True, eq=False)
class Candidates:
    """The variables that a support of size k with value t can contain, and bounds on such supports.

    W : the variables. S : their covariance. most : for each variable, a bound on the supports
    within W that contain it. beyond : a bound on the supports that contain a variable outside W; 0
    if no variable was left out. left : number of variables that pass the first test.
    """

    W: Indices
    S: Array
    most: Vector
    beyond: float
    left: int

    def reaching(self, t: float) -> "Candidates":
        """Return the variables whose bounds reach a higher value t."""
        if self.most.min(initial=np.inf) >= t:
            return self
        left = self.most >= t
        S = self.S[np.ix_(left, left)]
        return Candidates(self.W[left], S, self.most[left], self.beyond, self.left)

    def first(self, count: int) -> "Candidates":
        """Return the ``count`` variables with the largest bounds."""
        if len(self.W) <= count:
            return self
        order = np.argsort(-self.most, kind="stable")
        places = np.sort(order[:count])
        beyond = max(self.beyond, float(self.most[order[count]]))
        S = self.S[np.ix_(places, places)]
        return Candidates(self.W[places], S, self.most[places], beyond, self.left)


def by_variances(d: Vector, k: int) -> Vector:
    """Bound the sum of the k - 1 largest S_jl^2 of each variable j, given the variances d (n,)."""
    return d * np.sort(d)[::-1][: k - 1].sum()


def candidates(
    d: Vector, block: Block, k: int, opt: float, t: float, squares: Vector | None = None
) -> Candidates:
    """Return the variables that a support of size k with value t can contain.

    d : the variances (n,). opt : a bound on the supports of size k - 1. squares : for each
    variable, a bound on the sum of its k - 1 largest S_jl^2, l != j (n,); by default, it is
    computed from the variances.
    """
    # First the test that requires no covariance, then (below) a sharper test on the covariance of
    # the remaining variables. Both are necessary conditions: a feature that fails is in no support.
    reached = two_by_two_eigenvalue(d, opt, by_variances(d, k) if squares is None else squares)
    W, beyond = np.flatnonzero(reached >= t), 0.0
    count = len(W)
    if count > MOST:
        falling = W[np.argsort(-reached[W], kind="stable")]
        W, beyond = np.sort(falling[:MOST]), float(reached[falling[MOST]])
    # fewer candidates have smaller sums of squares, so the test is repeated until none drops out
    S, reached, left = block(W), np.zeros(0), np.ones(len(W), dtype=bool)
    while len(W) >= k and not (len(reached) and left.all()):
        W, S = W[left], S[np.ix_(left, left)]
        reached = root_bounds(S, k, opt) if len(W) else np.zeros(0)
        left = reached >= t
    return Candidates(W, S, reached, beyond, count)
