"""A part that is bounded by the single-matrix dual.

The variables F, which are in all supports of a part, are removed by a Schur complement
(`exact_search.schur`). The remaining question is whether s = k - |F| of the other variables reach a
value t in a smaller matrix E. If the dual bound of E is below t, no support of the part reaches t.
Otherwise the part is halved.

The bound is minimised in chunks of evaluations. After each chunk, a variable is left out if the
bound shows that no better support contains it, and taken if all better supports contain it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from spcabench.methods.exact_search.dual_bound import Minimum, start
from spcabench.methods.exact_search.dual_certificate import NONE, TOLERANCE, Shape
from spcabench.methods.exact_search.part import GAIN, ROOT, Part
from spcabench.methods.exact_search.schur import Complement
from spcabench.vectors import Array, Indices

# the Schur complement requires the relative distance APART of t from lambda_1(S[F, F]); FARTHER is
# used instead if t is too near or below
APART, FARTHER = 0.1 * TOLERANCE, 1e-6


class Restricted:
    """The supports of k of the variables F and W that contain F, and a bound on their values.

    Parameters
    ----------
    S : array of shape (n, n)
        The covariance of all variables, scaled so that the values of interest are about 1.
    k : int
        Cardinality of the supports.
    positive : bool
        Whether x >= 0 is required.
    F, W : arrays
        The variables that all supports contain, and those that they can contain.
    t : float
        The value to be exceeded.
    seed : Seed, optional
        State of the part that was divided. Its bound also holds for this part, and its U is a good
        start.
    """

    def __init__(
        self,
        S: Array,
        k: int,
        positive: bool,
        F: Indices,
        W: Indices,
        t: float,
        seed: "Seed | None" = None,
    ) -> None:
        self.S, self.k, self.positive, self.F, self.W = S, k, positive, F, W
        self.bound = seed.bound if seed else np.inf
        self.floor = seed.floor if seed else 0.0
        self.minimum: Minimum | None = None
        self._ask(t)
        if not self.decided:
            if seed:
                self.minimum = Minimum(self.E, self.shape, positive, seed.matrix(self))
            else:
                self.minimum = start(self.E, self.shape, positive)
            self._conclude()

    @property
    def s(self) -> int:
        """Number of variables that remain to be taken."""
        return self.k - len(self.F)

    @property
    def shape(self) -> Shape:
        """The shape of the part's dual bound."""
        return Shape.single(self.s)

    @property
    def decided(self) -> bool:
        """Whether at most one support is left."""
        return self.s <= 0 or len(self.W) <= self.s

    @property
    def low(self) -> Minimum:
        """The minimisation of the part's dual bound, in units of the target value."""
        assert self.minimum is not None
        return self.minimum

    @property
    def missing(self) -> float:
        """How much the dual bound exceeds the target value, relative to it."""
        return self.low.value + self.slack - 1.0

    @property
    def support(self) -> Indices:
        """A promising support: F and the variables with the largest terms, at most k in total."""
        if self.s <= 0:
            return self.F
        if self.decided:
            return np.append(self.F, self.W)
        return np.append(self.F, self.W[np.argsort(-self.low.bound.terms)[: self.s]])

    def _ask(self, t: float) -> None:
        """Set the target t, or a higher one if F by itself reaches t."""
        self.complement = Complement(self.S, self.F, self.W, self.positive)
        most = self.complement.largest
        self.level = t if most * (1.0 + APART) < t else most * (1.0 + FARTHER)
        self.E = self.complement.at(self.level) / self.level
        self.slack = self.complement.slack(self.level) / self.level

    def steps(self) -> Iterator[None]:
        """Run one chunk of evaluations, yielding after each step."""
        yield from self.low.steps(1.0)
        self._conclude()

    def _conclude(self) -> None:
        """Draw conclusions about the part from the dual bound."""
        if self.missing <= 0.0 or not len(self.F):
            self.bound = min(self.bound, self.level * max(1.0, 1.0 + self.missing))

    def fix(self) -> int:
        """Leave out the variables that no support of value t contains; take those that all contain.

        Returns the number of these variables. The part is empty if a variable is in both groups, or
        if more variables would be taken than remain to be taken.
        """
        having, without = self.low.probes()
        least = 1.0 - TOLERANCE - self.slack
        out, into = having < least, without < least
        if not (out | into).any():
            return 0
        self.floor = max(self.floor, self.level)
        if (out & into).any() or into.sum() > self.s:
            self.bound = min(self.bound, self.level)
            return 0
        self._change(np.append(self.F, self.W[into]), np.flatnonzero(~out & ~into), self.level)
        return int((out | into).sum())

    def _change(self, F: Indices, places: Indices, t: float) -> None:
        """Continue with F in the support, the variables at ``places`` as candidates, and t."""
        low, seed = self.low, Seed(self)
        self.F, self.W = F, self.W[places]
        self._ask(t)
        if not self.decided:
            U = seed.matrix(self)
            self.minimum = Minimum(self.E, self.shape, self.positive, U, low.width)
            self._conclude()

    def halves(self) -> "list[tuple[float, Half]]":
        """Return the bounds and starts of the supports that contain a variable, and that do not.

        The variable is the one for which the bounds of both halves decrease most.
        """
        probes = self.low.probes()
        having, without = (np.maximum(self.low.value - of, 0.0) + FARTHER for of in probes)
        # lacking one variable of many is the weaker condition, so its decrease has more weight
        j = int(np.argmax(having * without**2))
        others, seed = np.delete(self.W, j), Seed(self)
        halves = []
        for F, probed in zip((np.append(self.F, self.W[j]), self.F), probes, strict=True):
            bound = self.bound if len(self.F) else min(self.bound, self.level * float(probed[j]))
            halves.append((bound, Half(seed, F, others)))
        return halves


