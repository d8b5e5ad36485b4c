"""He, Monteiro, Park (2010), Figure 4: variance and time against the cardinality, square sparse
matrix.

W square with 20 % nonzeros from N(0, 1), centred implicitly, given sparse to all solvers. The
cardinality is the one that GPower0 reached, the same for all three; GPower0's variance is taken
after the refit on its support, which is what the second phase of the other two is. GPower0 stops by
its objective (1e-4); single runs, the whole search dotted. One thread, interleaved, exclusive;
the minimum of the rounds, median over problems; band: quartiles over problems. The paper states no
density here: 20 % as in its Figure 1 (ours). Lighter: Scol-PCA and Mcol-PCA with V'V given, its
making not timed. A hollow marker: the search of GPower0 missed the
cardinality asked for, and is drawn at the one it reached, the median over problems. The band of
what the optimum may be is cut above the curves.
"""

from typing import Any

from spcabench.claims import Condition, Statement, decided, every, slope
from spcabench.figures._he2010 import (
    GIVEN,
    METHODS,
    OURS,
    better,
    by_cardinality,
    by_level,
    draw_trade_off,
    levels,
    small_loss,
    speedup,
    trial,
)
from spcabench.figures._readings import readings
from spcabench.figures._truth import known, truth

PANELS, SIZE = (1, 2), (9.5, 3.8)
SEEDS = (1, 2, 3)  # not the seed 0 of the first run, which suggested the condition of H8
LOOPS = 23  # Mcol-PCA has fewer than its ten loops at smaller cardinalities

H7 = Statement(
    id="H7",
    quote="Scol-PCA method outperforms GPower method in terms of solution quality and speed",
    where="section 3.1, figure 4",
    test="quality: variance of Scol-PCA above that of GPower0 (refitted) at equal cardinality; "
    "speed: interval of time of GPower0 / time of Scol-PCA above 1, Scol-PCA on sparse data, "
    "with V'V given, and against GPower0 on dense centred data (undecided where they disagree)",
    threshold="each over at least 80 % of the cardinalities",
    earlier=(
        dict(
            verdict="fails",
            measured="speed: ratio 46 at cardinality 1 falling to 0.095 at 900 (paper scale)",
            reason="speed was first tested on sparse data only; the paper lets its algorithms "
            "take V'V too",
        ),
    ),
    timed=("speed",),
)
H8 = Statement(
    id="H8",
    quote="The running time of our speed-up algorithm Mcol-PCA barely increases as the "
    "cardinality increasing",
    where="section 3.1, figure 4",
    test="slope of log time against log cardinality, Mcol-PCA, in the same two readings",
    threshold="below 0.2",
    earlier=(
        dict(
            verdict="fails",
            measured="slope 0.67 (paper scale)",
            reason="first tested on sparse data only",
        ),
    ),
    timed=True,
)
H9 = Statement(
    id="H9",
    quote="at the expense of an acceptable sacrifice in solution quality",
    where="section 3.1, figure 4",
    test="variance of Mcol-PCA below that of Scol-PCA, at every cardinality",
    threshold="at most 5 %",
)
H17 = Statement(
    id="H17",
    quote="a single sparse principal component of a specified cardinality with just a single run",
    where="section 1",
    test="runs of Scol-PCA and Mcol-PCA that gave exactly the cardinality asked, without a search",
    threshold="all",
    by_construction="both take exactly as many columns as they are asked for",
)


def runs(scale):
    """Paper: 5000 x 5000, cardinality 1 to 900."""
    size, ks = (
        (5000, (1, 5, 25, 75, 150, 300, 600, 900))
        if scale == "paper"
        else (800, (1, 5, 15, 40, 90, 150))
    )
    for seed in SEEDS if scale == "paper" else SEEDS[:1]:
        parameters = dict(m=size, n=size, density=0.2, seed=seed)
        problem: dict[str, Any] = dict(dataset="random_sparse", parameters=parameters, seed=seed)
        for k in ks:
            yield from trial(**problem, k=k, solvers=OURS, matched=True, gram=True, dense=True)
            yield from levels(problem, k)
    parameters = dict(m=size, n=size, density=0.2, seed=SEEDS[0])
    yield from truth(scale, "random_sparse", parameters, 4, ks, form="covariance")


data = by_cardinality


def draw(data, axes):
    """The trade-off, and times."""
    draw_trade_off(data, axes.flat[::-1], METHODS, xscale="log")


def claims(data):
    """H7 to H9, H17."""
    verdict, text = better(data, "scol", "gpower0")
    yield H7.judged(verdict, text, "quality")
    yield H7.judged(*speedup(data, "scol", _faster), "speed")
    slopes = {name: _slope(data[data.method == f"mcol{form}"]) for name, form in GIVEN.items()}
    slow = {
        name: decided(None if growth is None else growth < 0.2) for name, growth in slopes.items()
    }
    words = {name: f"slope {growth}" for name, growth in slopes.items()}
    yield H8.judged(*readings(slow, words), conditions=_all_loops(data))
    verdict, text = small_loss(data, 5.0)
    distance = known(data).distance(data[data.method == "mcol"], "value", "Mcol-PCA")
    conditions = by_level(data)
    yield H9.judged(verdict, f"{text}; {distance}", conditions=conditions)
    ours = data[data.method.isin(["scol", "mcol"])]
    exact = (ours.cardinality == ours.k) & ours.search_runs.fillna(0).eq(0)
    yield H17.judged(
        decided(bool(exact.all()) if len(ours) else None), f"{int(exact.sum())} of {len(ours)} runs"
    )


def _faster(ratio):
    return every([v.at_least(1.0) for v in ratio.values()], 0.8)


def _all_loops(data):
    for name, form in GIVEN.items():
        growth = _slope(data[(data.method == f"mcol{form}") & (data.x >= LOOPS)])
        if growth is not None:
            yield Condition(f"k >= {LOOPS}, {name}", decided(growth < 0.2), f"slope {growth}")


def _slope(mine):
    best = mine.groupby("x").total.min()
    return round(slope(best.index, best), 2) if len(best) >= 3 else None
