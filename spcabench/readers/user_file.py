"""A user's own file as a problem: .npy, .npz, .csv, .tsv, .mtx, .parquet or UCI's docword.

This is the only entry point for files. Any failure of a reader becomes a one-line error with the
file's name and what to do. No code in a file is run, and no size stated in it is trusted.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from spcabench import opening, validate
from spcabench.errors import InputError
from spcabench.flops import uncharged
from spcabench.optional_dependencies import MissingExtra, require
from spcabench.problem.problem import Problem
from spcabench.readers import arrays, delimited, matrix_market, sizes, table
from spcabench.vectors import Vector

MISSING = ("error", "rows", "columns", "mean")
FORMATS = ".npy, .npz, .csv, .tsv, .mtx, .parquet, docword.NAME.txt (text also as .gz)"
TALL = 10  # with this many times more named rows than columns, the rows may be the variables
LONGEST = 150  # characters of a library's message about a file


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Settings for reading a file.

    covariance : whether it contains Sigma (n, n). center, scale : as in `Problem.from_data`.
    label : column with the classes of the samples. drop : columns to drop. drop_text : whether to
        drop all columns of text. transpose : whether the variables are the rows, as is common for
        genes. missing : what to do about missing values: "error", "rows" or "columns" to drop those
        that have any, or "mean" to fill in the mean of the column.
    names : file with the variables' names, one per line. key : the array of an .npz file.
    """

    covariance: bool = False
    center: bool = True
    scale: bool = False
    label: str | None = None
    drop: Sequence[str] = ()
    drop_text: bool = False
    transpose: bool = False
    missing: str = "error"
    names: Path | None = None
    key: str | None = None

    def check(self) -> None:
        """Raise InputError for settings that contradict each other."""
        if self.missing not in MISSING:
            raise InputError(f"--missing: {self.missing!r}; choose from {', '.join(MISSING)}")
        if self.covariance and (self.scale or not self.center or self.label or self.transpose):
            raise InputError(
                "--covariance: a covariance is used as it is; --scale, --no-center, --label and "
                "--transpose are for data"
            )
        if self.transpose and self.label:
            raise InputError("--label: does not work with --transpose, where columns are samples")


def is_file(source: str) -> bool:
    """Whether a word on the command line denotes a file, not a dataset."""
    return os.path.isfile(source) or "/" in source or kind_of(Path(source)) != ""


def kind_of(path: Path) -> str:
    """Return the format by the file's name, or "" if unknown."""
    name = path.name.lower().removesuffix(".gz")
    if name.startswith("docword") and name.endswith(".txt"):
        return "docword"
    suffix = Path(name).suffix
    return suffix if suffix in READERS else ""


@np.errstate(over="ignore", invalid="ignore")  # entries of any size are checked later
def read(path: Path, how: Reading) -> Problem:
    """Return the problem in a file; Sigma is the sample covariance of its columns (divisor m - 1).

    Raises InputError for a file that does not contain a problem.
    """
    how.check()
    notes: list[str] = []
    X = contents(path, how, notes)
    with _one_line(path, kind_of(path)):
        X, labels, features = _variables(path, X, how, notes)
    features = _names(path, how.names, X.shape[1]) or features
    about = {"source": str(path), "notes": notes, "stand_in": False}
    given: dict[str, Any] = dict(name=path.name, features=features, provenance=about)
    try:
        if how.covariance:
            problem = Problem.from_covariance(X, **given)
        else:
            given |= dict(center=how.center, scale=how.scale, labels=labels)
            problem = Problem.from_data(X, **given, divisor="m - 1")
    except InputError as error:
        raise InputError(f"{path}: {str(error).removeprefix('X: ')}") from None
    except MemoryError:
        raise InputError(f"{path}: not enough memory: {sizes.ADVICE}") from None
    _remark(problem, X, how, notes)
    if not how.covariance:
        about["mean"], about["scale"] = _centre_and_scale(X, how)
    return problem


