"""Exact search for the best supports of every cardinality up to a limit.

The problem of cardinality k is max x'Sigma x over ||x|| = 1, ||x||_0 <= k. The search settles the
smaller cardinalities first, because their optima (or upper bounds on them) prune the larger ones.

A feature j can be in a support of k features that reaches the value t only if

    t <= lambda_1([[S_jj, r], [r, OPT_(k-1)]]),
    r^2 = sum of the k-1 largest S_jl^2 (l != j) <= S_jj * sum of the k-1 largest S_ll.

The second form of r^2 needs the variances alone. It discards most features of a large problem
before any covariance is computed, so that only a small covariance is ever formed.

What is left is searched by a tree (`spcabench.methods.pruning`), which is the faster one where k is
small or the variances decay. Where it does not end soon, branch and bound on the dual bound
(`spcabench.methods.dual_search`) begins, whose nodes are dear and few. Once that has more than one
part, the two take turns of equal work as long as the tree looks able to finish: the search takes at
most about twice the work of the better one, whichever that is. Work is counted, and the clock never
looked at, so that a run repeats to the last digit. "Proven" means proven to within the relative
`TOLERANCE`.
"""

from collections.abc import Callable, Iterator

import numpy as np

from spcabench.methods import bound_formulas
from spcabench.methods.dual_search import DualSearch
from spcabench.methods.local_search import Search
from spcabench.methods.pruning import (
    ALIVE,
    CHOSEN,
    COUNT,
    DIAGONAL,
    EXHAUSTED,
    FOUND,
    FULL,
    LEADER,
    POTENTIAL,
    VARIABLE,
    descend,
)
from spcabench.problem.covariance import Covariance
from spcabench.problem.spectral import leading_pairs
from spcabench.steps import nonnegative_ascent
from spcabench.vectors import Array, Indices, Vector, largest_indices

Block = Callable[[Indices], Vector]
TOLERANCE = 1e-9  # relative: an optimum is proven to it
CHUNK = 4_000_000  # entries of node matrices between two looks at the clock
PACE = 30.0  # work of such an entry, measured: it is looked at, sorted and updated
MOST = 3000  # candidates at most: the covariance of 3000 takes 72 MB
HEAD = 1000  # features of largest variance among which incumbents are sought
# scans over all swaps for the incumbent of a smaller cardinality, and for that of K
SCANS, MORE_SCANS = 40, 300
TRIAL = 4e9  # work that the tree has in any case
SMALLER = 0.05  # share of the budget that the smaller cardinalities may have together
# the tree goes on while its work, at its pace so far, would end within this share of the budget
PROMISING = 0.5
PATIENCE = 2  # smaller cardinalities not proven before the others are passed over
DUAL_MOST = 1000  # candidates that the dual bound is made for at most