class Seed:
    """The state of a part that is halved; the halves start from it."""

    def __init__(self, part: Restricted) -> None:
        self.F, self.W = part.F, part.W
        self.level: float = part.level
        self.bound: float = part.bound
        self.floor: float = part.floor
        # any matrix certifies a bound, so single precision is enough
        self.U = part.low.U.astype(np.float32)

    def matrix(self, part: Restricted) -> Array:
        """Return the initial U for a half, with the change in E added."""
        place = np.searchsorted(self.W, part.W)
        before = Complement(part.S, self.F, part.W, part.positive).at(self.level) / self.level
        return self.U[np.ix_(place, place)] + (part.E - before)


@dataclass(frozen=True, eq=False)
class Half:
    """One of the two halves of a part: its variables F and W, and the state of the part."""

    seed: Seed | None  # none for all supports
    F: Indices
    W: Indices


class DualPart(Part):
    """A part whose bound is the single-matrix dual."""

    @staticmethod
    def cost(n: int) -> float:
        """Return the measured cost of evaluating the bound for n variables, in operations."""
        return n**3 / 5.0 + 90.0 * n**2 + 2e5

    def work(self) -> Iterator[None]:
        """Close the part, or halve it when its bound decreases too slowly."""
        half: Half = self.order.start or Half(None, NONE, np.arange(len(self.S)))
        part = Restricted(self.S, self.k, self.positive, half.F, half.W, self.target, half.seed)
        part.bound = min(part.bound, self.order.bound)
        if not half.seed:
            self.spend(4.0 * self.cost(len(self.S)))  # eigenvalues only
        chunks, least, gain = 0, 1 if half.seed else ROOT, np.inf
        while self._is_open(part) and self.has_work_left:
            self.attempt(part.support)
            if part.decided:
                break
            if part.missing <= 0.0 or part.fix():
                if part.decided or part.missing > 0.0:
                    continue
                break
            slow = chunks >= least and gain < GAIN * part.missing
            if slow or part.bound <= part.floor:
                break
            for _ in part.steps():
                if self.spend(self.cost(len(part.W))):
                    yield
            gain, chunks = part.low.gain, chunks + 1
        if self._is_open(part):
            yield from self._leave(part)

    def _is_open(self, part: Restricted) -> bool:
        """Store the bound of the part, and return whether it exceeds the target."""
        self.order.bound = min(self.order.bound, part.bound)
        return part.bound > self.target

    def _leave(self, part: Restricted) -> Iterator[None]:
        """Evaluate the last support of an open part, or halve the part."""
        self.decide(min(part.floor, part.bound))  # supports left out of it reach at most the floor
        if part.decided:
            yield from self.settle(part.support)
        elif part.missing > 0.0 and part.bound > part.floor:
            self.outcome.halves = part.halves()
        else:
            self.decide(part.bound)
