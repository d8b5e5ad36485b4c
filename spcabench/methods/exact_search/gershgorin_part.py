"""One part of the search on the scaled Gershgorin dual, independent of all other parts.

A part is the set of supports that contain certain variables and lack others. Its outcome depends
only on its `Order`, so any process can compute it, at any time.
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from spcabench.methods.exact_search.dual_certificate import NONE
from spcabench.methods.exact_search.nonnegative_faces import nonnegative_bound
from spcabench.methods.exact_search.splitting import LOOK, Seed, Splitting
from spcabench.problem.spectral import largest_eigenvalue, leading_pairs
from spcabench.steps import nonnegative_loading
from spcabench.vectors import Array, Indices

ROOT = 100  # minimum number of steps for all variables
# a part is halved if the value of the relaxation exceeds the best value by the fraction HOPELESS of
# the excess of the bound, or if, after FIRST steps, LOOK steps gain less than GAIN of this excess
HOPELESS, GAIN, FIRST = 0.4, 1.0 / 6.0, 30
FEW = 12  # largest number of variables whose faces are examined
UNSEEN = 1e8  # operations between two checks of the clock


def cost(n: int) -> float:
    """Return the measured cost of a splitting step with n variables, in matrix entries."""
    return n**3 / 4.0 + 190.0 * n**2 + 5e4


@dataclass(frozen=True, eq=False)
class Halves:
    """The two halves of a part whose bound is too large: the supports with and without a variable.

    seed : state of the part's minimisation. W : the part's variables (n,). j : place in W of the
    variable that distinguishes the halves.
    """

    seed: Seed
    W: Indices
    j: int

    def half(self, taken: bool) -> tuple[Seed, Indices]:
        """Return the start of one of the two halves, and its variables."""
        if taken:
            return self.seed.having(self.j), self.W
        return self.seed.without(self.j), np.delete(self.W, self.j)


@dataclass(eq=False)
class Order:
    """A part to work on, and the values known at its start.

    halves, taken : the halves of a part, and the half to work on; all supports if ``halves`` is
    None. bound : bound on the part, which decreases while this process works on it. best : the best
    known value. left : the remaining budget.
    """

    halves: Halves | None
    taken: bool
    bound: float
    best: float
    left: float


@dataclass(eq=False)
class Outcome:
    """The outcome of a part.

    halves : the remaining supports, with their bound ``bound``; None if the part is closed.
    decided : a bound on supports that cannot be divided further, or 0. supports : supports that
    exceed the previous best value. spent : cost of the part.
    """

    halves: Halves | None = None
    bound: float = 0.0
    decided: float = 0.0
    supports: list[Indices] = field(default_factory=list)
    spent: float = 0.0


class Part:
    """The computation of one part of the supports of k variables of S (n, n).

    S is scaled to the best value.

    positive : whether x >= 0 is required. tolerance : relative margin by which the best value must
    be exceeded.
    """

    def __init__(self, S: Array, k: int, positive: bool, tolerance: float, order: Order) -> None:
        self.S, self.k, self.positive, self.tolerance = S, k, positive, tolerance
        self.order, self.best, self.unseen, self.outcome = order, order.best, 0.0, Outcome()
        self.tried = set[tuple[int, ...]]()

    @property
    def _target(self) -> float:
        return self.best * (1.0 + self.tolerance)

    @property
    def _has_work_left(self) -> bool:
        return self.outcome.spent < self.order.left

    def run(self) -> Generator[None, None, Outcome]:
        """Close the part or halve it, yielding regularly."""
        halves, seed, W, F = self.order.halves, None, np.arange(len(self.S)), NONE
        if halves:
            seed, W = halves.half(self.order.taken)
            F = np.flatnonzero(seed.forced)
        if len(F) >= self.k or len(W) <= self.k:
            self._settle(F, W)
        elif not self._is_closed_by_faces(W):
            if not halves:
                self._spend(4.0 * cost(len(W)))  # eigenvalues only
            part = Splitting(self.S[np.ix_(W, W)], self.k, self.positive, seed)
            yield from self._work(part, W, LOOK if halves else ROOT)
        return self.outcome

    def _work(self, part: Splitting, W: Indices, least: int) -> Iterator[None]:
        """Close a part or halve it, after at least ``least`` steps."""
        order, before = self.order, np.inf
        while order.bound > self._target and self._has_work_left:
            for _ in range(LOOK):
                part.step()
                if self._spend(cost(len(W))):
                    yield
            now = part.look()
            order.bound = min(order.bound, now)
            self._try(W[part.likely])
            if part.steps >= least and self._is_hopeless(part, before, now):
                break
            before = now
        if order.bound > self._target:
            self.outcome.halves = Halves(part.seed, W, part.nearest_taken)
            self.outcome.bound = order.bound

    def _is_hopeless(self, part: Splitting, before: float, now: float) -> bool:
        """Whether a part should be halved now, based on its last two bounds."""
        missing = now - self._target
        if part.value - self._target > HOPELESS * missing:
            return True
        return part.steps >= FIRST and before - now < GAIN * missing

    def _spend(self, work: float) -> bool:
        """Count operations, and return whether it is time to check the clock."""
        self.outcome.spent += work
        self.unseen += work
        if self.unseen < UNSEEN:
            return False
        self.unseen = 0.0
        return True

    def _is_closed_by_faces(self, W: Indices) -> bool:
        """Whether the faces prove that no x >= 0 of few variables exceeds the target."""
        return self.positive and len(W) <= FEW and self._by_faces(W) <= self._target

    def _settle(self, F: Indices, W: Indices) -> None:
        """Bound the only support that remains in a part: all of F and W, or only F."""
        W = F if len(F) >= self.k else W
        if len(W) <= self.k:
            self._try(W)
        bound = min(self.order.bound, self._exact(W))
        if bound > self._target:
            self.outcome.decided = bound

    def _exact(self, W: Indices) -> float:
        """Return a bound on the supports within W, or the target if no support exceeds it."""
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
        """Return a bound on x >= 0 with support in W, or the target if no such x exceeds it."""
        B, exceeded = self.S[np.ix_(W, W)], partial(self._exceeded, W)
        bound, faces = nonnegative_bound(B, min(self.k, len(W)), self._target, exceeded)
        self._spend(faces * cost(len(W)))
        return bound

    def _exceeded(self, W: Indices, places: Indices) -> float:
        """Try a subset of W as a support; return the value that other supports must exceed."""
        self._try(W[places])
        return self._target

    def _try(self, W: Indices) -> None:
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
        if value > self._target:
            self.best = value
            self.outcome.supports.append(W)
