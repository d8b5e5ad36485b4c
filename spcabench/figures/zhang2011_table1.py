"""Zhang, El Ghaoui (2011), Table 1: words of the top five sparse components of NYTimes.

The picture shows the words of the first five components, sorted by weight, below the words that the
paper prints. The last row is the share of random sets of words that are at least as coherent (by
NPMI), on which claim Z3 is judged. The tables add the penalty found by a decreasing search, the
variance x'Sigma x per document, the certified gap of the relaxation, the coherence, and the
refitted variance, also as a percentage of the proven optimum for as many words (or of a bound, if
the optimum is not proven). If NYTimes is not available, KOS is its stand-in. The tables also have
NIPS.

See `spcabench/figures/_topics.py` for the method. bca_continuation finds the same optimum as the
paper's plain block coordinate ascent, up to the certified gap.
"""

from spcabench.figures import _topics

PANELS, SIZE = (2, 1), (11.5, 4.0)


def runs(scale):
    """Run each corpus, with fewer words at the quick scale."""
    return _topics.runs(("nytimes", "nips"), scale)


data, draw, tables, certified = _topics.data, _topics.draw, _topics.tables, _topics.certified

Z3 = _topics.Z3