def contents(path: Path, how: Reading, notes: list[str]) -> Any:
    """Return the content of a file unchanged: a data frame, an array or a sparse matrix."""
    kind = kind_of(path)
    opening.regular(path, f"a file: {FORMATS}")
    if not kind:
        raise InputError(f"{path}: unknown format; the formats are {FORMATS}")
    if how.key is not None and kind != ".npz":
        raise InputError(f"--key: works with .npz files only; {path} holds one table")
    with _one_line(path, kind):
        return READERS[kind](path, how, notes)


@contextmanager
def _one_line(path: Path, kind: str) -> Iterator[None]:
    """Turn any exception of a reader into one line that begins with the file's name.

    Library readers raise many kinds of errors on a damaged file, hence every exception is caught.
    """
    try:
        yield
    except MemoryError:
        raise InputError(f"{path}: not enough memory: {sizes.ADVICE}") from None
    except PermissionError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    except MissingExtra:
        raise
    except InputError as error:
        if str(error).startswith(str(path)):
            raise
        raise InputError(f"{path}: not a readable {kind} file ({error})") from error
    except Exception as error:
        reason = " ".join(str(error).split())[:LONGEST]
        raise InputError(
            f"{path}: not a readable {kind} file ({reason or type(error).__name__})"
        ) from error


def _parquet(path: Path, how: Reading, notes: list[str]) -> pd.DataFrame:
    """A Parquet file, with text as categories, so that a long text is stored once."""
    pa, parquet = require("pyarrow"), require("pyarrow.parquet")
    schema = sizes.parquet_schema(path)
    text = [
        f.name for f in schema if pa.types.is_string(f.type) or pa.types.is_large_string(f.type)
    ]
    read = parquet.ParquetFile(path, read_dictionary=text).read()
    delimited.note_repeated(read.column_names, notes)
    return read.rename_columns(_distinct(read.column_names)).to_pandas()


def _distinct(names: list[str]) -> list[str]:
    """The names, with .1, .2 and so on added to duplicates, as pandas names columns."""
    distinct: dict[str, None] = {}
    counts: dict[str, int] = {}
    for name in names:
        new = name
        while new in distinct:
            counts[name] = counts.get(name, 0) + 1
            new = f"{name}.{counts[name]}"
        distinct[new] = None
    return [*distinct]


def _docword(path: Path, how: Reading, notes: list[str]) -> Any:
    # this import loads numba, which readers of other files need not wait for
    from spcabench.readers import corpus
    from spcabench.readers.docword import Docword

    file = Docword.open(path)
    densest = sizes.DENSEST if sizes.is_gzipped(path) else 1
    sizes.kept(path, 6.0 * file.triplets, densest * path.stat().st_size, "triplets")
    sizes.filled(path, file.documents, file.words, file.triplets)
    sizes.afford(path, 40.0 * file.triplets + 100.0 * file.words + 16.0 * file.documents)
    return corpus.read_docword(path)


Reader = Callable[[Path, Reading, list[str]], Any]
READERS: dict[str, Reader] = {
    ".npy": lambda path, how, notes: arrays.npy(path),
    ".npz": lambda path, how, notes: arrays.npz(path, how.key),
    ".csv": lambda path, how, notes: delimited.read(path, notes),
    ".tsv": lambda path, how, notes: delimited.read(path, notes),
    ".mtx": lambda path, how, notes: matrix_market.read(path),
    ".parquet": _parquet,
    "docword": _docword,
}


