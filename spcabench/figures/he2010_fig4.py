"""He, Monteiro, Park (2010), Figure 4: variance and time against the cardinality for a square
sparse matrix.

W is square and sparse, with 20 % nonzeros drawn from N(0, 1), and is centred implicitly. The paper
states no density for this figure; we use 20 %, as in its Figure 1. All three solvers are compared
at the cardinality that GPower0 reached. GPower0's variance is computed after a refit, because the
second phase of the other two solvers is a refit. GPower0 stops when the relative change in its
objective is below 1e-4. Its solid curve is the time of a single run, and the dotted curve is the
time of the whole search for a penalty. Times are measured on one thread, with the solvers taking
turns and nothing else running; the time of a problem is the minimum over the rounds, and the median
and quartiles (band) over the problems are shown. Variances are those of the first problem, and the
grey band contains its optimum; the band is clipped above the curves. Lighter curves show Scol-PCA
and Mcol-PCA on V'V (computing V'V is not timed), and GPower0 on the dense centred matrix. A hollow
marker means that the search of GPower0 missed the requested cardinality; it is plotted at the
cardinality reached, as the median over problems. The curves and the title above the times show
whole runs. The verdict on H7 is based on the times of other runs, which are not plotted: they use
processor time, measured while at most 2.5 processes were ready to run; all solvers have the same
tolerance (1e-4), and the data are converted before timing starts. The verdicts on H7 and H9 use the
variances of untimed runs on more problems. The verdict on H8 is based on the processor time of
whole runs of Mcol-PCA, in which the cardinalities take turns.
"""

from typing import Any

import numpy as np

from spcabench import claims
from spcabench.figures import _he2010 as he
from spcabench.figures._truth import truth
from spcabench.run import Run

PANELS, SIZE = (1, 2), (11.5, 4.0)
SEEDS = (1, 2, 3)  # without seed 0, whose run suggested the condition of H8
REFERENCE = 73  # Mcol-PCA reaches ten loops at this k; a larger k only adds columns to each loop
GROWING = 16  # number of problems on which the growth of Mcol-PCA's time is measured
MORE = f"; variances on three matrices left it undecided, so they are those of {he.PROBLEMS}"
CONVERTED = "data converted before the clock, second phase to 1e-4"
ABOVE_ONE = claims.every("k", low=2, least=3)  # k = 1 needs no matrix-vector product

H7 = claims.Statement(
    id="H7",
    where="section 3.1, figure 4",
    quote="Scol-PCA method outperforms GPower method in terms of solution quality and speed",
    measures="time of GPower0 / time of Scol-PCA",
    rule=claims.above(1),
    over=ABOVE_ONE,
    also=[he.better("Scol-PCA", ABOVE_ONE)],
    changed="four of five k were enough; k = 1 is shown, not judged" + he.EQUAL + MORE,
    headline=dict(
        holds="Scol-PCA is {range} as fast as GPower, and explains more variance at every k.",
        fails="Scol-PCA does not outperform GPower at every k: it is {range} as fast, faster at "
        "{holds_where}.",
        undecided="Scol-PCA is {range} as fast as GPower; at {undecided_where} either may win.",
    ),
    **he.AGAINST_GPOWER,
)


@H7.measured
def _speed_and_quality(data):
    for reading in he.speedup(data, "scol", label="k = {:g}"):
        world = he.worlds().get(reading.name, ("gpower0 dense", ""))
        # only the primary reading covers more problems
        gpower, form = he.valued(data, *world) if reading.name == H7.primary else world
        results, ties = he.quality(data, f"scol{form}", gpower, he.over_problems)
        # a tie does not show how good the two answers are, but the distance to the optimum does
        notes = [*reading.notes, ties, *he.below_optimum(data, "scol", "gpower0")]
        yield claims.Reading(reading.name, [*reading.places, *results], reading.rows, notes)


H7.because(lambda data, judged: he.made_of(data, "gpower0 dense", "scol", judged))

H8 = claims.Statement(
    id="H8",
    where="section 3.1, figure 4",
    quote="The running time of our speed-up algorithm Mcol-PCA barely increases as the "
    "cardinality increasing",
    measures=f"growth exponent of Mcol-PCA's time from k = {REFERENCE} on: log of the ratio of "
    "times / log of the ratio of k",
    rule=claims.at_most(0.2),
    over=claims.every("k", low=REFERENCE + 1, least=2),
    primary="sparse data",
    why=he.OF_OURS,
    changed="the slope over all k depended on k = 1, which needs no product; seconds were those of "
    f"the clock on three matrices, which left it undecided, so {GROWING} were run in turns, in "
    "processor seconds",
    **he.SPEED | dict(unit=""),
)


