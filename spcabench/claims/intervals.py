"""Numbers with what they are uncertain about: the only statistics behind a verdict.

An interval is over *replicates*: independent problems, seeds of a random method, or rounds of a
clock on one data set. Whoever asks for one names the column that tells the replicates apart.
Several values of one replicate (cardinalities in a band, rounds of timing) are reduced to their
mean first, so that they can never pass for more replicates.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
from scipy import special  # the distributions of scipy.stats take half a second to import

Kind = Literal[
    "exact", "mean", "geometric mean", "share", "mean share", "at least", "at most", "too few"
]
LEVEL = 0.95
FEWEST = 3  # replicates that an interval needs
MOST_MISSING = 0.1  # of the replicates; more without a value could turn any verdict
SAME = 1e-9  # relative spread below which replicates are equal but for rounding


@dataclass(frozen=True)
class Measured:
    """A measured number, its interval, and what the interval is over.

    Attributes
    ----------
    value : float
        The number. NaN where nothing was measured.
    kind : str
        "exact" has no interval. "mean" and "geometric mean" have a t interval, the latter of the
        logarithms. "share" is of yes and no, one for each replicate, with the interval of Clopper
        and Pearson; "mean share" is of several for each: its interval is the t interval, or that
        of Clopper and Pearson of as many trials as replicates, whichever reaches further. "at
        least" and "at most" are geometric means of which some runs hit a limit: one end is open.
        "too few" has fewer than three replicates, and decides nothing.
    spread : float
        Standard error of the mean, or of the mean of the logarithms.
    count : int
        Number of replicates.
    over : str
        What the replicates are: "problems", "seeds", "rounds", "genes".
    missing : int
        Number of further replicates without a usable value; they are not in ``count``.
    """

    value: float
    kind: Kind = "exact"
    spread: float = 0.0
    count: int = 1
    over: str = ""
    missing: int = 0

    @property
    def incomplete(self) -> bool:
        """Whether too many replicates have no value for the others to speak for all."""
        return self.missing > MOST_MISSING * (self.count + self.missing)

    @property
    def without_spread(self) -> bool:
        """Whether a mean is of equal values, which do not tell how far others may lie."""
        scale = abs(self.value) if self.kind == "mean" else 1.0
        return self.kind in ("mean", "geometric mean") and self.spread <= SAME * scale

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        """Return the ends of the interval at a level of confidence; infinite where open."""
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
            # draws of one problem may agree entirely: then it is one trial, however many they are
            low, high = _clopper_pearson(self.value * self.count, self.count, level)
            return max(min(self.value - half, low), 0.0), min(max(self.value + half, high), 1.0)
        low, high = self.value * np.exp(-half), self.value * np.exp(half)
        return (
            -np.inf if self.kind == "at most" else float(low),
            np.inf if self.kind == "at least" else float(high),
        )


def exact(value: float) -> Measured:
    """Return a number without an interval, such as a count, or a result on the only data set."""
    return Measured(float(value))


def mean(
    table: pd.DataFrame, column: str, over: str | Sequence[str], called: str = "problems"
) -> Measured:
    """Return the mean over replicates, with the t interval.

    Parameters
    ----------
    table : DataFrame
        One row for each value. A replicate with a value that is not finite is left out and counted
        as missing.
    column : str
        Column of the values.
    over : str or sequence of str
        Columns that tell the replicates apart.
    called : str
        What the replicates are, in the plural.
    """
    return _of_mean(*_replicates(table, column, over), called)


def geometric_mean(
    table: pd.DataFrame,
    column: str,
    over: str | Sequence[str],
    called: str = "problems",
    censored: str = "",
    bound: Literal["at least", "at most"] = "at least",
) -> Measured:
    """Return the geometric mean over replicates, with the t interval of the logarithms.

    Parameters
    ----------
    table, column, over, called : DataFrame, str, str or sequence of str, str
        As for `mean`. A value that is not positive is missing.
    censored : str
        Column that says which values are bounds only, because a run hit its limit.
    bound : str
        What such a value is: "at least" or "at most" the true one.
    """
    logs = table.assign(_log=np.log(table[column].where(table[column] > 0)))
    of_logs = _of_mean(*_replicates(logs, "_log", over), called)
    kind: Kind = of_logs.kind if of_logs.kind != "mean" else "geometric mean"
    if kind == "geometric mean" and censored and table[censored].any():
        kind = bound
    return replace(of_logs, value=float(np.exp(of_logs.value)), kind=kind)


def share(
    table: pd.DataFrame, column: str, over: str | Sequence[str], called: str = "problems"
) -> Measured:
    """Return the share over replicates, with its interval.

    Of one yes or no for each replicate it is that of Clopper and Pearson. Of several it is the t
    interval of the replicates' shares, and never narrower than that of Clopper and Pearson.

    Parameters
    ----------
    table, column, over, called : DataFrame, str, str or sequence of str, str
        As for `mean`. Values are booleans, or between 0 and 1.
    """
    hits = table.assign(_share=table[column].astype(float))
    shares, missing = _replicates(hits, "_share", over)
    mean = _of_mean(shares, missing, called)
    if mean.kind == "too few":
        return mean
    single = len(table) == len(shares) + missing and set(shares) <= {0.0, 1.0}
    return replace(mean, kind="share", spread=0.0) if single else replace(mean, kind="mean share")


def _replicates(
    table: pd.DataFrame, column: str, over: str | Sequence[str]
) -> tuple[np.ndarray, int]:
    """The mean of each replicate all values of which are finite, and how many others there are."""
    columns = [over] if isinstance(over, str) else list(over)
    if table[columns].isna().any(axis=None):
        raise ValueError(f"{column}: rows without a value of {' or '.join(columns)}")
    # a value that is not finite turns the mean of its replicate into NaN
    values = table[column].astype(float).where(np.isfinite(table[column].astype(float)))
    means = values.groupby([table[name].astype(str) for name in columns]).mean(skipna=False)
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
    """The exact interval of a share; the hits need not be a whole number."""
    tail = (1 - level) / 2
    low = float(special.betaincinv(hits, count - hits + 1, tail)) if hits > 0 else 0.0
    high = float(special.betaincinv(hits + 1, count - hits, 1 - tail)) if hits < count else 1.0
    return low, high


def slope(x: pd.Series, y: pd.Series) -> float:
    """Return the least-squares slope of log y against log x, which is a growth exponent."""
    return float(np.polyfit(np.log(x.to_numpy(float)), np.log(y.to_numpy(float)), 1)[0])
