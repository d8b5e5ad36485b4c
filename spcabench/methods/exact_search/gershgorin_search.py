"""Branch and bound on the scaled Gershgorin dual: all supports of k variables, in parts.

A part is the supports that have some variables and lack others. Its bound is minimised by the
splitting method (`exact_search.splitting`), which goes on from where that of the part before was
left. The method has a value of the relaxation too, below which no bound of the part can come: where
that is above the best value known, the part is halved soon. One half takes a variable, the other
leaves it out. The part of the largest bound comes first, so the bound on all supports falls all the
time.
"""

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count

import numpy as np

from spcabench.methods.exact_search.dual_certificate import NONE
from spcabench.methods.exact_search.nonnegative_faces import nonnegative_bound
from spcabench.methods.exact_search.splitting import LOOK, Seed, Splitting
from spcabench.problem.spectral import largest_eigenvalue
from spcabench.vectors import Array, Indices

ROOT = 100  # steps for all variables at least
# a part is halved where the value of the relaxation exceeds the best value by this share of what
# the bound does, or where some steps, but the first, gain less than that share of it
HOPELESS, GAIN, FIRST = 0.4, 1.0 / 6.0, 30
FEWEST = 40  # steps that a search must be able to make
FEW = 12  # variables whose faces are looked at
UNSEEN = 1e8  # work between two looks at the clock
Value = Callable[[Indices], float]


def cost(n: int) -> float:
    """Of a step of the splitting method with n variables, measured, in the time of an entry."""
    return n**3 / 4.0 + 190.0 * n**2 + 5e4


@dataclass(frozen=True, eq=False)
class Half:
    """The supports of a part that have a variable, or lack it.

    W : the variables of the part (n,). j : the place of the variable among them.
    """

    seed: Seed
    W: Indices
    j: int
    taken: bool

    def made(self, S: Array, k: int, positive: bool) -> tuple[Splitting, Indices]:
        """The minimisation of its bound, and its variables."""
        seed, W = self.seed.having(self.j), self.W
        if not self.taken:
            seed, W = self.seed.without(self.j), np.delete(self.W, self.j)
        return Splitting(S[np.ix_(W, W)], k, positive, seed), W


