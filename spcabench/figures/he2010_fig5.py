"""He, Monteiro, Park (2010), Figure 5: time and variance against the cardinality, MNIST.

The first 5000 training images, 784 pixels (the paper does not say which 5000), pixels centred,
dense for both solvers. The cardinality is the one that GPower0 reached; its variance is taken after
the refit on its support. GPower0 stops by its objective (1e-4); single runs, the whole search
dotted. One thread, interleaved, exclusive, minimum.
"""

from spcabench.claims import Statement, every
from spcabench.figures._he2010 import better, by_cardinality, draw_trade_off, ratios, show, trial
from spcabench.figures._truth import truth

PANELS, SIZE = (1, 2), (9.5, 3.8)
METHODS = ("gpower0", "mcol")

H10 = Statement(
    id="H10",
    quote="Mcol-PCA method outperforms GPower method not only in terms of speed but also solution "
    "quality",
    where="section 3.2, figure 5",
    test="speed: interval of time of GPower0 / time of Mcol-PCA above 1; quality: variance of "
    "Mcol-PCA above that of GPower0 (refitted) at equal cardinality",
    threshold="each over at least 80 % of the cardinalities",
    timed=("speed",),
)


def runs(scale):
    """Cardinalities of the 784 pixels."""
    ks = (5, 20, 50, 100, 200, 300, 400, 500, 600) if scale == "paper" else (10, 50, 150, 350)
    for k in ks:
        yield from trial("mnist", {}, k / 784, METHODS[1:], form="data", matched=True)
    shares = [k / 784 for k in ks if k <= 200]
    yield from truth(scale, "mnist", {}, 15 if scale == "paper" else 12, shares, form="covariance")


data = by_cardinality


def draw(data, axes):
    """Times, and the trade-off."""
    draw_trade_off(data, axes.flat, METHODS)


def claims(data):
    """H10, two claims."""
    ratio = ratios(data, "gpower0", "mcol")
    yield H10.judged(
        every([v.at_least(1.0) for v in ratio.values()], 0.8), f"ratio {show(ratio)}", "speed"
    )
    verdict, text = better(data, "mcol", "gpower0")
    yield H10.judged(verdict, text, "quality")