class Tree:
    """A search, which can be paused, for k variables of a covariance that reach a value t.

    Parameters
    ----------
    S : array of shape (c, c)
        Covariance of the candidates.
    variables : array of shape (c,)
        Their indices in the caller's problem.
    k : int
        Number of variables to take.
    opt : array of shape (k,)
        Upper bounds on the optima of 0, 1, ..., k - 1 variables.
    t : float
        The value that a support must reach.
    psd : bool
        Whether S has no negative eigenvalue: one more test is valid then.
    """

    def __init__(
        self, S: Array, variables: Indices, k: int, opt: Vector, t: float, psd: bool
    ) -> None:
        c = len(S)
        self.k, self.opt, self.t, self.psd, self.nodes, self.depth = k, opt, t, psd, 0, 0
        self.S, self.variables, self.ended = S, variables, False
        # One flat array holds the node matrices of the path from the root to the present node, one
        # behind the other. A node is dropped by going back: nothing is allocated during the search,
        # and the whole state lies in four arrays, so that the kernel can stop and resume anywhere.
        self.stack = np.concatenate([S.ravel(), np.zeros(3 * c * c)])
        self.reals, self.ints = np.zeros((k + 1, 3, c)), np.zeros((k + 1, 3, c), dtype=np.int64)
        self.place = np.zeros((3, k + 1), dtype=np.int64)
        self.place[COUNT, 0] = c
        # At the root F is empty and E = S. No candidate has been tested yet, so every potential is
        # infinite: the first look at a candidate brings it up to date.
        self.reals[0, DIAGONAL], self.reals[0, POTENTIAL] = S.diagonal(), np.inf
        self.ints[0] = variables, np.ones(c), np.ones(c)

    def go(self) -> int:
        """Search for one more chunk: EXHAUSTED (no support reaches t), PAUSED or FOUND."""
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
            # Compiled code cannot enlarge an array that it was given, so it stops and asks for it.
            # Doubling keeps the number of copies logarithmic in the final size.
            if status == FULL:
                self.stack = np.concatenate([self.stack, np.zeros(len(self.stack))])
        return int(status)

    @property
    def found(self) -> Indices:
        """The variables that reach t: at most k."""
        return self.place[CHOSEN, : self.depth + 1].copy()

    def raise_to(self, t: float) -> None:
        """Continue with a higher value t; the subtrees of the root that were exhausted stay so.

        A subtree that holds nothing of value t holds nothing of a higher value either. The one in
        which the last support was found was not finished: its candidate becomes available again.
        """
        self.ints[0, ALIVE:, self.ints[0, VARIABLE] == self.place[CHOSEN, 0]] = 1
        self.reals[0, POTENTIAL] = np.inf
        self.t, self.depth = t, 0

    @property
    def progress(self) -> float:
        """Share of the root's candidates that need no further look."""
        left = (self.ints[0, ALIVE] > 0) & (self.ints[0, LEADER] > 0)
        return 1.0 - float(left.mean())

    def bound(self, opt: float) -> float:
        """A bound on the supports of k, paused or exhausted; ``opt`` bounds those of k - 1.

        Every support that reaches t lies within the open candidates. The root's test on these alone
        bounds the optimum, however far the search has come.
        """
        places = self.open
        if len(places) < self.k:
            return 0.0
        return float(root_bounds(self.S[np.ix_(places, places)], self.k, opt).max())

    @property
    def open(self) -> Indices:
        """Places of the candidates that may still be in a support that reaches t."""
        # A candidate is dead only when every support that contains it is excluded. The candidate
        # whose subtree is being searched was marked dead when that search began: it still counts.
        left = self.ints[0, ALIVE] > 0
        left |= (self.ints[0, VARIABLE] == self.place[CHOSEN, 0]) & (self.depth > 0)
        return np.flatnonzero(left)


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


def candidates(
    d: Vector, block: Block, k: int, opt: float, t: float
) -> tuple[Indices, Array, float] | None:
    """The variables that a support of k of value t can have, their covariance, and a bound.

    None where more than `MOST` are left by their variances alone.

    d : the variances (n,). opt : a bound on the supports of k - 1.
    """
    # First the test that needs variances alone, then (below) the sharper one on the covariance of
    # what it left. Both are necessary conditions: a feature that fails is in no support.
    sum_of_largest = np.sort(d)[::-1][: k - 1].sum()
    W = np.flatnonzero(two_by_two_eigenvalue(d, opt, d * sum_of_largest) >= t)
    if len(W) > MOST:
        return None
    # Fewer candidates have smaller sums of squares, so the test is repeated until it stands.
    S, reached, left = block(W), np.zeros(0), np.ones(len(W), dtype=bool)
    while len(W) >= k and not (len(reached) and left.all()):
        W, S = W[left], S[np.ix_(left, left)]
        reached = root_bounds(S, k, opt) if len(W) else reached
        left = reached >= t
    return W, S, float(reached.max(initial=0.0))


