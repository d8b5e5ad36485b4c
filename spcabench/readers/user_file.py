"""A user's own file as a problem: .npy, .npz, .csv, .tsv, .mtx, .parquet or UCI's docword.

No code in a file is run. Every error is one line, and says what to do.
"""

import gzip
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet
import scipy.io
import scipy.sparse as sp

from spcabench import machine
from spcabench.errors import InputError
from spcabench.flops import uncharged
from spcabench.problem.problem import Problem
from spcabench.readers import corpus
from spcabench.readers.docword import Docword
from spcabench.validate import nearest

MISSING = ("error", "rows", "columns", "mean")
SHARE = 0.4  # of the free memory that a table may take: the problem is a second one
FORMATS = ".npy, .npz, .csv, .tsv, .mtx, .parquet, docword.NAME.txt (text also as .gz)"


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How a file is read.

    covariance : it holds Sigma (n, n). center, scale : as `Problem.from_data` has them.
    label : column with the samples' classes. drop : columns left out.
    missing : what becomes of missing values: "error", or leave out "rows" or "columns" that have
        any, or fill in the column's "mean".
    names : file with the variables' names, one a line. key : the array of an .npz file.
    """

    covariance: bool = False
    center: bool = True
    scale: bool = False
    label: str | None = None
    drop: Sequence[str] = ()
    missing: str = "error"
    names: Path | None = None
    key: str | None = None


def is_file(source: str) -> bool:
    """Whether a word on the command line means a file, not a dataset."""
    return Path(source).exists() or "/" in source or kind_of(Path(source)) != ""


def kind_of(path: Path) -> str:
    """The format by the file's name, "" for an unknown one."""
    name = path.name.lower().removesuffix(".gz")
    if name.startswith("docword") and name.endswith(".txt"):
        return "docword"
    suffix = Path(name).suffix
    return suffix if suffix in READERS else ""


def read(path: Path, how: Reading) -> Problem:
    """Return the problem in a file: Sigma is the covariance (with 1/m) of its columns.

    Raises InputError for a file that is no problem.
    """
    kind = kind_of(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    if not kind:
        raise InputError(f"{path}: unknown format; known are {FORMATS}")
    if how.missing not in MISSING:
        raise InputError(f"--missing: {how.missing!r}; allowed are {', '.join(MISSING)}")
    if how.covariance and (how.scale or not how.center or how.label):
        raise InputError(
            "--covariance: is taken as it is; --scale, --no-center and --label are for data"
        )
    notes: list[str] = []
    X, labels = _frame(path, _loaded(path, kind, how), how, notes)
    features = _names(path, how.names, X.shape[1]) if X.ndim == 2 else None
    about = {"source": str(path), "notes": notes, "stand_in": False}
    try:
        if how.covariance:
            return Problem.from_covariance(X, path.name, features=features, provenance=about)
        problem = Problem.from_data(
            X,
            path.name,
            center=how.center,
            scale=how.scale,
            divide_by_m=True,
            features=features,
            labels=labels,
            provenance=about,
        )
    except InputError as error:
        raise InputError(f"{path}: {str(error).removeprefix('X: ')}") from None
    _remark(problem, X, notes)
    return problem


def _loaded(path: Path, kind: str, how: Reading) -> Any:
    needed = free = np.nan
    try:
        (reader, size), free = READERS[kind], machine.free_memory()
        needed = size(path)
        if needed <= SHARE * free:
            return reader(path, how)
    except MemoryError:
        pass
    except PermissionError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    except Exception as error:  # readers fail in many ways on a damaged file
        reason = " ".join(str(error).split())[:150]
        reason = (
            "Python objects, which are never loaded" if "allow_pickle" in str(error) else reason
        )
        if isinstance(error, InputError) and reason.startswith(str(path)):
            raise
        raise InputError(
            f"{path}: not a readable {kind} file ({reason or type(error).__name__})"
        ) from error
    raise InputError(
        f"{path}: {needed / 1e9:.3g} GB of numbers and a copy, {free / 1e9:.3g} GB are free: form "
        "their covariance by blocks of rows (for a text, of the words of largest variance) and "
        "give it with --covariance"
    )


def _npz(path: Path, how: Reading) -> Any:
    if not zipfile.is_zipfile(path):  # NumPy would advise to unpickle it
        raise InputError("no zip archive, or a damaged one")
    with np.load(path, allow_pickle=False) as archive:
        names = archive.files
        if "indptr" in names and "shape" in names:
            return sp.load_npz(path)
        if how.key is None and len(names) != 1:
            raise InputError(
                f"{path}: holds {len(names)} arrays ({', '.join(names[:5])}): name one, --key "
                f"{names[0]}"
            )
        if how.key is not None and how.key not in names:
            raise InputError(f"{path}: {nearest('array (--key)', how.key, names)}")
        return archive[how.key or names[0]]


def _csv(path: Path, how: Reading) -> pd.DataFrame:
    """Comma, semicolon or tab; a first line that has a word in it is the header."""
    with gzip.open(path, "rt") if path.suffix.lower() == ".gz" else path.open() as stream:
        first = stream.readline()
    separator = max(",;\t", key=first.count)
    plain = all(_is_number(word) for word in first.strip().split(separator))
    frame = pd.read_csv(
        path, sep=separator, header=None if plain else 0, low_memory=False, skipinitialspace=True
    )
    if plain:
        frame.columns = [str(j + 1) for j in range(frame.shape[1])]
    return frame


def _is_number(word: str) -> bool:
    try:
        float(word.strip().strip('"') or "nan")
    except ValueError:
        return False
    return True


def _parquet_size(path: Path) -> float:
    found = pyarrow.parquet.read_metadata(path)
    return 8.0 * found.num_rows * found.num_columns


def _text_size(path: Path) -> float:
    return path.stat().st_size * (4.0 if path.suffix.lower() == ".gz" else 1.0)


# of each format: how it is read, and the bytes that its numbers take
Reader = Callable[[Path, Reading], Any]
READERS: dict[str, tuple[Reader, Callable[[Path], float]]] = {
    ".npy": (
        lambda path, how: np.load(path, allow_pickle=False),
        lambda path: 8.0 * np.load(path, mmap_mode="r").size,
    ),
    ".npz": (_npz, _text_size),
    ".csv": (_csv, _text_size),
    ".tsv": (_csv, _text_size),
    ".mtx": (lambda path, how: scipy.io.mmread(path, spmatrix=False), _text_size),
    ".parquet": (lambda path, how: pd.read_parquet(path), _parquet_size),
    "docword": (
        lambda path, how: corpus.read_docword(path),
        lambda path: 40.0 * Docword.open(path).triplets,
    ),
}


def _frame(path: Path, X: Any, how: Reading, notes: list[str]) -> tuple[Any, list[str] | None]:
    """The table of the variables alone, and the samples' classes."""
    if sp.issparse(X) or (X.ndim != 2):
        return X, None
    frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X)
    named = frame is X
    if named and str(frame.columns[0]).startswith("Unnamed: 0"):
        notes.append("the first column has no header: taken as the rows' names")
        frame = frame.iloc[:, 1:]
    for option, column in (("--label", how.label), *(("--drop", c) for c in how.drop)):
        if column is not None and column not in frame:
            raise InputError(
                f"{path}: {nearest(f'column ({option})', column, map(str, frame.columns))}"
            )
    labels = None if how.label is None else frame[how.label].astype(str)
    frame = frame.drop(columns=[c for c in (how.label, *how.drop) if c is not None])
    _no_text(path, frame)
    frame = _complete(path, frame, how.missing, notes)
    labels = None if labels is None else labels.loc[frame.index].tolist()
    return (frame if named else frame.to_numpy()), labels


