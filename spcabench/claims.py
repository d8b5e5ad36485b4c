"""Claims of the papers: statements whose test is fixed before any run, and the verdicts on them.

A claim *holds* when the interval of the measured number lies on the claimed side of the threshold.
It *fails* when the interval lies on the other side. It is *undecided* when the interval includes
the threshold, or when the data do not cover the claim.
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
    """What a paper says, where it says so, and how that is tested.

    Parameters
    ----------
    id : str
        Short name of the claim on the page.
    quote : str
        The paper's own words.
    where : str
        Where in the paper they stand.
    test : str
        What is measured, in words.
    threshold : str
        What the measured number must satisfy, in words.
    earlier : tuple of dict
        Verdicts of earlier tests of this claim: "verdict", "measured", and the "reason" for which
        the test was changed.
    any_data : bool
        Whether the claim can be decided on stand-in data too, because it is about shapes alone.
    timed : bool or tuple of str
        Whether the verdict rests on a clock or on memory, so that it may differ from one run to
        the next. A tuple names the variants whose verdicts do.
    """

    id: str
    quote: str
    where: str
    test: str
    threshold: str
    earlier: tuple[dict[str, str], ...] = ()
    any_data: bool = False
    timed: bool | tuple[str, ...] = False

    def rests_on_clock(self, variant: str = "") -> bool:
        """Return whether the verdict on a variant rests on a clock or on memory."""
        return self.timed if isinstance(self.timed, bool) else variant in self.timed

    def judged(self, verdict: Verdict, measured: str, variant: str = "") -> "Claim":
        """Return the claim with its verdict.

        Parameters
        ----------
        verdict : str
            The outcome of the test: "holds", "fails" or "undecided".
        measured : str
            What was measured, in numbers.
        variant : str
            Name of the reading, where the statement can be read in several ways.

        Returns
        -------
        Claim
            The statement with what was measured.
        """
        return Claim(self, verdict, measured, variant)


@dataclass(frozen=True)
class Claim:
    """A statement with its verdict.

    Attributes
    ----------
    statement : Statement
        What the paper says.
    verdict : str
        The outcome of the test: "holds", "fails" or "undecided".
    measured : str
        What was measured.
    variant : str
        Name of the reading, where there are several.
    """

    statement: Statement
    verdict: Verdict
    measured: str
    variant: str = ""

    def on_stand_in(self) -> "Claim":
        """Return the claim as on stand-in data: undecided, unless it is about shapes alone."""
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
    """A median with its 95 % bootstrap interval.

    Attributes
    ----------
    median : float
        The statistic of the values: the median, unless another one was asked for.
    low, high : float
        Ends of the interval.
    count : int
        Number of values. Without any value, every verdict is "undecided".
    """

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
        """Return the verdict on "at least the threshold"."""
        if not self.count:
            return "undecided"
        return (
            "holds" if self.low >= threshold else "fails" if self.high < threshold else "undecided"
        )

    def within(self, low: float, high: float) -> Verdict:
        """Return the verdict on "from low to high"."""
        return every([self.at_least(low), self.at_most(high)])

    def at_most(self, threshold: float) -> Verdict:
        """Return the verdict on "at most the threshold"."""
        if not self.count:
            return "undecided"
        return (
            "holds" if self.high <= threshold else "fails" if self.low > threshold else "undecided"
        )


def interval(
    values: Iterable[float], statistic: Callable[..., Any] = np.median, seed: int = 0
) -> Interval:
    """Return a statistic of the values with its bootstrap interval.

    Parameters
    ----------
    values : iterable of float
        The values. Those that are not finite are left out.
    statistic : callable
        A function of an array and an axis.
    seed : int
        Seed of the resampling.

    Returns
    -------
    Interval
        The statistic, and the 2.5 % and 97.5 % percentiles of 2000 resamples.
    """
    sample = np.sort([v for v in values if np.isfinite(v)])  # the order of the rows changes nothing
    if not len(sample):
        return Interval(np.nan, np.nan, np.nan, 0)
    rng = np.random.default_rng(seed)
    draws = statistic(sample[rng.integers(len(sample), size=(2000, len(sample)))], axis=1)
    low, high = np.quantile(draws, [0.025, 0.975])
    return Interval(float(statistic(sample)), float(low), float(high), len(sample))


def decided(condition: bool | None) -> Verdict:
    """Return the verdict on an exact condition: True, False, or None where data are missing."""
    return "undecided" if condition is None else "holds" if condition else "fails"


def every(verdicts: Sequence[Verdict], share: float = 1.0) -> Verdict:
    """Return the verdict on a claim about several bands.

    Parameters
    ----------
    verdicts : sequence of str
        The verdict of each band.
    share : float
        Share of the bands that must hold.

    Returns
    -------
    str
        "holds", "fails" or "undecided". It is "fails" where so many bands fail that the share
        cannot be reached.
    """
    if not verdicts:
        return "undecided"
    if np.mean([v == "holds" for v in verdicts]) >= share:
        return "holds"
    return "fails" if np.mean([v == "fails" for v in verdicts]) > 1.0 - share else "undecided"


def some(verdicts: Sequence[Verdict]) -> Verdict:
    """Return "holds" where at least one verdict does, and "fails" where all fail."""
    if "holds" in verdicts:
        return "holds"
    return "fails" if verdicts and all(v == "fails" for v in verdicts) else "undecided"


def bands(sparsity: pd.Series, edges: Sequence[float] = SPARSITY_EDGES) -> pd.Series:
    """Return the band of each sparsity as text ("2-5 %"); missing outside the edges."""
    labels = [f"{100 * a:g}-{100 * b:g} %" for a, b in pairwise(edges)]
    return pd.cut(sparsity, list(edges), labels=labels, right=False).astype(object)


def by_band(
    sparsity: pd.Series, values: pd.Series, edges: Sequence[float] = SPARSITY_EDGES
) -> dict[str, Interval]:
    """Return the interval of the values in each band that has any, in the order of the bands."""
    label = bands(sparsity, edges)
    found = {str(band): interval(group) for band, group in values.groupby(label, sort=False)}
    return dict(sorted(found.items(), key=lambda item: float(item[0].partition("-")[0])))


def show(intervals: dict[str, Interval]) -> str:
    """Return the intervals of the bands as one line of text."""
    return (
        "; ".join(f"{band}: {value}" for band, value in intervals.items()) or "no run in the range"
    )


def slope(x: Iterable[float], y: Iterable[float]) -> float:
    """Return the least-squares slope of log y against log x, which is a growth exponent."""
    return float(np.polyfit(np.log(list(x)), np.log(list(y)), 1)[0])