class Exact:
    """Best supports, values and upper bounds of the cardinalities 0 to K of a matrix S (n, n).

    S need not be positive semidefinite, but S_jl^2 <= S_jj S_ll must hold for all j and l.

    Parameters
    ----------
    d : array of shape (n,)
        Diagonal of S.
    covariance : callable
        W -> S[W, W]. The whole of S is never formed.
    K : int
        Largest cardinality.
    budget : float
        Work for K, in entries of matrices: about nanoseconds.
    psd : bool
        Whether S has no negative eigenvalue.
    seed : int
        Seed of the local search for incumbents.
    nonnegative : bool
        Whether x >= 0 is asked. The tree then searches max(S, 0), whose values are the larger ones;
        the dual bound knows the difference.
    every : bool
        Whether each smaller cardinality has the whole budget too, not only a trial.
    """

    def __init__(
        self,
        d: Vector,
        covariance: Block,
        K: int,
        budget: float,
        psd: bool,
        seed: int,
        nonnegative: bool = False,
        every: bool = True,
    ) -> None:
        self.d, self.K, self.budget, self.psd = d, K, budget, psd
        self.covariance, self.nonnegative, self.every = covariance, nonnegative, every
        self.nodes = np.zeros(K + 1, dtype=np.int64)
        self.sums = np.concatenate([[0.0], np.sort(self.d)[::-1].cumsum()])
        self.bound = np.zeros(K + 1)
        self.bound[1] = self.d.max()
        # The bound of the module's docstring with the largest variance in place of S_jj: it holds
        # for every feature, needs no covariance, and gives every cardinality a bound at the start.
        for k in range(2, K + 1):
            self.bound[k] = two_by_two_eigenvalue(
                self.bound[1], self.bound[k - 1], self.bound[1] * self.sums[k - 1]
            )
        # values in the matrix that the tree searches, and values of an x that is allowed
        self.reached, self.value = np.zeros(K + 1), np.zeros(K + 1)
        self.support, self.loadings = [np.arange(0)] * (K + 1), [np.zeros(0)] * (K + 1)
        self.rng = np.random.default_rng(seed)

    def block(self, W: Indices) -> Array:
        """S[W, W], its positive part where x >= 0 is asked."""
        B = self.covariance(W)
        return np.maximum(B, 0.0) if self.nonnegative else B

    def incumbents(self) -> Iterator[None]:
        """Find a good support of every cardinality among the features of largest variance.

        A poor incumbent costs nodes and changes no proven answer, so a part of the features will
        do: forming a covariance of all of them would cost more than the search itself.
        """
        self.offer(1, largest_indices(self.d, 1))
        yield
        head = largest_indices(self.d, max(HEAD, self.K))
        S = Covariance(self.block(head))
        before = np.array([np.argmax(S.diagonal())])
        for k in range(1, self.K + 1):
            search = Search(S, k, MORE_SCANS if k == self.K else SCANS, self.rng)
            # The first start is the best support of k - 1 with the feature of largest covariance to
            # it. Alone it would follow one greedy path, so the starts of the local search follow,
            # which do not depend on the smaller cardinalities.
            rest = np.setdiff1d(np.arange(S.n), before)
            together = np.abs(S.S[before].sum(axis=0))
            search.climb(before if k == 1 else np.append(before, rest[together[rest].argmax()]))
            for start in search.starts():
                if not search.left or k == S.n:
                    break
                search.climb(start)
            before = search.W
            self.offer(k, head[search.W])
            yield

    def offer(self, k: int, W: Indices) -> None:
        """Keep a support of k wherever it is the best known: for k and every larger cardinality."""
        B = self.block(W)
        w, V = leading_pairs(B, 1)
        reached, y = float(w[0]), V[:, 0]
        value = reached
        if self.nonnegative:
            B = self.covariance(W)
            value, y = nonnegative_ascent(B.__matmul__, np.abs(y))
        for more in range(k, self.K + 1):
            self.reached[more] = max(self.reached[more], reached)
            if value > self.value[more] or not len(self.support[more]):
                self.value[more], self.support[more], self.loadings[more] = value, W, y

    def proven(self, k: int) -> bool:
        """Whether the value of k is the optimum, to within the tolerance."""
        # An exhausted search leaves the bound value * (1 + TOLERANCE). The factor two keeps the
        # rounding of that product from turning a proof into a gap.
        return bool(self.bound[k] <= self.value[k] * (1.0 + 2.0 * TOLERANCE))

    def run(self) -> Iterator[int]:
        """Settle one cardinality after the other; yield the one at work after each chunk."""
        self.offer(1, largest_indices(self.d, 1))
        if len(self.d) <= DUAL_MOST:
            self.bound[1:] = np.minimum(
                self.bound[1:], self._cheap(self.block(np.arange(len(self.d))))
            )
        failures, left = 0, SMALLER * self.budget
        for k in range(2, self.K + 1):
            if self.every or k == self.K:
                yield from (k for _ in self._settle(k, self.budget))
            elif failures < PATIENCE and left > 0.0:
                for work in self._try(k, self._planted(k), min(TRIAL, left)):
                    left -= work
                    yield k
                failures += not self.proven(k)
            yield k
        # more variables have no smaller optimum
        self.bound = np.minimum.accumulate(self.bound[::-1])[::-1]

    def _settle(self, k: int, budget: float) -> Iterator[float]:
        """Prove the value of k, or else the smallest bound for which the budget suffices.

        Yields the work of each chunk.
        """
        tree, by_tree = self._planted(k), 0.0
        for work in self._try(k, tree, min(TRIAL, budget)):
            by_tree += work
            yield work
        search = None if self.proven(k) else self._dual_search(k, budget - by_tree)
        if search is None:
            if tree and not self.proven(k):
                yield from self._try(k, tree, PROMISING * budget - by_tree)
            return
        by_dual = 0.0
        for work in self._chunks(k, search):
            by_dual += work
            yield work
            if tree and search.parts:  # the first part alone often decides
                due = min(by_dual, tree.progress * PROMISING * budget)
                for work in self._try(k, tree, due - by_tree):
                    by_tree += work
                    search.left -= work
                    yield work
            if self.proven(k):
                return

    def _planted(self, k: int) -> Tree | None:
        """A tree for the supports of k that exceed the value.

        None where nothing is left to search, or too much.
        """
        t = self.reached[k] * (1.0 + TOLERANCE)
        if self.proven(k):
            return None
        found = candidates(self.d, self.block, k, self.bound[k - 1], t)
        if found is None:
            return None
        W, S, most = found
        self._lower(k, most if len(W) >= k else t)
        if len(W) < k:
            return None
        # Upper bounds on the smaller cardinalities are enough for the tree's tests. It is right,
        # and slower, where one of these was not proven.
        opt = self.bound[:k].copy()
        if k == self.K and len(W) <= DUAL_MOST:
            among = self._cheap(S)  # of supports that reach t
            opt[1:] = np.minimum(opt[1:], among[: k - 1])
            self._lower(k, max(t, among[k - 1]))
        return Tree(S, W, k, opt, t, self.psd)

    def _cheap(self, S: Array) -> Vector:
        """Bounds on the supports of 1 to K variables of S (K,)."""
        return bound_formulas.cheap(S)[: self.K] * (1.0 + TOLERANCE)

    def _try(self, k: int, tree: Tree | None, budget: float) -> Iterator[float]:
        """Let a tree search until it ends or some work is done; yields the work of each chunk."""
        while tree and not tree.ended and budget > 0.0:
            work = self._advance(k, tree)
            budget -= work
            yield work

    def _advance(self, k: int, tree: Tree) -> float:
        """One chunk of a tree; its work."""
        if (t := self.reached[k] * (1.0 + TOLERANCE)) > tree.t:
            tree.raise_to(t)  # something better was found elsewhere
        nodes, status = tree.nodes, tree.go()
        self.nodes[k] += tree.nodes - nodes
        if status == FOUND:
            before = self.reached[k]
            self._improve(k, tree.found, tree.variables)
            tree.raise_to(max(tree.t, self.reached[k]) * (1.0 + TOLERANCE))
            # The kernel compares with t in its own order of operations: it can report a support
            # that, computed afresh, is not better. Such a find costs a chunk, or it could recur
            # for ever.
            return 0.0 if self.reached[k] > before else CHUNK * PACE
        tree.ended = status == EXHAUSTED
        self._lower(k, tree.t if tree.ended else max(tree.t, tree.bound(self.bound[k - 1])))
        return CHUNK * PACE

    def _dual_search(self, k: int, budget: float) -> DualSearch | None:
        """A search for a support of k that exceeds the value, by the dual bound.

        None where nothing is left to search, or too much.
        """
        t = self.value[k] * (1.0 + TOLERANCE)
        found = candidates(self.d, self.block, k, self.bound[k - 1], t)
        if found is None or len(found[0]) > DUAL_MOST:
            return None
        W = found[0]
        if len(W) < k:
            self._lower(k, t)
            return None

        def best_with(places: Indices) -> float:
            self._improve(k, W[places], W)
            return float(self.value[k])

        S = self.covariance(W)
        return DualSearch(S, k, self.value[k], best_with, self.nonnegative, budget)

    def _chunks(self, k: int, search: DualSearch) -> Iterator[float]:
        """Let a dual search run; yields the work of each chunk."""
        before = 0.0
        for _ in search.run(TOLERANCE):
            self._lower(k, max(search.bound, self.value[k]) * (1.0 + TOLERANCE))
            yield search.spent - before
            before = search.spent
        self._lower(k, max(search.bound, self.value[k]) * (1.0 + TOLERANCE))
        self.nodes[k] += search.parts

    def _lower(self, k: int, bound: float) -> None:
        """Take a bound where it is the smaller one."""
        self.bound[k] = min(self.bound[k], bound)

    def _improve(self, k: int, F: Indices, W: Indices) -> None:
        """Offer the support F, filled up to k, and, if it is better, what swaps make of it."""
        # Each find makes the tree begin again with a higher t. A climb at once saves the many small
        # improvements that the search would otherwise meet one by one.
        before = self.reached[k], self.value[k]
        F = np.concatenate([F, np.setdiff1d(W, F)[: k - len(F)]])
        self.offer(k, F)
        if len(W) > k and (self.reached[k], self.value[k]) != before:
            search = Search(Covariance(self.block(W)), k, SCANS, self.rng)
            search.climb(np.searchsorted(W, np.sort(F)))
            self.offer(k, W[search.W])
