"""Zhang, El Ghaoui (2011), Table 1: words of the top five sparse components of NYTimes.

The five components of smallest index, words in order of weight, with the penalty that a search from
above found, the variance x'Sigma x per document, the certified gap of the relaxation, and the
coherence (NPMI) that claim Z3 is judged by; last the variance refitted, as a share of the proven
optimum of as many words (or of a bound on it). KOS stands in where NYTimes is not at hand; NIPS is
ours. Counts are the paper's reading, tf-idf is ours.

How they are made: see `spcabench/figures/_topics.py`. bca_continuation finds the same optimum as
the paper's plain block coordinate ascent, to a certified gap.
"""

from spcabench.figures import _topics

PANELS, SIZE = (1, 1), (9.5, 3.6)


def runs(scale):
    """Every corpus, in both readings; fewer words at quick scale."""
    return _topics.runs(("nytimes", "nips"), scale)


Z3 = _topics.Z3
draw, tables = _topics.draw, _topics.tables
certified = _topics.certified
