"""Converts a table to numbers: row names, text, dates, thousands separators, missing values.

A table is refused in one message that lists everything that is wrong, with the options to add. The
guesses are: a first column of row names (R, pandas), an index that was saved twice (pandas),
columns that number the rows (databases), and a word for missing values (? of UCI, . of SAS).
"""

import re
import shlex
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from numbers import Real
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from spcabench.errors import InputError
from spcabench.readers.delimited import (
    GROUPED,
    TableError,
    decimal_of,
    is_grouped,
    is_number,
    number_in,
)
from spcabench.readers.reading import Reading
from spcabench.validate import nearest
from spcabench.vectors import Array, Vector, dominant

CLASSES = 0.2  # class labels have at most this number of different words, relative to the rows
ODD = 0.1  # in a column of numbers, at most this fraction of the words is something else
IDS = ("id", "index", "row", "nr", "no", "sample", "subject", "case")
TEXT = "text"  # in --drop: all columns of text
LISTED = 3  # number of columns that are named before "and 4 more"
MANY = 5  # maximum number of columns of text that are dropped by their names
THOUSANDS = ["--thousands"]
GROUPING, COMMAS, ODD_WORDS = "thousands separators", "decimal commas", "words among numbers"
DAY = r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}([ T].*)?"  # 2024-02-29 or 29.2.24, and the time of day
MONTH = r"\d{1,2}[ .-]*[^\W\d]{3,9}[ .-]+\d{2,4}"  # 29 February 2024
AMERICAN = r"[^\W\d]{3,9}\.? \d{1,2}, \d{4}"  # February 29, 2024
DATE = re.compile(rf"{DAY}|{MONTH}|{AMERICAN}|\d{{1,2}}:\d{{2}}.*")


class Fault(NamedTuple):
    """What is wrong with a table: a sentence, and the columns to drop or the options to add."""

    sentence: str
    drop: Sequence[str] = ()
    options: Sequence[str] = ()


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
    """Whether a word is a number in some country."""
    return is_number(word) or any(form.fullmatch(word.strip()) for form in GROUPED.values())


def _numeric(kind: object) -> bool:
    return pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_complex_dtype(kind)


def as_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Convert all columns of numbers to float64; leave other columns unchanged."""
    if (frame.dtypes == np.float64).all():
        return frame
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


def numbers(
    path: Path,
    frame: pd.DataFrame,
    how: Reading,
    notes: list[str],
    names: Sequence[str] | None = None,
    of_model: bool = False,
) -> tuple[pd.DataFrame, Vector]:
    """Return a table of numbers, and a mask of the rows that remain.

    names : names of the rows, which become columns if the table is transposed. of_model : whether
    the columns are those of a model, which needs all of them and fills gaps in with its own means.
    Raises TableError, which lists everything that is wrong, if ``how`` does not say what to do.
    """
    text, values = split(frame, how)
    drop_text = TEXT in how.words and not of_model
    faults = [] if drop_text else [*_text_faults(text, how, of_model)]
    if THOUSANDS in [fault.options for fault in faults]:  # what else is wrong is seen in numbers
        values = split(frame, replace(how, thousands=True))[1]
    if not values.shape[1]:
        wrong = faults[0].sentence if faults else "every column is text"
        raise InputError(f"{path}: no column of numbers: {wrong}")
    if how.transpose and not of_model:
        values = chosen(path, transposed(values, names), how.drop)
    faults += _missing_faults(values, how, of_model)
    counters = [] if of_model else counting_columns(values)
    counters = counters if len(counters) < values.shape[1] else []
    seeming = [Fault(f"column {name} seems to number the rows", [name]) for name in counters]
    if faults:
        faults += seeming
        wrong = "; ".join(fault.sentence for fault in faults)
        raise TableError(f"{path}: {wrong}", _advice(faults, values, how, of_model))
    notes += [
        f"{f.sentence}; to leave it out, use --drop {shlex.quote(f.drop[0])}" for f in seeming
    ]
    if text.shape[1]:
        notes.append(f"text and dates dropped: {_few(text)}")
    return _complete(path, values, how.missing, notes, of_model)


def _advice(
    faults: Sequence[Fault], values: pd.DataFrame, how: Reading, of_model: bool
) -> list[str]:
    """Return the options with which a table with these faults is read."""
    dropped = dict.fromkeys(name for fault in faults for name in fault.drop)
    options = [word for words in dict.fromkeys(tuple(f.options) for f in faults) for word in words]
    declared = any(word.startswith("na=") for word in options)
    if declared and "--missing" not in options and how.missing == "error":
        options += ["--missing", "mean"]
    kept = values.loc[:, [str(name) not in dropped for name in values.columns]]
    unscaled = kept.shape[1] and not (how.scale or how.covariance or of_model)
    if unscaled and dominant(kept.var().fillna(0.0).to_numpy()) is not None:
        options.append("--scale")
    return [*(word for name in dropped for word in ("--drop", name)), *options]


def split(frame: pd.DataFrame, how: Reading) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the columns of text and dates, and the columns of numbers as float64."""
    frame = as_numbers(frame)
    if how.thousands:
        frame = _ungrouped(frame)
    numeric = np.array([_numeric(kind) for kind in frame.dtypes], dtype=bool)
    return frame.loc[:, ~numeric], frame.loc[:, numeric]


