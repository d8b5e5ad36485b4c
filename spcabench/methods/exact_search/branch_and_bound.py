"""Exact search for the best support of K variables.

The problem is max x'Sigma x over ||x|| = 1, ||x||_0 <= K. The search works in this order, and ends
as soon as the bound equals the value:

1. Incumbents: local search finds good supports (`methods.local_search`).
2. Variable test: a variable that no better support can contain is dropped
   (`exact_search.candidates`).
3. Tree: branch and bound with Schur complements (`exact_search.search_tree`), for a short time. It
   is the fastest if k is small or the variances decay.
4. Single-matrix dual: branch and bound with the bound of `exact_search.dual_bound`, if its gap is
   narrow. It drops and takes variables at no cost. If it is abandoned, the tree is tried again.
5. Pair relaxation: branch and bound with the scaled Gershgorin dual (`exact_search.splitting`). It
   has the tightest bound and the most expensive steps.

The variable test and the tree need bounds for the smaller cardinalities. Simple formulas suffice
for up to `LARGE` variables. In larger problems, these bounds decide how many variables remain,
so steps 2, 3 and 5 are first applied to all smaller cardinalities.

Work is counted in operations, each of which takes about a nanosecond, so a run is reproducible to
the last digit. "Proven" means proven to within the relative `TOLERANCE`.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from spcabench.flops import counting
from spcabench.iterate import End
from spcabench.methods import bound_formulas
from spcabench.methods.exact_search.best_first import BestFirst
from spcabench.methods.exact_search.candidates import (
    ENTRY,
    MOST,
    Block,
    Blocks,
    Candidates,
    by_variances,
    candidates,
    largest_squares,
    two_by_two_eigenvalue,
)
from spcabench.methods.exact_search.dual_bound import CHUNK
from spcabench.methods.exact_search.dual_certificate import TOLERANCE
from spcabench.methods.exact_search.dual_part import DualPart
from spcabench.methods.exact_search.pair_part import PairPart
from spcabench.methods.exact_search.part import GAIN, ROOT, SECOND, Part
from spcabench.methods.exact_search.search_tree import Tree
from spcabench.methods.exact_search.splitting import LOOK
from spcabench.methods.local_search import NonnegativeSearch, Search
from spcabench.problem.covariance import Covariance
from spcabench.problem.spectral import largest_eigenvalue, leading_pairs
from spcabench.steps import nonnegative_loading
from spcabench.vectors import Array, Indices, Vector, largest_indices

FLOP = 0.5  # measured cost of a flop of the matrix layer, most of which are in BLAS
# number of candidates for the dual bounds, and of variables that incumbents consist of, at most
LARGE = 1000
# An incumbent takes at most SCANS scans over all swaps, which cost at most the fraction INCUMBENTS
# of the budget. At least FIRST scans are made, and FIRST starts before the smaller cardinalities.
SCANS, FIRST, INCUMBENTS = 300, 3, 0.05
# The cheapest step goes first: the tree for the time of QUICK chunks of the pair relaxation, then
# the single-matrix dual, then the tree for the time of the relaxation's first bound, and then the
# relaxation. The tree takes at most the fraction EARLY of the budget.
QUICK, EARLY = 2, 0.2
# fraction of the remaining budget for all smaller cardinalities of a large problem, and for rows
SHARE = 0.4
# The single-matrix dual goes first, because it fixes variables at no cost. After each CHUNK
# evaluations, it goes on if its gap is below the fraction NARROW of the value, or fell by GAIN. It
# spends at most half of the budget and CHECKS checks, because the pair relaxation divides small
# problems faster; a quarter of them if x >= 0, for which few parts end by variables that are fixed.
# It does not start if EARLY is too little for two checks.
CHECKS, NARROW = 60, 0.03
STEPS = 20  # the number of candidates is halved until this number of steps fits the budget


class Exact:
    """Best supports, values and upper bounds for the cardinalities 0 to K of a matrix S (n, n).

    S need not be positive semidefinite, but S_jl^2 <= S_jj S_ll must hold for all j and l.

    Parameters
    ----------
    d : array of shape (n,)
        Diagonal of S.
    covariance : callable
        Function W -> S[W, W], and I, W -> S[I, W]. The whole matrix S is never formed.
    K : int
        Largest cardinality.
    budget : float
        Maximum cost of the search for K, in operations, each of which takes about a nanosecond.
    psd : bool
        Whether S has no negative eigenvalue.
    seed : int
        Seed of the local search for incumbents.
    nonnegative : bool
        Whether x >= 0 is required. The tree then searches max(S, 0), which can only have larger
        values; the dual bound uses the signs.
    every : bool
        Whether each smaller cardinality is also searched, with the whole budget.
    jobs : int
        Number of processes for the pair relaxation, which does not affect the result.
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
        self.nonnegative, self.every, self.blocks = nonnegative, every, Blocks(covariance)
        self.jobs, self.left = jobs, budget  # operations that remain for the present cardinality
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
        self.is_large = len(d) > LARGE
        self.squares: Array | None = None  # bounds (n, K - 1) on the sums of largest S_jl^2
        # the last result of the variable test, and its question
        self.screened: tuple[tuple[int, float], float, Candidates] | None = None
        # if there were too many candidates: their number, and a bound on the supports not searched
        self.beyond, self.outside = [0] * (K + 1), 0.0

    def covariance(self, *places: Indices) -> Array:
        """Return S[W, W] or S[J, W], whose cost is charged to the budget."""
        with counting() as ledger:
            block = self.blocks(*places)
            self.left -= FLOP * ledger.flops
        return block

    def block(self, *places: Indices) -> Array:
        """Return S[W, W] or S[J, W], or its positive part if x >= 0 is required."""
        B = self.covariance(*places)
        return np.maximum(B, 0.0) if self.nonnegative else B

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
        """Return the outcome of the search for k, and why there is no proof and what would help."""
        if self.proven(k):
            return "proven", ""
        if self.indivisible[k]:
            return "work_limit", "what is left of the problem cannot be divided further"
        spent = f"the search spent its work, that of about {self.budget / SECOND:.3g} s"
        if not self.beyond[k]:
            return "work_limit", f"{spent}; more time lowers the bound"
        candidates = f"{self.beyond[k]:,} candidate variables"
        help_ = "more time or a smaller k leaves fewer"
        if not self.is_begun[k]:
            return "not_attempted", f"{candidates}; the search takes {MOST:,}; {help_}"
        return "work_limit", f"{candidates}, of which the most promising were searched; {help_}"

    def incumbents(self, *starts: Indices) -> Iterator[None]:
        """Find a good support among the features of largest variance, and those of ``starts``.

        A poor incumbent increases the number of nodes but never changes a proven answer, so a
        subset of the features is sufficient. Forming the covariance of all features would cost more
        than the search itself.
        """
        self.offer(1, largest_indices(self.d, 1))
        for W in starts:
            self.offer(self.K, W)
        yield
        head = largest_indices(self.d, max(LARGE, self.K))
        head = np.unique(np.concatenate([head, *starts]))
        S = Covariance(self.block(head))
        # K comes first, from its best starts, because a search that is cut short reports only K.
        last = Search(S, self.K, self._scans(S.n, self.K), self.rng)
        remaining_starts = last.starts()
        for W in starts:
            self._climb(last, iter([np.searchsorted(head, np.sort(W))]), head, 1)
        for _ in range(FIRST if S.n > self.K else 0):
            self._climb(last, remaining_starts, head, 1)
            yield
        if self.nonnegative and S.n > self.K:
            allowed = NonnegativeSearch(
                Covariance(self.covariance(head)), self.K, self._scans(S.n, self.K), self.rng
            )
            allowed_starts = allowed.starts()
            for _ in range(FIRST):
                self._climb(allowed, allowed_starts, head, 1)
                yield
        if self.every or self.is_large:
            yield from self._smaller_incumbents(S, head)
        while last.left and S.n > self.K:
            self._climb(last, remaining_starts, head, FIRST)
            yield

    def climb_everywhere(self, Sigma: Any) -> Iterator[None]:
        """Climb among all features of a large Sigma (n, n), of which this needs a few columns."""
        # with random numbers of its own, so that the other incumbents stay the same
        scans = self._scans(Sigma.n, self.K)
        search = Search(Sigma, self.K, scans, np.random.default_rng(0))
        starts = search.starts()
        while search.left:
            self._climb(search, starts, np.arange(Sigma.n), 1)
            yield

    def _climb(self, search: Search, starts: Iterator[Indices], head: Indices, count: int) -> None:
        """Climb from some starts, charge the cost to the budget, and offer the best support."""
        with counting() as ledger:
            for start in islice(starts, count):
                search.climb(start)
            self.left -= FLOP * ledger.flops
        self.offer(search.k, head[search.W])

    def _scans(self, n: int, k: int) -> int:
        """Return the number of scans for an incumbent that the budget allows."""
        share = INCUMBENTS * self.budget / (self.K if k < self.K else 1)
        return int(np.clip(share / (n * k * (k + 2.0)), FIRST, SCANS))

    def _smaller_incumbents(self, S: Covariance, head: Indices) -> Iterator[None]:
        """Find supports of the smaller cardinalities.

        The first start is the best support of size k - 1 plus the feature with the largest
        covariance with it. By itself, it would follow a single greedy path, so the starts of the
        local search follow, which do not depend on the smaller cardinalities.
        """
        before = np.array([np.argmax(S.diagonal())])
        for k in range(2, self.K):
            search = Search(S, k, self._scans(S.n, k), self.rng)
            outside = np.setdiff1d(np.arange(S.n), before)
            together = np.abs(S.S[before].sum(axis=0))
            grown = np.append(before, outside[together[outside].argmax()])
            self._climb(search, iter([grown]), head, 1)
            starts = search.starts()
            while search.left and self.every:
                self._climb(search, starts, head, 1)
            before = search.W
            yield

    def run(self) -> Iterator[None]:
        """Search for K, with the smaller cardinalities that it needs; yields regularly."""
        self.offer(1, largest_indices(self.d, 1))
        if not self.is_large:
            self._bound_by_formulas(self.block(np.arange(len(self.d))))
        reserve = (1.0 - SHARE) * self.left
        for k in range(2, self.K + 1):
            if k == self.K or self.every:
                yield from self._settle(k, 0.0)
                self.left = self.budget
            elif self.is_large:
                share = (self.left - reserve) / (self.K - k)
                yield from self._settle(k, self.left - share)
        # the optimum never decreases with k
        self.bound = np.minimum.accumulate(self.bound[::-1])[::-1]

    def _bound_by_formulas(self, S: Array) -> None:
        """Bound the optima of all cardinalities by formulas, which are computed at once."""
        rows = bound_formulas.falling(S)
        formulas = bound_formulas.gershgorin(rows), bound_formulas.frobenius(rows)
        most = np.minimum(np.min(formulas, axis=0), largest_eigenvalue(S))
        self.bound[1:] = np.minimum(self.bound[1:], most[: self.K] * (1.0 + TOLERANCE))

    def _settle(self, k: int, reserve: float) -> Iterator[None]:
        """Prove the value for k, or compute the smallest bound that the budget allows."""
        yield from self._look_at_rows(k)
        for search, *chunks in (
            (self._by_tree, QUICK),
            (self._by_matrix,),
            (self._by_tree, ROOT),
            (self._by_pairs,),
        ):
            if not self.proven(k):
                yield from search(k, reserve, *chunks)

    def _look_at_rows(self, k: int) -> Iterator[None]:
        """Compute rows of S, once, if the variances leave too many candidates."""
        if not self.is_large or self.squares is not None:
            return
        most = two_by_two_eigenvalue(self.d, self.bound[k - 1], by_variances(self.d, k))
        rows = np.flatnonzero(most >= self.reached[k])
        if len(rows) <= MOST:
            return
        self.squares = self.d[:, None] * self.sums[1 : self.K]
        stop = (1.0 - SHARE) * self.left
        for J, sums in largest_squares(self.d, self.block, rows, self.K - 1):
            self.squares[J] = np.minimum(self.squares[J], sums)
            self.left -= ENTRY * len(J) * len(self.d)
            if self.left < stop:
                return
            yield

    def _screened(self, k: int, best: float) -> Candidates:
        """Return the variables of supports that exceed the best value, and lower the bound."""
        t, opt = best * (1.0 + TOLERANCE), self.bound[k - 1]
        if self.screened is None or self.screened[0] != (k, opt) or t < self.screened[1]:
            squares = None if self.squares is None else self.squares[:, k - 2]
            found = candidates(self.d, self.block, k, opt, t, squares)
            self.screened = (k, opt), t, found
            self.left -= ENTRY * len(found.W) ** 2
        screened = self.screened[2].reaching(t)
        among = float(screened.most.max(initial=0.0)) if len(screened.W) >= k else 0.0
        self._lower(k, max(t, among, screened.beyond))
        self.beyond[k] = screened.left if screened.beyond else 0
        return screened

    def _by_tree(self, k: int, reserve: float, chunks: int) -> Iterator[None]:
        """Search for supports that exceed the value, for the time of chunks of the relaxation."""
        screened = self._screened(k, self.reached[k])
        W, S, t = screened.W, screened.S, self.reached[k] * (1.0 + TOLERANCE)
        too_many = screened.beyond or len(W) > LARGE
        trial = chunks * LOOK * PairPart.cost(len(W))
        stop = self.left - min(trial, EARLY * (self.left - reserve))
        if len(W) < k or too_many or self.proven(k) or stop == self.left:
            return
        # Upper bounds for the smaller cardinalities are sufficient for the tree's tests. If a bound
        # was not proven to be the optimum, the tree is still correct, but slower.
        tree, spent = Tree(S, k, self.bound[:k].copy(), t, self.psd), 0.0
        for found in tree.run():
            self.left, spent = self.left - (tree.spent - spent), tree.spent
            if found:
                self._improve(k, W[found], W)
                tree.t = max(tree.t, self.reached[k]) * (1.0 + TOLERANCE)
            self._lower(k, max(tree.t, tree.bound(self.bound[k - 1])))
            if self.left <= stop:
                break
            yield
        self.nodes[k] += tree.nodes
        self._lower(k, max(tree.t, tree.bound(self.bound[k - 1])))

    def _by_matrix(self, k: int, reserve: float) -> Iterator[None]:
        """Divide the supports by the single-matrix dual, while its gap is narrow or falls fast."""
        left = self.left - reserve
        search = self._divided(DualPart, k, 0.5 * left)
        if not search or self.outside > self.value[k]:  # without all candidates, no proof
            return
        before, check = np.inf, CHUNK * DualPart.cost(len(search.S))
        if 2.0 * check > EARLY * left:
            return
        due, most = check, (0.25 if self.nonnegative else 1.0) * CHECKS * check
        for _ in self._run(k, search):
            yield
            if search.spent >= due:
                gap = self.bound[k] / self.value[k] - 1.0
                if gap > max(NARROW, (1.0 - GAIN) * before) or search.spent > most:
                    return
                before, due = gap, search.spent + check

    def _by_pairs(self, k: int, reserve: float) -> Iterator[None]:
        """Divide the supports by the scaled Gershgorin dual."""
        search = self._divided(PairPart, k, self.left - reserve)
        if search:
            yield from self._run(k, search)

    def _divided(self, kind: type[Part], k: int, budget: float) -> BestFirst | None:
        """Return a search for a support of size k that exceeds the best value.

        If there are too many candidates for the budget, only the most promising ones are searched.
        The result is None if no supports remain.
        """
        screened = self._screened(k, self.value[k])
        count = min(LARGE, len(screened.W))
        while count >= k and STEPS * kind.cost(count) > budget:
            count //= 2
        screened = screened.first(count)
        W, self.outside = screened.W, screened.beyond
        if len(W) < k:
            return None

        def best_with(places: Indices) -> float:
            self._improve(k, W[places], W)
            return float(self.value[k])

        S = self.covariance(W) if self.nonnegative else screened.S
        jobs = self.jobs if kind is PairPart else 1
        value = float(self.value[k])
        return BestFirst(kind, S, k, value, best_with, self.nonnegative, budget, jobs)

    def _run(self, k: int, search: BestFirst) -> Iterator[None]:
        """Run a search, charge its cost to the budget, and lower the bound."""
        spent = 0.0
        for _ in search.run(TOLERANCE):
            self.left -= search.spent - spent
            spent = search.spent
            self._lower(k, self._on_all(search, k))
            self.is_begun[k] = True
            yield
        self.left -= search.spent - spent
        self._lower(k, self._on_all(search, k))
        self.nodes[k] += search.parts
        self.indivisible[k] = self.nonnegative and search.parts > 0 and search.left > 0.0

    def _on_all(self, search: BestFirst, k: int) -> float:
        """Return an upper bound over all supports of size k, including those outside the search."""
        return max(search.bound, self.value[k], self.outside) * (1.0 + TOLERANCE)

    def _lower(self, k: int, bound: float) -> None:
        """Store a bound if it is smaller than the current one."""
        self.bound[k] = min(self.bound[k], bound)

    def _improve(self, k: int, F: Indices, W: Indices) -> None:
        """Offer the support F, also filled up to k variables."""
        if self.nonnegative:
            self.offer(k, F)  # with more variables, the ascent can reach another maximum
        self.offer(k, np.concatenate([F, np.setdiff1d(W, F)[: k - len(F)]]))
