"""Converts a table to numbers: row names, text, dates, thousands separators, missing values.

A table is refused in one message that lists everything that is wrong, with the options to add. The
guesses are: a first column of row names (R, pandas), an index that was saved twice (pandas),
columns that number the rows (databases), and a word for missing values (? of UCI, . of SAS).
"""

import re
import shlex
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from spcabench.errors import InputError, nearest
from spcabench.readers.delimited import OTHER, decimal_of, is_number, number_in
from spcabench.readers.reading import Reading
from spcabench.vectors import Array, Vector, dominant

CLASSES = 0.2  # class labels have at most this number of different words, relative to the rows
ODD = 0.1  # in a column of numbers, at most this fraction of the words is something else
IDS = re.compile(r"(.*[_ .])?id|index|row|n[ro]\.?|sample|subject|case", re.IGNORECASE)
MISSING_WORD = re.compile(r"\W+|[^\W\d]{3,}.*")  # "-" or "unknown"; no chromosome X, no <0.1
TEXT = "text"  # in --drop: all columns of text
LISTED = 3  # number of columns that are named before "and 4 more"
MANY = 5  # maximum number of columns of text that are dropped by their names
THOUSANDS = ("--thousands",)
SEPARATED, ODD_WORDS = "decimal commas or thousands separators", "words among numbers"
DAY = r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}([ T].*)?"  # 2024-02-29 or 29.2.24, and the time of day
MONTH = r"\d{1,2}[ .-]*[^\W\d]{3,9}[ .-]+\d{2,4}"  # 29 February 2024
AMERICAN = r"[^\W\d]{3,9}\.? \d{1,2}, \d{4}"  # February 29, 2024
DATE = re.compile(rf"{DAY}|{MONTH}|{AMERICAN}|\d{{1,2}}:\d{{2}}.*")


class TableError(InputError):
    """A table that can be read with the options in ``advice``."""


class Fault(NamedTuple):
    """What is wrong with a table: a sentence, and the columns to drop or the options to add."""

    sentence: str
    drop: Sequence[str] = ()
    options: Sequence[str] = ()


def row_names(
    frame: pd.DataFrame,
    keep: Sequence[str | None],
    notes: list[str],
    given: bool | None = None,
) -> tuple[pd.DataFrame, list[str] | None]:
    """Separate a table from its row names; return the table, and the row names or None.

    The first column contains row names if ``given`` is True or, if it is None, if the column has no
    header or is text that differs in each row. Columns named in ``keep`` are never row names. If
    the next column has no header and numbers the rows, it is dropped, because pandas writes such
    columns if a table is saved twice.
    """
    if frame.shape[1] < 2 or given is False or (first := str(frame.columns[0])) in keep:
        return frame, None
    column = frame.iloc[:, 0]
    if given is None and not _unnamed(first):
        if not _names_rows(column):
            return frame, None
        notes.append(f"column {first!r} is read as row names, because each row has another text")
    elif given is None and _numeric(column.dtype) and not _counts(column):
        notes.append("the first column has no header and is read as row names")
    frame = frame.iloc[:, 1:]
    while frame.shape[1] > 1 and _unnamed(frame.columns[0]) and _counts(frame.iloc[:, 0]):
        frame = frame.iloc[:, 1:]
    return frame, column.astype(str).tolist()


def _names_rows(column: pd.Series) -> bool:
    """Whether a column is text that differs in each row."""
    # converting millions of numbers to text would take minutes
    if _numeric(column.dtype) or not column.is_unique or column.hasnans:
        return False
    return not column.astype(str).map(_like_a_number).any()


def _unnamed(name: str) -> bool:
    """Whether a column has no header; pandas names such columns Unnamed."""
    return not str(name).strip() or str(name).startswith("Unnamed: ")


def _counts(column: pd.Series) -> bool:
    """Whether a column numbers the rows."""
    return _numeric(column.dtype) and len(column) > 2 and bool((column.diff()[1:] == 1.0).all())


def _like_a_number(word: str) -> bool:
    """Whether a word is a number in some country."""
    return any(number_in(word.strip(), decimal) is not None for decimal in OTHER)


