"""Branch and bound: all supports of k variables, divided into parts.

A part is the set of supports that contain certain variables and lack others
(`exact_search.part`). A part whose bound stays above the best known value is halved: one half takes
a variable, the other leaves it out. The part with the largest bound comes first, so the bound on
all supports keeps decreasing.

Several processes can work on parts in parallel (`exact_search.crew`). The outcomes are used in the
order in which the parts were started, and only the outcomes determine which part is started next.
Therefore the search is the same, part by part, for any number of processes.
"""

import heapq
from collections import deque
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import numpy as np

from spcabench.methods.exact_search.crew import Crew, Work
from spcabench.methods.exact_search.part import UNSEEN, Order, Part
from spcabench.vectors import Array, Indices

# number of parts that are started before the outcome of the first of them is known; one more for
# each AHEAD parts so far, because the part with the largest bound should not wait long
AHEAD = 4
Value = Callable[[Indices], float]


class BestFirst:
    """A search for supports of size k that exceed the best known value; bounds all supports.

    kind : the bound of the parts. S : covariance (n, n). t : positive value to be exceeded.
        best_with : function that takes a promising support of at most k variables and returns the
        best known value. positive : whether x >= 0 is required. budget : maximum cost in
        operations; see `Part.cost`. jobs : number of processes that work on parts.
    best : the best value divided by t. parts : number of parts worked on, excluding the first.
        left : the remaining budget. ended : cost of the parts that ended.
    """

    def __init__(
        self,
        kind: type[Part],
        S: Array,
        k: int,
        t: float,
        best_with: Value,
        positive: bool,
        budget: float,
        jobs: int = 1,
    ) -> None:
        self.kind, self.k, self.best_with, self.positive = kind, k, best_with, positive
        self.scale, self.S, self.left, self.ended, self.parts = t, S / t, budget, 0.0, 0
        self.best, self.tolerance, self.decided, self.jobs = 1.0, 0.0, 0.0, jobs
        self.seen = 0.0  # cost at the last yield between two parts
        self.waiting: list[tuple[float, int, Any]] = []
        self.begun: deque[tuple[Order, Work]] = deque()
        self.order, self._is_new = count(), True

    @property
    def bound(self) -> float:
        """The bound on all supports, in the units of S."""
        if self._is_new:
            return np.inf
        begun = max((order.bound for order, _ in self.begun), default=0.0)
        return max(self.best, self.decided, begun, self._first) * self.scale

    @property
    def spent(self) -> float:
        """The cost so far."""
        return self.ended + sum(order.spent for order, _ in self.begun)

    @property
    def _first(self) -> float:
        """The largest bound of the waiting parts."""
        return -self.waiting[0][0] if self.waiting else 0.0

    @property
    def _target(self) -> float:
        return self.best * (1.0 + self.tolerance)

    def run(self, tolerance: float) -> Iterator[None]:
        """Search until no support exceeds the best value by a relative tolerance.

        Stops earlier if the budget is spent. Yields regularly.
        """
        self.tolerance = tolerance
        self._is_new = False
        question = (self.kind, self.S, self.k, self.positive, tolerance)
        with Crew(1, *question) as alone:
            order = Order(None, np.inf, self.best, self.left)
            self.begun.append((order, alone.begin(order)))
            yield from self._take_first()
        yield
        with Crew(self.jobs if self.waiting else 1, *question) as crew:
            while self.left > 0.0:
                while self._may_begin():
                    bound, _, start = heapq.heappop(self.waiting)
                    order = Order(start, -bound, self.best, self.left)
                    self.begun.append((order, crew.begin(order)))
                if not self.begun:
                    return
                self.parts += 1
                yield from self._take_first()

    def _may_begin(self) -> bool:
        """Whether to start one more part before the outcome of the first is known."""
        ahead = AHEAD + self.parts // AHEAD
        return self._first > self._target and len(self.begun) < ahead

    def _take_first(self) -> Iterator[None]:
        """Use the outcome of the part that was started first."""
        order, work = self.begun[0]
        if order.bound <= self._target:  # a better value was found in the meantime
            work.close()
            self.begun.popleft()
            return
        outcome = yield from work
        self.begun.popleft()
        self.left -= outcome.spent
        self.ended += outcome.spent
        self.decided = max(self.decided, outcome.decided)
        for W in outcome.supports:
            self.best = max(self.best, self.best_with(W) / self.scale)
        for bound, start in outcome.halves:
            heapq.heappush(self.waiting, (-bound, next(self.order), start))
        if self.ended - self.seen >= UNSEEN:  # each of many small parts yields too rarely
            self.seen = self.ended
            yield