class GershgorinSearch:
    """Whether supports of k exceed the best value known, and a bound on all of them.

    S : covariance (n, n). t : the value that is to be exceeded, positive. best_with : takes a
        support of k variables at most that may be good, and gives the best value known then.
        positive : for x >= 0. budget : entries of matrices; see `cost`.
    best : the best value, over t. bound : on all supports. parts : taken up so far, but for the
        first. spent : of the budget; left : what else the caller may lower.
    """

    def __init__(
        self, S: Array, k: int, t: float, best_with: Value, positive: bool, budget: float
    ) -> None:
        self.scale, self.k, self.best_with, self.positive = t, k, best_with, positive
        self.S, self.left, self.spent, self.parts = S / t, budget, 0.0, 0
        self.best, self.tolerance, self.at_work, self.unseen = 1.0, 0.0, np.inf, 0.0
        self.waiting: list[tuple[float, int, Half]] = []
        self.order, self.decided, self.tried = count(), 0.0, set[tuple[int, ...]]()

    @property
    def bound(self) -> float:
        """On all supports, in the units of S."""
        return max(self.best, self.decided, self.at_work, -self._first) * self.scale

    @property
    def _first(self) -> float:
        return self.waiting[0][0] if self.waiting else 0.0

    @property
    def _target(self) -> float:
        return self.best * (1.0 + self.tolerance)

    def run(self, tolerance: float) -> Iterator[None]:
        """Search until nothing exceeds the best value by a relative tolerance, or work is spent.

        Yields now and then.
        """
        self.tolerance = tolerance
        n = len(self.S)
        if self.left < FEWEST * cost(n):
            return
        everything = np.arange(n)
        if self._is_decided(NONE, everything):
            self._settle(NONE, everything, np.inf)
        elif not self._is_closed_by_faces(everything):
            self._spend(4.0 * cost(n))  # eigenvalues alone
            whole = Splitting(self.S, self.k, self.positive)
            yield from self._work(whole, everything, np.inf, ROOT)
            yield
        while -self._first > self._target and self.left > 0.0:
            bound, _, half = heapq.heappop(self.waiting)
            self.at_work = -bound
            self.parts += 1
            part, W = half.made(self.S, self.k, self.positive)
            if self._is_decided(part.F, W):
                self._settle(part.F, W, -bound)
            elif not self._is_closed_by_faces(W):
                yield from self._work(part, W, -bound, LOOK)

    def _work(self, part: Splitting, W: Indices, bound: float, least: int) -> Iterator[None]:
        """Close a part, or halve it. least : steps before it is halved."""
        self.at_work, before = bound, np.inf
        while bound > self._target and self.left > 0.0:
            for _ in range(LOOK):
                part.step()
                if self._spend(cost(len(W))):
                    yield
            now = part.look()
            self.at_work = bound = min(bound, now)
            self._try(W[part.likely])
            if part.steps >= least and self._is_hopeless(part, before, now):
                break
            before = now
        if bound > self._target:
            seed, j = part.seed, part.nearest_taken
            for taken in (True, False):
                item = (-bound, next(self.order), Half(seed, W, j, taken))
                heapq.heappush(self.waiting, item)
        self.at_work = 0.0

    def _is_hopeless(self, part: Splitting, before: float, now: float) -> bool:
        """Whether a part should be halved now, by its last two bounds."""
        missing = now - self._target
        if part.value - self._target > HOPELESS * missing:
            return True
        return part.steps >= FIRST and before - now < GAIN * missing

    def _spend(self, work: float) -> bool:
        """Count some work; whether it is time for a look at the clock."""
        self.left -= work
        self.spent += work
        self.unseen += work
        if self.unseen < UNSEEN:
            return False
        self.unseen = 0.0
        return True

    def _is_decided(self, F: Indices, W: Indices) -> bool:
        """Whether a single support is left, which has all others."""
        return len(F) >= self.k or len(W) <= self.k

    def _is_closed_by_faces(self, W: Indices) -> bool:
        """Whether no x >= 0 of few variables exceeds the target, as far as their faces tell."""
        if not self.positive or len(W) > FEW or self._by_faces(W) > self._target:
            return False
        self.at_work = 0.0
        return True

    def _settle(self, F: Indices, W: Indices, bound: float) -> None:
        """Bound what is left of a part that is decided: all of F and W, or F alone."""
        W = F if len(F) >= self.k else W
        if len(W) <= self.k:
            self._try(W)
        bound = min(bound, self._exact(W))
        if bound > self._target:
            self.decided = max(self.decided, bound)
        self.at_work = 0.0

    def _exact(self, W: Indices) -> float:
        """A bound on the supports among W; the target where nothing exceeds it."""
        B = self.S[np.ix_(W, W)]
        if not self.positive:
            return largest_eigenvalue(B)
        k = min(self.k, len(W))
        relaxed = Splitting(B, k, True)
        while relaxed.steps < ROOT and relaxed.bound > self._target:
            relaxed.descend()
            self._spend(LOOK * cost(len(W)))
        if relaxed.bound <= self._target:
            return relaxed.bound
        return min(self._by_faces(W), relaxed.bound)

    def _by_faces(self, W: Indices) -> float:
        """A bound on the x >= 0 of the variables W alone; the target where nothing exceeds it."""
        B, exceeded = self.S[np.ix_(W, W)], partial(self._exceeded, W)
        bound, faces = nonnegative_bound(B, min(self.k, len(W)), self._target, exceeded)
        self._spend(faces * cost(len(W)))
        return bound

    def _exceeded(self, W: Indices, places: Indices) -> float:
        """Offer some variables of W; the value that others have to exceed."""
        self._try(W[places])
        return self._target

    def _try(self, W: Indices) -> None:
        """Offer a support, once."""
        names = tuple(sorted(W.tolist()))
        if names and names not in self.tried:
            self.tried.add(names)
            self.best = max(self.best, self.best_with(W) / self.scale)
