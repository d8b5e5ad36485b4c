"""Zhang, El Ghaoui (2011), Figure 2: sorted variances of the words.

The figure shows the variances (with divisor m) of the counts of all words in decreasing order, for
the paper's two corpora or their stand-ins (KOS for NYTimes, the Associated Press for PubMed). On
the linear axis of ranks, as in the paper, an exponential decay is a straight line. In the right
panel, which we added, the axis is logarithmic, so a power law is a straight line; we added NIPS to
it.
"""

import numpy as np

from spcabench import claims
from spcabench.claims import claim, meaning
from spcabench.figures import _zhang2011_text as text
from spcabench.run import Run
from spcabench.showing.style import DASHES, PALETTE

PANELS, SIZE = (1, 3), (11.5, 3.8)
HEAD = 1000  # the largest rank mentioned in the paper
LARGEST, ALL = f"{HEAD} words of largest variance", "all words"


# what runs


def runs(scale):
    """Make one pass over each corpus."""
    for corpus in text.ASKED:
        yield Run(
            dataset="bag_of_words",
            parameters=dict(corpus=corpus),
            function=sorted_variances,
            label=corpus,
        )


def sorted_variances(problem, *, seed):
    """Return the variances at log-spaced ranks, and fits of their decay."""
    variances = np.sort(problem.covariance.diagonal())[::-1] / problem.m
    # the curve has 200 points instead of 100,000
    ranks = np.unique(np.geomspace(1, problem.n, 200).astype(int))
    # a variance of zero has no logarithm
    complete = variances[variances > 0]
    return {
        "head": fits(complete[:HEAD]),
        "whole": fits(complete),
        "ranks": ranks.tolist(),
        "variances": variances[ranks - 1].tolist(),
    }


def fits(variances):
    """Return R^2 of the fits of the log variance to the rank and to the logarithm of the rank."""
    # equally spaced in rank, like the paper's axis, otherwise the head would dominate
    at = np.unique(np.linspace(1, len(variances), 1000).astype(int))
    y = np.log(variances[at - 1])
    return [float(np.corrcoef(x, y)[0, 1] ** 2) for x in (at, np.log(at))]


def data(table):
    """Return a row for each corpus, with the quantities of the claims."""
    rows = text.corpora(table)
    decay = {
        name: [(1 - exponential) / (1 - power) for exponential, power in rows[name]]
        for name in ("head", "whole")
    }
    return rows.assign(**decay)


# what is drawn


def draw(data, axes):
    """Plot the log variance against the rank, and all corpora against its logarithm."""
    *of_paper, right = axes.flat
    asked = data[data.label.isin(text.ORDERS)]
    for axis, row in zip(of_paper, asked.itertuples(), strict=False):
        plot(axis, row, PALETTE[0])
        axis.set(title=row.corpus, xlabel="word, sorted by variance", ylabel="variance of counts")
    for row, colour, dashes in zip(data.itertuples(), PALETTE, DASHES, strict=False):
        plot(right, row, colour, linestyle=dashes, label=row.corpus)
    right.set(xscale="log", xlabel="word, sorted by variance")
    right.legend(loc="lower left")
    right.set_title(f"an exponential leaves {Z12.told(data)}\nthe error of a power law")


def plot(axis, row, colour, **style):
    """Plot the variances of a corpus that are not zero against their ranks."""
    ranks, variances = np.array(row.ranks), np.array(row.variances)
    axis.plot(ranks[variances > 0], variances[variances > 0], color=colour, **style)
    axis.set_yscale("log")


# what is claimed


@claim(
    "Z12",
    "abstract",
    "features in real-life data typically have exponentially decreasing variances",
    measures="unexplained share of the log variances: line in the rank, an exponential / line in "
    "its logarithm, a power law",
    unit="times",
    rule=meaning.LESS,
    at=claims.most("corpora", least=3),
    null=1.0,
    deviates="Words stand for real-life data, as in the paper's own pictures; the 1000 words of "
    "largest variance are our choice, the largest order in the paper.",
    changed="it had to hold for all corpora; corpora that stand in for others count as real-life "
    "data here",
    because="Up to rank 1000 the variance falls nearly as a power of the rank.",
)
def Z12(data):
    """Compare both fits on the words that survive elimination, and on all words."""
    for name, words in ((LARGEST, "head"), (ALL, "whole")):
        yield claims.each(text.as_real(data), "corpus", words, "{}", reading=name, seed=None)
