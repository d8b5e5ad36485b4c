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
# a number of the paper is exceeded by more than a quarter: perhaps another experiment
BETTER = "better than claimed"
# a theorem is not judged by runs that have not converged
NOT_CONVERGED = "not converged"
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
    by_construction : str
        Why the statement cannot fail here, in a sentence; "" where it can. Such statements are
        counted apart. Every other one has made-up rows in ``tests/controls`` on which it holds,
        and made-up rows on which it fails.
    """

    id: str
    quote: str
    where: str
    test: str
    threshold: str
    earlier: tuple[dict[str, str], ...] = ()
    any_data: bool = False
    timed: bool | tuple[str, ...] = False
    by_construction: str = ""

    def rests_on_clock(self, variant: str = "") -> bool:
        """Return whether the verdict on a variant rests on a clock or on memory."""
        return self.timed if isinstance(self.timed, bool) else variant in self.timed

    def judged(
        self,
        verdict: Verdict,
        measured: str,
        variant: str = "",
        *,
        conditions: Iterable["Condition"] = (),
        cause: str = "",
        remark: str = "",
    ) -> "Claim":
        """Return the claim with its verdict.

        Parameters
        ----------
        verdict : str
            The outcome of the test: "holds", "fails" or "undecided".
        measured : str
            What was measured, in numbers.
        variant : str
            Name of the reading, where the statement can be read in several ways.
        conditions : iterable of Condition
            The same test on parts of the range, or at other settings. None changes the verdict.
        cause : str
            Why the claim fails or is undecided, in one sentence, where the conditions show it.
        remark : str
            `BETTER` or `NOT_CONVERGED`, where one applies.

        Returns
        -------
        Claim
            The statement with what was measured.
        """
        return Claim(self, verdict, measured, variant, tuple(conditions), cause, remark)


@dataclass(frozen=True)
class Condition:
    """The test of a claim on a named part of its range, or at a named other setting.

    Attributes
    ----------
    name : str
        The part or the setting: "k >= 23".
    verdict : str
        The outcome of the same test there.
    measured : str
        What was measured there.
    chosen_after : bool
        Whether the part or the setting was chosen after the first run. Generated data then have
        seeds that the first run did not have.
    """

    name: str
    verdict: Verdict
    measured: str
    chosen_after: bool = True

    def __str__(self) -> str:
        verb = {"holds": "holds", "fails": "fails", "undecided": "is undecided"}[self.verdict]
        after = "; chosen after the first run" if self.chosen_after else ""
        return f"{verb} for {self.name} ({self.measured}{after})"


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
    conditions : tuple of Condition
        The same test on parts of the range, or at other settings.
    cause : str
        Why the claim fails or is undecided, in words.
    remark : str
        `BETTER` or `NOT_CONVERGED`, where one applies.
    """

    statement: Statement
    verdict: Verdict
    measured: str
    variant: str = ""
    conditions: tuple[Condition, ...] = ()
    cause: str = ""
    remark: str = ""

    def on_stand_in(self) -> "Claim":
        """Return the claim as on stand-in data: undecided, unless it is about shapes alone."""
        if self.statement.any_data:
            return self
        conditions = tuple(
            replace(c, verdict="undecided", measured=_would(c.verdict, c.measured))
            for c in self.conditions
        )
        return replace(
            self,
            verdict="undecided",
            measured=_would(self.verdict, self.measured),
            conditions=conditions,
        )


def _would(verdict: Verdict, measured: str) -> str:
    """What was measured on a stand-in, and the verdict that it would give."""
    would = {"holds": "would hold", "fails": "would fail", "undecided": "undecided"}[verdict]
    return f"{measured} (on a stand-in: {would})"


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


def quoted(found: Interval, number: float) -> tuple[Verdict, str]:
    """Return the verdict on a number that a paper quotes, and a remark.

    It holds within a quarter of the number. Beyond, it holds too, and the remark is `BETTER`. It
    fails below three quarters of the number.

    Parameters
    ----------
    found : Interval
        What was measured; larger is better.
    number : float
        The paper's.
    """
    verdict = found.at_least(0.75 * number)
    return verdict, BETTER if verdict == "holds" and found.low > 1.25 * number else ""


def over_problems(
    problems: Iterable[Iterable[float]], statistic: Callable[..., Any] = np.median, seed: int = 0
) -> Interval:
    """Return a statistic over problems, with an interval that resamples problems, then rounds.

    Parameters
    ----------
    problems : iterable of iterables of float
        For each problem the values of its rounds. Values that are not finite are left out.
    statistic : callable
        A function of an array and an axis. A problem counts by the median of its rounds.
    seed : int
        Seed of the resampling.

    Returns
    -------
    Interval
        Its count is the number of problems. That of a single problem is `interval` of its rounds.
    """
    finite = (np.array([v for v in values if np.isfinite(v)]) for values in problems)
    rounds = sorted((np.sort(values) for values in finite if len(values)), key=tuple)
    if not rounds:
        return interval([])
    rng = np.random.default_rng(seed)
    resampled = [
        np.median(values[rng.integers(len(values), size=(2000, len(rounds), len(values)))], axis=2)
        for values in rounds
    ]  # for each problem (2000, places)
    drawn = rng.integers(len(rounds), size=(2000, len(rounds)))
    medians = np.take_along_axis(np.stack(resampled), drawn[None], axis=0)[0]
    low, high = np.quantile(statistic(medians, axis=1), [0.025, 0.975])
    middle = float(statistic(np.array([np.median(values) for values in rounds]), axis=0))
    return Interval(middle, min(float(low), middle), max(float(high), middle), len(rounds))


def crossing(by_x: dict[float, Interval], threshold: float = 1.0) -> str:
    """Return where a ratio crosses a threshold, in words: "crosses 1 between 0.36 and 0.5".

    Parameters
    ----------
    by_x : dict
        The intervals at each place. Places whose interval includes the threshold do not count.
    threshold : float
        The number to cross.
    """
    clear = [
        (x, found.low > threshold)
        for x, found in sorted(by_x.items())
        if found.low > threshold or found.high < threshold
    ]
    if not clear:
        return f"nowhere clearly on one side of {threshold:g}"
    places = [f"{a:g} and {b:g}" for (a, up), (b, then) in pairwise(clear) if up != then]
    if places:
        return f"crosses {threshold:g} between {', and between '.join(places)}"
    return f"{'above' if clear[0][1] else 'below'} {threshold:g} wherever it is clear"


def same_cardinality(one: pd.Series, other: pd.Series, slack: float = 0.02) -> pd.Series:
    """Return which pairs are compared: those whose cardinalities differ by 2 % at most."""
    return (one - other).abs() <= slack * np.maximum(one, other)


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