def _numeric(kind: object) -> bool:
    return pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_complex_dtype(kind)


def _as_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Convert all columns of numbers to float64; leave other columns unchanged."""
    if all(isinstance(kind, np.dtype) and kind.kind in "biuf" for kind in frame.dtypes):
        # all columns at once, because there can be 60,000
        return frame.astype(np.float64)
    columns = {j: _column(frame.iloc[:, j]) for j in range(frame.shape[1])}
    return pd.DataFrame(columns, index=frame.index).set_axis(frame.columns, axis=1)


def _column(column: pd.Series) -> pd.Series:
    """Return a column as float64 if it contains only numbers, such as decimals of a database."""
    if _numeric(column.dtype) or column.dtype == object:
        with suppress(TypeError, ValueError):
            return column.where(column.notna(), np.nan).astype(np.float64)
    return column


def transposed(frame: pd.DataFrame, names: Sequence[str] | None) -> pd.DataFrame:
    """Transpose a table of numbers whose rows are variables."""
    columns = names or [str(i + 1) for i in range(len(frame))]
    return pd.DataFrame(frame.to_numpy().T, columns=pd.Index(columns, dtype=object))


def chosen(frame: pd.DataFrame, drop: Sequence[str]) -> pd.DataFrame:
    """Drop columns; each entry of ``drop`` is a name or a comma-separated list of names.

    The name `TEXT` can be missing, because it also means all columns of text.
    """
    names = [str(name) for name in frame.columns]
    dropped = [
        name for word in drop for name in ([word] if word in names else word.split(",")) if name
    ]
    for name in dropped:
        if name not in (*names, TEXT):
            raise InputError(nearest("column (--drop)", name, names))
    return _columns(frame, np.array([name not in dropped for name in names]))


def _columns(frame: pd.DataFrame, chosen: Vector) -> pd.DataFrame:
    """Return the chosen columns, without a copy if these are all columns."""
    return frame if chosen.all() else frame.loc[:, chosen]


def numbers(
    frame: pd.DataFrame, how: Reading, notes: list[str], names: Sequence[str] | None = None
) -> tuple[pd.DataFrame, Vector]:
    """Return a table of numbers, and a mask of the rows that remain.

    names : names of the rows, which become columns if the table is transposed.

    Raises TableError, which lists everything that is wrong, if ``how`` does not say what to do.
    """
    text, values = split(frame, how)
    faults = [] if TEXT in how.words else [*text_faults(text, how)]
    if THOUSANDS in [fault.options for fault in faults]:  # what else is wrong is seen in numbers
        values = split(frame, replace(how, thousands=True))[1]
    if not values.shape[1]:
        none = "every column is text" if text.shape[1] else "every column is dropped"
        wrong = faults[0].sentence if faults else none
        words = [o for fault in faults for o in fault.options if "na=" in o]
        advice = ["--read", words[0], "--missing", "mean"] if words else []
        raise TableError(f"no column of numbers: {wrong}", advice)
    if how.transpose:
        values = chosen(transposed(values, names), how.drop)
    whole = bool(np.isfinite(values.to_numpy()).all())
    faults += [] if whole else _missing_faults(values, how)
    counters = _counting_columns(values)
    counters = counters if len(counters) < values.shape[1] else []
    seeming = [Fault(f"column {name} seems to number the rows", [name]) for name in counters]
    if faults:
        faults += seeming
        raise TableError("; ".join(f.sentence for f in faults), _advice(faults, values, how))
    notes += [
        f"{f.sentence}; to leave it out, use --drop {shlex.quote(f.drop[0])}" for f in seeming
    ]
    if text.shape[1]:
        notes.append(f"text and dates dropped: {_few(text)}")
    if whole:
        return values, np.ones(len(values), dtype=bool)
    return complete(values, how.missing, notes)


def _advice(faults: Sequence[Fault], values: pd.DataFrame, how: Reading) -> list[str]:
    """Return the options with which a table with these faults is read."""
    dropped = dict.fromkeys(name for fault in faults for name in fault.drop)
    options = [word for words in dict.fromkeys(tuple(f.options) for f in faults) for word in words]
    declared = any(word.startswith("na=") for word in options)
    if declared and "--missing" not in options and how.missing == "error":
        options += ["--missing", "mean"]
    kept = values.loc[:, [str(name) not in dropped for name in values.columns]]
    unscaled = kept.shape[1] and not (how.scale or how.covariance)
    if unscaled and dominant(kept.var().fillna(0.0).to_numpy()) is not None:
        options.append("--scale")
    return [*(word for name in dropped for word in ("--drop", name)), *options]


def split(frame: pd.DataFrame, how: Reading) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the columns of text and dates, and the columns of numbers as float64."""
    frame = _as_numbers(frame)
    if how.thousands:
        frame = frame.copy()
        for j, column in _separated(frame).items():
            frame.isetitem(j, column)
    numeric = np.array([_numeric(kind) for kind in frame.dtypes], dtype=bool)
    return frame.loc[:, ~numeric], _columns(frame, numeric)