def _no_text(path: Path, frame: pd.DataFrame) -> None:
    text = [c for c in frame if not pd.api.types.is_numeric_dtype(frame[c])]
    if text:
        column, more = text[0], f" (and {len(text) - 1} more columns)" if len(text) > 1 else ""
        words = frame[column].dropna().astype(str)
        wrong = words[~words.map(_is_number)]
        value = (
            f": {wrong.iloc[0]!r} in row {frame.index.get_loc(wrong.index[0]) + 1}"
            if len(wrong)
            else ""
        )
        raise InputError(
            f"{path}: column {column!r}{more} is text{value}; --label {column} takes it as the "
            f"classes, --drop {column} leaves it out"
        )


def _complete(path: Path, frame: pd.DataFrame, missing: str, notes: list[str]) -> pd.DataFrame:
    gaps = frame.isna().sum()
    if not gaps.any():
        return frame
    worst = ", ".join(
        f"{c} ({count})" for c, count in gaps.sort_values(ascending=False).head(3).items() if count
    )
    said = f"{int(gaps.sum())} values are missing, in {int((gaps > 0).sum())} columns: {worst}"
    if missing == "error":
        rows, columns = int(frame.isna().any(axis=1).sum()), int((gaps > 0).sum())
        raise InputError(
            f"{path}: {said}; --missing rows leaves {rows} of {len(frame)} rows out, --missing "
            f"columns {columns} of {frame.shape[1]} columns, --missing mean fills in the column's "
            "mean"
        )
    notes.append(
        f"{said}; {'filled in by the mean' if missing == 'mean' else f'these {missing} left out'}"
    )
    return (
        frame.fillna(frame.mean())
        if missing == "mean"
        else frame.dropna(axis="index" if missing == "rows" else 1)
    )


def _remark(problem: Problem, X: Any, notes: list[str]) -> None:
    with uncharged():
        constant = np.flatnonzero(problem.covariance.diagonal() == 0.0)
    if len(constant):
        names = ", ".join(problem.features[j] if problem.features else str(j) for j in constant[:5])
        notes.append(
            f"{len(constant)} of {problem.n} columns are constant and get no weight: {names}"
        )
    if X.shape[0] == X.shape[1] and not sp.issparse(X) and np.allclose(X, np.transpose(X)):
        notes.append("the table is square and symmetric: if it is a covariance, say --covariance")


def _names(path: Path, file: Path | None, count: int) -> list[str] | None:
    """Names given, or the vocabulary beside a docword file."""
    if file is None and kind_of(path) == "docword":
        beside = path.with_name(path.name.replace("docword", "vocab", 1).removesuffix(".gz"))
        file = beside if beside.is_file() else None
    return None if file is None else corpus.read_vocabulary(file, count)
