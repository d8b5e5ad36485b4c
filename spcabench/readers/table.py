"""Converts a table to numbers: handles row names, text, missing values and transposition.

Notes inform the user of dropped rows and columns and of values that were filled in.
"""

import textwrap
from collections.abc import Sequence
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
ADVICE = "--missing rows drops {rows}, --missing columns {columns}, --missing mean fills in means"
TEXT = "text"  # in --drop: all columns of text
TEXTS = "use --drop text to drop all of them"  # advice without --label
NAMED = 35  # maximum length of a list of column names in characters
IMPUTE = "consider imputing missing values first, for example with scikit-learn's IterativeImputer"


def row_names(
    path: Path,
    frame: pd.DataFrame,
    keep: Sequence[str | None],
    notes: list[str],
    given: bool | None = None,
):
    """Separate a table from its row names; return the table, and the row names or None.

    The first column contains row names if ``given`` is True or, if it is None, if the column has no
    header or is text that differs in each row. Columns named in ``keep`` are never row names. If
    the next column has no header and numbers the rows, it is dropped, because pandas writes such
    columns if a table is saved twice.
    """
    if not frame.shape[1]:
        raise InputError(f"{path}: no columns; at least one variable is needed")
    first, column = str(frame.columns[0]), frame.iloc[:, 0]
    if first in keep or frame.shape[1] == 1 or given is False:
        return frame, None
    if given:
        pass
    elif _unnamed(first):
        notes.append("the first column has no header and is read as row names")
    elif _names_rows(column):
        notes.append(
            f"column {first!r} contains a different text in each row and is read as row names"
        )
    else:
        return frame, None
    frame = frame.iloc[:, 1:]
    while frame.shape[1] > 1 and _unnamed(frame.columns[0]) and _counts(frame.iloc[:, 0]):
        notes.append(f"column {frame.columns[0]!r} has no header and numbers the rows: dropped")
        frame = frame.iloc[:, 1:]
    return frame, column.astype(str).tolist()


def _names_rows(column: pd.Series) -> bool:
    """Whether a column is text that differs in each row."""
    # converting millions of numbers to text would take minutes
    if _numeric(column.dtype):
        return False
    words = column.dropna().astype(str)
    distinct = len(words) == len(column) and words.is_unique
    return bool(distinct) and not words.map(_like_a_number).any()


def _unnamed(name: str) -> bool:
    """Whether a column has no header; pandas names such columns Unnamed."""
    return not str(name).strip() or str(name).startswith("Unnamed: ")


def _counts(column: pd.Series) -> bool:
    """Whether a column numbers the rows."""
    return _numeric(column.dtype) and len(column) > 2 and bool((column.diff()[1:] == 1.0).all())


def _like_a_number(word: str) -> bool:
    return is_number(word) or NUMBER_LIKE.fullmatch(word.strip()) is not None


def _numeric(kind: object) -> bool:
    return pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_complex_dtype(kind)


