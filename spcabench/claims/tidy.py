"""Tidy tables of measured numbers, in which every claim states what it has measured.

Each row is one value. The columns are ``reading``, ``part``, ``label`` and ``x`` (the place, in
words and on its axis), ``seed`` (the replicate), ``value``, and ``missed`` (1 if the true value is
at least this large, because the run hit its limit; -1 if it is at most this large). A number
without a replicate is exact, and all values of its place are equal. ``over`` names the replicates;
``problem``, ``stand_in`` and ``simulated`` describe the data. ``row`` names the runs behind the
value. All functions accept the options of `tidy`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

COLUMNS = ["reading", "part", "label", "x", "seed", "value", "missed", "over"]
ABOUT_DATA = ["problem", "stand_in", "simulated"]


def tidy(
    rows: pd.DataFrame,
    value: str | pd.Series,
    label: str | pd.Series,
    x: float | pd.Series = np.nan,
    *,
    reading: str = "",
    part: str = "",
    seed: str | Sequence[str] | None = "seed",
    over: str = "problems",
    missed: str | int = 0,
) -> pd.DataFrame:
    """Return a tidy table with a value for each row.

    The names of runs are in all columns ``row`` and ``row_...`` of the rows, so pairs of runs keep
    both names.

    Parameters
    ----------
    rows : DataFrame
        Rows of the figure, with the columns ``stand_in`` and ``problem``.
    value : str or Series
        The values, or their column.
    label, x : str, float or Series
        The place of each value in words, and its position on the axis.
    reading, part : str
        Names of the reading and of the part of the claim.
    seed : str, sequence of str or None
        Columns that identify a replicate; several values of a replicate are averaged. None if the
        values are exact.
    over : str
        Name of the replicates, in the plural.
    missed : str or int
        Column that marks the values that are only bounds.
    """
    lacking = {"stand_in", "problem"} - set(rows)
    if lacking:
        raise ValueError(f"reading {reading!r}: its rows lack the columns {sorted(lacking)}")
    values = rows[value] if isinstance(value, str) else value
    columns = [seed] if isinstance(seed, str) else list(seed or ())
    if rows[columns].isna().any(axis=None):
        raise ValueError(f"reading {reading!r}: rows without a value of {' or '.join(columns)}")
    runs = [rows[name] for name in rows if str(name).partition("_")[0] == "row"]
    names = pd.Series("", rows.index).str.cat([run.astype(object) for run in runs], " ", na_rep="")
    table = rows.reindex(columns=ABOUT_DATA).assign(
        reading=reading,
        part=part,
        label=label,
        x=x,
        seed=rows[columns].astype(str).agg(" ".join, axis=1) if columns and len(rows) else None,
        value=values.astype(float),
        missed=rows[missed].astype(int) if isinstance(missed, str) else missed,
        over=over if columns else "",
        row=names,
    )
    return table[[*COLUMNS, *ABOUT_DATA, "row"]]


def each(
    rows: pd.DataFrame,
    by: str,
    value: str,
    label: str | Callable[[Any], str] = "{:g}",
    how: str = "",
    **options: Any,
) -> pd.DataFrame:
    """Return a tidy table with a place for each value of a column, in ascending order.

    label : the label of a place, as a format of the value or a function of it.
    how : how the rows of a place are reduced to an exact number: "max", "median"...
    """
    rows = rows.sort_values(by, kind="stable")
    if how:
        rows = rows.assign(**{value: rows.groupby(by)[value].transform(how)})
        options["seed"] = None
    name = label.format if isinstance(label, str) else label
    x = pd.to_numeric(rows[by], errors="coerce").astype(float)
    return tidy(rows, value, rows[by].map(name), x, **options)


def bands(
    rows: pd.DataFrame, column: str, edges: Sequence[float], value: str, **options: Any
) -> pd.DataFrame:
    """Return a tidy table with a place for each band of a fraction, such as "2-5 %".

    The x of a place is the lower edge of its band. Rows outside all bands are left out.
    """
    band = np.digitize(rows[column], edges) - 1
    inside = np.flatnonzero((band >= 0) & (band < len(edges) - 1))
    inside = inside[np.argsort(band[inside], kind="stable")]
    rows, low = rows.iloc[inside], band[inside]
    names = [f"{100 * edges[b]:g}-{100 * edges[b + 1]:g} %" for b in low]
    label = pd.Series(names, rows.index, dtype=object)
    return tidy(rows, value, label, pd.Series(np.take(edges, low), rows.index), **options)


def numbers(
    rows: pd.DataFrame, values: Mapping[str, float], x: float = np.nan, **options: Any
) -> pd.DataFrame:
    """Return a tidy table of exact numbers, a mapping from the labels of places to numbers.

    rows : the rows from which the numbers were computed.
    """
    options["seed"] = None
    return pd.concat(
        [
            tidy(rows, pd.Series(number, rows.index, dtype=float), label, x, **options)
            for label, number in values.items()
        ]
        or [tidy(rows.iloc[:0], pd.Series(dtype=float), "", **options)]
    )


def noted(table: pd.DataFrame, *notes: str) -> pd.DataFrame:
    """Return a tidy table with notes on its readings, which do not affect the verdict."""
    table.attrs["notes"] = [note for note in notes if note]
    return table
