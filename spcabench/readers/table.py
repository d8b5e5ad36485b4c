"""Turns a saved table into variables: row names, classes, text columns, gaps, genes as rows.

A note tells the user whenever something is dropped or filled in, and how much.
"""

import textwrap
from collections.abc import Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from numbers import Real
from pathlib import Path

import numpy as np
import pandas as pd

from spcabench.errors import InputError
from spcabench.readers.delimited import NUMBER_LIKE, is_number
from spcabench.validate import nearest
from spcabench.vectors import Array

MUCH = 0.05  # share of missing values above which imputation is advised
IDS = ("id", "index", "row", "nr", "no", "sample", "subject", "case")
HELD = {  # types of columns without numbers, in the order of their tests, and their names in words
    (list, tuple, np.ndarray): "lists",
    (dict,): "records",
    (bytes,): "bytes",
    (timedelta,): "durations",
    (date,): "dates",
    (time,): "times of day",
    (complex,): "complex numbers",
}
ADVICE = "--missing rows leaves {rows} out, columns {columns}, mean fills in the mean"
NAMED = 45  # characters of listed column names
IMPUTE = "much is missing: consider imputing it first, as with scikit-learn's IterativeImputer"
LOST = {
    "rows": "rows with gaps left out, {kept:,} of {total:,} remain",
    "columns": "columns with gaps left out, {kept:,} of {total:,} remain",
}


def row_names(path: Path, frame: pd.DataFrame, keep: Sequence[str | None], notes: list[str]):
    """Return the table without its row names, and these names, or None.

    Row names are a first column without a header, or a first column of text that differs in each
    row, unless its name is in ``keep``. A second column without a header that numbers the rows is
    dropped too, as it comes from saving a table twice.
    """
    if not frame.shape[1]:
        raise InputError(f"{path}: no columns; at least one variable is needed")
    first, column = str(frame.columns[0]), frame.iloc[:, 0]
    if first in keep:
        return frame, None
    words = column.dropna().astype(str)
    unnamed = _unnamed(first)
    texts = not pd.api.types.is_numeric_dtype(column) and not words.map(_like_a_number).any()
    if unnamed and frame.shape[1] > 1:
        notes.append("the first column has no header: taken as the rows' names")
    elif texts and len(words) == len(frame) and words.is_unique and frame.shape[1] > 1:
        kind = "date" if pd.api.types.is_datetime64_any_dtype(column) else "text"
        notes.append(
            f"column {first!r} is a different {kind} in each row: taken as the rows' names"
        )
    else:
        return frame, None
    frame = frame.iloc[:, 1:]
    while (
        frame.shape[1] > 1 and _unnamed(str(frame.columns[0])) and _numbers_rows(frame.iloc[:, 0])
    ):
        notes.append(f"column {str(frame.columns[0])!r} has no name and numbers the rows: left out")
        frame = frame.iloc[:, 1:]
    return frame, column.astype(str).tolist()


def _unnamed(name: str) -> bool:
    """Whether a column has no header; pandas calls such columns Unnamed."""
    return not name.strip() or name.startswith("Unnamed: ")


def _numbers_rows(column: pd.Series) -> bool:
    values = column.to_numpy()
    return values.dtype.kind in "iuf" and len(values) > 2 and bool((np.diff(values) == 1.0).all())


def _like_a_number(word: str) -> bool:
    return is_number(word) or NUMBER_LIKE.fullmatch(word.strip()) is not None


def transposed(path: Path, frame: pd.DataFrame, names: Sequence[str] | None) -> pd.DataFrame:
    """Return the table with its rows as variables, all of which must be numbers."""
    numbers = as_numbers(frame)
    text = [str(name) for name, kind in numbers.dtypes.items() if not _numeric(kind)]
    if text:
        raise InputError(
            f"{path}: column {text[0]!r:.60} is text; with --transpose every column but the first, "
            "which names the variables, is a sample of numbers: --drop-text leaves it out"
        )
    samples = numbers.to_numpy(dtype=np.float64).T
    columns = names or [str(i + 1) for i in range(samples.shape[1])]
    return pd.DataFrame(samples, columns=pd.Index(columns, dtype=object))


def _numeric(kind: object) -> bool:
    return pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_complex_dtype(kind)


