"""Asteris, Papailiopoulos, Dimakis (2014), Figure 5: variance of nonnegative components of leukemia
genes against k.

The data are those of Armstrong et al.: 72 samples x 12582 probe sets, raw intensities, centred. k
ranges from 1 to 12582, the number of probe sets (the paper gives no range). "Low" k means k <= 333
and "larger" k means k >= 667; we chose these limits when the largest k was 1000. Algorithm 3 uses
d = 3, eps = 0.1 and N = ceil(eps^-d ln n) samples. EM uses the best of 10 restarts. The shaded band
extends from Algorithm 3's variance to q / (1 - eps) + lambda_4, capped at lambda_1, where q is the
variance of its component in the rank-3 matrix. This upper edge bounds the optimum with probability
1 - 1/n. The dotted line omits the factor 1 / (1 - eps), another reading of the paper, and is not a
bound. Variances are those of the vectors that the solvers return; EM's vectors are renormalised. We
added the right panel.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from spcabench import claims
from spcabench.claims.words import counted, listed, number, span
from spcabench.figures import _asteris2014 as base
from spcabench.figures import _asteris2014_claims as shared
from spcabench.figures._truth import truth
from spcabench.run import Run

PANELS, SIZE = (1, 2), (11.5, 5.2)
K, ALL, DENSE = 50, 12582, 1000  # ALL genes; up to DENSE, the k are closely spaced
# changes to EM's settings, which are ten restarts and a tolerance of 1e-6; the authors use 1e-3
EM_ALSO: list[dict[str, Any]] = [*(dict(restarts=r) for r in (1, 30, 100)), dict(tol_em=1e-3)]
PREPROCESSINGS = {"not centred": dict(center=False), "scaled": dict(scale=True)}
PREPARED = {"centred": base.MAIN, **{of: of for of in PREPROCESSINGS}}  # reading -> label
GENES: dict[str, Any] = dict(
    where="section 7, figure 5",
    why="the paper's vectors are zero-mean (section 1), and it names no further preparation",
)
THIRD = DENSE / 3  # the paper gives no cardinality for "low" and "larger"
A13, A17 = shared.A13, shared.A17

A4 = claims.Statement(
    "A4",
    quote="For low values of k, Alg. 3 outperforms the EM algorithm in terms of explained variance",
    kind="comparison",
    measures="variance of Algorithm 3 / variance of EM at equal k, up to k = 333; a tie does not "
    "outperform",
    unit="times",
    rule=claims.above(1),
    over=claims.every("k", high=THIRD),
    primary="centred",
    changed="it was enough if 80 % of our grid satisfied it, without ties within 1e-6",
    headline=dict(
        holds="On genes the variance of Algorithm 3 is {range} that of EM at low k.",
        fails="On genes EM has no less variance than Algorithm 3 at {fails_count} of {count} k.",
        undecided="On genes the variance of Algorithm 3 is {range} that of EM at low k.",
    ),
    **GENES,
)


@A4.measured
def _outperforms(data):
    for reading in shared.compared(data, PREPARED, A4.over, A4.unit, _untied):
        lowest = [p.measured.value for p in reading.places if p.x <= ALL / 3]
        # "low" was defined when the largest k was 1000; a note reports a wider definition
        note = f"Up to a third of all genes: {span(lowest, A4.unit)}."
        yield replace(reading, notes=[*reading.notes, note])


def _untied(ratio):
    """Set ratios to 1 if they differ from 1 by at most EM's accuracy, a millionth."""
    return ratio.where((ratio - 1).abs() > 1e-6, 1.0)


A5 = shared.like_em(
    "A5",
    5,
    PREPARED,
    quote="For larger values, the two algorithms exhibit similar performance",
    over=claims.every("k", low=2 * THIRD),
    **GENES,
)

A6 = shared.of_the_optimum(
    "A6",
    K,
    44.6,
    PREPARED,
    quote="For k as small as 50 ... the extracted component captures at least 44.6% of the "
    "variance corresponding to the true nonnegative k-sparse PC",
    **GENES,
)

A7 = claims.Statement(
    "A7",
    quote="The obtained upper bound is a significant improvement compared to the trivial bound "
    "given by lambda_1",
    kind="comparison",
    measures="(q / (1 - eps) + lambda_4) / lambda_1; a tenth less is our reading of 'significant'",
    unit="times",
    rule=claims.at_most(0.9),
    over=claims.every("k"),
    primary="centred",
    changed="it was enough if 80 % of the k satisfied it, and k ended at 1000",
    **GENES,
)


