"""Simulated word counts with topics, by default a tenth of NYTimes (m=300_000, n=102_660).

NYTimes (300,000 documents, 102,660 words), which Zhang and El Ghaoui (2011) use, is too large to
distribute. At full size, this simulation shows the cost of elimination and search on NYTimes. Its
topics and the decay of its variances only reflect its assumptions.

The following properties are calibrated on two available news corpora, KOS (3430 x 6906) and the
Associated Press (2246 x 10473): the exponent and the shift of the Zipf-Mandelbrot law of word
frequencies; the spread of the document lengths; how often a word is repeated in a document; and how
unevenly topics use a word (the ratio of variance to mean of its counts, by rank). The paper states
the numbers of documents and words, and a file size of 1 GB, which at 14.5 bytes per entry means 230
different words per document.

The remaining properties are assumptions. The number of topics and their frequencies are arbitrary.
Each document has exactly one topic, from which a Beta(2, 2) fraction of its words is drawn. A topic
multiplies the frequency of each word by a gamma variable that does not depend on the rank of the
word or on other words, so no two topics are related. Document lengths are lognormal. There are no
phrases, dates or duplicate articles. The leading eigenvalue does not match: it is 3 to 6 times the
largest variance, but 1.5 to 2.3 times in the real corpora, because longer documents contain more of
all words.
"""

import numpy as np
import scipy.sparse as sp

from spcabench import validate
from spcabench.problem.problem import Problem

EXPONENT, SHIFT = 0.95, 35.0  # KOS has 0.91 and 18, the Associated Press 0.99 and 66
OCCURRENCES = 280.0  # mean number of drawn words per document, about 230 of them different
LENGTHS = 0.74  # standard deviation of the log of a document's length; 0.71 and 0.77 in the corpora
ONCE = 0.83  # probability that an occurrence is not repeated immediately
TOPICALITY = 0.25  # shape of the gamma variable; smaller values make topics more uneven
BLOCK = 5_000  # documents generated at a time


def load(m=30_000, n=10_266, topics=50, seed=0):
    """Return A = counts (m, n), sparse, centred implicitly.

    m, n : the number of documents, and the number of words, the most frequent word first.
    topics : number of topics; the frequency of topic t is proportional to 1/(t + 10).
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
        divisor="1",
        features=[f"word{j}" for j in range(1, n + 1)],
        provenance=dict(source="simulated", preprocessing="counts, centred", stand_in=False),
    )


def _cumulated(rng, n, topics):
    """Return the words' cumulative frequencies (topics + 1, n): in all documents, then by topic."""
    frequency = (np.arange(1, n + 1) + SHIFT) ** -EXPONENT
    weights = np.vstack([np.ones(n), rng.gamma(TOPICALITY, 1.0 / TOPICALITY, (topics, n))])
    cumulated = np.cumsum(frequency * weights, axis=1)
    return cumulated / cumulated[:, -1:]


def _documents(rng, m, cumulated):
    """Return the word counts (m, n) of m documents."""
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
