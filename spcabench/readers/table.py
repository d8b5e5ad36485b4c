"""Converts a table to numbers: handles row names, text, missing values and transposition.

Notes inform the user of dropped rows and columns and of values that were filled in.
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

MUCH = 0.05  # fraction of missing values above which imputation is recommended
IDS = ("id", "index", "row", "nr", "no", "sample", "subject", "case")
HELD = {  # non-numeric types, in the order of the tests, and their names in messages
    (list, tuple, np.ndarray): "lists",
    (dict,): "records",
    (bytes,): "bytes",
    (timedelta,): "durations",
    (date,): "dates",
    (time,): "times of day",
    (complex,): "complex numbers",
}
ADVICE = "--missing rows drops {rows}, --missing columns {columns}, --missing mean fills in means"
NAMED = 35  # maximum length of a list of column names in characters
IMPUTE = "consider imputing missing values first, for example with scikit-learn's IterativeImputer"
LOST = {
    "rows": "rows with missing values dropped, {kept:,} of {total:,} remain",
    "columns": "columns with missing values dropped, {kept:,} of {total:,} remain",
}


def row_names(path: Path, frame: pd.DataFrame, keep: Sequence[str | None], notes: list[str]):
    """Separate a table from its row names; return the table, and the row names or None.

    The first column contains row names if it has no header, or if it is text that differs in each
    row. Columns named in ``keep`` are never row names. If the next column has no header and numbers
    the rows, it is dropped, because it is the result of saving a table twice.
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
        notes.append("the first column has no header and is read as row names")
    elif texts and len(words) == len(frame) and words.is_unique and frame.shape[1] > 1:
        kind = "date" if pd.api.types.is_datetime64_any_dtype(column) else "text"
        notes.append(
            f"column {first!r} contains a different {kind} in each row and is read as row names"
        )
    else:
        return frame, None
    frame = frame.iloc[:, 1:]
    while (
        frame.shape[1] > 1 and _unnamed(str(frame.columns[0])) and _numbers_rows(frame.iloc[:, 0])
    ):
        notes.append(
            f"column {str(frame.columns[0])!r} has no header and numbers the rows: dropped"
        )
        frame = frame.iloc[:, 1:]
    return frame, column.astype(str).tolist()


def _unnamed(name: str) -> bool:
    """Whether a column has no header; pandas names such columns Unnamed."""
    return not name.strip() or name.startswith("Unnamed: ")


def _numbers_rows(column: pd.Series) -> bool:
    values = column.to_numpy()
    return values.dtype.kind in "iuf" and len(values) > 2 and bool((np.diff(values) == 1.0).all())


def _like_a_number(word: str) -> bool:
    return is_number(word) or NUMBER_LIKE.fullmatch(word.strip()) is not None


def transposed(path: Path, frame: pd.DataFrame, names: Sequence[str] | None) -> pd.DataFrame:
    """Transpose a table whose rows are variables; raise InputError if it contains text."""
    numbers = as_numbers(frame)
    text = [str(name) for name, kind in numbers.dtypes.items() if not _numeric(kind)]
    if text:
        raise InputError(
            f"{path}: column {text[0]!r:.60} is text; with --transpose, all columns after the row "
            "names must be numbers; use --drop-text to drop text columns"
        )
    samples = numbers.to_numpy(dtype=np.float64).T
    columns = names or [str(i + 1) for i in range(samples.shape[1])]
    return pd.DataFrame(samples, columns=pd.Index(columns, dtype=object))


def _numeric(kind: object) -> bool:
    return pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_complex_dtype(kind)