def as_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Convert all columns of numbers to float64; leave other columns unchanged."""
    if all(isinstance(kind, np.dtype) and kind.kind in "biuf" for kind in frame.dtypes):
        return frame.astype(np.float64)  # all columns at once, because there can be 60,000
    columns = {j: _as_numbers(frame.iloc[:, j]) for j in range(frame.shape[1])}
    return pd.DataFrame(columns, index=frame.index).set_axis(frame.columns, axis=1)


def _as_numbers(column: pd.Series) -> pd.Series:
    if _numeric(column.dtype):
        return column.astype(np.float64)  # NA becomes NaN
    if column.dtype == object and all(isinstance(v, Real | Decimal) for v in column.dropna()):
        return column.where(column.notna(), np.nan).astype(np.float64)
    return column


def transposed(frame: pd.DataFrame, names: Sequence[str] | None) -> pd.DataFrame:
    """Transpose a table of numbers whose rows are variables."""
    columns = names or [str(i + 1) for i in range(len(frame))]
    return pd.DataFrame(frame.to_numpy().T, columns=pd.Index(columns, dtype=object))


def chosen(path: Path, frame: pd.DataFrame, drop: Sequence[str]) -> pd.DataFrame:
    """Drop columns; each entry of ``drop`` is a name or a comma-separated list of names.

    The name `TEXT` can be missing, because it also means all columns of text.
    """
    names = [str(name) for name in frame.columns]
    dropped = [
        name for word in drop for name in ([word] if word in names else word.split(",")) if name
    ]
    for name in dropped:
        if name not in (*names, TEXT):
            raise InputError(f"{path}: {nearest('column (--drop)', name, names)}")
    return frame.loc[:, [name not in dropped for name in names]]


def without_text(
    path: Path, frame: pd.DataFrame, drop_text: bool, notes: list[str], advice: str = ""
) -> pd.DataFrame:
    """Return columns of numbers; drop other columns, or raise InputError if not ``drop_text``.

    advice : advice to the user in this error, if --label and --drop are not available.
    """
    frame = as_numbers(frame)
    numeric = np.array([_numeric(kind) for kind in frame.dtypes], dtype=bool)
    text = frame.loc[:, ~numeric]
    if text.empty and numeric.all():
        return frame
    if not drop_text:
        raise InputError(f"{path}: {_text_found(text, advice)}")
    if not numeric.any():
        raise InputError(f"{path}: every column is text; at least one variable is needed")
    shown = textwrap.shorten(", ".join(map(str, text.columns)), 3 * NAMED, placeholder=" ...")
    count = text.shape[1]
    notes.append(f"dropped {count} column{'s'[: count > 1]} of text or dates: {shown}")
    return frame.loc[:, numeric]


def _text_found(text: pd.DataFrame, advice: str) -> str:
    """Describe the first of the columns without numbers, and state how to read the table."""
    name, *others = map(str, text.columns)
    words = text.iloc[:, 0].reset_index(drop=True).dropna().astype(str)
    wrong = words[~words.map(is_number)]
    example = f": {wrong.iloc[0]!r:.30} in row {wrong.index[0] + 1}" if len(wrong) else ""
    if len(wrong) and NUMBER_LIKE.fullmatch(wrong.iloc[0].strip()):
        advice = "write numbers without thousands separators, spaces or %"
    elif len(wrong) < 0.1 * len(words):
        advice = "if this is a missing value, leave the field empty or write NA"
    elif not advice:
        advice = (
            f"use --label {name:.20} for classes, --drop {name:.20} to drop it, or --drop text to "
            "drop all text"
        )
    # all of them, so that one more attempt is enough
    also = textwrap.shorten(f"(also {', '.join(others)})", NAMED, placeholder="...)")
    return f"column {name!r:.30}{f' {also}' if others else ''} is text{example}; {advice}"


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
    found = missing_values(frame, gaps)
    if missing == "error":
        lost_rows = f"{rows.sum():,} of {len(frame):,} rows"
        lost_columns = f"{columns.sum():,} of {frame.shape[1]:,}"
        raise InputError(f"{path}: {found}; {advice.format(rows=lost_rows, columns=lost_columns)}")
    much = f"; {IMPUTE}" if gaps.mean() > MUCH else ""
    if missing == "mean":
        wholly = gaps.all(axis=0)
        if wholly.any():
            name = frame.columns[int(np.argmax(wholly))]
            raise InputError(f"{path}: column {name!r} has no values; drop it with --drop {name}")
        notes.append(f"{found}; replaced by the mean of the column, which lowers variances{much}")
        # fillna processes one column at a time: 9 s instead of 0.02 s for 20,000 columns
        return frame.where(~gaps, frame.mean(), axis=1), every
    lost = rows if missing == "rows" else columns
    if lost.all():
        raise InputError(f"{path}: {found}; every {missing[:-1]} has missing values; {IMPUTE}")
    notes.append(
        f"{found}; {missing} with missing values dropped, {(~lost).sum():,} of {len(lost):,} remain"
        f" ({lost.mean():.1%} lost){much}"
    )
    return (frame.loc[~rows], ~rows) if missing == "rows" else (frame.loc[:, ~columns], every)


def missing_values(frame: pd.DataFrame, gaps: Array) -> str:
    """Describe how many values are missing, and in which columns most of them are."""
    counts = gaps.sum(axis=0)
    where = np.flatnonzero(counts)
    worst = where[np.argsort(-counts[where], kind="stable")[:3]]
    shown = ", ".join(f"{frame.columns[j]} ({counts[j]:,})" for j in worst)
    most = "most in " if len(where) > len(worst) else ""
    return (
        f"missing values: {gaps.sum():,} ({gaps.mean():.1%}), in {len(where):,} of {len(counts):,} "
        f"columns: {most}{textwrap.shorten(shown, NAMED, placeholder='...')}"
    )


def date_columns(frame: pd.DataFrame) -> list[str]:
    """Return the names of columns with dates that are stored as numbers, such as 20240229."""
    if frame.empty:
        return []
    first = frame.iloc[0].to_numpy()
    dates = []
    # only columns that pass a check of the first value are checked completely
    for j in np.flatnonzero((first >= 18000101) & (first <= 22001231)):
        days = pd.to_datetime(frame.iloc[:, j].map("{:.16g}".format), "coerce", format="%Y%m%d")
        if not days.isna().any():
            dates.append(str(frame.columns[j]))
    return dates


def counting_columns(frame: pd.DataFrame) -> list[str]:
    """Return the names of columns that seem to number the rows, by their names or values."""
    # only columns that pass a check of their names or first values are checked completely
    rising = (np.diff(frame.iloc[:3].to_numpy(), axis=0) == 1.0).all(axis=0)
    counters = []
    for j, name in enumerate(map(str, frame.columns)):
        named = name.lower() in IDS or name.lower().endswith(("_id", " id", ".id"))
        if named or rising[j]:
            column = frame.iloc[:, j]
            identifies = named and column.is_unique and bool((column == column.round()).all())
            if identifies or _counts(column):
                counters.append(name)
    return counters