def _separated(frame: pd.DataFrame) -> dict[int, pd.Series]:
    """Return the numbers of each column of text that contains only numbers.

    All columns have the decimal mark that fits most of their words, unless it does not fit a
    column.
    """
    words = {
        j: frame.iloc[:, j].dropna().astype(str).str.strip()
        for j, kind in enumerate(frame.dtypes)
        if not _numeric(kind)
    }
    usual = decimal_of([word for column in words.values() for word in column])
    found = {}
    for j, column in words.items():
        for decimal in (usual, OTHER[usual]):
            read = column.map(lambda word, mark=decimal: number_in(word, mark))
            if read.notna().all():
                found[j] = read.astype(np.float64).reindex(frame.index)
                break
    return found


def text_faults(text: pd.DataFrame, how: Reading) -> Iterator[Fault]:
    """Yield a fault for each kind of columns without numbers."""
    kinds: dict[str, list[int]] = {}
    separated = _separated(text)
    for j in range(text.shape[1]):
        kind = _kind(text.iloc[:, j], SEPARATED if j in separated else TEXT)
        kinds.setdefault(kind, []).append(j)
    label = how.label
    for kind, places in kinds.items():
        columns, names = text.iloc[:, places], [str(text.columns[j]) for j in places]
        found = "columns {} have {}" if len(places) > 1 else "column {} has {}"
        options: Sequence[str] = ()
        if kind == SEPARATED:
            options, names = THOUSANDS, []
        elif kind == TEXT and label is None and not (how.transpose or how.covariance):
            label = next((n for n, j in zip(names, places, strict=True) if _classes(text, j)), None)
            options = [] if label is None else ["--label", label]
            names = [name for name in names if name != label]
        elif kind == ODD_WORDS and how.na is None and (word := _missing_word(columns)):
            options, names = ["--read", f"na={word}"], []
        if names and (how.transpose or len(names) > MANY):
            names = [TEXT]
        yield Fault(
            found.format(_few(columns), f"{kind} ({_example(columns.iloc[:, 0])})"), names, options
        )


def _kind(column: pd.Series, kind: str) -> str:
    """Return what a column of text contains: dates, words among numbers, or ``kind``."""
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return "dates"
    words = column.dropna().astype(str).str.strip()
    if words.str.fullmatch(DATE).all():
        return "dates"
    odd = ~words.map(_like_a_number)
    return ODD_WORDS if 0 < odd.sum() < ODD * len(words) else kind


def _missing_word(columns: pd.DataFrame) -> str:
    """Return the only word in columns of numbers if it seems to mean a missing value, or ""."""
    words = columns.stack().dropna().astype(str)
    first, *others = {*words[~words.map(_like_a_number)]}
    return first if not others and MISSING_WORD.fullmatch(first) else ""


def _classes(text: pd.DataFrame, j: int) -> bool:
    """Whether the words of a column seem to be class labels."""
    return 2 <= text.iloc[:, j].astype(str).nunique() <= max(2.0, CLASSES * len(text))