@A7.measured
def _below_the_trivial_bound(data):
    for name, label in PREPARED.items():
        upper = base.by_cardinality(data, "spannogram", label).upper
        if len(upper):
            yield claims.Reading(name, shared.each_k(upper), shared.rows_of(data, label))


A14 = claims.Statement(
    "A14",
    where="section 8",
    quote="in practice we observed similar speed, both in the order of a few seconds",
    kind="comparison",
    measures="time of Algorithm 3 / time of EM at k = 50, one thread, interleaved",
    unit="times",
    rule=claims.within(0.5, 2),
    also=[claims.Part("time", "the longer of the two times", "s", claims.at_most(10))],
    primary="10 restarts of EM",
    why="the paper says 'multiple random restarts' without a number; we use ten in all its figures",
    changed="the minimum of the rounds was judged, without an interval",
    timed=True,
)


@A14.measured
def _speed(data):
    timed = data[data.label == base.TIME]
    seconds = timed.setup_time + timed.solve_time
    # all runs have the same label, because they were timed as one group, taking turns
    of = np.array([_of(settings) for settings in timed.settings], dtype=object)
    # ratios within a round, because both runs met the same state of the machine
    rounds = seconds.groupby([timed.repeat, of]).first().unstack()
    for name in rounds.median().sort_values().index.drop("mine") if "mine" in rounds else ():
        pair = rounds[["mine", name]].dropna()
        # the quote says "similar speed" and "a few seconds", so the longer time is judged too
        results = pair.assign(ratio=pair.mine / pair[name], longer=pair.max(axis=1)).reset_index()
        places = [
            claims.Place(
                f"k = {K}", claims.geometric_mean(results, column, "repeat", "rounds"), part=part
            )
            for column, part in (("ratio", ""), ("longer", "time"))
        ]
        yield claims.Reading(name, places, timed[np.isin(of, ["mine", name])])


A4.because(shared.nearly_rank_one)
A6.because(shared.nearly_rank_one)


@A7.because
def _at_large_k(data, judged):
    """Explain the terms of the bound at the largest k if it exceeds nine tenths of lambda_1."""
    rows = base.by_cardinality(data, "spannogram")
    last = rows.iloc[-1]
    if last.upper <= A7.rule.high:
        return shared.nearly_rank_one(data, judged)
    q, after, loose = (
        number(value, "share")
        for value in (last.q / last.lambda_1, last.lambda_next / last.lambda_1, last.loose)
    )
    return (
        f"At k = {rows.index[-1]:.0f} q is {q} of lambda_1 and lambda_4 is {after}; without the "
        f"factor 1 / (1 - eps) the sum would be {loose}."
    )


@A14.because
def _restarts(data, judged):
    ratios = [
        f"{number(place['value'])} with {reading['name']}"
        for reading in judged["readings"]
        for place in reading["places"]
        if not place["part"]
    ]
    return f"The paper does not state the number of restarts: the ratio is {listed(ratios)}."


def runs(scale):
    """Run about 160 cardinalities at paper scale, and about 18 for each other preprocessing."""
    paper = scale == "paper"
    yield from base.both("mll", {}, _ks(120, 40) if paper else _ks(16), base.MAIN, None)
    yield from truth(scale, "mll", {}, 20, nonnegative=True)
    for label, parameters in PREPROCESSINGS.items():
        yield from base.both("mll", parameters, _ks(12, 6) if paper else [K], label, None)
    # the paper states neither the number of restarts nor the tolerance, and times depend on both
    also = [("em", base.EM | changed) for changed in EM_ALSO]
    for solver, settings in (("spannogram", base.ALG3), ("em", base.EM), *also):
        timed: dict[str, Any] = dict(settings=dict(k=K, **settings), timed=True, label=base.TIME)
        yield Run(dataset="mll", solver=solver, **timed)


def _ks(count, further=0):
    """Return cardinalities up to 1000, and ``further`` cardinalities up to the number of genes."""
    beyond = np.geomspace(DENSE, ALL, further + 1).round().astype(int).tolist()
    return [*base.grid(DENSE, count, [K]), *beyond[1:]]


data = base.with_bounds


def draw(data, axes):
    """Plot the trade-off between variance and cardinality."""
    base.draw_trade_off(data, axes, {K: 44.6}, xscale="log")


def _of(settings):
    """Describe the settings of a run of EM; return "mine" for Algorithm 3."""
    if "d" in settings:
        return "mine"
    tolerance = f", tolerance {settings['tol_em']:g}" if "tol_em" in settings else ""
    return f"{counted(settings['restarts'], 'restarts')} of EM{tolerance}"
