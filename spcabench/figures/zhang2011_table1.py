"""Zhang, El Ghaoui (2011), Table 1: words of the top five sparse components of NYTimes.

The first five components, with words in order of weight, the penalty found by a search from above,
the variance x'Sigma x per document, the certified gap of the relaxation, and the coherence (NPMI),
which decides claim Z3. The last column is the refitted variance as a share of the proven optimum
for as many words (or of a bound on it). KOS is the stand-in if NYTimes is not available; we added
NIPS. Counts are the paper's reading, and tf-idf is ours.

See `spcabench/figures/_topics.py` for the method. bca_continuation finds the same optimum as the
paper's plain block coordinate ascent, to a certified gap.
"""

from spcabench.figures import _topics

PANELS, SIZE = (1, 1), (9.5, 3.6)


def runs(scale):
    """Run every corpus in both readings, with fewer words at quick scale."""
    return _topics.runs(("nytimes", "nips"), scale)


Z3 = _topics.Z3
draw, tables = _topics.draw, _topics.tables
certified = _topics.certified
