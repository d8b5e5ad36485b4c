"""Zhang, El Ghaoui (2011), Figure 2: sorted variances of the words.

Variance (1/m) of the count of every word, sorted, for the paper's two corpora or what stands in for
them (KOS for NYTimes, the Associated Press for PubMed), and for NIPS, which is ours and drawn
lighter. The dotted line is a tenth of the largest variance of the first corpus.
"""

import numpy as np

from spcabench.claims import Statement, decided
from spcabench.run import Measure
from spcabench.style import DASHES, PALETTE

PANELS, SIZE = (1, 1), (6.2, 4.0)
CORPORA = ("nytimes", "pubmed", "nips")

Z2 = Statement(
    id="Z2",
    quote="the variances of the features decrease drastically",
    where="section 4, figure 2",
    test="variance of the word at rank n/200 over the largest variance",
    threshold="at most a tenth, in each of the paper's corpora",
)


def runs(scale):
    """One pass over each corpus, the same at both scales."""
    for corpus in CORPORA:
        yield Measure(
            dataset="bag_of_words",
            parameters=dict(corpus=corpus),
            function=sorted_variances,
            label=corpus,
        )


def sorted_variances(problem, *, seed):
    """Variances at ranks equally spaced in their logarithm, and at n/200 over the largest."""
    variances = np.sort(problem.covariance.diagonal())[::-1] / problem.m
    ranks = np.unique(np.geomspace(1, problem.n, 200).astype(int))
    at = max(1, round(problem.n / 200))
    return {
        "ranks": ranks.tolist(),
        "variances": variances[ranks - 1].tolist(),
        "share": float(variances[at - 1] / variances[0]),
    }


def draw(data, axes):
    """Log variance against the index, log as well so that the head is seen."""
    axis = axes.flat[0]
    for row, colour, dashes in zip(data.itertuples(), PALETTE, DASHES, strict=False):
        ranks, variances = np.array(row.extra["ranks"]), np.array(row.extra["variances"])
        shown = variances > 0
        alpha = 0.5 if row.label == "nips" else 1.0
        axis.plot(
            ranks[shown],
            variances[shown],
            color=colour,
            linestyle=dashes,
            alpha=alpha,
            label=row.problem,
        )
    axis.axhline(
        0.1 * data.extra.iloc[0]["variances"][0], color="black", linewidth=0.8, linestyle=":"
    )
    axis.set(
        xscale="log",
        yscale="log",
        xlabel="word, sorted by variance",
        ylabel="variance of its count",
    )
    axis.legend()


def claims(data):
    """Z2 for each of the paper's corpora."""
    for row in data[data.label != "nips"].itertuples():
        share = row.extra["share"]
        yield Z2.judged(
            decided(share <= 0.1),
            f"{share:.3f} of the largest at rank n/200 ({row.problem})",
            row.label,
        )
