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
        and Pearson; "mean share" is of several for each, with a t interval. "at least" and "at
        most" are geometric means of which some runs hit a limit: one end is open. "too few" has
        fewer than three replicates, and decides nothing.
    spread : float
        Standard error of the mean, or of the mean of the logarithms.
    count : int
        Number of replicates.
    over : str
        What the replicates are: "problems", "seeds", "rounds", "genes".
    """

    value: float
    kind: Kind = "exact"
    spread: float = 0.0
    count: int = 1
    over: str = ""

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        """Return the ends of the interval at a level of confidence; infinite where open."""
        if self.kind == "too few" or not np.isfinite(self.value):
            return -np.inf, np.inf
        if self.kind == "exact":
            return self.value, self.value
        if self.kind == "share":
            return _clopper_pearson(self.value * self.count, self.count, level)
        half = float(special.stdtrit(self.count - 1, 0.5 + level / 2)) * self.spread
        if self.kind == "mean":
            return self.value - half, self.value + half
        if self.kind == "mean share":
            return max(self.value - half, 0.0), min(self.value + half, 1.0)
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
        One row for each value. Values that are not finite are left out.
    column : str
        Column of the values.
    over : str or sequence of str
        Columns that tell the replicates apart.
    called : str
        What the replicates are, in the plural.
    """
    return _of_mean(_replicates(table, column, over), called)


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
        As for `mean`. Values are positive.
    censored : str
        Column that says which values are bounds only, because a run hit its limit.
    bound : str
        What such a value is: "at least" or "at most" the true one.
    """
    logs = table.assign(_log=np.log(table[column].where(table[column] > 0)))
    found = _of_mean(_replicates(logs, "_log", over), called)
    kind: Kind = found.kind if found.kind != "mean" else "geometric mean"
    if kind == "geometric mean" and censored and table[censored].any():
        kind = bound
    return replace(found, value=float(np.exp(found.value)), kind=kind)


def share(
    table: pd.DataFrame, column: str, over: str | Sequence[str], called: str = "problems"
) -> Measured:
    """Return the share over replicates, with its interval.

    Of one yes or no for each replicate it is that of Clopper and Pearson. Of several it is the t
    interval of the replicates' shares, to whose variance that of a share of as many draws is added:
    without it, replicates that happen to agree would have an interval of no width.

    Parameters
    ----------
    table, column, over, called : DataFrame, str, str or sequence of str, str
        As for `mean`. Values are booleans, or between 0 and 1.
    """
    hits = table.assign(_share=table[column].astype(float))
    shares, draws = _replicates(hits, "_share", over), int(hits._share.notna().sum())
    if len(shares) < FEWEST:
        return _too_few(shares, called)
    value, count = float(shares.mean()), len(shares)
    if draws == count and set(shares) <= {0.0, 1.0}:
        return Measured(value, "share", 0.0, count, called)
    shrunk = (value * draws + 1) / (draws + 2)
    error = np.sqrt(np.var(shares, ddof=1) / count + shrunk * (1 - shrunk) / draws)
    return Measured(value, "mean share", float(error), count, called)


def _replicates(table: pd.DataFrame, column: str, over: str | Sequence[str]) -> np.ndarray:
    """The mean of the finite values of each replicate."""
    columns = [over] if isinstance(over, str) else list(over)
    finite = table[np.isfinite(table[column].astype(float))]
    keys = [finite[name].astype(str) for name in columns]
    return finite[column].astype(float).groupby(keys).mean().to_numpy()


def _of_mean(values: np.ndarray, called: str) -> Measured:
    if len(values) < FEWEST:
        return _too_few(values, called)
    error = float(np.std(values, ddof=1) / np.sqrt(len(values)))
    return Measured(float(values.mean()), "mean", error, len(values), called)


def _too_few(values: np.ndarray, called: str) -> Measured:
    value = float(values.mean()) if len(values) else np.nan
    return Measured(value, "too few", 0.0, len(values), called)


def _clopper_pearson(hits: float, count: int, level: float) -> tuple[float, float]:
    """The exact interval of a share; the hits need not be a whole number."""
    tail = (1 - level) / 2
    low = float(special.betaincinv(hits, count - hits + 1, tail)) if hits > 0 else 0.0
    high = float(special.betaincinv(hits + 1, count - hits, 1 - tail)) if hits < count else 1.0
    return low, high


def slope(x: pd.Series, y: pd.Series) -> float:
    """Return the least-squares slope of log y against log x, which is a growth exponent."""
    return float(np.polyfit(np.log(x.to_numpy(float)), np.log(y.to_numpy(float)), 1)[0])
