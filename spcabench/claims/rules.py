"""Rules: the region in which a measured number must lie, and the places at which it must lie there.

A rule is a region of the real line, so every threshold can be judged and drawn in the same way. It
can also be put into words, and it is stored with the verdict.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from spcabench.showing.words import number, span


@dataclass(frozen=True)
class Rule:
    """A region from ``low`` to ``high``. Its finite ends are the thresholds.

    Attributes
    ----------
    low, high : float
        Ends of the region; infinite if it is unbounded.
    ends : bool
        Whether the ends belong to the region.
    """

    low: float = -np.inf
    high: float = np.inf
    ends: bool = True

    def __post_init__(self) -> None:
        # this test also rejects NaN
        region = self.low < self.high or (self.low == self.high and self.ends)
        threshold = np.isfinite(self.low) or np.isfinite(self.high)
        if not (region and threshold):
            raise ValueError(
                f"rule from {self.low} to {self.high}: it has no region or no threshold"
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

    def words(self, unit: str = "") -> str:
        """Put the rule into words, such as "at least 10 times"."""
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
    """Return the rule "above the threshold"; for a proportion it reads "more than"."""
    return Rule(low=threshold, ends=False)


def below(threshold: float) -> Rule:
    """Return the rule "below the threshold"."""
    return Rule(high=threshold, ends=False)


def within(low: float, high: float) -> Rule:
    """Return the rule "from low to high"."""
    return Rule(low, high)


@dataclass(frozen=True)
class Scope:
    """The places to which a rule applies, and how many of them must satisfy it.

    Attributes
    ----------
    need : str
        "every", "most" (more than half), "often" (at least a quarter) or "some" (at least one).
    noun : str
        Name of the places, in the plural: "bands of sparsity", "sizes", "k".
    low, high : float
        Places with low <= x < high are judged. All other places are only shown.
    least : int
        Minimum number of places: with fewer, the data do not cover the range.
    """

    need: str = "every"
    noun: str = "places"
    low: float = -np.inf
    high: float = np.inf
    least: int = 1


def needed(need: str, count: int) -> int:
    """Return at how many of ``count`` places a rule must hold."""
    return {"every": count, "most": count // 2 + 1, "often": -(-count // 4), "some": 1}[need]


def every(noun: str = "places", **limits: Any) -> Scope:
    """Return the scope "at every place"; the limits are ``low``, ``high`` and ``least``."""
    return Scope("every", noun, **limits)


def most(noun: str = "places", **limits: Any) -> Scope:
    """Return the scope "at more than half of the places"."""
    return Scope("most", noun, **limits)


def often(noun: str = "places", **limits: Any) -> Scope:
    """Return the scope "at a quarter of the places or more"."""
    return Scope("often", noun, **limits)


def some(noun: str = "places", **limits: Any) -> Scope:
    """Return the scope "at one place or more"."""
    return Scope("some", noun, **limits)
