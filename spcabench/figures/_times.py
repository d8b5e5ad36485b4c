"""Summarise the times of a curve: one time for each problem, then the median over the problems."""

import pandas as pd


def times(rows: pd.DataFrame) -> tuple[pd.Series, pd.Series, pd.Series]:
    """Return the time at each x, with the lower and the upper edge of its band.

    The time of a problem is the minimum over its rounds. The curve shows the median over the
    problems at x, and the band shows their quartiles. If there is a single problem, the band
    extends from the minimum to the upper quartile of its rounds.

    Parameters
    ----------
    rows : DataFrame
        The rows of one method, with columns x, group, seed and total (seconds).

    Returns
    -------
    middle, low, high : Series
        Seconds by x.
    """
    # other load can only make a round slower, so the minimum is closest to the true time
    problems = rows.groupby(["x", "group", "seed"], dropna=False).total.min().groupby("x")
    single = problems.size() == 1
    low, high = (
        problems.quantile(q).where(~single, rows.groupby("x").total.quantile(q))
        for q in (0.25, 0.75)
    )
    middle = problems.median()
    return middle, low.where(~single, middle), high
