"""Draw tidy tables, with the statistics and the intervals by which claims are judged."""

from typing import Any

import numpy as np
import pandas as pd

from spcabench.claims.intervals import measured

ARROWS = {"at least": "$\\uparrow$", "at most": "$\\downarrow$"}


def draw_curve(axis: Any, table: pd.DataFrame, unit: str, **style: Any) -> None:
    """Plot the number at each place of a tidy table against x, with its interval as a thick line.

    Places without an x, such as data sets, are drawn side by side. An arrow replaces the marker of
    a number that is only a bound, because a run hit its limit.

    Parameters
    ----------
    axis : matplotlib.axes.Axes
        The axes.
    table : DataFrame
        A tidy table of one reading (see `claims.tidy`).
    unit : str
        Unit of the values, which chooses the statistic, as in `claims.Part`.
    **style
        Keyword arguments of ``plot``.
    """
    places = [rows for _, rows in table.groupby("label", sort=False)]
    x = np.array([rows.x.median() for rows in places], dtype=float)
    x = np.where(np.isnan(x), np.arange(len(x)), x)
    numbers = [measured(rows, unit) for rows in places]
    value = np.array([number.value for number in numbers], dtype=float)
    low, high = np.array([number.interval() for number in numbers], dtype=float).reshape(-1, 2).T
    kinds = np.array([number.kind for number in numbers])
    whole = np.flatnonzero(~np.isin(kinds, [*ARROWS])).tolist()
    axis.plot(x, value, **{"markevery": whole} | style)
    known = np.isfinite(low) & np.isfinite(high)
    axis.vlines(x[known], low[known], high[known], color=style["color"], linewidth=4, alpha=0.3)
    for kind, arrow in ARROWS.items():
        there = kinds == kind
        marks: dict[str, Any] = dict(marker=arrow, markersize=11, linestyle="none")
        axis.plot(x[there], value[there], color=style["color"], **marks)