def _variables(
    path: Path, X: Any, how: Reading, notes: list[str]
) -> tuple[Any, list[str] | None, list[str] | None]:
    """The matrix of the variables, the classes of the samples, and the names of the variables."""
    if X.ndim != 2:
        raise InputError(f"{path}: {X.ndim} dimensions; it must be a matrix, with 2")
    if not isinstance(X, pd.DataFrame):
        for option, value in (("--label", how.label), ("--drop", how.drop)):
            if value:
                raise InputError(f"{option}: the columns of {path} have no names")
        X = X.T if how.transpose else X
        if sp.issparse(X) or not np.isnan(X).any():
            return X, None, None
        numbered = pd.DataFrame(X, columns=[str(j + 1) for j in range(X.shape[1])])
        return table.complete(path, numbered, how.missing, notes)[0].to_numpy(), None, None
    frame, names = table.row_names(path, X, (how.label, *how.drop), notes)
    if how.transpose:
        frame = table.transposed(path, _numbers(path, frame, how, notes), names)
    labels, frame = _labels(path, frame, how.label)
    numbers = _numbers(path, table.chosen(path, frame, how.drop), how, notes)
    numbers, present = table.complete(path, numbers, how.missing, notes)
    for name in table.counting_columns(numbers):
        notes.append(f"column {name!r} seems to number the rows: --drop {name} leaves it out")
    for name in table.date_columns(numbers):
        notes.append(f"column {name!r} seems to hold dates: --drop {name} leaves it out")
    if names is not None and not how.transpose and len(frame) > TALL * frame.shape[1]:
        notes.append(
            f"{len(frame):,} rows have names and {frame.shape[1]:,} columns numbers: if the rows "
            "are the variables, as genes often are, say --transpose"
        )
    labels = None if labels is None else [labels[i] for i in np.flatnonzero(present)]
    named = [str(name) for name in numbers.columns]
    X = numbers.to_numpy(dtype=np.float64)
    validate.finite(str(path), X, named)
    return X, labels, named


def _numbers(path: Path, frame: pd.DataFrame, how: Reading, notes: list[str]) -> pd.DataFrame:
    return table.without_text(path, table.as_numbers(frame), how.drop_text, notes)


def _labels(
    path: Path, frame: pd.DataFrame, label: str | None
) -> tuple[list[str] | None, pd.DataFrame]:
    """The classes of the samples, and the table without them."""
    if label is None:
        return None, frame
    columns = [str(name) for name in frame.columns]
    if label not in columns:
        raise InputError(f"{path}: {table.nearest('column (--label)', label, columns)}")
    variables = frame.loc[:, [name != label for name in columns]]
    return frame.iloc[:, columns.index(label)].astype(str).tolist(), variables


def _centre_and_scale(X: Any, how: Reading) -> tuple[Vector, Vector]:
    """What was subtracted from each variable (n,), and its divisor."""
    mean, scale = np.zeros(X.shape[1]), np.ones(X.shape[1])
    if how.center:
        mean = np.asarray(X.mean(axis=0)).ravel().astype(np.float64)
    if how.scale and sp.issparse(X):
        squares = np.asarray(X.multiply(X).mean(axis=0)).ravel()
        scale = np.sqrt(np.maximum(squares - mean**2, 0.0))
    elif how.scale:
        scale = np.sqrt(((X - mean) ** 2).mean(axis=0))
    return mean, np.where(scale > 0.0, scale, 1.0)


def _remark(problem: Problem, X: Any, how: Reading, notes: list[str]) -> None:
    with uncharged():
        constant = np.flatnonzero(problem.covariance.diagonal() == 0.0)
    if len(constant):
        names = ", ".join(problem.features[j] if problem.features else str(j) for j in constant[:5])
        notes.append(
            f"{len(constant)} of {problem.n} columns are constant and get no weight: {names}"
        )
    square = X.shape[0] == X.shape[1] and not how.covariance and not sp.issparse(X)
    if square and np.allclose(X, np.transpose(X)):
        notes.append("the table is square and symmetric: if it is a covariance, say --covariance")


def _names(path: Path, file: Path | None, count: int) -> list[str] | None:
    """The given names, or the vocabulary next to a docword file."""
    if file is None and kind_of(path) == "docword":
        beside = path.with_name(path.name.replace("docword", "vocab", 1).removesuffix(".gz"))
        file = beside if beside.is_file() else None
    if file is None:
        return None
    from spcabench.readers.corpus import read_vocabulary

    return read_vocabulary(file, count)
