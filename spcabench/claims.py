"""Claims of the papers: a statement with its test and threshold, fixed before any run, and the
verdict on it.

The words: a claim *holds* when the interval of the measured number lies on its side of the
threshold, *fails* when it lies on the other side, and is *undecided* when the interval includes the
threshold or the data do not cover the claim.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import pandas as pd

Verdict = Literal["holds", "fails", "undecided"]
SPARSITY_EDGES = (0.0, 0.01, 0.02, 0.05, 0.10, 0.15, 0.20)


@dataclass(frozen=True)
class Statement:
    """What a paper says, where, and how it is tested.

    earlier : verdicts of a test that was changed. any_data : the claim is one of shapes, which a
        stand-in has too.
    """

    id: str
    quote: str
    where: str
    test: str
    threshold: str
    earlier: tuple[dict[str, str], ...] = ()
    any_data: bool = False

    def judged(self, verdict: Verdict, measured: str, variant: str = "") -> "Claim":
        """The verdict on this statement; ``variant`` names a reading where there are several."""
        return Claim(self, verdict, measured, variant)


@dataclass(frozen=True)
class Claim:
    """A statement with what was measured."""

    statement: Statement
    verdict: Verdict
    measured: str
    variant: str = ""

    def on_stand_in(self) -> "Claim":
        """The same, undecided: what stands in for the paper's data decides nothing but shapes."""
        if self.statement.any_data:
            return self
        would = {"holds": "would hold", "fails": "would fail", "undecided": "undecided"}[
            self.verdict
        ]
        return replace(
            self, verdict="undecided", measured=f"{self.measured} (on a stand-in: {would})"
        )


@dataclass(frozen=True)
class Interval:
    """A median with its bootstrap interval (95 %)."""

    median: float
    low: float
    high: float
    count: int

    def __str__(self) -> str:
        if not self.count:
            return "none"
        median, low, high = (
            0.0 if abs(v) < 1e-9 else v for v in (self.median, self.low, self.high)
        )
        return f"{median:.3g} [{low:.3g}, {high:.3g}]"

    def at_least(self, threshold: float) -> Verdict:
        """Verdict on "at least"."""
        if not self.count:
            return "undecided"
        return (
            "holds" if self.low >= threshold else "fails" if self.high < threshold else "undecided"
        )

    def within(self, low: float, high: float) -> Verdict:
        """Verdict on "between"."""
        return every([self.at_least(low), self.at_most(high)])

    def at_most(self, threshold: float) -> Verdict:
        """Verdict on "at most"."""
        if not self.count:
            return "undecided"
        return (
            "holds" if self.high <= threshold else "fails" if self.low > threshold else "undecided"
        )


def interval(
    values: Iterable[float], statistic: Callable[..., Any] = np.median, seed: int = 0
) -> Interval:
    """The statistic of the values and its bootstrap interval (percentiles of 2000 resamples, fixed
    seed).
    """
    sample = np.sort([v for v in values if np.isfinite(v)])  # the order of the rows changes nothing
    if not len(sample):
        return Interval(np.nan, np.nan, np.nan, 0)
    rng = np.random.default_rng(seed)
    draws = statistic(sample[rng.integers(len(sample), size=(2000, len(sample)))], axis=1)
    low, high = np.quantile(draws, [0.025, 0.975])
    return Interval(float(statistic(sample)), float(low), float(high), len(sample))


def decided(condition: bool | None) -> Verdict:
    """Verdict on an exact condition; None where the data do not cover it."""
    return "undecided" if condition is None else "holds" if condition else "fails"


def every(verdicts: Sequence[Verdict], share: float = 1.0) -> Verdict:
    """A range holds when (at least a share of) its bands do, and fails when too many fail."""
    if not verdicts:
        return "undecided"
    if np.mean([v == "holds" for v in verdicts]) >= share:
        return "holds"
    return "fails" if np.mean([v == "fails" for v in verdicts]) > 1.0 - share else "undecided"


def some(verdicts: Sequence[Verdict]) -> Verdict:
    """Holds when at least one does."""
    if "holds" in verdicts:
        return "holds"
    return "fails" if verdicts and all(v == "fails" for v in verdicts) else "undecided"


def bands(sparsity: pd.Series, edges: Sequence[float] = SPARSITY_EDGES) -> pd.Series:
    """The band of each sparsity as text ("2-5 %"); missing outside the edges."""
    labels = [f"{100 * a:g}-{100 * b:g} %" for a, b in pairwise(edges)]
    return pd.cut(sparsity, list(edges), labels=labels, right=False).astype(object)


def by_band(
    sparsity: pd.Series, values: pd.Series, edges: Sequence[float] = SPARSITY_EDGES
) -> dict[str, Interval]:
    """Median and interval of the values in every band between the edges that has any; in order."""
    label = bands(sparsity, edges)
    found = {str(band): interval(group) for band, group in values.groupby(label, sort=False)}
    return dict(sorted(found.items(), key=lambda item: float(item[0].partition("-")[0])))


def show(intervals: dict[str, Interval]) -> str:
    """The medians of the bands in one line."""
    return (
        "; ".join(f"{band}: {value}" for band, value in intervals.items()) or "no run in the range"
    )


def slope(x: Iterable[float], y: Iterable[float]) -> float:
    """Least-squares slope of log y against log x: a growth exponent."""
    return float(np.polyfit(np.log(list(x)), np.log(list(y)), 1)[0])
