"""Exact search: proven optima of max x'Sigma x, ||x|| = 1, ||x||_0 <= k, of all cardinalities up to
a limit in one run.

Smaller cardinalities first: their optima, or bounds on them, prune the larger ones. Of the features
that can be in a support of value t at all,

    t <= lambda_1([[S_jj, r], [r, OPT_(k-1)]]),   r^2 = sum of the k-1 largest S_jl^2 <= S_jj times
    that of S_ll,

only a small covariance is formed: the second form of r^2 needs variances alone. What is left is
searched by a tree (`spcabench.methods.pruning`). "Proven" is relative to `TOLERANCE`.
"""

from collections.abc import Callable, Iterator

import numpy as np

from spcabench.methods.local_search import Search
from spcabench.methods.pruning import (
    ALIVE,
    CHOSEN,
    COUNT,
    DIAGONAL,
    EXHAUSTED,
    FOUND,
    FULL,
    POTENTIAL,
    VARIABLE,
    descend,
)
from spcabench.problem.covariance import Covariance
from spcabench.problem.spectral import leading_pairs
from spcabench.vectors import Array, Indices, Vector, largest_indices

Block = Callable[[Indices], Vector]
TOLERANCE = 1e-9  # relative: an optimum is proven to it
CHUNK = 20_000_000  # entries of node matrices between two looks at the clock
MOST = 3000  # features whose covariance is formed at most
HEAD = 1000  # features of largest variance in which incumbents are sought
SCANS = 40  # of all swaps, for each incumbent


class Tree:
    """The question whether k variables of a covariance reach a value t, as far as it is answered.

    S : (c, c), the covariance of the candidates. variables : their names (c,). opt : bounds OPT_0,
        OPT_1, ... on the optima of fewer variables. psd : whether S has no negative eigenvalue.
    """

    def __init__(
        self, S: Array, variables: Indices, k: int, opt: Vector, t: float, psd: bool
    ) -> None:
        c = len(S)
        self.k, self.opt, self.t, self.psd, self.nodes, self.depth = k, opt, t, psd, 0, 0
        self.stack = np.concatenate([S.ravel(), np.zeros(3 * c * c)])
        self.reals, self.ints = np.zeros((k + 1, 3, c)), np.zeros((k + 1, 3, c), dtype=np.int64)
        self.place = np.zeros((3, k + 1), dtype=np.int64)
        self.place[COUNT, 0] = c
        self.reals[0, DIAGONAL], self.reals[0, POTENTIAL] = S.diagonal(), np.inf
        self.ints[0] = variables, np.ones(c), np.ones(c)

    def go(self) -> int:
        """Search one chunk on: EXHAUSTED (the answer is no), PAUSED, or FOUND (see `found`)."""
        status = FULL
        while status == FULL:
            status, self.depth, nodes = descend(
                self.k,
                self.opt,
                self.t,
                self.psd,
                CHUNK,
                self.depth,
                self.stack,
                self.reals,
                self.ints,
                self.place,
            )
            self.nodes += nodes
            if status == FULL:
                self.stack = np.concatenate([self.stack, np.zeros(len(self.stack))])
        return int(status)

    @property
    def found(self) -> Indices:
        """The variables that reach t, k at most."""
        return self.place[CHOSEN, : self.depth + 1].copy()

    def raise_to(self, t: float) -> None:
        """Ask for a higher value: what was exhausted below the root remains so."""
        self.ints[0, ALIVE:, self.ints[0, VARIABLE] == self.place[CHOSEN, 0]] = 1
        self.reals[0, POTENTIAL] = np.inf
        self.t, self.depth = t, 0

    @property
    def open(self) -> Indices:
        """Places of the candidates of which some may still be in a support that reaches t."""
        left = self.ints[0, ALIVE] > 0
        left |= (self.ints[0, VARIABLE] == self.place[CHOSEN, 0]) & (self.depth > 0)
        return np.flatnonzero(left)


def two_by_two_eigenvalue(a: Vector, b: float, r2: Vector) -> Vector:
    """Largest eigenvalues of [[a, r], [r, b]]."""
    return (a + b) / 2.0 + np.sqrt(((a - b) / 2.0) ** 2 + r2)


def root_bounds(S: Array, k: int, opt: float) -> Vector:
    """For every candidate (c,) a bound on the supports of k that have it; opt bounds those of k -
    1.
    """
    c, squares = len(S), S * S
    np.fill_diagonal(squares, 0.0)
    taken = min(k - 1, c - 1)
    return two_by_two_eigenvalue(
        S.diagonal(),
        opt,
        np.partition(squares, c - max(taken, 1), axis=1)[:, c - taken :].sum(axis=1),
    )