def as_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table with number columns converted, whatever marks their gaps."""
    if all(isinstance(kind, np.dtype) and kind.kind in "biuf" for kind in frame.dtypes):
        return frame.astype(np.float64)  # all at once, as a table may have 60,000 columns
    columns = {j: _as_numbers(frame.iloc[:, j]) for j in range(frame.shape[1])}
    numbers = pd.DataFrame(columns, index=frame.index)
    return numbers.set_axis(frame.columns, axis=1)


def _as_numbers(column: pd.Series) -> pd.Series:
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_complex_dtype(column):
        # a pandas array may contain NA, which is NaN in NumPy
        return column.astype(np.float64)
    if column.dtype == object:
        values = column.to_numpy()
        gaps = pd.isna(column).to_numpy()
        if all(isinstance(value, Real | Decimal) for value in values[~gaps]):
            values = np.where(gaps, np.nan, values)
            return pd.Series(values.astype(np.float64), index=column.index)
    return column


def chosen(path: Path, frame: pd.DataFrame, drop: Sequence[str]) -> pd.DataFrame:
    """Return the table without the columns in ``drop``: names, or comma-separated lists."""
    names = [str(name) for name in frame.columns]
    dropped = [
        name for word in drop for name in ([word] if word in names else word.split(",")) if name
    ]
    for name in dropped:
        if name not in names:
            raise InputError(f"{path}: {nearest('column (--drop)', name, names)}")
    return frame.loc[:, [name not in dropped for name in names]]


def without_text(
    path: Path, frame: pd.DataFrame, drop_text: bool, notes: list[str], advice: str = ""
) -> pd.DataFrame:
    """Return the table of numbers. Raises InputError for a text column that was not to be dropped.

    advice : what to do about a column that does not contain numbers, if --label and --drop are not
        available.
    """
    text = [j for j, kind in enumerate(frame.dtypes) if not _numeric(kind)]
    if not text:
        return frame
    names = [str(frame.columns[j]) for j in text]
    if not drop_text:
        raise InputError(_text_found(path, frame, text[0], names, advice))
    if len(text) == frame.shape[1]:
        raise InputError(f"{path}: every column is text; at least one variable is needed")
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    held = ", ".join(sorted({_held(frame.iloc[:, j]) for j in text}))
    notes.append(f"{len(names)} column{'s'[: len(names) > 1]} of {held} left out: {shown}")
    return frame.iloc[:, [j for j in range(frame.shape[1]) if j not in text]]


def _held(column: pd.Series) -> str:
    """A word for what a column contains instead of numbers."""
    if isinstance(column.dtype, pd.CategoricalDtype) or not len(column.dropna()):
        return "text"
    value = column.dropna().iloc[0]
    return next((word for kinds, word in HELD.items() if isinstance(value, kinds)), "text")


def _text_found(path: Path, frame: pd.DataFrame, first: int, names: list[str], advice: str) -> str:
    column = frame.iloc[:, first]
    others = f" (and {len(names) - 1} more)" if len(names) > 1 else ""
    words = column.dropna().astype(str)
    wrong = words[~words.map(is_number)]
    if not len(wrong):
        return f"{path}: column {names[0]!r:.60}{others} holds {column.dtype}; it must hold numbers"
    row = int(np.flatnonzero(column.index == wrong.index[0])[0]) + 1
    value = f": {wrong.iloc[0]!r:.40} in row {row}"
    if (held := _held(column)) != "text":
        return (
            f"{path}: column {names[0]!r:.60}{others} holds {held}{value}; must hold numbers: "
            + (
                advice
                or f"--drop {names[0]} leaves it out, --drop-text all columns without numbers"
            )
        )
    if NUMBER_LIKE.fullmatch(wrong.iloc[0].strip()):
        advised = "write all numbers alike, without thousands separators, spaces or %"
    elif len(wrong) < 0.1 * len(words):
        advised = "if it means a missing value, leave the field empty or write NA"
    else:
        advised = advice or (
            f"--label {names[0]} takes it as the classes, --drop {names[0]} leaves it out, "
            "--drop-text every column of text"
        )
    return f"{path}: column {names[0]!r:.60}{others} is text{value}; {advised}"


def complete(
    path: Path, frame: pd.DataFrame, missing: str, notes: list[str], advice: str = ADVICE
) -> tuple[pd.DataFrame, Array]:
    """Return the table without missing values, and a mask of its remaining rows.

    advice : what can be done about them, with the numbers of rows and columns in braces.
    """
    gaps = frame.isna().to_numpy()
    every = np.ones(len(frame), dtype=bool)
    if not gaps.any():
        return frame, every
    rows, columns = gaps.any(axis=1), gaps.any(axis=0)
    gaps_in_words = missing_values(frame, gaps)
    if missing == "error":
        lost_rows = f"{rows.sum():,} of {len(frame):,} rows"
        lost_columns = f"{columns.sum():,} of {frame.shape[1]:,}"
        raise InputError(
            f"{path}: {gaps_in_words}; {advice.format(rows=lost_rows, columns=lost_columns)}"
        )
    much = f"; {IMPUTE}" if gaps.mean() > MUCH else ""
    if missing == "mean":
        wholly = gaps.all(axis=0)
        if wholly.any():
            name = frame.columns[int(np.argmax(wholly))]
            raise InputError(f"{path}: column {name!r} has no values; --drop {name} leaves it out")
        notes.append(
            f"{gaps_in_words}; filled in with the mean of the column, which lowers variances{much}"
        )
        # fillna goes column by column: 9 s instead of .02 s for 20,000 columns
        return frame.where(~gaps, frame.mean(), axis=1), every
    lost = rows if missing == "rows" else columns
    left = int((~lost).sum())
    if not left:
        raise InputError(f"{path}: {gaps_in_words}; every {missing[:-1]} has gaps; {IMPUTE}")
    loss = LOST[missing].format(kept=left, total=len(lost))
    notes.append(f"{gaps_in_words}; {loss} ({lost.mean():.1%} lost){much}")
    return (frame.loc[~rows], ~rows) if missing == "rows" else (frame.loc[:, ~columns], every)


def missing_values(frame: pd.DataFrame, gaps: Array) -> str:
    """Return how many values are missing, and which columns have the most."""
    counts = gaps.sum(axis=0)
    worst = [j for j in np.argsort(-counts, kind="stable")[:3] if counts[j]]
    shown = ", ".join(f"{frame.columns[j]} ({counts[j]:,})" for j in worst)
    where = (counts > 0).sum()
    most = "most in " if where > len(worst) else ""
    return (
        f"missing values: {gaps.sum():,} ({gaps.mean():.1%}), in {where:,} of {len(counts):,} "
        f"columns: {most}{textwrap.shorten(shown, NAMED, placeholder='...')}"
    )


def date_columns(frame: pd.DataFrame) -> list[str]:
    """Return the names of columns that store dates as whole numbers, such as 20240229."""
    first = frame.iloc[0].to_numpy(dtype=np.float64) if len(frame) else np.empty(0)
    # the first value excludes most columns, so only the others are checked in full
    places = np.flatnonzero((first >= 18000101) & (first <= 22001231))
    dates = []
    for j in places:
        values = frame.iloc[:, j].to_numpy(dtype=np.float64)
        if (values == values.round()).all():
            days = pd.to_datetime(values.astype(np.int64).astype(str), "coerce", format="%Y%m%d")
            if not days.isna().any():
                dates.append(str(frame.columns[j]))
    return dates


def counting_columns(frame: pd.DataFrame) -> list[str]:
    """Return the names of columns that number the rows, judged by their names or their values."""
    names = [str(name) for name in frame.columns]
    first = frame.iloc[:3].to_numpy(dtype=np.float64)
    # the first values exclude most columns, so only the others are checked in full
    rising = (np.diff(first, axis=0) == 1.0).all(axis=0) & (len(frame) >= 3)
    counters = []
    for j, name in enumerate(names):
        word = name.lower()
        named = word in IDS or word.endswith(("_id", " id", ".id"))
        if named or rising[j]:
            values = frame.iloc[:, j].to_numpy(dtype=np.float64)
            counts = len(values) >= 3 and bool((np.diff(values) == 1.0).all())
            distinct = len(np.unique(values)) == len(values) and bool(
                (values == values.round()).all()
            )
            if counts or (named and distinct):
                counters.append(name)
    return counters
