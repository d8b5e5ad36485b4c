"""Kuleshov (2013), Figure 2: flops to reach a sparse component, against its sparsity.

Sigma = A'A with A ~ N(0, 1); both methods stop at ||x - x_prev|| < 1e-6, where x is the loading;
GRQI runs with J = inf. The input of GPower is A, and a search finds the penalty that gives the
requested cardinality (as in the paper, only the flops of the run that reached this cardinality are
counted). The input of GRQI is Sigma, and it uses the cardinality that GPower reached. Flops follow
the paper's rule (section 4.2): k^3 + 2k^2 for solving a linear system, and n k for a product of
Sigma with a k-sparse vector. The flops of the start are counted separately. A hollow marker shows a
run that stopped at its iteration limit, so its flops are a lower bound. We added the right panel.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from spcabench import claims
from spcabench.api import solve
from spcabench.claims.words import number, span
from spcabench.figures import _kuleshov2013 as base
from spcabench.figures import _kuleshov2013_causes as causes
from spcabench.figures import _kuleshov2013_claims as shared
from spcabench.figures import _kuleshov2013_others as others
from spcabench.run import Run
from spcabench.solving.status import Status
from spcabench.style import LETTERS, look, mark_level, name_lines, plain_log_ticks

PANELS, SIZE = (1, 2), (11.5, 4.2)
SMALL_J = (1, 2, 5)
LARGE = 1 / 3  # lower edge of the highest third of the axis
STEP = 1.009  # "varying gamma by < 1 %"

# a figure judges all statements that are variables of its module
K2, K19 = shared.K2, shared.K19
K11, K12, K13 = shared.K11, shared.K12, shared.K13
K23, K24 = others.K23, others.K24

K3 = claims.Statement(
    id="K3",
    quote="GRQI uses between one and two orders of magnitude fewer flops at sparsities below 20%",
    rule=claims.at_least(10),
    over=claims.every("bands of sparsity", high=base.SPARSE, least=6),
    paper=[claims.PaperNumber(10, 100)],
    headline=dict(
        holds="GRQI needs {range} fewer flops than GPower below 20 % of nonzeros.",
        fails="GRQI needs {holds} fewer flops than GPower at {holds_where} of nonzeros, but only "
        "{fails} at {fails_where}.",
        undecided="GRQI needs {holds} fewer flops than GPower at {holds_where} of nonzeros; at "
        "{undecided_where}, where it is {undecided}, ten times is not excluded.",
    ),
    **base.FLOPS,
)
K3.measured(lambda data: base.ratio_in_bands(base.pairs(data, "main")))


@K3.because
def _each_penalty(data, judged):
    main = base.pairs(data, "main")
    if judged["verdict"] != "holds":
        return causes.grown(main, "gpower1")
    most = K3.paper[0].high or np.inf
    places = [place for place in judged["readings"][0]["places"] if place["judged"]]
    beyond = sum(place["value"] > most for place in places)
    above = f"In {beyond} of {len(places)} bands the ratio exceeds the paper's upper limit, {most}."
    return f"{above} {causes.less_work(main)}" if beyond else causes.less_work(main)


K4 = claims.Statement(
    id="K4",
    quote="at sparsities below 5%, it used a hundred times fewer flops",
    rule=claims.at_least(100),
    over=claims.every("bands of sparsity", high=0.05, least=3),
    paper=[claims.PaperNumber(100)],
    **base.FLOPS,
)
K4.measured(lambda data: base.ratio_in_bands(base.pairs(data, "main")))

K22 = claims.Statement(
    id="K22",
    quote="when implemented in a popular high-level language like MATLAB, GRQI would have an "
    "unfair advantage over the GPM, as it spends relatively more time in low-level subroutines",
    rule=claims.above(1),
    over=claims.every("bands of sparsity", high=base.SPARSE, least=6),
    timed=True,
    **base.FLOPS
    | dict(
        measures="ratio of times of GPower and GRQI / their ratio of flops",
        why=f"{base.GPOWER1}; the suite is NumPy with compiled kernels, not MATLAB",
    ),
)


@K22.measured
def _by_the_clock(data):
    main = base.pairs(data, "main")
    clock = main.solve_time_p / main.solve_time_g
    for name, rows in base.by_penalty(main.assign(clock=clock, gained=clock / main.ratio)):
        places = claims.banded(rows, "sparsity", base.EDGES, base.typical("gained"))
        times = claims.banded(rows, "sparsity", base.EDGES, base.typical("clock"))
        ratios = span([place.measured.value for place in times], "times")
        note = f"GPower takes {ratios} as long as GRQI, in single runs that were not interleaved."
        yield claims.Reading(name, places, rows, [note] if times else [])


@K22.because
def _seconds_a_flop(data, judged):
    """Compare the seconds per flop of each method in the lowest band with those in the highest."""
    main = base.pairs(data, "main").query("penalty == 'gpower1'")
    rates = {
        name: claims.banded(
            main.assign(rate=main[f"solve_time_{side}"] / main[f"flops_{side}"]),
            "sparsity",
            base.EDGES,
            base.typical("rate"),
        )
        for name, side in (("GRQI", "g"), ("GPower1", "p"))
    }
    told = [
        f"{name} takes {number(1e9 * of[0].measured.value)} ns per flop at {of[0].label} and "
        f"{number(1e9 * of[-1].measured.value)} ns at {of[-1].label}"
        for name, of in rates.items()
        if of
    ]
    return f"{'; '.join(told)}: the cost of a call matters most where there are few flops."


K5 = claims.Statement(
    id="K5",
    quote="for large values of k, the complexity of GRQI outgrows that of the GPM",
    rule=claims.below(1),
    over=claims.every("sparsities", low=LARGE, least=2),
    changed="the sparsities above 1/3 were pooled, and a trend among them looked like noise",
    **base.FLOPS,
)


@K5.measured
def _outgrows(data):
    main = base.pairs(data, "main")
    for name, rows in base.by_penalty(main.assign(share=main.asked / main.n)):
        yield claims.Reading(
            name, claims.places(rows, "share", base.typical("ratio"), base.percent), rows
        )


K6 = claims.Statement(
    id="K6",
    quote="even in that case [||x - x_prev|| < 1e-2], GRQI required at least an order of "
    "magnitude fewer flops",
    rule=claims.at_least(10),
    over=claims.every("bands of sparsity", high=base.SPARSE, least=6),
    paper=[claims.PaperNumber(10)],
    **base.FLOPS,
)
K6.measured(lambda data: base.ratio_in_bands(base.pairs(data, "loose")))
K6.because(lambda data, judged: causes.grown(base.pairs(data, "loose"), "gpower1"))

K15 = claims.Statement(
    id="K15",
    quote="we could bring down the number of GRQI flops to at least the level of the GPM by "
    "letting J be small",
    rule=claims.at_most(1),
    over=claims.some("J"),
    also=[
        claims.Part(
            "variance", "how much more GPower explains", "%", claims.at_most(5), claims.some("J")
        )
    ],
    changed="the variance lost now decides too: at most 5 % for one J",
    **base.FLOPS | dict(measures="flops of GRQI / flops of GPower at sparsities above 1/3"),
)


@K15.measured
def _small_J(data):
    main = base.pairs(data, "main")
    small = pd.concat([base.pairs(data, "main", J).assign(J=J) for J in SMALL_J])
    # the quote is about large k, for which GRQI is more expensive than GPower
    small = small[small.sparsity > LARGE]
    small = small.assign(ratio=1 / small.ratio, more=base.apart(small))
    for name, rows in base.by_penalty(small):
        flops = claims.places(rows, "J", base.typical("ratio"), "J = {:g}")
        variance = claims.places(rows, "J", base.average("more"), "J = {:g}", "variance")
        notes = [causes.refitted(rows, name), causes.one_solve(main[main.sparsity > LARGE], name)]
        yield claims.Reading(name, [*flops, *variance], rows, notes)


K17 = claims.Statement(
    id="K17",
    quote="Although we show results only for n = 1000, our observations carry over to other "
    "matrix dimensions",
    rule=claims.at_least(10),
    over=claims.every("sizes and bands"),
    also=[
        claims.Part(
            "variance",
            "how far the variances differ",
            "%",
            claims.at_most(2),
            claims.every("sizes and bands"),
        )
    ],
    changed="equal verdicts of K3 and of K7 were enough, even if both failed",
    **base.FLOPS | dict(where="section 4"),
)


@K15.because
def _no_small_J(data, judged):
    main = base.pairs(data, "main")
    main = main[main.sparsity > LARGE]
    return " ".join(causes.one_solve(main, name) for name in ("GPower1", "GPower0"))


@K17.measured
def _other_dimensions(data):
    # judge K3 and K7 again at other n, with their original rules
    both = base.pairs(data, "dimension")
    # by the requested sparsity, because the sparsity reached can lie outside the band
    for name, part in base.by_penalty(both.assign(sparsity=both.asked / both.n)):
        places = [
            # sizes and bands cannot share an axis, so the places have no x
            replace(place, label=f"n = {n:g}, {place.label}", x=np.nan)
            for n, rows in part.groupby("n")
            for place in (
                *claims.banded(rows, "sparsity", base.EDGES, base.typical("ratio")),
                *base.differences_in_bands(rows, part="variance"),
            )
        ]
        yield claims.Reading(name, places, part)


@K17.because
def _not_refitted(data, judged):
    return causes.turned(base.pairs(data, "dimension").query("penalty == 'gpower1'"))


def runs(scale):
    """Run the main grid, a loose tolerance, other dimensions, and neighbouring penalties."""
    n, seeds, sparsities, dimensions, fewer = base.sizes(scale)
    for penalty in base.PENALTIES:
        for seed in range(seeds):
            for s in sparsities:
                # a small J only makes a difference for large k, and running it for every k would
                # double the cost of the figure
                J = SMALL_J if s > LARGE else ()
                yield from base.matched(penalty, n, seed, base.k_at(s, n), "main", J)
            # K6, like K3, is about sparsities below 20 %
            for s in sparsities[sparsities < 0.2]:
                yield from base.matched(penalty, n, seed, base.k_at(s, n), "loose", tol=1e-2)
            yield from neighbours(penalty, n, seed, 12 if scale == "paper" else 6)
            # only every third sparsity, because each search takes tens of runs
            few = sorted({base.k_at(s, n) for s in sparsities[sparsities < 0.2][::3]})
            yield Run(
                dataset="gaussian",
                parameters=dict(m=n, n=n, seed=seed),
                function=restarts,
                settings=dict(penalty=penalty, ks=few),
                seed=seed,
                label="restarts",
                uses=(penalty,),
            )
        for other, count in dimensions.items():
            for seed in range(count):
                for s in fewer:
                    yield from base.matched(penalty, other, seed, base.k_at(s, other), "dimension")
    yield from others.runs(scale, n, sparsities)


def neighbours(penalty, n, seed, count):
    """Yield runs whose penalties differ by 0.9 % each, starting at four points of the useful range.

    In this range |a_i'x| is of order one.
    """
    # these penalties give components from nearly dense to nearly empty
    for first in (0.3, 0.8, 1.6, 2.6):
        for step in range(count):
            # GPower0 compares the penalty with (a_i'x)^2, so the squared penalty gives the same
            # threshold
            gamma = (first * STEP**step) ** (2 if penalty == "gpower0" else 1)
            yield Run(
                dataset="gaussian",
                parameters=dict(m=n, n=n, seed=seed),
                solver=penalty,
                seed=seed,
                settings=dict(gamma=gamma, **base.GPM),
                label=f"gamma {first}",
            )


def restarts(problem, *, seed, penalty, ks):
    """Count the runs of a penalty search until it reaches k exactly, and until it comes near k."""
    # only the number of runs is needed, so the runs themselves get no rows
    results = [solve(problem, penalty, k=k, seed=seed, **base.GPM).search for k in ks]
    return {
        "penalty": penalty,
        "k": list(ks),
        "exact": [search["runs"] for search in results],
        "near": [search["near"] for search in results],
    }


def draw(data, axes):
    """Draw the paper's figure on the left, and the ratios of flops on the right."""
    left, right = axes.flat
    main = base.pairs(data, "main")
    for penalty in base.PENALTIES:
        part = main[main.penalty == penalty]
        if part.empty:
            continue
        scatter(left, part.sparsity, part.flops_p, part.status_p, penalty)
        for label, line in (("main", "-"), ("loose", ":")):
            both = base.pairs(data, label).query("penalty == @penalty")
            tol = "10^{-6}$" if label == "main" else "10^{-2}$ (dotted)"
            style = look(penalty) | dict(linestyle=line, label=f"{base.NAMES[penalty]}, tol ${tol}")
            right.plot(*base.medians(both, both.ratio), **style)
    scatter(left, main.sparsity, main.flops_g, main.status_g, "grqi")
    left.set(xscale="log", yscale="log", xlabel="sparsity k/n", ylabel="flops")
    right.set(xscale="log", yscale="log", xlabel="sparsity k/n")
    right.set_ylabel("flops of GPower / flops of GRQI")
    _mark_paper(main, left, right)
    for axis in (left, right):
        plain_log_ticks(axis)
        name_lines(axis)


