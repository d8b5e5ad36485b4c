"""Searches by the dual bound whose goals come down to the best value known.

A search that asks whether anything exceeds the best value lowers the bound little before it ends.
To ask whether anything exceeds a higher value is easier, and its answer "no" is a bound. So the
search has a head start, after which higher values come first, each closer to the best one by a part
of the gap that is left. When they are close the search goes on, from where it was left.
"""

from collections.abc import Iterator

import numpy as np

from spcabench.methods.exact_search.dual_search import DualSearch, Value
from spcabench.vectors import Array

HEAD_START = 5e9  # work of the search before the higher values
CLOSER = 0.85  # of the gap, between a higher value and the best one
CLOSE = 0.3  # of the first gap, below which no higher value is asked for


class Ladder:
    """Whether supports of k exceed the best value known, and a bound on all of them.

    The parameters are those of `DualSearch`, and so are bound, parts, spent and left.
    """

    def __init__(
        self, S: Array, k: int, t: float, best_with: Value, positive: bool, budget: float
    ) -> None:
        self.problem, self.best_with, self.positive = (S, k), best_with, positive
        self.search = DualSearch(S, k, t, best_with, positive, budget)
        self.left, self.spent, self.parts, self.bound = budget, 0.0, 0, np.inf

    def run(self, tolerance: float) -> Iterator[None]:
        """Search until nothing exceeds the best value by a relative tolerance, or work is spent."""
        steps = self.search.run(tolerance)
        yield from self._go(self.search, steps, HEAD_START)
        first = self._gap
        while tolerance < self._gap < np.inf and self._gap > CLOSE * first and self.left > 0.0:
            goal = self._best * (1.0 + CLOSER * self._gap)
            higher = DualSearch(
                *self.problem, goal, self.best_with, self.positive, self.left, self.search.U
            )
            yield from self._go(higher, higher.run(tolerance), np.inf)
            if self.bound > goal * (1.0 + 2.0 * tolerance):
                break
        yield from self._go(self.search, steps, np.inf)

    @property
    def _best(self) -> float:
        return self.search.best * self.search.scale

    @property
    def _gap(self) -> float:
        return self.bound / self._best - 1.0

    def _go(self, search: DualSearch, steps: Iterator[None], most: float) -> Iterator[None]:
        """Let a search go on until it ends or has spent some work; yields after each chunk."""
        parts, more = search.parts, True
        while more and (search.spent < most or search.bound == np.inf):
            search.left, before = self.left, search.spent
            more = next(steps, self) is not self
            self.left = search.left
            self.spent += search.spent - before
            self.parts += search.parts - parts
            parts = search.parts
            self.bound = min(self.bound, search.bound)
            if more:
                yield
