"""Simulated word counts with topics; NYTimes' size is m=300_000, n=102_660, the default a tenth.

NYTimes (300,000 documents, 102,660 words), which Zhang and El Ghaoui (2011) use, is too large to be
carried along. At its size this one tells what elimination and search cost there. What it says of
topics and of the decay of variances is what was put in.

Calibrated on the news at hand, KOS (3430 x 6906) and the Associated Press (2246 x 10473): the
exponent and the shift of Zipf and Mandelbrot's law for the frequency of words; the spread of the
documents' lengths; how often a word is said again once it is said; how unequal topics make the use
of a word (variance over mean of its counts, by rank). From the paper: documents, words, and the
file's size of 1 GB, which at 14.5 bytes an entry is 230 different words in a document.

Invented: the number of topics and how common each is; that a document has one of them, and a
Beta(2, 2) share of its words from it; that a topic multiplies the frequency of each word by a gamma
variable, independent of its rank and of other words, so no two topics are related; that lengths are
lognormal. There are no phrases, no dates and no copies of articles. Not calibrated and not met: the
leading eigenvalue is 3 to 6 times the largest variance, in the real corpora 1.5 to 2.3 times,
because longer documents use all words more.
"""

import numpy as np
import scipy.sparse as sp

from spcabench import validate
from spcabench.problem.problem import Problem

EXPONENT, SHIFT = 0.95, 35.0  # KOS 0.91 and 18, the Associated Press 0.99 and 66
OCCURRENCES = 280.0  # of a document on average, of about 230 different words
LENGTHS = 0.74  # standard deviation of their logarithm: 0.71 and 0.77
ONCE = 0.83  # probability that an occurrence is not repeated at once
TOPICALITY = 0.25  # shape of the gamma variable; smaller is more unequal
BLOCK = 5_000  # documents that are made at a time


def load(m=30_000, n=10_266, topics=50, seed=0):
    """A = counts (m, n), sparse, centred implicitly.

    m : documents. n : words, the most frequent first. topics : of which topic t is as common as
    1/(t + 10).
    """
    for name, value, least in (("m", m, 2), ("n", n, 1), ("topics", topics, 1), ("seed", seed, 0)):
        validate.whole(name, value, least)
    own, *blocks = np.random.SeedSequence(seed).spawn(1 + -(-m // BLOCK))
    cumulated = _cumulated(np.random.default_rng(own), n, topics)
    sizes = np.minimum(BLOCK, m - BLOCK * np.arange(len(blocks)))
    counts = [
        _documents(np.random.default_rng(block), size, cumulated)
        for block, size in zip(blocks, sizes, strict=True)
    ]
    return Problem.from_data(
        sp.vstack(counts, format="csr"),
        f"simulated corpus {m} x {n}, {topics} topics",
        center=True,
        features=[f"word{j}" for j in range(1, n + 1)],
        provenance=dict(source="simulated", preprocessing="counts, centred", stand_in=False),
    )


def _cumulated(rng, n, topics):
    """Cumulated frequencies of the words (topics + 1, n): those of all documents, and by topic."""
    frequency = (np.arange(1, n + 1) + SHIFT) ** -EXPONENT
    weights = np.vstack([np.ones(n), rng.gamma(TOPICALITY, 1.0 / TOPICALITY, (topics, n))])
    cumulated = np.cumsum(frequency * weights, axis=1)
    return cumulated / cumulated[:, -1:]


def _documents(rng, m, cumulated):
    """Counts of m documents (m, n)."""
    topics, n = len(cumulated) - 1, cumulated.shape[1]
    common = 1.0 / (np.arange(topics) + 10.0)
    topic = rng.choice(topics, m, p=common / common.sum())
    length = rng.poisson(
        OCCURRENCES * rng.lognormal(-(LENGTHS**2) / 2.0, LENGTHS, m).clip(1.0 / OCCURRENCES)
    )
    document = np.repeat(np.arange(m), length)
    from_topic = rng.random(len(document)) < np.repeat(rng.beta(2.0, 2.0, m), length)
    source = np.where(from_topic, 1 + topic[document], 0)
    word = np.empty(len(document), dtype=np.int64)
    for t in np.unique(source):
        chosen = source == t
        word[chosen] = np.searchsorted(cumulated[t], rng.random(chosen.sum()), side="right")
    cells, occurrences = np.unique(document * n + word, return_counts=True)
    counts = occurrences + rng.negative_binomial(occurrences, ONCE)
    rows, columns = np.divmod(cells, n)
    starts = np.searchsorted(rows, np.arange(m + 1))
    return sp.csr_array(
        (counts.astype(float), columns.astype(np.int32), starts.astype(np.int32)), shape=(m, n)
    )
