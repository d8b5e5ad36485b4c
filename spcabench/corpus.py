"""Bags of words in UCI's docword format: three header lines D, W, NNZ, then lines "document word count", from 1."""

import ast
import gzip
import importlib.util
import warnings
from collections.abc import Iterator
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp

PACKAGES = ("numpy", "scipy", "pandas", "sklearn", "matplotlib")
HEADER = ("number of documents", "number of words", "number of triplets")


def read_docword(path: Path) -> sp.csc_array:
    """Counts (documents, words) as float64, sparse.

    The file may be gzipped and may have Windows line ends. Raises ValueError, with file and line, for a malformed one.
    """
    try:
        shape, promised = _header(path)
        table = pd.read_csv(
            path, sep=" ", header=None, skiprows=3, names=["document", "word", "count"],
            dtype=np.int64, compression="gzip" if _gzipped(path) else None, index_col=False, skipinitialspace=True,
        )  # fmt: skip
    except (OSError, EOFError, ValueError, OverflowError) as error:
        raise ValueError(_first_fault(path) or f"{path}: {' '.join(str(error).split())}") from None
    d, w, counts = (table[name].to_numpy() for name in table)
    if len(d) != promised or _out_of_range(d, shape[0]) or _out_of_range(w, shape[1]) or (counts < 1).any():
        raise ValueError(_first_fault(path) or f"{path}: {len(d)} triplets; the header promises {promised}")
    return sp.csc_array(sp.coo_array((counts.astype(np.float64), (d - 1, w - 1)), shape=shape))


def read_vocabulary(path: Path, count: int) -> list[str]:
    """The words, one a line. Raises ValueError where there are not ``count``."""
    words = path.read_text(encoding="utf-8").split()
    if len(words) != count:
        raise ValueError(f"{path}: {len(words)} words; the corpus has {count}")
    return words


def _gzipped(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(2) == b"\x1f\x8b"


def _lines(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") if _gzipped(path) else path.open(encoding="utf-8") as stream:
        yield from stream


def _header(path: Path) -> tuple[tuple[int, int], int]:
    numbers: list[int] = []
    for what, line in zip(HEADER, _lines(path), strict=False):
        if not line.strip().isdecimal():
            raise ValueError(f"{path}, line {len(numbers) + 1}: {line.strip()[:40]!r} is no {what}")
        numbers.append(int(line))
    if len(numbers) < 3:
        raise ValueError(f"{path}: {len(numbers)} lines; the header needs three")
    return (numbers[0], numbers[1]), numbers[2]


def _out_of_range(ids: np.ndarray, top: int) -> bool:
    return bool(len(ids)) and (ids.min() < 1 or ids.max() > top)


def _first_fault(path: Path) -> str | None:
    """The first malformed line, read slowly: only for the message of an error that is already known."""
    at = 0
    try:
        (documents, words), promised = _header(path)
        for at, line in enumerate(_lines(path), 1):
            fault = _fault(line.split(), documents, words) if at > 3 else None
            if fault:
                return f"{path}, line {at}: {fault}"
    except (OSError, EOFError, UnicodeDecodeError) as error:
        return f"{path}, after line {at}: damaged file ({' '.join(str(error).split())})"
    except ValueError as error:
        return str(error)
    found = at - 3
    return (
        f"{path}, line {at}: the file ends with {found} triplets; its header promises {promised}"
        if found != promised
        else None
    )


def _fault(parts: list[str], documents: int, words: int) -> str | None:
    if len(parts) != 3 or not all(part.isdecimal() for part in parts):
        return f"{' '.join(parts)[:40]!r} is not three whole numbers"
    document, word, count = map(int, parts)
    if not 1 <= document <= documents:
        return f"document {document} is out of range; allowed are 1 to {documents}"
    if not 1 <= word <= words:
        return f"word {word} is out of range; allowed are 1 to {words}"
    return f"count {count}; allowed are whole numbers from 1" if count < 1 else None


@lru_cache
def docstrings() -> tuple[sp.csc_array, list[str]]:
    """Word counts of the docstrings of public functions and classes in installed scientific packages, and the words.

    A real corpus that ships with the dependencies, the same for given versions of them. Words of at least three
    letters, in at least five documents, without English stop words.
    """
    import joblib
    import pooch

    versions = [version(name) for name in ("numpy", "scipy", "pandas", "scikit-learn", "matplotlib")]
    return joblib.Memory(pooch.os_cache("spcabench"), verbose=0).cache(_docstrings)(versions)


def _docstrings(versions: list[str]) -> tuple[sp.csc_array, list[str]]:
    """Half a minute of parsing, kept on disk for these versions."""
    from sklearn.feature_extraction.text import CountVectorizer

    texts = [text for package in PACKAGES for text in _documented(package)]
    counter = CountVectorizer(min_df=5, stop_words="english", token_pattern=r"(?u)\b[a-z]{3,}\b")
    counts = counter.fit_transform(texts)
    return sp.csc_array(counts, dtype=np.float64), counter.get_feature_names_out().tolist()


def _documented(package: str) -> Iterator[str]:
    spec = importlib.util.find_spec(package)
    assert spec is not None and spec.origin is not None
    for file in sorted(Path(spec.origin).parent.rglob("*.py")):
        if "test" in file.as_posix().removeprefix(Path(spec.origin).parent.as_posix()):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # of theirs
            tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                text = ast.get_docstring(node)
                if text:
                    yield text