@H8.measured
def _growth(data):
    forms = he.GIVEN | {CONVERTED: f" {he.ALIKE}"}
    # use the runs on more problems if they exist
    if data.method.eq(f"mcol {he.IN_TURNS}").any():
        forms |= {H8.primary: f" {he.IN_TURNS}"}
    for name, form in forms.items():
        part = data[data.method == f"mcol{form}"]
        if part.empty:
            continue
        # a growth exponent is a ratio of logarithms, and the minimum over the rounds excludes the
        # effect of other load
        least = np.log(part.groupby(["x", "seed"]).total.min().unstack())
        # use the nearest cardinality, because the search can miss the requested cardinality
        reference = least.index[np.argmin(np.abs(least.index - REFERENCE))]
        steps = np.log(least.index / reference)
        # for the reference itself, the exponent would be 0 / 0
        growth = (least - least.loc[reference]).div(steps, axis=0).drop(reference)
        places = claims.places(
            growth.stack().rename("growth").reset_index(),
            "x",
            lambda rows: claims.mean(rows, "growth", over="seed"),
            "k = {:g}",
        )
        notes = [he.UNTIMED] if name == he.GRAM else []
        notes += [he.loaded(part)] if name == H8.primary and form else []
        yield claims.Reading(name, places, part, notes)


H9 = claims.Statement(
    id="H9",
    where="section 3.1, figure 4",
    quote="at the expense of an acceptable sacrifice in solution quality",
    over=claims.every("k", least=3),
    changed=MORE.removeprefix("; "),
    **he.LOSS,
)
H9.measured(lambda data: he.losses(data, "k = {:g}"))
H9.because(lambda data, judged: he.more_loops(judged))

H17 = claims.Statement(
    id="H17",
    where="section 1",
    quote="a single sparse principal component of a specified cardinality with just a single run",
    kind="theorem",
    measures="share of the runs that gave exactly the requested cardinality, without a search",
    unit="share",
    rule=claims.at_least(1),
    over=claims.every("methods"),
    primary="all runs",
    why="the sentence is about every run",
)


@H17.measured
def _single_run(data):
    part = data[data.method.isin(he.OURS)]
    # the sentence has two conditions: the specified cardinality and a single run
    part = part.assign(single=(part.cardinality == part.k) & part.search_runs.fillna(0).eq(0))
    places = claims.places(
        part, "method", lambda rows: claims.exact(rows.single.mean()), lambda m: he.NAMES[m]
    )
    yield claims.Reading("all runs", places, part)


H20 = claims.Statement(
    id="H20",
    where="section 1",
    quote="while the GPower method in [5] may require several runs due to the fact it is based on "
    "a formulation which is not directly related to the given cardinality",
    kind="comparison",
    measures="runs of GPower0 until a penalty gives the cardinality, or the search ends",
    unit="runs",
    rule=claims.at_least(3),  # several means more than two
    over=claims.some("k", low=2, least=3),
    primary="the suite's search",
    why="the paper says nothing about its search; ours narrows a bracket until k is reached",
)


@H20.measured
def _several_runs(data):
    # the search runs only in the first round
    rows = data[(data.method == "gpower0") & data.repeat.eq(0) & data.search_runs.notna()]
    runs_of = claims.places(
        rows, "x", lambda of: claims.geometric_mean(of, "search_runs", "seed"), "k = {:g}"
    )
    yield claims.Reading("the suite's search", runs_of, rows)


def runs(scale):
    """Run cardinalities from 1 to 900 on 5000 x 5000 matrices at paper scale."""
    size, ks = (
        (5000, (1, 5, 25, 75, 150, 300, 600, 900))
        if scale == "paper"
        else (800, (1, 5, 20, 75, 110, 150))
    )
    for seed in SEEDS:
        parameters = dict(m=size, n=size, density=0.2, seed=seed)
        problem: dict[str, Any] = dict(dataset="random_sparse", parameters=parameters, seed=seed)
        for k in ks:
            yield from he.trial(
                **problem, k=k, solvers=he.OURS, matched=True, gram=True, dense=True
            )
            yield from he.levels(problem, k)
    for seed in range(1, 1 + max(he.PROBLEMS, GROWING)) if scale == "paper" else ():
        parameters = dict(m=size, n=size, density=0.2, seed=seed)
        problem = dict(dataset="random_sparse", parameters=parameters, seed=seed)
        for k in ks if seed <= he.PROBLEMS else ():
            yield from he.alike(problem, k)
            yield Run(
                function=he.variances,
                settings=dict(k=k),
                label=he.VALUES,
                uses=("gpower0", *he.OURS),
                **problem,
            )
        settings = dict(name="mcol", ks=[k for k in ks if k >= REFERENCE])
        yield Run(
            function=he.in_turns,
            timed=True,
            settings=settings,
            form="sparse",
            uses=("mcol",),
            label=he.IN_TURNS,
            **problem,
        )
    parameters = dict(m=size, n=size, density=0.2, seed=SEEDS[0])
    yield from truth(scale, "random_sparse", parameters, 4, ks, form="covariance")


data = he.by_cardinality


def draw(data, axes):
    """Plot the variances, then the times."""
    he.draw_trade_off(data, axes.flat[::-1], he.METHODS)
