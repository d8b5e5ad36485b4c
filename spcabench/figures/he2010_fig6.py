"""He, Monteiro, Park (2010), Figure 6: time and variance against the cardinality for NIPS papers.

The data are counts of 12419 words in 1500 full papers; they are sparse and centred implicitly. If
the words that occur at most 20 times in the corpus are missing (4.9 % of the entries), the name of
the data set says so. The solvers are compared at the cardinality that GPower0 reached; GPower0's
variance is computed after a refit on its support. GPower0 stops when the relative change in its
objective is below 1e-4. Its solid curve is the time of a single run, and the dotted curve is the
time of the whole search for a penalty; the lighter curve is its time on the dense centred matrix.
Times are measured on one thread, with the solvers taking turns and nothing else running; the
minimum and the band from the minimum to the upper quartile over the rounds are shown. A hollow
marker means that the search missed the requested cardinality. The curves and the title above the
times show whole runs. The verdict on H11 is based on other runs, which are not plotted: they use
processor time, all solvers have the same tolerance (1e-4), and the data are converted before timing
starts.
"""

from spcabench import claims
from spcabench.claims.words import number
from spcabench.figures import _he2010 as he
from spcabench.figures._truth import truth
from spcabench.style import LETTERS

PANELS, SIZE = (1, 2), (11.5, 4.0)
METHODS = ("gpower0", "gpower0 dense", "mcol")

AT = "k = {:g}"

H11 = claims.Statement(
    id="H11",
    where="section 3.2, figure 6",
    quote="Mcol-PCA is more efficient than GPower in terms of speed when the desired sparsity is "
    "less than 500",
    measures="time of GPower0 / time of Mcol-PCA",
    rule=claims.above(1),
    over=claims.every("k", high=500, least=3),
    changed="four of five k were enough" + he.EQUAL,
    **he.AGAINST_GPOWER,
)
H11.measured(lambda data: he.speedup(data, "mcol", he.over_rounds, AT))


@H11.because
def _centred_implicitly(data, judged):
    """State how much less a run of GPower0 costs if the data remain sparse."""
    flops, seconds = (
        # the statement is about GPower0 on the dense matrix; this is the factor that is due to
        # density
        he.over_problems(he.paired(data, "gpower0 dense", "gpower0", column)).value
        for column in ("flops", "total")
    )
    return (
        f"With implicit centring, GPower0 keeps the data sparse: the dense centred matrix takes "
        f"{number(flops)} times its flops and {number(seconds)} times its time."
    )


H12 = claims.Statement(
    id="H12",
    where="section 3.2, figure 6",
    quote="the solution variances of Mcol-PCA is comparable to that of GPower although a little "
    "smaller",
    measures="variance of Mcol-PCA / variance of GPower0, refitted; up to 5 % less is our reading "
    "of 'a little smaller'",
    # "a little smaller" excludes ratios above 1 (larger) and below 0.95 (not comparable)
    rule=claims.Rule(0.95, 1.0, ends=False),
    over=claims.every("k", least=3),
    changed="the sign was not tested: 5 % more variance than GPower0 would have held",
    **he.AGAINST_GPOWER | dict(timed=False),
)


@H12.measured
def _a_little_smaller(data):
    for name, (gpower, form) in he.worlds().items():
        both = he.paired(data, f"mcol{form}", gpower, "value")
        if len(both):
            places = claims.places(both, "x", lambda rows: claims.exact(rows.quotient.median()), AT)
            yield claims.Reading(name, places, both, he.below_optimum(data, "mcol"))


def runs(scale):
    """Run cardinalities up to 900 of the 12419 words."""
    ks = (5, 15, 40, 80, 150, 250, 400, 600, 900) if scale == "paper" else (5, 30, 120, 400, 700)
    for k in ks:
        yield from he.trial(
            "bag_of_words", dict(corpus="nips"), k / 12419, ("mcol",), matched=True, dense=True
        )
    for k in ks if scale == "paper" else ():
        yield from he.alike(dict(dataset="bag_of_words", parameters=dict(corpus="nips")), k / 12419)
    shares = [k / 12419 for k in ks if k <= 80]
    yield from truth(
        scale, "bag_of_words", dict(corpus="nips"), 17 if scale == "paper" else 10, shares
    )


data = he.by_cardinality


def draw(data, axes):
    """Plot the times, then the variances."""
    he.draw_trade_off(data, axes.flat, METHODS, xlabel=f"cardinality, of {data.n.iloc[0]} words")
    axes.flat[0].axvline(500, color="black", linewidth=0.8, linestyle=":")
    where = axes.flat[0].get_xaxis_transform()
    style = dict(ha="right", va="center", transform=where, fontsize=LETTERS)
    axes.flat[0].text(480, 0.53, "the paper: faster below 500", **style)