def _mark_paper(main, left, right):
    """Mark the paper's orders of magnitude, and state the results in the titles."""
    low, high = right.get_xlim()
    right.set_xlim(low, high)
    paper: dict[str, Any] = dict(color="black", linewidth=1.0, linestyle=":")
    words: dict[str, Any] = dict(fontsize=LETTERS, va="top")
    right.plot([low, 0.05], [100, 100], **paper)
    right.text(1.05 * low, 92, "the paper: 100 below 5 %", **words)
    right.fill_between([low, base.SPARSE], 10, 100, color="#EEEEEE", zorder=0)
    right.text(1.05 * low, 9, "shaded: the paper, below 20 %", **words)
    # below this line GRQI takes more flops than GPower
    mark_level(right, 1, "as many")
    gpower1 = main[main.penalty == "gpower1"]
    places = claims.banded(gpower1, "sparsity", base.EDGES, base.typical("ratio"))
    if places:
        values = [place.measured.value for place in places]
        right.set_title(f"GRQI: {span(values[::-1], 'times')} fewer flops than GPower1 below 20 %")
    costlier = gpower1[gpower1.ratio < 1].sparsity
    if len(costlier):
        left.set_title(
            f"GRQI takes more flops than GPower1 from {number(100 * costlier.min(), '%')} on"
        )


def scatter(axis, x, y, status, solver):
    """Draw a marker for each run; the marker is hollow if the run stopped at a limit."""
    style = {key: value for key, value in look(solver).items() if key != "linestyle"}
    # the flops of a run that stopped at a limit are a lower bound
    ended = ~status.isin([Status.CONVERGED, Status.FINISHED])
    points = dict(linestyle="none", alpha=0.5, markersize=3.5) | {"label": base.NAMES[solver]}
    axis.plot(x[~ended], y[~ended], **style | points)
    axis.plot(
        x[ended], y[ended], **style | dict(linestyle="none", fillstyle="none", markersize=3.5)
    )
