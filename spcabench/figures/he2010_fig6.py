"""He, Monteiro, Park (2010), Figure 6: time and variance against the cardinality, NIPS full papers.

Counts of 12419 words in 1500 papers, words centred implicitly, given sparse to both solvers; the
data's name says where the words with corpus count up to 20 are missing (4.9 % of the entries). The
cardinality is the one that GPower0 reached; its variance is taken after the refit on its support.
GPower0 stops by its objective (1e-4); single runs, the whole search dotted. One thread,
interleaved, exclusive; the minimum of the rounds; band: their quartiles. A hollow marker: the
search missed the cardinality asked for.
"""

from spcabench.claims import Statement, every
from spcabench.figures._he2010 import by_cardinality, draw_trade_off, ratios, speedup, trial
from spcabench.figures._truth import known, truth

PANELS, SIZE = (1, 2), (9.5, 3.8)
METHODS = ("gpower0", "gpower0 dense", "mcol")

H11 = Statement(
    id="H11",
    quote="Mcol-PCA is more efficient than GPower in terms of speed when the desired sparsity is "
    "less than 500",
    where="section 3.2, figure 6",
    test="interval of time of GPower0 / time of Mcol-PCA above 1 at cardinalities below 500; "
    "GPower0 on sparse and on dense centred data are two readings, undecided where they disagree",
    threshold="over the range, or at least 80 % of it",
    earlier=(
        dict(
            verdict="fails",
            measured="ratio 1.35 at 5, then 0.67 to 0.76 (paper scale)",
            reason="first tested with GPower0 on sparse data only",
        ),
    ),
    timed=True,
)
H12 = Statement(
    id="H12",
    quote="the solution variances of Mcol-PCA is comparable to that of GPower although a little "
    "smaller",
    where="section 3.2, figure 6",
    test="|variance of Mcol-PCA / variance of GPower0 (refitted) - 1| at equal cardinality, every "
    "cardinality",
    threshold="at most 5 %",
)


def runs(scale):
    """Cardinalities up to 900 of the 12419 words."""
    ks = (5, 15, 40, 80, 150, 250, 400, 600, 900) if scale == "paper" else (5, 30, 120, 400, 700)
    for k in ks:
        yield from trial(
            "bag_of_words", dict(corpus="nips"), k / 12419, ("mcol",), matched=True, dense=True
        )
    shares = [k / 12419 for k in ks if k <= 80]
    yield from truth(
        scale, "bag_of_words", dict(corpus="nips"), 17 if scale == "paper" else 10, shares
    )


data = by_cardinality


def draw(data, axes):
    """Times, and the trade-off."""
    draw_trade_off(data, axes.flat, METHODS, xlabel=f"cardinality, of {data.n.iloc[0]} words")


def claims(data):
    """H11 and H12."""
    yield H11.judged(*speedup(data[data.x < 500], "mcol", _faster))
    found = {x: 100 * (v.median - 1) for x, v in ratios(data, "mcol", "gpower0", "value").items()}
    near = [abs(v) <= 5.0 for v in found.values()]
    text = "; ".join(f"{x:g}: {v:+.2f}" for x, v in found.items())
    yield H12.judged(
        "undecided" if not near else "holds" if all(near) else "fails",
        f"difference in %: {text}; "
        f"{known(data).distance(data[data.method == 'mcol'], 'value', 'Mcol-PCA')}",
    )


def _faster(ratio):
    return every([v.at_least(1.0) for v in ratio.values()], 0.8)
