"""He, Monteiro, Park (2010), Figure 6: time and variance against the cardinality for NIPS papers.

The data are counts of 12419 words in 1500 full papers; they are sparse and centred implicitly. If
the words that occur at most 20 times in the corpus are missing (4.9 % of the entries), the name of
the data set says so. The solvers are compared at the cardinality that GPower0 reached; GPower0's
variance is computed after a refit on its support. GPower0 runs on the dense centred matrix and
stops when the relative change in its objective is below 1e-4; a search finds its penalty. Times are
processor times of single runs without the search, with the solvers taking turns, the second phase
to 1e-4, and data that were converted before timing; lines are geometric means over the rounds, with
their 95 % intervals. Variances are those of converged second phases. Another reading gives GPower0
the sparse data.
"""

from spcabench import claims
from spcabench.claims import claim, meaning
from spcabench.figures import _he2010 as he
from spcabench.figures._truth import truth
from spcabench.showing.style import LETTERS

PANELS, SIZE = (1, 2), (11.5, 4.0)
METHODS = ("gpower0", "mcol")  # the paper's two methods
NIPS = ("bag_of_words", dict(corpus="nips"))
LIMIT = 500  # the paper's cardinality below which Mcol-PCA is faster


# what runs


def runs(scale):
    """Run cardinalities up to 900 of the 12419 words."""
    ks = (5, 15, 40, 80, 150, 250, 400, 600, 900) if scale == "paper" else (5, 30, 120, 400, 700)
    yield from he.trials(scale, *NIPS, [k / 12419 for k in ks])
    shares = [k / 12419 for k in ks if k <= 80]
    yield from truth(scale, *NIPS, 17 if scale == "paper" else 10, shares)


data = he.by_cardinality


# what is drawn


def draw(data, axes):
    """Plot the times, then the variances, of the paper's two methods."""
    words = f"cardinality, of {data.rows.n.iloc[0]} words"
    left, right = axes.flat
    he.draw(left, he.TIME, data.rows, words, METHODS)
    data.truth.draw(right)
    he.draw(right, he.VARIANCE, data.rows, words, METHODS)
    left.set_title(f"Mcol-PCA is {H11.told(data)} as fast as GPower0 below k = {LIMIT}")
    right.set_title(f"Mcol-PCA's variance is {H12.told(data)} GPower0's")
    left.axvline(LIMIT, color="black", linewidth=0.8, linestyle=":")
    style = dict(ha="right", va="center", transform=left.get_xaxis_transform(), fontsize=LETTERS)
    left.text(0.96 * LIMIT, 0.53, f"the paper: below {LIMIT}", **style)


# what is claimed

H11 = claim(
    "H11",
    "section 3.2, figure 6",
    "Mcol-PCA is more efficient than GPower in terms of speed when the desired sparsity is "
    "less than 500",
    measures="time of GPower0 / time of Mcol-PCA",
    rule=meaning.MORE,
    at=claims.every("values of k", high=LIMIT, least=3),
    deviates="Faster is judged below 500; whether it ends there, as the sentence suggests, is not.",
    changed="four of five k were enough" + he.ALIKE,
    because={
        he.SPARSE: "With implicit centring, GPower0 keeps the data sparse; on the "
        "dense centred matrix it takes more flops and more time."
    },
    rows=lambda data: he.speeds(data.rows, "mcol", "k = {:g}"),
    **he.SPEED,
)


@claim(
    "H12",
    "section 3.2, figure 6",
    "the solution variances of Mcol-PCA is comparable to that of GPower although a little smaller",
    measures="variance of Mcol-PCA / variance of GPower0, refitted",
    rule=meaning.SIMILAR_OR_LESS,
    at=claims.every("values of k", least=3),
    changed="the sign was not tested: 5 % more variance than GPower0 would have held",
    # random words have 30 % of the variance of Mcol-PCA at most
    **he.SPEED | dict(timed=False, null=0.3),
)
def H12(data):
    """Compare the variances; there is only one data set, so they are exact."""
    table = he.ratios(data.rows, "variance mcol", "variance gpower0", "k = {:g}")
    return claims.noted(table, *he.below_optimum(data, "mcol"))
