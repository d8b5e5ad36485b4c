"""Rules: the region in which a measured number must lie, and at which places.

A rule judges a number, describes itself in words, and is stored with the verdict. It is a region of
the real line, so that every threshold can be judged, drawn and moved in the same way.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from spcabench.claims.words import number, span

Verdict = Literal["holds", "fails", "undecided"]
CLOSE = 0.10  # a verdict that changes if its threshold moves by this share is close


@dataclass(frozen=True)
class Rule:
    """A region from ``low`` to ``high``. Its finite ends are the thresholds.

    Attributes
    ----------
    Ends of the region; infinite if it is open. No end is 0, because no share could move it: a
    difference above zero is expressed as a ratio above one.
    ends : bool
        Whether the ends belong to the region.
    """

    low: float = -np.inf
    high: float = np.inf
    ends: bool = True

    def __post_init__(self) -> None:
        region = self.low < self.high or (self.low == self.high and self.ends)  # false for NaN
        threshold = np.isfinite(self.low) or np.isfinite(self.high)
        if not (region and threshold) or 0 in (self.low, self.high):
            raise ValueError(
                f"rule from {self.low} to {self.high}: no region, no threshold, or an end at 0"
            )

    def side(self, low: float, high: float) -> str:
        """Return where an interval lies: "inside", "below", "above", or "across" an edge."""
        if low > self.high or (low == self.high and not self.ends):
            return "above"
        if high < self.low or (high == self.low and not self.ends):
            return "below"
        whole = self.low <= low and high <= self.high
        touches = not self.ends and (low == self.low or high == self.high)
        return "inside" if whole and not touches else "across"

    def moved(self, share: float) -> "Rule":
        """Return the rule with each threshold moved by a share of itself; positive is stricter."""
        low, high = self.low + share * abs(self.low), self.high - share * abs(self.high)
        return replace(
            self,
            low=low if np.isfinite(self.low) else self.low,
            high=high if np.isfinite(self.high) else self.high,
        )

    def words(self, unit: str = "") -> str:
        """Return the rule in words: "at least 10 times"."""
        if np.isfinite(self.low) and np.isfinite(self.high):
            return span([self.low, self.high], unit)
        if np.isfinite(self.low):
            return f"{'at least' if self.ends else 'above'} {number(self.low, unit)}"
        return f"{'at most' if self.ends else 'below'} {number(self.high, unit)}"


def at_least(threshold: float) -> Rule:
    """Return the rule "at least the threshold"."""
    return Rule(low=threshold)


def at_most(threshold: float) -> Rule:
    """Return the rule "at most the threshold"."""
    return Rule(high=threshold)


def above(threshold: float) -> Rule:
    """Return the rule "above the threshold"; for a share it reads "more than"."""
    return Rule(low=threshold, ends=False)


def below(threshold: float) -> Rule:
    """Return the rule "below the threshold"."""
    return Rule(high=threshold, ends=False)


def within(low: float, high: float) -> Rule:
    """Return the rule "from low to high"."""
    return Rule(low, high)


def about(number_of_paper: float, slack: float = 0.25) -> Rule:
    """Return the rule "about the number": within a share of it, by default a quarter."""
    ends = (number_of_paper * (1 - slack), number_of_paper * (1 + slack))
    return Rule(min(ends), max(ends))


@dataclass(frozen=True)
class Scope:
    """The places to which a rule applies, and whether it must hold at all or at one of them.

    Attributes
    ----------
    all : bool
        Whether every place must satisfy the rule, or one is enough.
    noun : str
        What the places are, in the plural: "bands of sparsity", "sizes", "k".
    low, high : float
        Places with low <= x < high are judged. The others are only shown.
    least : int
        Minimum number of places: with fewer, the data do not cover the range.
    """

    all: bool = True
    noun: str = "places"
    low: float = -np.inf
    high: float = np.inf
    least: int = 1

    def covers(self, x: float | None) -> bool:
        """Return whether a place at x is judged."""
        return x is None or not np.isfinite(x) or self.low <= x < self.high


def every(noun: str = "places", **limits: Any) -> Scope:
    """Return the scope "at every place"; limits are ``low``, ``high``, ``least``."""
    return Scope(True, noun, **limits)


def some(noun: str = "places", **limits: Any) -> Scope:
    """Return the scope "at one place or more"; limits are ``low``, ``high``, ``least``."""
    return Scope(False, noun, **limits)