def as_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Convert all columns of numbers to float64; leave other columns unchanged."""
    if all(isinstance(kind, np.dtype) and kind.kind in "biuf" for kind in frame.dtypes):
        return frame.astype(np.float64)  # all columns at once, because there can be 60,000
    columns = {j: _as_numbers(frame.iloc[:, j]) for j in range(frame.shape[1])}
    numbers = pd.DataFrame(columns, index=frame.index)
    return numbers.set_axis(frame.columns, axis=1)


def _as_numbers(column: pd.Series) -> pd.Series:
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_complex_dtype(column):
        # a pandas array can contain NA, which becomes NaN in NumPy
        return column.astype(np.float64)
    if column.dtype == object:
        values = column.to_numpy()
        gaps = pd.isna(column).to_numpy()
        if all(isinstance(value, Real | Decimal) for value in values[~gaps]):
            values = np.where(gaps, np.nan, values)
            return pd.Series(values.astype(np.float64), index=column.index)
    return column


def chosen(path: Path, frame: pd.DataFrame, drop: Sequence[str]) -> pd.DataFrame:
    """Drop columns; each entry of ``drop`` is a name or a comma-separated list of names."""
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
    """Drop columns without numbers, or raise InputError if ``drop_text`` is false.

    advice : advice to the user in this error, if --label and --drop are not available.
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
    notes.append(f"dropped {len(names)} column{'s'[: len(names) > 1]} of {held}: {shown}")
    return frame.iloc[:, [j for j in range(frame.shape[1]) if j not in text]]


def _held(column: pd.Series) -> str:
    """Return the kind of values in a non-numeric column, as a word for messages."""
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
        return f"{path}: column {names[0]!r:.60}{others} contains {column.dtype}, not numbers"
    row = int(np.flatnonzero(column.index == wrong.index[0])[0]) + 1
    value = f": {wrong.iloc[0]!r:.40} in row {row}"
    if (held := _held(column)) != "text":
        return f"{path}: column {names[0]!r:.60}{others} contains {held}{value}, not numbers; " + (
            advice or f"use --drop {names[0]}, or --drop-text to drop all such columns"
        )
    if NUMBER_LIKE.fullmatch(wrong.iloc[0].strip()):
        advised = "write numbers without thousands separators, spaces or %"
    elif len(wrong) < 0.1 * len(words):
        advised = "if this is a missing value, leave the field empty or write NA"
    else:
        advised = advice or (
            f"use --label {names[0]} for classes, --drop {names[0]} to drop it, or --drop-text to "
            "drop all text columns"
        )
    return f"{path}: column {names[0]!r:.60}{others} is text{value}; {advised}"


def complete(
    path: Path, frame: pd.DataFrame, missing: str, notes: list[str], advice: str = ADVICE
) -> tuple[pd.DataFrame, Array]:
    """Drop or fill in missing values; return the table, and a mask of the rows that remain.

    missing : as in `Reading`. advice : advice to the user in the error about missing values, with
        placeholders for the numbers of rows and columns.
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
            raise InputError(f"{path}: column {name!r} has no values; drop it with --drop {name}")
        notes.append(
            f"{gaps_in_words}; replaced by the mean of the column, which lowers variances{much}"
        )
        # fillna processes one column at a time: 9 s instead of 0.02 s for 20,000 columns
        return frame.where(~gaps, frame.mean(), axis=1), every
    lost = rows if missing == "rows" else columns
    left = int((~lost).sum())
    if not left:
        raise InputError(
            f"{path}: {gaps_in_words}; every {missing[:-1]} has missing values; {IMPUTE}"
        )
    loss = LOST[missing].format(kept=left, total=len(lost))
    notes.append(f"{gaps_in_words}; {loss} ({lost.mean():.1%} lost){much}")
    return (frame.loc[~rows], ~rows) if missing == "rows" else (frame.loc[:, ~columns], every)


def missing_values(frame: pd.DataFrame, gaps: Array) -> str:
    """Describe how many values are missing, and in which columns most of them are."""
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
    """Return the names of columns with dates that are stored as numbers, such as 20240229."""
    first = frame.iloc[0].to_numpy(dtype=np.float64) if len(frame) else np.empty(0)
    # only columns that pass a check of the first value are checked completely
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
    """Return the names of columns that seem to number the rows, by their names or values."""
    names = [str(name) for name in frame.columns]
    first = frame.iloc[:3].to_numpy(dtype=np.float64)
    # only columns that pass a check of their names or first values are checked completely
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
