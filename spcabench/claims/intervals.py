"""Measured numbers and their confidence intervals: all statistics behind a verdict.

The interval describes the variation between *replicates*: independent problems, seeds of a random
method, or repeated timing rounds on one data set. The caller names the column that distinguishes
the replicates. Several values of one replicate (cardinalities in a band, rounds of timing) are
averaged first, so they never count as additional replicates.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

# importing scipy.stats takes half a second, so the distributions come from scipy.special
from scipy import special

Kind = Literal[
    "exact", "mean", "geometric mean", "share", "mean share", "at least", "at most", "too few"
]
LEVEL = 0.95
FEWEST = 3  # smallest number of replicates for which an interval is computed
# fraction of the replicates; if more values are missing, they could change any verdict
MOST_MISSING = 0.1
SAME = 1e-9  # if the relative spread is smaller, the replicates differ only by rounding
GEOMETRIC = ("times", "s")  # units whose numbers are compared as ratios


@dataclass(frozen=True)
class Measured:
    """A measured number with its spread over replicates.

    Attributes
    ----------
    value : float
        The number; NaN if nothing was measured.
    kind : str
        "exact": a number without an interval. "mean" and "geometric mean": a t interval, computed
        from the logarithms for the geometric mean. "share": a proportion with one yes or no per
        replicate, and the Clopper-Pearson interval. "mean share": a proportion with several values
        per replicate; each end of its interval is the wider one of the t interval and of the
        Clopper-Pearson interval with one trial per replicate. "at least" and "at most": geometric
        means in which some runs hit a limit, so the interval is open on one side. "too few": fewer
        than three replicates, which cannot settle a verdict.
    spread : float
        Standard error of the mean, or of the mean of the logarithms.
    count : int
        Number of replicates.
    over : str
        Name of the replicates: "problems", "seeds", "rounds", "genes".
    missing : int
        Number of replicates without a usable value; ``count`` does not include them.
    """

    value: float
    kind: Kind = "exact"
    spread: float = 0.0
    count: int = 1
    over: str = ""
    missing: int = 0

    @property
    def incomplete(self) -> bool:
        """Whether too few replicates have a value to represent all of them."""
        return self.missing > MOST_MISSING * (self.count + self.missing)

    @property
    def without_spread(self) -> bool:
        """Whether all values of a mean are equal, so their variation is unknown."""
        scale = abs(self.value) if self.kind == "mean" else 1.0
        return self.kind in ("mean", "geometric mean") and self.spread <= SAME * scale

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        """Return the confidence interval at this level; an open end is infinite."""
        undecidable = self.kind == "too few" or self.incomplete or self.without_spread
        if undecidable or not np.isfinite(self.value):
            return -np.inf, np.inf
        if self.kind == "exact":
            return self.value, self.value
        if self.kind == "share":
            return _clopper_pearson(self.value * self.count, self.count, level)
        half = float(special.stdtrit(self.count - 1, 0.5 + level / 2)) * self.spread
        if self.kind == "mean":
            return self.value - half, self.value + half
        if self.kind == "mean share":
            # the values of a replicate may all be equal, so each replicate counts as a single trial
            low, high = _clopper_pearson(self.value * self.count, self.count, level)
            return max(min(self.value - half, low), 0.0), min(max(self.value + half, high), 1.0)
        low, high = self.value * np.exp(-half), self.value * np.exp(half)
        return (
            -np.inf if self.kind == "at most" else float(low),
            np.inf if self.kind == "at least" else float(high),
        )


def measured(rows: pd.DataFrame, unit: str, average: str = "") -> Measured:
    """Return the number at a place, by the statistic that belongs to its unit.

    Parameters
    ----------
    rows : DataFrame
        The rows of the place in a tidy table (see `tidy`).
    unit, average : str
        As in `claim.Part`.
    """
    if rows.seed.isna().all():
        (value,) = rows.value.unique()
        return exact(value)
    over: dict[str, str] = {"over": "seed", "called": rows.over.iloc[0]}
    average = average or ("geometric mean" if unit in GEOMETRIC else unit)
    if average == "geometric mean":
        return geometric_mean(rows, "value", missed="missed", **over)
    return (share if average == "share" else mean)(rows, "value", **over)


def exact(value: float) -> Measured:
    """Return a number without an interval, such as a count or a result on the only data set."""
    return Measured(float(value))


def mean(table: pd.DataFrame, column: str, over: str, called: str = "problems") -> Measured:
    """Return the mean over replicates, with the t interval.

    Parameters
    ----------
    table : DataFrame
        One row per value. A replicate with a value that is not finite is left out and counted as
        missing.
    column : str
        Column of the values.
    over : str
        Column that identifies a replicate.
    called : str
        Name of the replicates, in the plural.
    """
    return _of_mean(*_replicates(table, column, over), called)


def geometric_mean(
    table: pd.DataFrame, column: str, over: str, called: str = "problems", missed: str = ""
) -> Measured:
    """Return the geometric mean over replicates, with a t interval computed from the logarithms.

    Parameters
    ----------
    table, column, over, called : DataFrame, str, str, str
        As for `mean`. A value that is not positive counts as missing.
    missed : str
        Column that marks the values that are only bounds, because the run hit its limit: 1 if the
        true value is at least as large, -1 if it is at most as large, otherwise 0.
    """
    signs = set(table[missed]) - {0} if missed else set()
    if len(signs) > 1:  # a bound from above and one from below leave nothing known
        return exact(np.nan)
    logs = table.assign(_log=np.log(table[column].where(table[column] > 0)))
    of_logs = _of_mean(*_replicates(logs, "_log", over), called)
    kind = of_logs.kind
    if kind == "mean":
        kind = "at least" if 1 in signs else "at most" if signs else "geometric mean"
    return replace(of_logs, value=float(np.exp(of_logs.value)), kind=kind)


def share(table: pd.DataFrame, column: str, over: str, called: str = "problems") -> Measured:
    """Return a proportion over replicates, with its interval.

    With one yes or no per replicate, this is the Clopper-Pearson interval. With several, it is the
    t interval of the replicates' proportions, but never narrower than the Clopper-Pearson interval.

    Parameters
    ----------
    table, column, over, called : DataFrame, str, str, str
        As for `mean`. Values are booleans, or between 0 and 1.
    """
    hits = table.assign(_share=table[column].astype(float))
    shares, missing = _replicates(hits, "_share", over)
    mean = _of_mean(shares, missing, called)
    if mean.kind == "too few":
        return mean
    single = len(table) == len(shares) + missing and set(shares) <= {0.0, 1.0}
    return replace(mean, kind="share", spread=0.0) if single else replace(mean, kind="mean share")


def _replicates(table: pd.DataFrame, column: str, over: str) -> tuple[np.ndarray, int]:
    """Return the means of replicates with only finite values, and how many others there are."""
    # one value that is not finite makes the mean of its replicate NaN
    values = table[column].astype(float).where(np.isfinite(table[column].astype(float)))
    means = values.groupby(table[over]).mean(skipna=False)
    finite = means.dropna().to_numpy()
    return finite, len(means) - len(finite)


def _of_mean(values: np.ndarray, missing: int, called: str) -> Measured:
    count = len(values)
    value = float(values.mean()) if count else np.nan
    if count < FEWEST:
        return Measured(value, "too few", 0.0, count, called, missing)
    error = float(np.std(values, ddof=1) / np.sqrt(count))
    return Measured(value, "mean", error, count, called, missing)


def _clopper_pearson(hits: float, count: int, level: float) -> tuple[float, float]:
    """Return the Clopper-Pearson interval of a proportion; the number of hits can be fractional."""
    tail = (1 - level) / 2
    low = float(special.betaincinv(hits, count - hits + 1, tail)) if hits > 0 else 0.0
    high = float(special.betaincinv(hits + 1, count - hits, 1 - tail)) if hits < count else 1.0
    return low, high


def slope(x: pd.Series, y: pd.Series) -> float:
    """Return the least-squares slope of log y against log x, which is the exponent of growth."""
    return float(np.polyfit(np.log(x.to_numpy(float)), np.log(y.to_numpy(float)), 1)[0])
