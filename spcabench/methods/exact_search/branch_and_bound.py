"""Exact search for the best supports of every cardinality up to a limit.

The problem for cardinality k is max x'Sigma x over ||x|| = 1, ||x||_0 <= k. The search settles the
smaller cardinalities first, because their optima (or upper bounds on them) prune the larger ones.

Most features of a large problem are discarded first (`exact_search.candidates`), with the help of
dual bounds on the smaller cardinalities. If Sigma has a small rank, up to a multiple of the
identity, its optima are proven by cells of directions (`exact_search.direction_cells`), in
milliseconds.

The remaining features are first searched by a tree (`exact_search.pruning`), which is faster if k
is small or the variances decay. If the tree does not finish soon, branch and bound on the dual
bound (`exact_search.dual_search`) follows; it can fix variables at no cost. If the gap is not
narrow after a number of evaluations, or if this search does not finish soon either, branch and
bound on the scaled Gershgorin dual (`exact_search.gershgorin_search`) takes over, with few but
expensive nodes. The budget is counted in operations and not in seconds, so a run is reproducible to
the last digit. "Proven" means proven to within the relative `TOLERANCE`.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import TypeVar

import numpy as np

from spcabench.iterate import End
from spcabench.methods import bound_formulas
from spcabench.methods.exact_search.candidates import (
    MOST,
    Block,
    Candidates,
    by_variances,
    candidates,
    largest_squares,
    two_by_two_eigenvalue,
)
from spcabench.methods.exact_search.direction_cells import Cells
from spcabench.methods.exact_search.dual_certificate import ROUNDING
from spcabench.methods.exact_search.dual_search import DualSearch, cost
from spcabench.methods.exact_search.gershgorin_part import cost as steps_cost
from spcabench.methods.exact_search.gershgorin_search import GershgorinSearch
from spcabench.methods.exact_search.pruning import EXHAUSTED, FOUND
from spcabench.methods.exact_search.search_tree import CHUNK, NODES, SMALL, SmallTree, Tree
from spcabench.methods.local_search import NonnegativeSearch, Search
from spcabench.methods.lowrank import NEGLIGIBLE, low_rank
from spcabench.problem.covariance import Covariance
from spcabench.problem.spectral import eigenvalues, leading_pairs
from spcabench.steps import nonnegative_loading
from spcabench.vectors import Array, Indices, Vector, largest_indices

TOLERANCE = 1e-9  # relative tolerance within which an optimum is proven
SECOND = 1e9  # operations that take about a second of processor time
PACE = 30.0  # measured cost of an entry of a node's matrix, which is read, sorted and updated
HEAD = 1000  # incumbents consist of features among this many of largest variance
# number of scans over all swaps for the incumbent of a smaller cardinality, and of K
SCANS, MORE_SCANS = 40, 300
# number of starts of the first local search for K, and of the one for x >= 0
FIRST, FIRST_ALLOWED = 3, 8
# operations of the tree before the dual bound is computed: longer trials prove nothing sooner, and
# a search that is stopped within a trial has a poor bound
TRIAL = 2e8
# fraction of the budget for all smaller cardinalities, usually and in a large problem, where their
# bounds determine which variables remain
SMALLER, LARGE_SMALLER = 0.05, 0.4
# fraction of the budget for the tree if too many candidates remain for dual bounds
PROMISING = 0.5
# the search that fixes variables at no cost continues after PROBE evaluations only if its gap is
# below the fraction NARROW of the value, and then spends at most HEAD_START operations
PROBE, NARROW, HEAD_START = 50, 0.03, 8e9
PATIENCE = 2  # number of unproven smaller cardinalities after which the remaining ones are skipped
DUAL_MOST = 1000  # maximum number of candidates for the dual bound
# number of steps for the bound of a smaller cardinality; the number of candidates is halved until
# the steps fit the budget, but not below about FEW
STEPS, FEW = 60, 125
RANK = 4  # largest rank of Sigma for which its optima are proven by cells of directions

Dual = TypeVar("Dual", DualSearch, GershgorinSearch)
Maker = Callable[..., Dual]


class Exact:
    """Best supports, values and upper bounds for the cardinalities 0 to K of a matrix S (n, n).

    S need not be positive semidefinite, but S_jl^2 <= S_jj S_ll must hold for all j and l.

    Parameters
    ----------
    d : array of shape (n,)
        Diagonal of S.
    covariance : callable
        Function W -> S[W, W], and I, W -> S[I, W], up to a multiple of the identity. The whole
        matrix S is never formed.
    K : int
        Largest cardinality.
    budget : float
        Maximum cost of the search for K, in matrix entries, each of which takes about a nanosecond.
    psd : bool
        Whether S has no negative eigenvalue.
    seed : int
        Seed of the local search for incumbents.
    nonnegative : bool
        Whether x >= 0 is required. The tree then searches max(S, 0), which can only have larger
        values; the dual bound uses the signs.
    every : bool
        Whether each smaller cardinality also gets the whole budget, instead of a short trial.
    jobs : int
        Number of processes for the scaled Gershgorin dual, which does not affect the result.
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
        jobs: int = 1,
    ) -> None:
        self.d, self.K, self.budget, self.psd = d, K, budget, psd
        self.covariance, self.nonnegative, self.every = covariance, nonnegative, every
        self.divided: Maker[GershgorinSearch] = partial(GershgorinSearch, jobs=jobs)
        self.nodes = np.zeros(K + 1, dtype=np.int64)
        self.sums = np.concatenate([[0.0], np.sort(self.d)[::-1].cumsum()])
        self.bound = np.zeros(K + 1)
        self.bound[1] = self.d.max()
        # The test of `exact_search.candidates`, with the largest variance in place of S_jj: it
        # holds for every feature, requires no covariance, and gives each cardinality a first bound.
        for k in range(2, K + 1):
            self.bound[k] = two_by_two_eigenvalue(
                self.bound[1], self.bound[k - 1], self.bound[1] * self.sums[k - 1]
            )
        # values in the matrix that the tree searches, and values of an x that is allowed
        self.reached, self.value = np.zeros(K + 1), np.zeros(K + 1)
        self.support, self.loadings = [np.arange(0)] * (K + 1), [np.zeros(0)] * (K + 1)
        self.rng = np.random.default_rng(seed)
        # whether a search stopped without a proof before its budget was exhausted
        self.indivisible = np.zeros(K + 1, dtype=bool)
        self.is_begun = np.zeros(K + 1, dtype=bool)  # whether a dual search has begun
        self.is_large = len(d) > DUAL_MOST
        self.squares: Vector | None = None
        # if there were too many candidates: their number, and a bound on the supports not searched
        self.beyond, self.outside = [0] * (K + 1), 0.0

    def block(self, *places: Indices) -> Array:
        """Return S[W, W] or S[J, W], or its positive part if x >= 0 is required."""
        B = self.covariance(*places)
        return np.maximum(B, 0.0) if self.nonnegative else B

    def incumbents(self) -> Iterator[None]:
        """Find a good support of every cardinality among the features of largest variance.

        A poor incumbent increases the number of nodes but never changes a proven answer, so a
        subset of the features is sufficient. Forming the covariance of all features would cost more
        than the search itself.
        """
        self.offer(1, largest_indices(self.d, 1))
        yield
        head = largest_indices(self.d, max(HEAD, self.K))
        S = Covariance(self.block(head))
        # K comes first, from its best starts, because a search that is cut short reports only K.
        last = Search(S, self.K, MORE_SCANS, self.rng)
        remaining_starts = last.starts()
        for start in islice(remaining_starts, FIRST if S.n > self.K else 0):
            last.climb(start)
            self.offer(self.K, head[last.W])
            yield
        if self.nonnegative and S.n > self.K:
            allowed = NonnegativeSearch(Covariance(self.covariance(head)), self.K, SCANS, self.rng)
            for start in islice(allowed.starts(), FIRST_ALLOWED):
                allowed.climb(start)
                self.offer(self.K, head[allowed.W])
                yield
        before = np.array([np.argmax(S.diagonal())])
        for k in range(1, self.K + 1):
            search = last if k == self.K else Search(S, k, SCANS, self.rng)
            # The first start is the best support of size k - 1 plus the feature with the largest
            # covariance with it. By itself, it would follow a single greedy path, so the starts of
            # the local search follow, which do not depend on the smaller cardinalities.
            outside = np.setdiff1d(np.arange(S.n), before)
            together = np.abs(S.S[before].sum(axis=0))
            search.climb(
                before if k == 1 else np.append(before, outside[together[outside].argmax()])
            )
            for start in remaining_starts if k == self.K else search.starts():
                if not search.left or k == S.n:
                    break
                search.climb(start)
            before = search.W
            self.offer(k, head[search.W])
            yield

    def offer(self, k: int, W: Indices) -> None:
        """Store a support of k variables for each cardinality >= k where it is the best so far."""
        w, V = leading_pairs(self.block(W), 1)
        reached, y = float(w[0]), V[:, 0]
        value = reached
        if self.nonnegative:
            value, y = nonnegative_loading(self.covariance(W), y)
        for larger in range(k, self.K + 1):
            self.reached[larger] = max(self.reached[larger], reached)
            if value > self.value[larger] or not len(self.support[larger]):
                self.value[larger], self.support[larger], self.loadings[larger] = value, W, y

    def proven(self, k: int) -> bool:
        """Whether the value for k is the optimum, to within the tolerance."""
        # An exhausted search sets the bound to value * (1 + TOLERANCE). The factor two prevents the
        # rounding of this product from turning a proof into a gap.
        return bool(self.bound[k] <= self.value[k] * (1.0 + 2.0 * TOLERANCE))

    def end(self, k: int) -> tuple[End, str]:
        """Return the outcome of the search for k, and the reason if there is no proof."""
        if self.proven(k):
            return "proven", ""
        if self.beyond[k]:
            candidates = f"{self.beyond[k]:,} candidate variables"
            if not self.is_begun[k]:
                return "not_attempted", f"{candidates}; the search takes {MOST:,}"
            return "work_limit", f"{candidates}; the search took the {DUAL_MOST:,} most promising"
        if self.indivisible[k]:
            return "work_limit", "what is left of the problem cannot be divided further"
        seconds = self.budget / SECOND
        return "work_limit", f"the search spent its work, that of about {seconds:.3g} s"

    def run(self) -> Iterator[int]:
        """Solve for each cardinality, in increasing order, and yield it after each chunk."""
        self.offer(1, largest_indices(self.d, 1))
        if len(self.d) <= DUAL_MOST:
            self.bound[1:] = np.minimum(
                self.bound[1:], self._cheap(self.block(np.arange(len(self.d))))
            )
        small = self._small_rank()
        failures = 0
        left = (LARGE_SMALLER if self.is_large else SMALLER) * self.budget
        for k in range(2, self.K + 1):
            if small is not None:
                yield from (k for _ in self._by_cells(k, *small))
            yield from (k for _ in self._look_at_rows(k))
            if self.every or k == self.K:
                yield from (k for _ in self._settle(k, self.budget))
            elif failures < PATIENCE and left > 0.0:
                for work in self._glance(k, left):
                    left -= work
                    yield k
                failures += not self.proven(k) and not self.is_large
            yield k
        # the optimum never decreases with k
        self.bound = np.minimum.accumulate(self.bound[::-1])[::-1]

    def _glance(self, k: int, budget: float) -> Iterator[float]:
        """Bound the value for a smaller cardinality, and yield the cost of each chunk."""
        yield from self._try(k, self._planted(k), min(TRIAL, budget))
        if self.is_large and not self.proven(k):
            count, share = DUAL_MOST, budget / (self.K - k)
            while count > FEW and STEPS * steps_cost(count) > share:
                count //= 2
            search = self._searched(self.divided, k, share, count)
            yield from self._chunks(k, search) if search else ()

    def _settle(self, k: int, budget: float) -> Iterator[float]:
        """Prove the value for k, or compute the smallest bound that the budget allows.

        Yields the cost of each chunk.
        """
        tree, by_tree = self._planted(k), 0.0
        for work in self._try(k, tree, min(TRIAL, budget)):
            by_tree += work
            yield work
        spent = by_tree
        for work in () if self.proven(k) else self._leaving_out(k, min(HEAD_START, budget - spent)):
            spent += work
            yield work
        search = None if self.proven(k) else self._searched(self.divided, k, budget - spent)
        if search is not None:
            yield from self._chunks(k, search)
        elif tree and not self.proven(k):
            yield from self._try(k, tree, PROMISING * budget - by_tree)

    def _leaving_out(self, k: int, budget: float) -> Iterator[float]:
        """Run the search that fixes variables at no cost, if its gap is narrow."""
        search = self._searched(DualSearch, k, budget)
        for work in self._chunks(k, search) if search else ():
            yield work
            is_wide = self.bound[k] > self.value[k] * (1.0 + NARROW)
            if search and is_wide and search.spent >= PROBE * cost(len(search.S)):
                return

    def _small_rank(self) -> tuple[Array, float] | None:
        """Return V (n, d) and r with S = V V' + r I up to rounding, or None if d is large."""
        n = len(self.d)
        if n > DUAL_MOST or n <= RANK:
            return None
        S = self.covariance(np.arange(n))
        w = eigenvalues(S)[::-1]
        ranks = np.flatnonzero(w[1 : RANK + 1] - w[-1] <= NEGLIGIBLE * w[0]) + 1
        if not len(ranks):
            return None
        d = int(ranks[0])
        V, remainder = low_rank(*leading_pairs(S, d + 1), d, shift=True)
        return V, remainder + (NEGLIGIBLE + ROUNDING * n) * float(w[0])

    def _by_cells(self, k: int, V: Array, remainder: float) -> Iterator[None]:
        """Prove the value for k with cells of directions, where S = V V' + remainder I."""

        def best_with(W: Indices) -> float:
            self.offer(k, W)
            return float(self.value[k])

        cells = Cells(V, remainder, k, self.nonnegative, best_with)
        for _ in cells.run(TOLERANCE):
            self._lower(k, max(cells.bound, self.value[k]))
            yield
        self._lower(k, max(cells.bound, self.value[k]))

    def _planted(self, k: int) -> Tree | None:
        """Return a tree that searches for supports of k variables that exceed the value.

        The result is None if no supports or too many supports remain.
        """
        t = self.reached[k] * (1.0 + TOLERANCE)
        if self.proven(k):
            return None
        screened = self._screened(k, t)
        W, S = screened.W, screened.S
        if len(W) < k or screened.beyond:
            return None
        # Upper bounds for the smaller cardinalities are sufficient for the tree's tests. If a bound
        # was not proven to be the optimum, the tree is still correct, but slower.
        opt = self.bound[:k].copy()
        if k == self.K and len(W) <= DUAL_MOST and len(W) < len(self.d):
            among = self._cheap(S)  # bounds on the supports that reach t
            opt[1:] = np.minimum(opt[1:], among[: k - 1])
            self._lower(k, max(t, among[k - 1]))
        # a harder problem is searched by the kernel, which is faster if it is compiled
        kind = SmallTree if len(W) <= SMALL and self.nodes.sum() < NODES else Tree
        return kind(S, W, k, opt, t, self.psd)

    def _screened(self, k: int, t: float) -> Candidates:
        """Return the variables that a support of size k, value t can contain; lower the bound."""
        squares = None if self.squares is None else self.squares[:, k - 2]
        screened = candidates(self.d, self.block, k, self.bound[k - 1], t, squares)
        W, most = screened.W, screened.most
        among = float(most.max(initial=0.0)) if len(W) >= k else 0.0
        self._lower(k, max(t, among, screened.beyond))
        self.beyond[k] = screened.left if screened.beyond else 0
        return screened

    def _look_at_rows(self, k: int) -> Iterator[None]:
        """Compute rows of S, once, if the variances leave too many candidates."""
        if not self.is_large or self.squares is not None or self.budget < MOST * len(self.d):
            return
        most = two_by_two_eigenvalue(self.d, self.bound[k - 1], by_variances(self.d, k))
        if (most >= self.reached[k]).sum() <= MOST:
            return
        sums = []
        for of_rows in largest_squares(self.d, self.block, self.K - 1):
            sums.append(of_rows)
            yield
        self.squares = np.concatenate(sums) if sums else None

    def _cheap(self, S: Array) -> Vector:
        """Return bounds (K,) on the supports of 1 to K variables of S."""
        return bound_formulas.cheap(S)[: self.K] * (1.0 + TOLERANCE)

    def _try(self, k: int, tree: Tree | None, budget: float) -> Iterator[float]:
        """Run a tree until it finishes or the budget is spent, and yield the cost of each chunk."""
        while tree and not tree.ended and budget > 0.0:
            work = self._advance(k, tree)
            budget -= work
            yield work

    def _advance(self, k: int, tree: Tree) -> float:
        """Run one chunk of a tree, and return its cost."""
        if (t := self.reached[k] * (1.0 + TOLERANCE)) > tree.t:
            tree.raise_to(t)  # something better was found elsewhere
        nodes, status = tree.nodes, tree.go()
        self.nodes[k] += tree.nodes - nodes
        if status == FOUND:
            before = self.reached[k]
            self._improve(k, tree.found, tree.variables)
            tree.raise_to(max(tree.t, self.reached[k]) * (1.0 + TOLERANCE))
            # The kernel rounds differently, so it can report a support that turns out not to be
            # better when its value is recomputed. Such a report costs a chunk, because it could
            # otherwise recur forever.
            return 0.0 if self.reached[k] > before else CHUNK * PACE
        tree.ended = status == EXHAUSTED
        self._lower(k, tree.t if tree.ended else max(tree.t, tree.bound(self.bound[k - 1])))
        return CHUNK * PACE

    def _searched(
        self, kind: Maker[Dual], k: int, budget: float, most: int = DUAL_MOST
    ) -> Dual | None:
        """Return a search with dual bounds for a support of size k that exceeds the best value.

        If there are more than ``most`` candidates, only the most promising ones are searched. The
        result is None if no supports remain.
        """
        t = self.value[k] * (1.0 + TOLERANCE)
        screened = self._screened(k, t).first(most)
        W, self.outside = screened.W, screened.beyond
        if len(W) < k:
            return None

        def best_with(places: Indices) -> float:
            self._improve(k, W[places], W)
            return float(self.value[k])

        S = self.covariance(W) if self.nonnegative else screened.S
        return kind(S, k, self.value[k], best_with, self.nonnegative, budget)

    def _chunks(self, k: int, search: DualSearch | GershgorinSearch) -> Iterator[float]:
        """Run a dual search, and yield the cost of each chunk."""
        before = 0.0
        for _ in search.run(TOLERANCE):
            self._lower(k, self._on_all(search, k))
            self.is_begun[k] = True
            yield search.spent - before
            before = search.spent
        self._lower(k, self._on_all(search, k))
        self.nodes[k] += search.parts
        self.indivisible[k] = self.nonnegative and search.parts > 0 and search.left > 0.0

    def _on_all(self, search: DualSearch | GershgorinSearch, k: int) -> float:
        """Return an upper bound over all supports of size k, including those outside the search."""
        return max(search.bound, self.value[k], self.outside) * (1.0 + TOLERANCE)

    def _lower(self, k: int, bound: float) -> None:
        """Store a bound if it is smaller than the current one."""
        self.bound[k] = min(self.bound[k], bound)

    def _improve(self, k: int, F: Indices, W: Indices) -> None:
        """Offer the support F, filled up to k variables; if it is better, improve it by swaps."""
        # After each find, the tree restarts with a higher t. Swaps save the many small improvements
        # that the search would otherwise find one by one.
        before = self.reached[k], self.value[k]
        if self.nonnegative:
            self.offer(k, F)  # with more variables, the ascent can reach another maximum
        F = np.concatenate([F, np.setdiff1d(W, F)[: k - len(F)]])
        self.offer(k, F)
        if len(W) > k and (self.reached[k], self.value[k]) != before:
            search = Search(Covariance(self.block(W)), k, SCANS, self.rng)
            search.climb(np.searchsorted(W, np.sort(F)))
            self.offer(k, W[search.W])