def _ungrouped(frame: pd.DataFrame) -> pd.DataFrame:
    """Convert columns of numbers with thousands separators or decimal commas."""
    frame = frame.copy()
    for j, (_, read) in _separated(frame).items():
        frame.isetitem(j, read)
    return frame


def _separated(frame: pd.DataFrame) -> dict[int, tuple[str, pd.Series]]:
    """Return the decimal mark and the numbers of each column of text that contains only numbers.

    All columns have the format that fits most of their words, unless it does not fit a column.
    """
    words = {
        j: frame.iloc[:, j].dropna().astype(str).str.strip()
        for j, kind in enumerate(frame.dtypes)
        if not _numeric(kind)
    }
    usual = decimal_of([word for column in words.values() for word in column])
    found = {}
    for j, column in words.items():
        for decimal in (usual, "." if usual == "," else ","):
            read = column.map(lambda word, mark=decimal: number_in(word, mark))
            if read.notna().all():
                found[j] = decimal, read.astype(np.float64).reindex(frame.index)
                break
    return found


def _text_faults(text: pd.DataFrame, how: Reading, of_model: bool) -> Iterator[Fault]:
    """Yield a fault for each kind of columns without numbers."""
    kinds: dict[str, list[int]] = {}
    marks = {j: mark for j, (mark, _) in _separated(text).items()}
    for j in range(text.shape[1]):
        kinds.setdefault(_kind(text.iloc[:, j], marks.get(j)), []).append(j)
    label = how.label
    for kind, places in kinds.items():
        columns, names = text.iloc[:, places], [str(text.columns[j]) for j in places]
        found = "columns {} have {}" if len(places) > 1 else "column {} has {}"
        options: list[str] = []
        if kind in (GROUPING, COMMAS):
            options, names = THOUSANDS, []
        elif kind == TEXT and label is None and not (of_model or how.transpose or how.covariance):
            label = next((n for n, j in zip(names, places, strict=True) if _classes(text, j)), None)
            options = [] if label is None else ["--label", label]
            names = [name for name in names if name != label]
        elif kind == ODD_WORDS and len(odd := _odd_words(columns)) == 1 and how.na is None:
            options, names = ["--read", f"na={odd.pop()}"], []
        if of_model:
            names = []
        elif names and (how.transpose or len(names) > MANY):
            names = [TEXT]
        example = _example(columns.iloc[:, 0], marks[places[0]] if kind == GROUPING else None)
        yield Fault(found.format(_few(columns), f"{kind} ({example})"), names, options)


def _kind(column: pd.Series, decimal: str | None) -> str:
    """Return what a column of text contains.

    decimal : the decimal mark, if all words are numbers.
    """
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return "dates"
    words = column.dropna().astype(str).str.strip()
    if words.str.fullmatch(DATE).all():
        return "dates"
    if decimal is not None:
        return GROUPING if any(is_grouped(word, decimal) for word in words) else COMMAS
    odd = ~words.map(_like_a_number)
    return ODD_WORDS if 0 < odd.sum() < ODD * len(words) else TEXT


def _odd_words(columns: pd.DataFrame) -> set[str]:
    """Return the words in columns of numbers that are no numbers."""
    words = columns.stack().dropna().astype(str)
    return {*words[~words.map(_like_a_number)]}


