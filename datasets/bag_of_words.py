"""Word counts of text corpora: nips, kos, ap, enron, nytimes, pubmed, or docstrings.

UCI machine learning repository, "Bag of Words" (Newman 2008; CC BY 4.0): nips (1500 x 12419), kos
(3430 x 6906), enron (39861 x 28102), nytimes (300000 x 102660), pubmed (8200000 x 141043). ap
contains 2246 documents of the Associated Press (Blei). The files docword.NAME.txt[.gz] and
vocab.NAME.txt are expected in the folder NAME. If UCI's complete NIPS file is not available, a file
without the words that occur at most 20 times (4.9 % of the entries) is used, with a note to the
user.

Stand-ins: kos for nytimes, and ap for pubmed. For enron, the stand-in is a synthetic corpus of the
same shape, with 3.7 million nonzeros and Zipf's word frequencies. For any other corpus, the
docstrings of the installed scientific packages are used, where a document is a public function or
class.
"""

import numpy as np
import scipy.sparse as sp

from spcabench.errors import InputError
from spcabench.problem.problem import Problem
from spcabench.readers import sources
from spcabench.readers.corpus import (
    PACKAGES,
    Moments,
    covariance,
    docstrings,
    moments,
    products,
    read_docword,
    read_vocabulary,
)
from spcabench.readers.docword import Docword

UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases/bag-of-words/"


def _of_uci(name, sha256=None, size=None):
    return sources.File(
        f"{name}/docword.{name}.txt.gz", sha256, f"{UCI}docword.{name}.txt.gz", size, "CC BY 4.0"
    )


# the files of each corpus, the complete file first, with a note on the words missing from the file
CORPORA = {
    "nips": [
        (_of_uci("nips"), ""),
        (
            sources.File(
                "nips/docword.nips.gt20.txt.gz",
                "e38161680d94deb0d717935b411d4645782a949bd29dcf48faa31f473a5398e0",
                None,
                2_182_932,
                "CC BY 4.0",
            ),
            "without the words with corpus count up to 20",
        ),
    ],
    "kos": [
        (
            _of_uci(
                "kos", "6439c39f2fccb4876563e4b4c9628974d8ccbeada43d661292a5024911389e30", 1_053_803
            ),
            "",
        )
    ],
    "ap": [
        (
            sources.File(
                "ap/docword.ap.txt.gz",
                "1a5fa86173e75206329138602dce9a7f9087a9dc0ae2971e9208045d67c77ca9",
                None,
                934_562,
                "none stated; TREC terms",
            ),
            "",
        )
    ],
    "enron": [(_of_uci("enron"), "")],
    "nytimes": [(_of_uci("nytimes"), "")],
    "pubmed": [(_of_uci("pubmed"), "")],
    "docstrings": [],
}
FILES = [file for files in CORPORA.values() for file, _ in files]
# real corpora that are used as stand-ins for larger corpora
STAND_INS = {"nytimes": ("kos",), "pubmed": ("ap",)}
ENRON = (39861, 28102, 3_700_000)


VALUES = {"counts": "counts", "tfidf": "tf-idf", "presence": "presence of the words"}


def load(corpus="nips", center=True, words=None, values="counts"):
    """Return the counts (documents, words) as A, centred implicitly by word, not divided by m.

    values : "counts"; "tfidf", counts times log(documents / documents with the word); or
        "presence", 1 for each word that occurs.
    words : if specified, return the covariance (1/m) of this number of words with the largest
        variances instead. The file is streamed twice, so the memory used does not depend on its
        size, and even pubmed can be loaded. With values="presence", the words are still chosen by
        the variance of their counts. If such data are not centred, an entry of the covariance is
        the fraction of documents that contain both words.
    """
    if values not in VALUES:
        raise InputError(f"values: {values!r}; choose from {', '.join(VALUES)}")
    if corpus not in CORPORA:
        raise InputError(f"corpus: {corpus!r}; choose from {', '.join(CORPORA)}")
    if words is not None and (isinstance(words, bool) or not isinstance(words, int) or words < 1):
        raise InputError(f"words: {words!r}; it must be a whole number from 1, or None")
    for name in (corpus, *STAND_INS.get(corpus, ())):
        for file, path, missing in _found(name):
            return _read(name, file, path, missing, corpus, words, values, center)
    about = dict(source="synthetic, Zipf's word frequencies")
    if corpus == "enron":
        return _of_counts(
            "synthetic", _synthetic(*ENRON), None, about, corpus, words, values, center
        )
    counts, vocabulary = docstrings()
    about = dict(source=f"docstrings of {', '.join(PACKAGES)}")
    return _of_counts("docstrings", counts, vocabulary, about, corpus, words, values, center)


