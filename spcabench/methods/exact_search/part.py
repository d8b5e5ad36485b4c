"""Parts of a search: what all bounds have in common.

A part is the set of supports of k variables that contain certain variables and lack others. Its
outcome depends only on its `Order`, so any process can compute it, at any time.
"""

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from spcabench.methods.exact_search.nonnegative_faces import nonnegative_bounds
from spcabench.problem.spectral import largest_eigenvalue, leading_pairs
from spcabench.steps import nonnegative_loading
from spcabench.vectors import Array, Indices

SECOND = 1e9  # operations that take about a second of processor time
UNSEEN = 0.1 * SECOND  # operations between two checks of the clock
# a part is not halved while a chunk of steps gains the fraction GAIN of what is missing, and all
# supports are not halved before ROOT chunks
GAIN, ROOT = 1.0 / 6.0, 10


@dataclass(eq=False)
class Order:
    """A part to work on, and the values known at its start.

    start : the part, as its parent left it; None for all supports. bound : bound on the part, which
    decreases while this process works on it. best : the best known value. left : the remaining
    budget. spent : cost so far, while this process works on it.
    """

    start: Any
    bound: float
    best: float
    left: float
    spent: float = 0.0


@dataclass(eq=False)
class Outcome:
    """The outcome of a part.

    halves : bounds and starts of the parts that remain. decided : a bound on supports that cannot
    be divided further, or 0. supports : supports that exceed the previous best value. spent : cost
    of the part.
    """

    halves: list[tuple[float, Any]] = field(default_factory=list)
    decided: float = 0.0
    supports: list[Indices] = field(default_factory=list)
    spent: float = 0.0


class Part(ABC):
    """The computation of one part of the supports of k variables of S (n, n).

    S is scaled to the best value.

    positive : whether x >= 0 is required. tolerance : relative margin by which the best value must
    be exceeded.
    """

    def __init__(self, S: Array, k: int, positive: bool, tolerance: float, order: Order) -> None:
        self.S, self.k, self.positive, self.tolerance = S, k, positive, tolerance
        self.order, self.best, self.outcome, self.unseen = order, order.best, Outcome(), 0.0
        self.tried = set[tuple[int, ...]]()

    @staticmethod
    @abstractmethod
    def cost(n: int) -> float:
        """Return the measured cost of a step with n variables, in operations."""

    @abstractmethod
    def work(self) -> Iterator[None]:
        """Close the part or divide it, yielding regularly."""

    def run(self) -> Generator[None, None, Outcome]:
        """Close the part or divide it, and return the outcome."""
        yield from self.work()
        return self.outcome

    @property
    def target(self) -> float:
        """The value that a better support must exceed."""
        return self.best * (1.0 + self.tolerance)

    @property
    def has_work_left(self) -> bool:
        """Whether the budget allows more work."""
        return self.outcome.spent < self.order.left

    def spend(self, work: float) -> bool:
        """Count operations, and return whether it is time to check the clock."""
        self.outcome.spent += work
        self.order.spent = self.outcome.spent
        self.unseen += work
        if self.unseen < UNSEEN:
            return False
        self.unseen = 0.0
        return True

    def decide(self, bound: float) -> None:
        """Store a bound on supports that cannot be divided further."""
        if bound > self.target:
            self.outcome.decided = max(self.outcome.decided, bound)

    def attempt(self, W: Indices) -> None:
        """Store a support, once, if it exceeds the best value."""
        names = tuple(sorted(W.tolist()))
        if not names or names in self.tried:
            return
        self.tried.add(names)
        B = self.S[np.ix_(W, W)]
        if self.positive:
            value, _ = nonnegative_loading(B, leading_pairs(np.maximum(B, 0.0), 1)[1][:, 0])
        else:
            value = largest_eigenvalue(B)
        if value > self.target:
            self.best = value
            self.outcome.supports.append(W)

    def settle(self, W: Indices) -> Iterator[None]:
        """Bound the only support that remains in a part, and all supports within it."""
        self.attempt(W)
        if not len(W):
            return
        B, bound = self.S[np.ix_(W, W)], self.order.bound
        if not self.positive:
            bound = largest_eigenvalue(B)
        else:
            faces = nonnegative_bounds(B, self.k, self.target, partial(self._exceeded, W))
            for bound in faces:  # noqa: B007
                if self.spend(self.cost(len(W))):
                    yield
        self.decide(min(self.order.bound, bound))

    def _exceeded(self, W: Indices, places: Indices) -> float:
        """Try a subset of W as a support; return the value that other supports must exceed."""
        self.attempt(W[places])
        return self.target
