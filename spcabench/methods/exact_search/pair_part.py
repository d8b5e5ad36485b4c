"""A part that is bounded by the scaled Gershgorin dual, the dual of the pair relaxation.

The bound is minimised by the splitting method (`exact_search.splitting`), which continues from the
state of the part that was halved. The method also gives a value of the relaxation, which is a lower
limit for the bound of the part. If this value is above the best known value, the part is halved
soon.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from spcabench.methods.exact_search.dual_certificate import NONE
from spcabench.methods.exact_search.part import GAIN, ROOT, Part
from spcabench.methods.exact_search.splitting import LOOK, Seed, Splitting
from spcabench.vectors import Indices

# a part is halved if the value of the relaxation exceeds the best value by this fraction of the
# excess of the bound
HOPELESS = 0.4


@dataclass(frozen=True, eq=False)
class Half:
    """The half of a part that contains a variable, or lacks it.

    seed : state of the part's minimisation. W : the part's variables (n,). j : place in W of the
    variable. taken : whether the supports contain it.
    """

    seed: Seed
    W: Indices
    j: int
    taken: bool

    def begun(self) -> tuple[Seed, Indices]:
        """Return the start of the minimisation, and the variables."""
        if self.taken:
            return self.seed.having(self.j), self.W
        return self.seed.without(self.j), np.delete(self.W, self.j)


class PairPart(Part):
    """A part whose bound is the scaled Gershgorin dual."""

    @staticmethod
    def cost(n: int) -> float:
        """Return the measured cost of a splitting step with n variables, in operations."""
        return n**3 / 4.0 + 190.0 * n**2 + 5e4

    def work(self) -> Iterator[None]:
        """Close the part or halve it."""
        half: Half | None = self.order.start
        seed, W = half.begun() if half else (None, np.arange(len(self.S)))
        F = np.flatnonzero(seed.forced) if seed else NONE
        if len(F) >= self.k or len(W) <= self.k:
            yield from self.settle(F if len(F) >= self.k else W)
        else:
            if not half:
                self.spend(4.0 * self.cost(len(W)))  # eigenvalues only
            part = Splitting(self.S[np.ix_(W, W)], self.k, self.positive, seed)
            yield from self._descend(part, W, 1 if half else ROOT)

    def _descend(self, part: Splitting, W: Indices, least: int) -> Iterator[None]:
        """Close a part or halve it, after at least ``least`` chunks of `LOOK` steps."""
        order, before = self.order, np.inf
        while order.bound > self.target and self.has_work_left:
            for _ in range(LOOK):
                part.step()
                if self.spend(self.cost(len(W))):
                    yield
            now = part.look()
            order.bound = min(order.bound, now)
            self.attempt(W[part.likely])
            if part.steps >= least * LOOK and self._is_hopeless(part, before, now):
                break
            before = now
        if order.bound > self.target:
            seed, j = part.seed, part.nearest_taken
            self.outcome.halves = [(order.bound, Half(seed, W, j, t)) for t in (True, False)]

    def _is_hopeless(self, part: Splitting, before: float, now: float) -> bool:
        """Whether a part should be halved now, based on its last two bounds."""
        missing = now - self.target
        if part.value - self.target > HOPELESS * missing:
            return True
        return before - now < GAIN * missing