def _found(corpus):
    """Yield the available files of a corpus, the complete file first."""
    for file, missing in CORPORA[corpus]:
        for name in (file.path, file.path.removesuffix(".gz")):
            path = sources.find(name, file.sha256 if name == file.path else None, file.url)
            if path is not None:
                yield name, path, missing


def _read(name, file, path, missing, corpus, words, values, center):
    vocabulary_file = sources.find(f"{name}/vocab.{name}.txt", None)
    vocabulary = (
        read_vocabulary(vocabulary_file, Docword.open(path).words) if vocabulary_file else None
    )
    about = dict(source=name, file=file, sha256=sources.checksum(path), missing=missing)
    name = f"{name} ({missing})" if missing else name
    if words is None:
        return _of_counts(
            name, read_docword(path), vocabulary, about, corpus, words, values, center
        )
    first = moments(path)
    top = _top(first, words, values)
    if values == "presence":
        p = first.documents_with[top] / first.documents
        S = products(path, top, presence=True) - (np.outer(p, p) if center else 0.0)
    else:
        S = covariance(path, top, first) if center else products(path, top)
    return _of_covariance(name, about, S, first, top, vocabulary, corpus, values, center)


def _top(first, words, values):
    variances = first.variances * (first.idf**2 if values == "tfidf" else 1.0)
    return np.sort(np.argsort(-variances, kind="stable")[:words])


def _named(name, shape, corpus, about):
    """Return the name and provenance of the problem, which identify a stand-in."""
    stand_in = not name.startswith(corpus)
    if stand_in:
        name = f"{corpus} (stand-in: {name} {shape[0]} x {shape[1]})"
        about = about | dict(source=f"{about['source']}, in place of {corpus}")
    return name, about | dict(stand_in=stand_in)


def _of_covariance(name, about, S, first, top, vocabulary, corpus, values, center):
    name, about = _named(name, (first.documents, len(first.sums)), corpus, about)
    kind = "covariance (1/m)" if center else "second moments (1/m)"
    about |= dict(preprocessing=f"{VALUES[values]}: {kind} of the words of largest variance")
    features = [vocabulary[j] for j in top] if vocabulary else [str(j) for j in top]
    if values == "tfidf":
        S = S * np.outer(first.idf[top], first.idf[top])
    return Problem.from_covariance(
        S, f"{name}, {len(top)} words", features=features, provenance=about
    )


def _of_counts(name, counts, vocabulary, about, corpus, words, values, center):
    if words is None:
        name, about = _named(name, counts.shape, corpus, about)
        about |= dict(preprocessing=f"{VALUES[values]}{', centred' if center else ''}")
        return Problem.from_data(
            _valued(counts, values),
            name,
            center=center,
            divisor="1",
            features=vocabulary,
            provenance=about,
        )
    first = _moments(counts)
    top = _top(first, words, values)
    chosen = _valued(counts[:, top], "presence" if values == "presence" else "counts")
    S = (chosen.T @ chosen).toarray() / first.documents
    mu = np.asarray(chosen.mean(axis=0))
    return _of_covariance(
        name,
        about,
        S - np.outer(mu, mu) if center else S,
        first,
        top,
        vocabulary,
        corpus,
        values,
        center,
    )


def _moments(counts):
    documents = np.diff(counts.indptr).astype(float)
    return Moments(
        counts.shape[0],
        np.asarray(counts.sum(axis=0)),
        np.asarray((counts**2).sum(axis=0)),
        documents,
    )


def _valued(counts, values):
    if values == "presence":
        counts = counts.copy()
        counts.data[:] = 1.0
    return counts @ sp.diags_array(_moments(counts).idf) if values == "tfidf" else counts


def _synthetic(m, n, nonzeros):
    """Return counts with Zipf's word frequencies.

    The fraction of documents that contain word j is proportional to 1/j, but at most 0.6.
    """
    rng = np.random.default_rng(0)
    weight = 1.0 / np.arange(1, n + 1)
    low, high = 0.0, float(m) * n
    while high - low > 1e-6 * high:  # find the scale that gives this number of nonzeros
        middle = (low + high) / 2
        low, high = (
            (middle, high)
            if np.minimum(middle * weight, 0.6 * m).sum() < nonzeros
            else (low, middle)
        )
    documents = np.maximum(np.minimum(high * weight, 0.6 * m).astype(int), 1)
    rows = np.concatenate([rng.choice(m, d, replace=False, shuffle=False) for d in documents])
    starts = np.concatenate([[0], documents.cumsum()])
    counts = sp.csc_array(
        (rng.geometric(0.6, starts[-1]).astype(float), rows, starts), shape=(m, n)
    )
    counts.sort_indices()
    return counts
