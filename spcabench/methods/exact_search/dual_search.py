"""Branch and bound on the dual bound: all supports of k variables, divided into parts.

A part is the set of supports that contain certain variables and lack others (`Part`). Its bound is
minimised in chunks of evaluations. After each chunk, a variable is left out if the bound shows that
no better support contains it, and taken if all better supports contain it. A part whose bound stays
above the best value is halved: one half takes a variable, the other leaves it out.
"""

import heapq
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count

import numpy as np

from spcabench.methods.exact_search.dual_bound import CHUNK, STARTS, starts
from spcabench.methods.exact_search.dual_part import Part
from spcabench.methods.exact_search.nonnegative_faces import nonnegative_bound
from spcabench.problem.spectral import largest_eigenvalue
from spcabench.vectors import Array, Indices

ROOT = 300  # minimum number of evaluations for all variables
# a part is not halved while a chunk gains at least this fraction of the required decrease
ROOT_GAIN, GAIN = 0.03, 1.0 / 6.0

FEWEST = 40  # minimum number of evaluations that the budget of a search must allow
FEW = 20  # largest number of variables whose faces are examined
UNSEEN = 1e8  # operations between two checks of the clock
Value = Callable[[Indices], float]


def cost(n: int) -> float:
    """Return the measured cost of evaluating the dual bound of n variables, in matrix entries."""
    return n**3 / 5.0 + 90.0 * n**2 + 2e5


class DualSearch:
    """A search for supports of size k that exceed the best known value; bounds all supports.

    S : covariance (n, n). t : positive value to be exceeded. best_with : function that takes a
        promising support of at most k variables and returns the best known value. positive :
        whether x >= 0 is required. budget : maximum cost in matrix entries; see `cost`.
    best : the best value divided by t. bound : bound on all supports. parts : number of parts
        started, excluding the first. spent : cost so far. left : the remaining budget, which the
        caller can lower.
    """

    def __init__(
        self, S: Array, k: int, t: float, best_with: Value, positive: bool, budget: float
    ) -> None:
        self.scale, self.k, self.best_with, self.positive = t, k, best_with, positive
        self.S, self.left, self.spent, self.parts = S / t, budget, 0.0, 0
        self.best, self.tolerance, self.at_work, self.unseen = 1.0, 0.0, np.inf, 0.0
        self.waiting: list[tuple[float, int, Callable[[float], Part]]] = []
        self.order, self.decided = count(), 0.0

    @property
    def bound(self) -> float:
        """The bound on all supports, in the units of S."""
        return max(self.best, self.decided, self.at_work, -self._first) * self.scale

    @property
    def _first(self) -> float:
        return self.waiting[0][0] if self.waiting else 0.0

    def run(self, tolerance: float) -> Iterator[None]:
        """Search until no support exceeds the best value by a relative tolerance.

        Stops earlier if the budget is spent. Yields regularly. The part with the largest bound
        comes first.
        """
        self.tolerance = tolerance
        if self.left < FEWEST * cost(len(self.S)):
            return
        self._spend(STARTS * cost(len(self.S)) / 3.0)  # eigenvalues only
        none, everything, least = np.arange(0), np.arange(len(self.S)), np.inf
        U = None
        if len(self.S) > self.k:
            for bound, matrix in starts(self.S / self._target, self.k, self.positive):
                least, U = min((least, U), (bound, matrix), key=lambda start: start[0])
                if cost(len(self.S)) >= UNSEEN:
                    yield
        whole = Part(self.S, self.k, self.positive, none, everything, self._target, U=U)
        yield from self._work(whole, ROOT, ROOT_GAIN)
        while -self._first > self._target and self.left > 0.0:
            bound, _, make = heapq.heappop(self.waiting)
            self.at_work = -bound
            self.parts += 1
            yield from self._work(make(self._target), 0, GAIN)

    @property
    def _target(self) -> float:
        return self.best * (1.0 + self.tolerance)

    def _work(self, part: Part, least: int, share: float) -> Iterator[None]:
        """Close a part, or halve it.

        least : minimum number of evaluations. share : fraction of the remaining decrease that a
        chunk must gain to justify the next chunk.
        """
        evaluations, gain = 0, np.inf
        self.at_work = min(self.at_work, part.bound)
        while part.bound > self._target and self.left > 0.0:
            self._try(part.support)
            if part.decided:
                break
            part.ask(self._target)
            if self.positive and part.level > self._target and self._is_closed_by_faces(part):
                return
            if part.missing <= 0.0 or part.fix():
                if part.decided or part.missing > 0.0:
                    continue
                break
            if part.bound <= part.floor or (
                evaluations >= max(least, 1) and gain < share * part.missing
            ):
                break
            yield from self._chunk(part)
            gain = part.low.gain
            evaluations += CHUNK
            self.at_work = min(self.at_work, part.bound)
            if self._spend(CHUNK * cost(len(part.W))):
                yield
        self._leave(part)

    def _chunk(self, part: Part) -> Iterator[None]:
        """Run one chunk of evaluations, yielding within the chunk if evaluations take long."""
        unseen = 0.0
        for _ in part.steps():
            unseen += cost(len(part.W))
            if unseen >= UNSEEN:
                unseen = 0.0
                yield

    def _spend(self, work: float) -> bool:
        """Count operations, and return whether it is time to check the clock or the first bound."""
        self.left -= work
        self.spent += work
        self.unseen += work
        if self.unseen < UNSEEN and self.parts:
            return False
        self.unseen = 0.0
        return True

    def _leave(self, part: Part) -> None:
        """Drop a part without a better support, evaluate its last support, or halve the part."""
        if part.bound > self._target:
            if part.floor > self._target:  # supports left out of the part reach at most the floor
                self.decided = max(self.decided, min(part.floor, part.bound))
            if part.decided:
                self._settle(part.support)
            elif part.missing > 0.0 and part.bound > part.floor:
                part.tighten()
                for bound, make in part.halves():
                    heapq.heappush(self.waiting, (-bound, next(self.order), make))
            elif not (self.positive and self._is_closed_by_faces(part)):
                self.decided = max(self.decided, part.bound)
        self.at_work = 0.0

    def _settle(self, W: Indices) -> None:
        """Settle the last support of a part, and all supports within it; W can be empty."""
        if not len(W):
            return
        self._try(W)
        bound = self._by_faces(W) if self.positive else largest_eigenvalue(self.S[np.ix_(W, W)])
        if bound > self._target:
            self.decided = max(self.decided, bound)

    def _by_faces(self, W: Indices) -> float:
        """Return a bound on x >= 0 with support in W, or the target if no such x exceeds it."""
        B = self.S[np.ix_(W, W)]
        bound, faces = nonnegative_bound(B, self.k, self._target, partial(self._exceeded, W))
        self._spend(faces * cost(len(W)))
        return bound

    def _is_closed_by_faces(self, part: Part) -> bool:
        """Settle a part of few variables if the positive part of F reaches the target.

        The Schur complement cannot exclude such a part, however small its values are.
        """
        W = np.append(part.F, part.W)
        if len(W) > FEW or max(self._by_faces(W), part.floor) > self._target:
            return False
        self.at_work = 0.0
        return True

    def _exceeded(self, W: Indices, places: Indices) -> float:
        """Offer a subset of W as a support; return the value that other supports must exceed."""
        self._try(W[places])
        return self._target

    def _try(self, W: Indices) -> None:
        if len(W):
            self.best = max(self.best, self.best_with(W) / self.scale)
