"""Generated sparse word counts with topics, as large as a corpus of 10^5 words.

Word j occurs in a fraction 8/j of the documents, as in Zipf (1949), but in at most half of them.
Each document has one topic, and the words of this topic are three times as likely in it, so there
are sparse components to find. The counts stand in for corpora such as NYTimes (102,660 words),
whose files are too large to distribute.
"""

import numpy as np
import scipy.sparse as sp

from spcabench import validate
from spcabench.problem.problem import Problem

COMMON = 8.0  # COMMON / j is the fraction of the documents that contain word j
LARGEST_SHARE = 0.5  # maximum of this fraction
LIKELIER = 3.0  # factor by which a word is more likely in the documents of its topic


def load(m=20_000, n=100_000, topics=50, seed=0):
    """Return A = counts (m, n), centred implicitly.

    m, n : the number of documents, and the number of words.
    topics : number of topics; words are assigned to the topics cyclically.
    """
    for name, value, least in (("m", m, 2), ("n", n, 1), ("topics", topics, 1), ("seed", seed, 0)):
        validate.whole(name, value, least)
    rng = np.random.default_rng(seed)
    topic = rng.integers(topics, size=m)
    share = np.minimum(COMMON / np.arange(1, n + 1), LARGEST_SHARE)
    rows = []
    for j in range(n):
        count = max(1, rng.binomial(m, share[j]))
        drawn = rng.choice(m, min(m, int(LIKELIER * count)), replace=False, shuffle=False)
        own = topic[drawn] == j % topics
        rows.append(np.union1d(drawn[own], drawn[~own][:count]))
    starts = np.concatenate([[0], np.cumsum([len(r) for r in rows])])
    counts = rng.geometric(0.6, starts[-1]).astype(float)
    return Problem.from_data(
        sp.csc_array((counts, np.concatenate(rows), starts), shape=(m, n)),
        f"generated text {m} x {n}, {topics} topics",
        divisor="1",
        provenance=dict(source="generated", preprocessing="counts, centred", stand_in=False),
    )