def _example(column: pd.Series) -> str:
    """Return the first word in a column that is not a number, preferably in any country."""
    words = column.reset_index(drop=True).dropna().astype(str).str.strip()
    odd = words[~words.map(_like_a_number)]
    odd = odd if len(odd) else words[~words.map(is_number)]
    return f"{odd.iloc[0]!r:.30} in row {odd.index[0] + 1}" if len(odd) else "no words"


def _few(columns: pd.DataFrame) -> str:
    """Return the names of columns in a sentence."""
    names = [textwrap.shorten(str(name), 30, placeholder="...") for name in columns.columns]
    names = names if len(names) <= LISTED else [*names[:LISTED], f"{len(names) - LISTED} more"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _missing_faults(values: pd.DataFrame, how: Reading) -> Iterator[Fault]:
    """Yield the faults of missing and infinite values in a table of numbers."""
    gaps = values.isna().to_numpy()
    empty = gaps.all(axis=0) & bool(len(values)) & (how.missing != "columns")
    infinite = np.isinf(values.to_numpy()).any(axis=0)
    for wrong, what in ((empty, "no values"), (infinite, "infinite values")):
        if wrong.any():
            columns = values.loc[:, wrong]
            have = "columns {} have" if wrong.sum() > 1 else "column {} has"
            yield Fault(f"{have.format(_few(columns))} {what}", [*map(str, columns.columns)])
    values, gaps = values.loc[:, ~empty], gaps[:, ~empty]
    if how.missing == "error" and gaps.any():
        rows, columns = gaps.any(axis=1).sum(), gaps.any(axis=0).sum()
        yield Fault(
            f"{missing_values(values, gaps)} (--missing rows drops {rows:,} of {len(values):,} "
            f"rows, --missing columns {columns:,} of {values.shape[1]:,} columns)",
            (),
            ["--missing", "mean"],
        )


def complete(frame: pd.DataFrame, missing: str, notes: list[str]) -> tuple[pd.DataFrame, Vector]:
    """Drop or fill in missing values; return the table, and a mask of the rows that remain.

    missing : as in `Reading`.
    """
    gaps = frame.isna().to_numpy()
    every = np.ones(len(frame), dtype=bool)
    if not gaps.any():
        return frame, every
    found = missing_values(frame, gaps)
    if missing == "mean":
        notes.append(f"{found}: replaced by the mean of the column, which lowers variances")
        # fillna processes one column at a time: 9 s instead of 0.02 s for 20,000 columns
        return frame.where(~gaps, frame.mean(), axis=1), every
    lost = gaps.any(axis=1 if missing == "rows" else 0)
    if lost.all():
        raise InputError(f"{found}; every {missing[:-1]} has some; use --missing mean")
    notes.append(f"{found}: dropped {lost.sum():,} of {len(lost):,} {missing}")
    return (frame.loc[~lost], ~lost) if missing == "rows" else (frame.loc[:, ~lost], every)


def missing_values(frame: pd.DataFrame, gaps: Array) -> str:
    """Describe how many values are missing, and in which columns most of them are."""
    counts = gaps.sum(axis=0)
    worst = np.argsort(-counts, kind="stable")[: min(LISTED, np.count_nonzero(counts))]
    most = "most in " if np.count_nonzero(counts) > len(worst) else "in "
    shown = textwrap.shorten(", ".join(f"{frame.columns[j]} ({counts[j]:,})" for j in worst), 60)
    return f"missing values: {gaps.sum():,} ({gaps.mean():.1%}), {most}{shown}"


def _counting_columns(frame: pd.DataFrame) -> list[str]:
    """Return the names of columns that seem to number the rows.

    They are called like an identifier, or the first column numbers the rows, such as R's X.
    """
    counters = []
    for j, name in enumerate(map(str, frame.columns)):
        if j == 0 or IDS.fullmatch(name):
            column = frame.iloc[:, j]
            identifies = column.is_unique and bool((column == column.round()).all())
            if _counts(column) or (identifies and IDS.fullmatch(name)):
                counters.append(name)
    return counters