class Exact:
    """Best supports, values and bounds of the cardinalities 0 to K of a matrix S (n, n) with S_jl^2
    <= S_jj S_ll.

    d : its diagonal. block : W -> S[W, W]. psd : whether S has no negative eigenvalue. budget :
        entries of node matrices for each cardinality. nodes : of the tree, for each cardinality.
    """

    def __init__(
        self,
        d: Vector,
        block: Callable[[Indices], Vector],
        K: int,
        budget: float,
        psd: bool,
        seed: int,
    ) -> None:
        self.d, self.K, self.chunks, self.psd, self.block = d, K, budget / CHUNK, psd, block
        self.nodes = np.zeros(K + 1, dtype=np.int64)
        self.sums = np.concatenate([[0.0], np.sort(self.d)[::-1].cumsum()])
        self.bound = np.zeros(K + 1)
        self.bound[1] = self.d.max()
        for k in range(2, K + 1):
            self.bound[k] = two_by_two_eigenvalue(
                self.bound[1], self.bound[k - 1], self.bound[1] * self.sums[k - 1]
            )
        self.value, self.support = np.zeros(K + 1), [np.arange(0)] * (K + 1)
        self.rng = np.random.default_rng(seed)

    def incumbents(self) -> None:
        """Supports of every cardinality by local search among the features of largest variance."""
        head = largest_indices(self.d, max(HEAD, self.K))
        S = Covariance(self.block(head))
        before = np.array([np.argmax(S.diagonal())])
        for k in range(1, self.K + 1):
            search = Search(S, k, SCANS, self.rng)
            rest = np.setdiff1d(np.arange(S.n), before)
            together = np.abs(S.S[before].sum(axis=0))
            search.climb(before if k == 1 else np.append(before, rest[together[rest].argmax()]))
            for start in search.starts():
                if not search.left or k == S.n:
                    break
                search.climb(start)
            before = search.W
            self.offer(k, head[search.W])

    def offer(self, k: int, W: Indices) -> None:
        """Remember a support where it is the best, for k and for what is larger."""
        value = leading_pairs(self.block(W), 1)[0][0]
        for more in range(k, self.K + 1):
            if value > self.value[more] or not len(self.support[more]):
                self.value[more], self.support[more] = value, W

    def proven(self, k: int) -> bool:
        """Whether the value of k is the optimum."""
        return bool(self.bound[k] <= self.value[k] * (1.0 + 2.0 * TOLERANCE))

    def run(self) -> Iterator[int]:
        """Settle one cardinality after the other; yields the one at work after each chunk."""
        self.offer(1, largest_indices(self.d, 1))
        for k in range(2, self.K + 1):
            yield from (k for _ in self._settle(k))
            yield k

    def _settle(self, k: int) -> Iterator[None]:
        """Prove the value of k; where the budget is spent, bisect for the smallest bound that it
        can prove.
        """
        if self.proven(k):
            return
        yield from self._ask(k, self.value[k] * (1.0 + TOLERANCE), self.chunks)
        low, high = self.value[k], self.bound[k]
        for _ in range(0 if self.proven(k) else 6):
            middle = max(np.sqrt(low * high), self.value[k] * (1.0 + TOLERANCE))
            yield from self._ask(k, middle, self.chunks / 8.0)
            if self.bound[k] > middle:
                low = middle
            high = self.bound[k]

    def _ask(self, k: int, t: float, chunks: float) -> Iterator[None]:
        """Whether any support of k reaches t; if none does, t is a bound."""
        W = np.flatnonzero(
            two_by_two_eigenvalue(self.d, self.bound[k - 1], self.d * self.sums[k - 1]) >= t
        )
        if len(W) > MOST:
            return
        S = self.block(W)
        reached, left = np.zeros(0), np.ones(len(W), dtype=bool)
        while len(W) >= k and not (len(reached) and left.all()):
            W, S = W[left], S[np.ix_(left, left)]
            reached = root_bounds(S, k, self.bound[k - 1]) if len(W) else reached
            left = reached >= t
        if len(W) < k:
            self._lower(k, t)
            return
        self._lower(k, reached.max())
        tree = Tree(S, W, k, self.bound[:k].copy(), t, self.psd)
        while chunks > 0.0:
            status = tree.go()
            if status == FOUND:
                before = self.value[k]
                self._improve(k, tree.found, W)
                chunks -= self.value[k] <= before  # found by rounding alone: not for ever
                tree.raise_to(max(tree.t, self.value[k]) * (1.0 + TOLERANCE))
                continue
            chunks -= 1.0
            places = tree.open
            reached = (
                root_bounds(S[np.ix_(places, places)], k, self.bound[k - 1])
                if len(places) >= k
                else np.zeros(1)
            )
            self._lower(k, max(tree.t, 0.0 if status == EXHAUSTED else reached.max()))
            if status == EXHAUSTED:
                break
            yield
        self.nodes[k] += tree.nodes

    def _lower(self, k: int, bound: float) -> None:
        self.bound[k] = min(self.bound[k], bound)

    def _improve(self, k: int, F: Indices, W: Indices) -> None:
        """A support of k from one of at most k that reaches more than was known, by swaps."""
        F = np.concatenate([F, np.setdiff1d(W, F)[: k - len(F)]])
        self.offer(k, F)
        if len(W) > k:
            search = Search(Covariance(self.block(W)), k, SCANS, self.rng)
            search.climb(np.searchsorted(W, np.sort(F)))
            self.offer(k, W[search.W])
