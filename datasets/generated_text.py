"""Generated word counts of the size of a large corpus, with topics: sparse, 10^5 words.

Word j is in a share of 8/j of the documents, as in Zipf (1949), but at most a half. Each
document has one of a number of topics, and the words of its topic are three times as likely in it:
so there are sparse components to be found. It stands for corpora such as NYTimes (102,660 words),
whose files are too large to be carried along.
"""

import numpy as np
import scipy.sparse as sp

from spcabench import validate
from spcabench.problem.problem import Problem

COMMON = 8.0  # times 1/j: the share of the documents that word j is in
MOST = 0.5  # share of the documents that a word is in at most
LIKELIER = 3.0  # a word in the documents of its topic


def load(m=20_000, n=100_000, topics=50, seed=0):
    """A = counts (m, n), centred implicitly.

    m : documents. n : words. topics : of which word j has the j-th, counted around.
    """
    for name, value, least in (("m", m, 2), ("n", n, 1), ("topics", topics, 1), ("seed", seed, 0)):
        validate.whole(name, value, least)
    rng = np.random.default_rng(seed)
    topic = rng.integers(topics, size=m)
    share = np.minimum(COMMON / np.arange(1, n + 1), MOST)
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
        provenance=dict(source="generated", preprocessing="counts, centred", stand_in=False),
    )
