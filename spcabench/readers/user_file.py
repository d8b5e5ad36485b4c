"""Reads a user's file as a problem: .npy, .npz, .csv, .tsv, .mtx, .parquet or UCI's docword.

This is the only entry point for user files. Any failure of a reader becomes a one-line error that
names the file and gives advice. No code in a file is executed, and sizes stated in a file are not
trusted.
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

MISSING = ("error", "rows", "columns", "mean")
FORMATS = ".npy, .npz, .csv, .tsv, .mtx, .parquet, docword.NAME.txt (text also as .gz)"
TALL = 10  # if the ratio of named rows to columns is larger, rows could be variables
LONGEST = 150  # maximum length of a library's message about a file in characters


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Settings for reading a file.

    covariance : whether the file contains Sigma (n, n). center, scale : as in `Problem.from_data`.
    label : name of the column with the class labels. drop : names of columns to drop.
    drop_text : whether to drop all text columns. transpose : whether the rows are the variables, as
        is common for genes. missing : treatment of missing values, one of "error", "rows" or
        "columns" (drop rows or columns with missing values) and "mean" (fill in column means).
    names : file with the names of the variables, one per line. key : name of an array in an .npz
        file.
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
        """Raise InputError if settings contradict each other."""
        if self.missing not in MISSING:
            raise InputError(f"--missing: {self.missing!r}; choose from {', '.join(MISSING)}")
        if self.covariance and (self.scale or not self.center or self.label or self.transpose):
            raise InputError(
                "--covariance: cannot be combined with --scale, --no-center, --label or "
                "--transpose, which apply to data"
            )
        if self.transpose and self.label:
            raise InputError("--label: cannot be combined with --transpose")


def is_file(source: str) -> bool:
    """Whether an argument on the command line is a file and not the name of a dataset."""
    return os.path.isfile(source) or "/" in source or kind_of(Path(source)) != ""


def kind_of(path: Path) -> str:
    """Return the format indicated by the name of a file, or "" if unknown."""
    name = path.name.lower().removesuffix(".gz")
    if name.startswith("docword") and name.endswith(".txt"):
        return "docword"
    suffix = Path(name).suffix
    return suffix if suffix in READERS else ""


@np.errstate(over="ignore", invalid="ignore")  # the magnitudes of entries are checked later
def read(path: Path, how: Reading) -> Problem:
    """Return the problem in a file.

    Unless the file contains a covariance, Sigma is the sample covariance of its columns (divisor
    m - 1). Raises InputError if the file cannot be read as a problem.
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
            problem = Problem.from_data(X, **given)
    except InputError as error:
        raise InputError(f"{path}: {str(error).removeprefix('X: ')}") from None
    except MemoryError:
        raise InputError(f"{path}: not enough memory: {sizes.ADVICE}") from None
    _remark(problem, X, how, notes)
    return problem


def contents(path: Path, how: Reading, notes: list[str]) -> Any:
    """Return the unprocessed content of a file: a data frame, an array or a sparse matrix."""
    kind = kind_of(path)
    opening.regular(path, f"a file: {FORMATS}")
    if not kind:
        raise InputError(f"{path}: unknown format; supported formats are {FORMATS}")
    if how.key is not None and kind != ".npz":
        raise InputError(f"--key: only supported for .npz files; {path} contains one table")
    with _one_line(path, kind):
        return READERS[kind](path, how, notes)


@contextmanager
def _one_line(path: Path, kind: str) -> Iterator[None]:
    """Convert any exception of a reader to a one-line error that starts with the file's name.

    All exceptions are caught, because libraries raise many kinds of errors for a damaged file.
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
    """Read a Parquet file, with text as categories to store repeated texts once."""
    pa, parquet = require("pyarrow"), require("pyarrow.parquet")
    schema = sizes.parquet_schema(path)
    text = [
        f.name for f in schema if pa.types.is_string(f.type) or pa.types.is_large_string(f.type)
    ]
    read = parquet.ParquetFile(path, read_dictionary=text).read()
    delimited.note_repeated(read.column_names, notes)
    return read.rename_columns(_distinct(read.column_names)).to_pandas()


def _distinct(names: list[str]) -> list[str]:
    """Add .1, .2 and so on to duplicate names, as pandas does."""
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
    # imported here because it loads numba, which readers of other files do not need
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
    """Return the matrix (m, n), the class labels and the names of the variables."""
    if X.ndim != 2:
        raise InputError(f"{path}: has {X.ndim} dimensions; it must be a matrix with 2 dimensions")
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
        notes.append(f"column {name!r} seems to number the rows; to drop it, use --drop {name}")
    for name in table.date_columns(numbers):
        notes.append(f"column {name!r} seems to contain dates; to drop it, use --drop {name}")
    if names is not None and not how.transpose and len(frame) > TALL * frame.shape[1]:
        notes.append(
            f"the table has {len(frame):,} named rows and {frame.shape[1]:,} columns of numbers; "
            "if the rows are the variables (often genes), use --transpose"
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
    """Return the class labels of the samples, and the table without their column."""
    if label is None:
        return None, frame
    columns = [str(name) for name in frame.columns]
    if label not in columns:
        raise InputError(f"{path}: {table.nearest('column (--label)', label, columns)}")
    variables = frame.loc[:, [name != label for name in columns]]
    return frame.iloc[:, columns.index(label)].astype(str).tolist(), variables


def _remark(problem: Problem, X: Any, how: Reading, notes: list[str]) -> None:
    with uncharged():
        constant = np.flatnonzero(problem.covariance.diagonal() == 0.0)
    if len(constant):
        names = ", ".join(problem.features[j] if problem.features else str(j) for j in constant[:5])
        notes.append(
            f"{len(constant)} of {problem.n} columns are constant, so their loadings are zero: "
            f"{names}"
        )
    square = X.shape[0] == X.shape[1] and not how.covariance and not sp.issparse(X)
    if square and np.allclose(X, np.transpose(X)):
        notes.append("the table is square and symmetric; if it is a covariance, use --covariance")


def _names(path: Path, file: Path | None, count: int) -> list[str] | None:
    """Return the names in a file, or the vocabulary next to a docword file, or None."""
    if file is None and kind_of(path) == "docword":
        beside = path.with_name(path.name.replace("docword", "vocab", 1).removesuffix(".gz"))
        file = beside if beside.is_file() else None
    if file is None:
        return None
    from spcabench.readers.corpus import read_vocabulary

    return read_vocabulary(file, count)
