"""Counts, moments and covariances of text corpora in docword files, and a corpus of docstrings."""

import ast
import importlib.util
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

import numba
import numpy as np
import scipy.sparse as sp

from spcabench import files, validate
from spcabench.errors import InputError, using_file
from spcabench.readers import sources
from spcabench.readers.docword import Docword
from spcabench.readers.opening import open_text
from spcabench.vectors import Array, Indices, Vector

LONGEST_WORD = 1000  # maximum length of a word, or of a variable's name, in characters
PACKAGES = ("numpy", "scipy", "pandas", "sklearn", "matplotlib")


def read_docword(path: Path) -> sp.csc_array:
    """Return the word counts (documents, words) as a sparse float64 array.

    The file can be gzipped and can have Windows line endings. If it is malformed, an InputError
    names the file and the line.
    """
    file = Docword.open(path)
    parts = [[array.copy() for array in block] for block in file.blocks()]
    d, w, counts = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    shape = (file.documents, file.words)
    return validate.sparse(str(path), sp.coo_array((counts, (d - 1, w - 1)), shape=shape))


@dataclass(frozen=True)
class Moments:
    """Sums and sums of squares of the counts of each word, and document frequencies.

    documents : number of documents. sums, squares, documents_with : arrays of shape (words,), the
        last with the number of documents that contain each word.
    """

    documents: int
    sums: Vector
    squares: Vector
    documents_with: Vector

    @property
    def means(self) -> Vector:
        """Mean count of each word."""
        return self.sums / self.documents

    @property
    def variances(self) -> Vector:
        """Variance of the counts of each word, with divisor m."""
        return np.maximum(self.squares / self.documents - self.means**2, 0.0)

    @property
    def idf(self) -> Vector:
        """Inverse document frequency: log(documents / documents_with), or 0 if a word is absent."""
        return np.log(
            self.documents / np.where(self.documents_with, self.documents_with, self.documents)
        )


def moments(path: Path) -> Moments:
    """Compute the moments of a docword file in one pass that uses a fixed amount of memory.

    The result is cached on disk under the checksum of the file. The format allows at most one count
    for each pair of a document and a word.
    """
    import joblib

    memory = joblib.Memory(sources.downloads(), verbose=0)
    return memory.cache(stream_moments, ignore=["path"])(path, sources.checksum(path))


def stream_moments(path: Path, checksum: str = "") -> Moments:
    """Compute `moments` without the cache on disk."""
    file = Docword.open(path)
    sums, squares, documents = np.zeros(file.words), np.zeros(file.words), np.zeros(file.words)
    for _, w, c in file.blocks():
        _add_moments(w, c, sums, squares, documents)
    return Moments(file.documents, sums, squares, documents)


def covariance(path: Path, words: Indices, statistics: Moments) -> Array:
    """Return the covariance (k, k) of the counts of k words in one pass over the file.

    The divisor is the number of documents; see `products`.
    """
    mu = statistics.means[words]
    return products(path, words) - np.outer(mu, mu)


def products(path: Path, words: Indices, presence: bool = False) -> Array:
    """Return the second moments (k, k) of the counts of k words in one pass over the file.

    ``words`` contains zero-based indices, and the divisor is the number of documents. With
    ``presence``, every count is replaced by 1, so the entries are the fractions of documents that
    contain both words. Raises InputError if the documents are not in order.
    """
    file = Docword.open(path)
    place = np.full(file.words, -1, dtype=np.int64)
    place[words] = np.arange(len(words))
    G = np.zeros((len(words), len(words)))
    columns, counts = np.zeros(len(words), dtype=np.int64), np.zeros(len(words))
    document, used = 0, 0
    for d, w, c in file.blocks():
        if presence:
            c[:] = 1
        document, used = _add_products(d, w, c, place, G, columns, counts, document, used)
        if document < 0:
            raise InputError(
                f"{path}: the documents are not in order, or a document repeats a word"
            )
    _outer(G, columns, counts, used)
    return (G + np.triu(G, 1).T) / file.documents


@numba.njit(cache=True, nogil=True)
def _add_moments(w, c, sums, squares, documents):
    for i in range(len(w)):
        documents[w[i] - 1] += 1.0
        sums[w[i] - 1] += c[i]
        squares[w[i] - 1] += c[i] * c[i]


@numba.njit(cache=True, nogil=True)
def _add_products(d, w, c, place, G, columns, counts, document, used):
    """Add the products of the counts of the chosen words in a document to one triangle of G."""
    for i in range(len(d)):
        if d[i] != document:
            if d[i] < document:
                return -1, used
            _outer(G, columns, counts, used)
            document, used = d[i], 0
        j = place[w[i] - 1]
        if j >= 0:
            if used == len(columns):
                return -1, used
            columns[used], counts[used] = j, c[i]
            used += 1
    return document, used


@numba.njit(cache=True, nogil=True)
def _outer(G, columns, counts, used):
    for a in range(used):
        for b in range(used):
            if columns[a] <= columns[b]:
                G[columns[a], columns[b]] += counts[a] * counts[b]


def read_vocabulary(path: Path, count: int) -> list[str]:
    """Return ``count`` words from a file, the first field of each line.

    The file can be gzipped. Raises InputError if the number of words differs.
    """
    with using_file(path), open_text(files.regular_file(path)) as stream:
        text = stream.read(LONGEST_WORD * (count + 1)).decode("utf-8-sig")
    # 10x Genomics describes a gene by several fields, of which the first one is unique
    words = [line.split("\t")[0].strip() for line in text.splitlines() if line.strip()]
    if len(words) != count:
        raise InputError(
            f"{path}: contains {len(words):,} names, but the data have {count:,} variables"
        )
    return words


@lru_cache
def docstrings() -> tuple[sp.csc_array, list[str]]:
    """Return the word counts (documents, words) of installed docstrings, and the words.

    This corpus of real text is installed with the dependencies and depends only on their versions.
    Each docstring of a public function or class is a document. The words have at least three
    letters, occur in at least five documents, and are not English stop words.
    """
    import joblib

    versions = [
        version(name) for name in ("numpy", "scipy", "pandas", "scikit-learn", "matplotlib")
    ]
    return joblib.Memory(sources.downloads(), verbose=0).cache(_docstrings)(versions)


def _docstrings(versions: list[str]) -> tuple[sp.csc_array, list[str]]:
    """Count the words of all docstrings, which takes half a minute."""
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
            warnings.simplefilter("ignore", SyntaxWarning)  # caused by the code of the packages
            tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                text = ast.get_docstring(node)
                if text:
                    yield text
