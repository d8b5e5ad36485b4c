"""Converts a table to numbers: row names, text, dates, thousands separators, missing values.

A table is refused in one message that lists everything that is wrong, with the options to add.
"""

import re
import shlex
import textwrap
from collections.abc import Iterator, Sequence
from decimal import Decimal
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from spcabench.errors import InputError
from spcabench.readers.delimited import GROUPED, TableError, decimal_of, is_number, number_in
from spcabench.validate import nearest
from spcabench.vectors import Array, Vector, dominant

if TYPE_CHECKING:
    from spcabench.readers.user_file import Reading

MUCH = 0.05  # fraction of missing values above which imputation is recommended
CLASSES = 0.2  # class labels have at most this number of different words, relative to the rows
ODD = 0.1  # in a column of numbers, at most this fraction of the words is something else
IDS = ("id", "index", "row", "nr", "no", "sample", "subject", "case")
TEXT = "text"  # in --drop: all columns of text
LISTED = 3  # number of columns that are named before "and 4 more"
IMPUTE = "consider imputing missing values first, for example with scikit-learn's IterativeImputer"
MANY = 5  # maximum number of columns in the advice to drop columns
THOUSANDS = ["--read", "thousands=yes"]
GROUPING, ODD_WORDS = "thousands separators", "words among numbers"
DAY = r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}([ T].*)?"  # 2024-02-29 or 29.2.24, and the time of day
MONTH = r"\d{1,2}[ .-]*[^\W\d]{3,9}[ .-]+\d{2,4}"  # 29 February 2024
DATE = re.compile(rf"{DAY}|{MONTH}|\d{{1,2}}:\d{{2}}.*")
Fault = tuple[str, list[str]]  # a sentence, and the options that resolve it


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
    """Whether a word is a number in some country, without or with a percent sign."""
    word = word.strip().rstrip("% ")
    return is_number(word) or any(form.fullmatch(word) for form in GROUPED.values())


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


