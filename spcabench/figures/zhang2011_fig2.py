"""Zhang, El Ghaoui (2011), Figure 2: sorted variances of the words.

Variance (1/m) of the count of every word, sorted, for the paper's two corpora or what stands in for
them (KOS for NYTimes, the Associated Press for PubMed), and for NIPS, which is ours and drawn
lighter. Left the axis of words is linear, as in the paper, where an exponential is a straight line;
right it is logarithmic, where a power law is one. The dotted line is a tenth of the largest
variance of the first corpus.
"""

import numpy as np

from spcabench.claims import Condition, Statement, decided
from spcabench.figures._zhang2011 import corpus_name
from spcabench.run import Measure
from spcabench.style import DASHES, PALETTE

PANELS, SIZE = (1, 2), (11.0, 4.2)
CORPORA = ("nytimes", "pubmed", "nips")

Z2 = Statement(
    id="Z2",
    quote="the variances of the features decrease drastically",
    where="section 4, figure 2",
    test="variance of the word at rank n/200 over the largest variance",
    threshold="at most a tenth, in each of the paper's corpora",
)
HEAD = 1000  # the largest order that the paper worked on
Z12 = Statement(
    id="Z12",
    quote="features in real-life data typically have exponentially decreasing variances",
    where="abstract",
    test="R^2 of a line through the log variances of the 1000 words of largest variance (ranks "
    "spaced evenly) against their rank, and against the logarithm of their rank",
    threshold="the rank itself, which is an exponential, fits better, in each corpus",
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
    whole = variances[variances > 0]
    return {
        "head": _fits(whole[:HEAD]),
        "whole": _fits(whole),
        "ranks": ranks.tolist(),
        "variances": variances[ranks - 1].tolist(),
        "share": float(variances[at - 1] / variances[0]),
    }


def _fits(variances):
    """R^2 of log variance against rank, and against the logarithm of rank."""
    at = np.unique(np.linspace(1, len(variances), 1000).astype(int))
    y = np.log(variances[at - 1])
    return [float(np.corrcoef(x, y)[0, 1] ** 2) for x in (at, np.log(at))]


def draw(data, axes):
    """Log variance against the index, then against its logarithm, so that the head is seen."""
    for axis, scale in zip(axes.flat, ("linear", "log"), strict=True):
        for row, colour, dashes in zip(data.itertuples(), PALETTE, DASHES, strict=False):
            ranks, variances = np.array(row.extra["ranks"]), np.array(row.extra["variances"])
            shown = variances > 0
            alpha = 0.5 if row.label == "nips" else 1.0
            style = dict(color=colour, linestyle=dashes, alpha=alpha, label=row.problem)
            axis.plot(ranks[shown], variances[shown], **style)
        tenth = 0.1 * data.extra.iloc[0]["variances"][0]
        axis.axhline(tenth, color="black", linewidth=0.8, linestyle=":")
        axis.set(xscale=scale, yscale="log", xlabel="word, sorted by variance")
    axes.flat[0].set_ylabel("variance of its count")
    axes.flat[0].legend()


def claims(data):
    """Z2 for each of the paper's corpora, Z12 for NIPS too."""
    for row in data.itertuples():
        share, name = row.extra["share"], corpus_name(row)
        if row.label != "nips":
            words = f"{share:.3f} of the largest at rank n/200 ({row.problem})"
            yield Z2.judged(decided(share <= 0.1), words, name)
        yield _exponential(row, name)


def _exponential(row, name):
    """Z12: on the head, and on all words as a condition."""
    head, whole = row.extra["head"], row.extra["whole"]
    words = "R^2 {:.3f} against the rank, {:.3f} against its logarithm"
    everywhere = Condition(
        "all words", decided(whole[0] > whole[1]), words.format(*whole), chosen_after=False
    )
    steep = decided(head[0] > head[1])
    cause = "" if steep == "holds" else "The variances at the top fall like a power of the rank."
    return Z12.judged(steep, words.format(*head), name, conditions=[everywhere], cause=cause)
