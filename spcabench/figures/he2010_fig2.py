"""He, Monteiro, Park (2010), Figure 2: time against the larger dimension, wide and tall matrices.

W (n x p: n samples, p variables) with 20 % nonzeros from N(0, 1), centred implicitly, given sparse
to all solvers; left n / p = 0.1, right n / p = 10. The paper states no cardinality here: s = p / 5
as in its Figure 1 (ours), c = s /
10. GPower0 stops by its objective (1e-4); single runs, the whole search dotted. One thread,
interleaved, exclusive, minimum.
"""

from spcabench.claims import Statement, every
from spcabench.figures._he2010 import OURS, draw_times, ratios, show, trial, trials
from spcabench.style import plain_log_ticks

PANELS, SIZE = (1, 2), (9.5, 3.8)
METHODS = ("gpower0", *OURS)

H4 = Statement(
    id="H4",
    quote="the speed of Mcol-PCA method is comparable to GPower when n/p = .1",
    where="section 3.1, figure 2",
    test="median of time of GPower0 / time of Mcol-PCA, single runs, at every size",
    threshold="within [1/2, 2] at every size",
    timed=True,
)
H5 = Statement(
    id="H5",
    quote="it is faster than GPower when n/p = 10",
    where="section 3.1, figure 2",
    test="interval of time of GPower0 / time of Mcol-PCA, single runs",
    threshold="above 1 over at least 80 % of the sizes",
    timed=True,
)


def runs(scale):
    """Ten larger dimensions from 200 to 4000 at paper scale."""
    larger = (
        (200, 400, 600, 800, 1200, 1600, 2000, 2600, 3300, 4000)
        if scale == "paper"
        else (200, 350, 550, 800)
    )
    for size in larger:
        for m, n in ((size // 10, size), (size, size // 10)):
            yield from trial(
                "random_sparse", dict(m=m, n=n, density=0.2, seed=0), max(2, n // 5), OURS
            )


def data(table):
    """Timed rows by larger dimension x and shape."""
    timed = trials(table)
    return timed.assign(x=timed[["m", "n"]].max(axis=1).astype(float), wide=timed.n > timed.m)


def draw(data, axes):
    """Times of wide and of tall matrices."""
    for axis, wide in zip(axes.flat, (True, False), strict=True):
        draw_times(axis, data[data.wide == wide], METHODS)
        name = "variables p, n/p = 0.1" if wide else "samples n, n/p = 10"
        axis.set(xscale="log", xlabel=f"number of {name}")
        plain_log_ticks(axis)


def claims(data):
    """H4 and H5."""
    ratio = ratios(data[data.wide], "gpower0", "mcol")
    yield H4.judged(every([v.within(0.5, 2.0) for v in ratio.values()]), f"ratio {show(ratio)}")
    ratio = ratios(data[~data.wide], "gpower0", "mcol")
    yield H5.judged(every([v.at_least(1.0) for v in ratio.values()], 0.8), f"ratio {show(ratio)}")