def numbers(
    path: Path,
    frame: pd.DataFrame,
    how: "Reading",
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
    if not values.shape[1] and THOUSANDS not in [words for _, words in faults]:
        wrong = faults[0][0] if faults else "every column is text"
        raise InputError(f"{path}: no column of numbers: {wrong}")
    if how.transpose and not of_model:
        values = chosen(path, transposed(values, names), how.drop)
    faults += _missing_faults(values, how, of_model)
    seeming = [] if of_model else [*_seeming(values)]
    if faults:
        faults += seeming
        wrong = "; ".join(sentence for sentence, _ in faults)
        advice = [words for _, words in faults]
        given = [word for words in advice for word in words]
        declared = any(word.startswith("na=") for word in given)
        if declared and "--missing" not in given and how.missing == "error":
            advice.append(["--missing", "mean"])
        advice.append(_scaling(values, how))
        raise TableError(f"{path}: {wrong}", _merged(advice))
    notes += [
        f"{sentence}; to leave it out, use {shlex.join(words)}" for sentence, words in seeming
    ]
    if text.shape[1]:
        notes.append(f"text and dates dropped: {_few(text)}")
    return _complete(path, values, how.missing, notes, of_model)


def split(frame: pd.DataFrame, how: "Reading") -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the columns of text and dates, and the columns of numbers as float64."""
    frame = as_numbers(frame)
    if how.thousands:
        frame = _ungrouped(frame)
    numeric = np.array([_numeric(kind) for kind in frame.dtypes], dtype=bool)
    return frame.loc[:, ~numeric], frame.loc[:, numeric]


def _ungrouped(frame: pd.DataFrame) -> pd.DataFrame:
    """Convert columns of numbers with thousands separators, in the format that fits most words."""
    words = {
        j: frame.iloc[:, j].dropna().astype(str).str.strip()
        for j, kind in enumerate(frame.dtypes)
        if not _numeric(kind)
    }
    usual = decimal_of([word for column in words.values() for word in column])
    frame = frame.copy()
    for j, column in words.items():
        for decimal in (usual, "." if usual == "," else ","):
            read = column.map(lambda word, mark=decimal: number_in(word, mark))
            if read.notna().all():
                frame.isetitem(j, read.astype(np.float64).reindex(frame.index))
                break
    return frame


def _text_faults(text: pd.DataFrame, how: "Reading", of_model: bool) -> Iterator[Fault]:
    """Yield a fault for each kind of columns without numbers."""
    kinds: dict[str, list[int]] = {}
    for j in range(text.shape[1]):
        kinds.setdefault(_kind(text.iloc[:, j]), []).append(j)
    label = how.label
    for kind, places in kinds.items():
        columns, names = text.iloc[:, places], [str(text.columns[j]) for j in places]
        found = "columns {} have {}" if len(places) > 1 else "column {} has {}"
        options: list[str] = []
        if kind == GROUPING:
            options, names = THOUSANDS, []
        elif kind == TEXT and label is None and not (of_model or how.transpose):
            label = next((n for n, j in zip(names, places, strict=True) if _classes(text, j)), None)
            options = [] if label is None else ["--label", label]
            names = [name for name in names if name != label]
        elif kind == ODD_WORDS and len(odd := _odd_words(columns)) == 1 and how.na is None:
            options, names = ["--read", f"na={odd.pop()}"], []
        if how.transpose and names:
            names = [TEXT]
        if not of_model:
            options += [word for name in names for word in ("--drop", name)]
        yield found.format(_few(columns), f"{kind} ({_example(columns)})"), options


def _kind(column: pd.Series) -> str:
    """Return what a column without numbers contains."""
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return "dates"
    words = column.dropna().astype(str).str.strip()
    if words.str.fullmatch(DATE).all():
        return "dates"
    odd = ~words.map(_like_a_number)
    if not odd.any():
        return "percent signs" if words.str.endswith("%").any() else GROUPING
    return ODD_WORDS if odd.sum() < ODD * len(words) else TEXT


def _odd_words(columns: pd.DataFrame) -> set[str]:
    """Return the words in columns of numbers that are no numbers."""
    words = columns.stack().dropna().astype(str)
    return {*words[~words.map(_like_a_number)]}


def _classes(text: pd.DataFrame, j: int) -> bool:
    """Whether the words of a column seem to be class labels."""
    return 2 <= text.iloc[:, j].nunique() <= max(2.0, CLASSES * len(text))


def _example(columns: pd.DataFrame) -> str:
    """Return the first word in columns of one kind that is not a number."""
    words = columns.iloc[:, 0].reset_index(drop=True).dropna().astype(str)
    odd = words[~words.map(is_number)]
    odd = odd[~odd.map(_like_a_number)] if (~odd.map(_like_a_number)).any() else odd
    return f"{odd.iloc[0]!r:.30} in row {odd.index[0] + 1}" if len(odd) else "no words"


def _few(columns: pd.DataFrame) -> str:
    """Return the names of columns in a sentence."""
    names = [textwrap.shorten(str(name), 30, placeholder="...") for name in columns.columns]
    names = names if len(names) <= LISTED else [*names[:LISTED], f"{len(names) - LISTED} more"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _missing_faults(values: pd.DataFrame, how: "Reading", of_model: bool) -> list[Fault]:
    """Return the faults of missing values in a table of numbers."""
    gaps = values.isna().to_numpy()
    empty = gaps.all(axis=0) & bool(len(values)) & (how.missing != "columns")
    faults = []
    if empty.any() and not of_model:
        names = [str(name) for name in values.columns[empty]]
        sentence = f"{_few(values.loc[:, empty])} {'have' if len(names) > 1 else 'has'} no values"
        faults.append((sentence, [word for name in names for word in ("--drop", name)]))
        values, gaps = values.loc[:, ~empty], gaps[:, ~empty]
    if how.missing != "error" or not gaps.any():
        return faults
    rows, columns = gaps.any(axis=1).sum(), gaps.any(axis=0).sum()
    lost = f"--missing rows drops {rows:,} of {len(values):,} rows"
    if not of_model:
        lost += f", --missing columns {columns:,} of {values.shape[1]:,} columns"
    return [*faults, (f"{missing_values(values, gaps)} ({lost})", ["--missing", "mean"])]


def _scaling(values: pd.DataFrame, how: "Reading") -> list[str]:
    """Return the option that scales the columns if one has most of the variance."""
    unscaled = values.shape[1] and not (how.scale or how.covariance)
    return (
        ["--scale"]
        if unscaled and dominant(values.var().fillna(0.0).to_numpy()) is not None
        else []
    )


def _seeming(values: pd.DataFrame) -> Iterator[Fault]:
    """Yield the columns of numbers that seem to be no variables."""
    for names, what in (
        (counting_columns(values), "number the rows"),
        (date_columns(values), "contain dates"),
    ):
        for name in names:
            yield f"column {name} seems to {what}", ["--drop", name]


def _merged(options: Sequence[Sequence[str]]) -> list[str]:
    """Return all options, with one --drop for all columns."""
    every = [word for words in options for word in words]
    pairs = list(zip(every, [*every[1:], ""], strict=True))
    dropped = dict.fromkeys(name for word, name in pairs if word == "--drop")
    merged = [w for i, w in enumerate(every) if "--drop" not in (w, every[i - 1] if i else "")]
    if len(dropped) > MANY or TEXT in dropped:
        dropped = {TEXT: None}
    together = [",".join(name for name in dropped if "," not in name)]
    apart = [name for name in dropped if "," in name]
    drops = [word for name in (*together, *apart) if name for word in ("--drop", name)]
    return [*drops, *merged]


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
    much = f"; {IMPUTE}" if gaps.mean() > MUCH else ""
    found = missing_values(frame, gaps)
    if missing == "mean" and of_model:
        notes.append(f"{found}: replaced by the model's means")
        return frame, every
    if missing == "mean":
        notes.append(f"{found}: replaced by the mean of the column, which lowers variances{much}")
        # fillna processes one column at a time: 9 s instead of 0.02 s for 20,000 columns
        return frame.where(~gaps, frame.mean(), axis=1), every
    lost = rows if missing == "rows" else columns
    if lost.all():
        raise InputError(f"{path}: {found}; every {missing[:-1]} has missing values; {IMPUTE}")
    notes.append(f"{found}: dropped {lost.sum():,} of {len(lost):,} {missing}{much}")
    return (frame.loc[~rows], ~rows) if missing == "rows" else (frame.loc[:, ~columns], every)


def missing_values(frame: pd.DataFrame, gaps: Array) -> str:
    """Describe how many values are missing, and in which columns most of them are."""
    counts = gaps.sum(axis=0)
    worst = np.argsort(-counts, kind="stable")[: min(LISTED, np.count_nonzero(counts))]
    most = "most in " if np.count_nonzero(counts) > len(worst) else "in "
    shown = textwrap.shorten(", ".join(f"{frame.columns[j]} ({counts[j]:,})" for j in worst), 60)
    return f"missing values: {gaps.sum():,} ({gaps.mean():.1%}), {most}{shown}"


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
