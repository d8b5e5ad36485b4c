"""Zhang, El Ghaoui (2011), Table 1: words of the top five sparse components of NYTimes.

The table lists the first five components, with their words sorted by weight, the penalty found by a
search from above, the variance x'Sigma x per document, the certified gap of the relaxation, and the
coherence (NPMI) by which claim Z3 is judged. The last column is the refitted variance as a
percentage of the proven optimum for as many words (or of a bound on it). KOS is the stand-in if
NYTimes is not available; we added NIPS. Counts are the paper's reading, and tf-idf is ours.

See `spcabench/figures/_topics.py` for the method. bca_continuation finds the same optimum as the
paper's plain block coordinate ascent, to a certified gap.
"""

from spcabench.figures import _topics

PANELS, SIZE = (1, 1), (9.5, 3.6)


def runs(scale):
    """Run every corpus in both readings, with fewer words at the quick scale."""
    return _topics.runs(("nytimes", "nips"), scale)


Z3 = _topics.Z3
draw, tables = _topics.draw, _topics.tables
certified = _topics.certified
