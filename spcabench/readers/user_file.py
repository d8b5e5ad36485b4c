"""Reads a user's file as a problem.

This is the only entry point for user files. An error of a library about a file becomes a one-line
error that names the file. No code in a file is executed.
"""

import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from spcabench import files, machine
from spcabench.errors import InputError, nearest
from spcabench.flops import uncharged
from spcabench.machine import MissingExtra, require
from spcabench.problem.problem import Problem
from spcabench.readers import arrays, delimited, matrix_market, table
from spcabench.readers.opening import calling_library
from spcabench.readers.reading import Reading

FORMATS = (
    ".csv, .tsv, .txt, .xlsx, .parquet, .dta, .npy, .npz, .mat, .mtx, docword.NAME.txt (text also "
    "as .gz)"
)
TEXTS = (".csv", ".tsv", ".txt")
LESS = (  # what can be done if a table is too large
    "use fewer rows, or compute the covariance from blocks of rows (for a text, of the words with "
    "the largest variances)"
)
ONLY_FOR = {  # a setting of a reading -> the formats of the files that have it
    **dict.fromkeys(("sep", "decimal", "header", "encoding"), TEXTS),
    "na": (*TEXTS, ".xlsx"),
    "key": (".npz", ".mat", ".xlsx"),
}
GENES, TALL = 1000, 10  # with more named rows, and this many times the columns, rows can be genes


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
    with naming(path, notes):
        X, labels = _variables(X, how, notes)
        about = {"source": str(path), "notes": notes, "stand_in": False}
        given: dict[str, Any] = dict(name=path.name, provenance=about)
        given["features"] = _names(path, how.names, X.shape[1])
        if how.covariance:
            problem = Problem.from_covariance(X, **given)
        else:
            problem = Problem.from_data(X, scale=how.scale, labels=labels, **given)
    _remark(problem, X, how, notes)
    return problem


def contents(path: Path, how: Reading, notes: list[str]) -> Any:
    """Return the unprocessed content of a file: a data frame, an array or a sparse matrix."""
    kind = kind_of(path)
    files.regular_file(path, f"a file: {FORMATS}")
    if not kind:
        raise InputError(f"{path}: unknown format; supported formats are {FORMATS}")
    for name, kinds in ONLY_FOR.items():
        if getattr(how, name) is not None and kind not in kinds:
            raise InputError(f"--read {name}: only for {', '.join(kinds)} files, not {path}")
    with naming(path, notes):
        if path.stat().st_size > machine.free_memory() and kind != ".npy":  # which is not read
            raise MemoryError
        X = READERS[kind](path, how, notes)
        if isinstance(X, pd.DataFrame) and not X.shape[1]:
            raise InputError("no columns; at least one variable is needed")
        return X


@contextmanager
def naming(path: Path, notes: Sequence[str]) -> Iterator[None]:
    """Let an error start with the file's name, and state a guess that can have caused it."""
    name = " ".join(str(path).splitlines())
    try:
        yield
    except MemoryError:
        raise InputError(f"{name}: not enough memory: {LESS}") from None
    except InputError as error:
        told = str(error)
        if not (isinstance(error, MissingExtra) or told.startswith((name, "--"))):
            told = f"{name}: {told.removeprefix('X: ')}"
        guesses = [note for note in notes if "--read" in note or "--transpose" in note]
        error.args = (" ".join("; ".join([told, *guesses[:1]]).splitlines()),)
        raise


def _parquet(path: Path, how: Reading, notes: list[str]) -> pd.DataFrame:
    require("pyarrow.parquet")
    with calling_library(path):
        return pd.read_parquet(path)


def _stata(path: Path, how: Reading, notes: list[str]) -> pd.DataFrame:
    with calling_library(path):
        return pd.read_stata(path)


def _excel(path: Path, how: Reading, notes: list[str]) -> pd.DataFrame:
    require("openpyxl")
    with calling_library(path), pd.ExcelFile(path, engine="openpyxl") as book:
        sheets = [str(name) for name in book.sheet_names]
        if how.key is not None and how.key not in sheets:
            raise InputError(nearest("sheet", how.key, sheets))
        if how.key is None and len(sheets) > 1:
            other = shlex.quote(f"key={sheets[1]}")
            notes.append(f"sheet {sheets[0]!r} is read; for another one: --read {other}")
        return pd.read_excel(book, how.key or 0, na_values=how.na)


def _docword(path: Path, how: Reading, notes: list[str]) -> Any:
    # imported here because it loads numba, which readers of other files do not need
    from spcabench.readers import corpus

    return corpus.read_docword(path)


Reader = Callable[[Path, Reading, list[str]], Any]
READERS: dict[str, Reader] = {
    **dict.fromkeys(TEXTS, delimited.read),
    ".xlsx": _excel,
    ".parquet": _parquet,
    ".dta": _stata,
    ".npy": lambda path, how, notes: arrays.npy(path),
    ".npz": lambda path, how, notes: arrays.npz(path, how.key),
    ".mat": lambda path, how, notes: arrays.mat(path, how.key),
    ".mtx": lambda path, how, notes: matrix_market.read(path),
    "docword": _docword,
}


def _variables(X: Any, how: Reading, notes: list[str]) -> tuple[Any, list[str] | None]:
    """Return the matrix or table of the variables (m, n), and the class labels."""
    if X.ndim != 2:
        raise InputError(f"has {X.ndim} dimensions; it must be a matrix with 2 dimensions")
    if not isinstance(X, pd.DataFrame):
        for option, value in (("--label", how.label), ("--drop", how.drop)):
            if value:
                raise InputError(f"{option}: the columns of this file have no names")
        if sp.issparse(X) or X.dtype.kind != "f" or not np.isnan(X).any():
            return X.T if how.transpose else X, None
        numbered = pd.DataFrame(X, columns=[str(j + 1) for j in range(X.shape[1])])
        return table.numbers(numbered, how, notes)[0].to_numpy(), None
    frame, names = table.row_names(X, (how.label, *how.words), notes, how.index)
    labels, frame = _labels(frame, how.label)
    if not how.transpose:
        frame = table.chosen(frame, how.drop)
    tall = not how.transpose and len(frame) > max(GENES, TALL * frame.shape[1])
    if tall and names is not None and not all(map(delimited.is_number, names)):
        notes.append(
            f"the table has {len(frame):,} named rows and {frame.shape[1]:,} columns; if the rows "
            "are the variables (often genes), use --transpose --drop text"
        )
    numbers, present = table.numbers(frame, how, notes, names)
    return numbers, None if labels is None else [labels[i] for i in np.flatnonzero(present)]


def _labels(frame: pd.DataFrame, label: str | None) -> tuple[list[str] | None, pd.DataFrame]:
    """Return the class labels of the samples, and the table without their column."""
    if label is None:
        return None, frame
    columns = [str(name) for name in frame.columns]
    if label not in columns:
        raise InputError(nearest("column (--label)", label, columns))
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
