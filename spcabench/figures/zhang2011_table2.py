"""Zhang, El Ghaoui (2011), Table 2: words of the top five sparse components of PubMed.

For each of the first five components, the table lists the words sorted by weight, the penalty found
by a decreasing search, the variance x'Sigma x per document, the certified gap of the relaxation,
and the coherence (NPMI) on which claim Z3 is judged. The last row shows the refitted variance, also
as a percentage of the proven optimum for as many words (or of a bound, if the optimum is not
proven). If PubMed is not available, the Associated Press corpus is its stand-in. The paper's data
are counts of words; we added tf-idf weights.

See `spcabench/figures/_topics.py` for the method. bca_continuation finds the same optimum as the
paper's plain block coordinate ascent, up to the certified gap.
"""

from spcabench.figures import _topics

PANELS, SIZE = (1, 1), (7.6, 3.6)


def runs(scale):
    """Run the corpus with counts and with tf-idf weights, with fewer words at the quick scale."""
    return _topics.runs(("pubmed",), scale)


Z3 = _topics.Z3
draw, tables = _topics.draw, _topics.tables
certified = _topics.certified