def _classes(text: pd.DataFrame, j: int) -> bool:
    """Whether the words of a column seem to be class labels."""
    return 2 <= text.iloc[:, j].astype(str).nunique() <= max(2.0, CLASSES * len(text))


def _example(column: pd.Series, decimal: str | None) -> str:
    """Return the first word in a column that is not a number.

    decimal : the decimal mark of a column of numbers with thousands separators, for which the first
    word with such a separator is returned.
    """
    words = column.reset_index(drop=True).dropna().astype(str).str.strip()
    if decimal is not None:
        odd = words[words.map(lambda word: is_grouped(word, decimal))]
    else:
        odd = words[~words.map(is_number)]
        odd = odd[~odd.map(_like_a_number)] if (~odd.map(_like_a_number)).any() else odd
    return f"{odd.iloc[0]!r:.30} in row {odd.index[0] + 1}" if len(odd) else "no words"


def _few(columns: pd.DataFrame) -> str:
    """Return the names of columns in a sentence."""
    names = [textwrap.shorten(str(name), 30, placeholder="...") for name in columns.columns]
    names = names if len(names) <= LISTED else [*names[:LISTED], f"{len(names) - LISTED} more"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _missing_faults(values: pd.DataFrame, how: Reading, of_model: bool) -> Iterator[Fault]:
    """Yield the faults of missing values in a table of numbers."""
    gaps = values.isna().to_numpy()
    empty = gaps.all(axis=0) & bool(len(values)) & (how.missing != "columns")
    if empty.any() and not of_model:
        names = [str(name) for name in values.columns[empty]]
        have = "have" if len(names) > 1 else "has"
        yield Fault(f"{_few(values.loc[:, empty])} {have} no values", names)
        values, gaps = values.loc[:, ~empty], gaps[:, ~empty]
    infinite = np.isinf(values.to_numpy()).any(axis=0)
    if infinite.any() and not of_model:
        names = [str(name) for name in values.columns[infinite]]
        columns = "columns {} have" if len(names) > 1 else "column {} has"
        yield Fault(f"{columns.format(_few(values.loc[:, infinite]))} infinite values", names)
    if how.missing != "error" or not gaps.any():
        return
    rows, columns = gaps.any(axis=1).sum(), gaps.any(axis=0).sum()
    lost = f"--missing rows drops {rows:,} of {len(values):,} rows"
    if not of_model:
        lost += f", --missing columns {columns:,} of {values.shape[1]:,} columns"
    yield Fault(f"{missing_values(values, gaps)} ({lost})", (), ["--missing", "mean"])


def _complete(
    path: Path, frame: pd.DataFrame, missing: str, notes: list[str], of_model: bool
) -> tuple[pd.DataFrame, Vector]:
    """Drop or fill in missing values; return the table, and a mask of the rows that remain.

    missing : as in `Reading`.
    """
    gaps = frame.isna().to_numpy()
    every = np.ones(len(frame), dtype=bool)
    if not gaps.any():
        return frame, every
    rows, columns = gaps.any(axis=1), gaps.any(axis=0)
    found = missing_values(frame, gaps)
    if missing == "mean" and of_model:
        notes.append(f"{found}: replaced by the model's means")
        return frame, every
    if missing == "mean":
        notes.append(f"{found}: replaced by the mean of the column, which lowers variances")
        # fillna processes one column at a time: 9 s instead of 0.02 s for 20,000 columns
        return frame.where(~gaps, frame.mean(), axis=1), every
    lost = rows if missing == "rows" else columns
    if lost.all():
        raise InputError(f"{path}: {found}; every {missing[:-1]} has some; use --missing mean")
    notes.append(f"{found}: dropped {lost.sum():,} of {len(lost):,} {missing}")
    return (frame.loc[~rows], ~rows) if missing == "rows" else (frame.loc[:, ~columns], every)


def missing_values(frame: pd.DataFrame, gaps: Array) -> str:
    """Describe how many values are missing, and in which columns most of them are."""
    counts = gaps.sum(axis=0)
    worst = np.argsort(-counts, kind="stable")[: min(LISTED, np.count_nonzero(counts))]
    most = "most in " if np.count_nonzero(counts) > len(worst) else "in "
    shown = textwrap.shorten(", ".join(f"{frame.columns[j]} ({counts[j]:,})" for j in worst), 60)
    return f"missing values: {gaps.sum():,} ({gaps.mean():.1%}), {most}{shown}"


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
