"""Kuleshov (2013), Figure 4: variance and flops against sparsity for the first component of
prostate gene expression.

The data are those of Singh et al. (2002): 102 samples x 12600 genes, with centred but unscaled
genes. GRQI's sparse SVD (Algorithm 5) runs with k_u = 102 (all samples) and with k genes, where k
is the cardinality that GPower reached when its penalty was searched. Runs stop at ||x - x_prev|| <
1e-6, where x is the gene loading (both vectors for the SVD). The methods are compared by sigma^2 =
(u'Rv)^2, which for GPower is the variance; a second reading uses sigma. Flops follow the paper's
rule. We added GRQI (Algorithm 1 with the columns of Sigma computed from the data), whose curve is
lighter. Lines join the runs at the cardinalities of GPower1; hollow markers show the runs at the
cardinalities of GPower0.

The paper does not state which algorithm produced the curve (section 5.1 names both Algorithm 5 and
Algorithm 1), what k_u was, or where the SVD starts. The verdicts use Algorithm 5 from the largest
column of Sigma, the start that section 2.2 recommends. Other readings use the suite's own start,
k_u = 10, or Algorithm 1 with Sigma as input; they are judged for small sparsities. The cost of
Algorithm 5 is counted separately, on dense matrices with N(0, 1) entries, in iterations without a
power step (J = 0).
"""

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from spcabench import claims
from spcabench.claims.words import number, span
from spcabench.figures import _kuleshov2013 as base
from spcabench.figures import _kuleshov2013_causes as causes
from spcabench.figures._truth import truth, truth_of, with_truth
from spcabench.run import Run
from spcabench.style import LETTERS, PALETTE, look, name_lines, plain_log_ticks

SHARES = ("kuleshov2013_fig2",)
PANELS, SIZE = (1, 2), (11.5, 4.2)
SMALL = 0.05  # "small sparsities" are below this one
# the first bands of Figure 2, with which K21 compares
EDGES = (0.0, 0.01, 0.02, SMALL)
COLUMN = "SVD started from the largest column of the covariance"
FEW = "k_u = 10"
PREPARED: dict[str, dict[str, Any]] = {
    "main": {},
    "not centred": dict(center=False),
    "scaled": dict(scale=True),
}
# settings of the sparse SVD in the other readings
SVD: dict[str, dict[str, Any]] = {COLUMN: dict(first="covariance"), FEW: dict(k_u=10)}
READINGS: dict[str, dict[str, Any]] = PREPARED | {name: {} for name in SVD}
COST = "cost"
GENERATED = "gaussian"  # the data set used for K20 and for Figure 2

# the readings that do not use the paper's start, with the labels of their rows
OTHERS = {"the suite's own start": "main"} | {of: of for of in (FEW, "not centred", "scaled")}
BANDS = claims.every("bands of sparsity", least=3)
WHY = (
    "section 2.2 recommends the largest column of Sigma as the start; section 4 names GPower1 alone"
)
FLOPS = base.FLOPS | dict(where="section 5.1", why=WHY)
RETURNED = base.BY_RETURNED | dict(
    where="section 5.1",
    why=f"{WHY}, and uses what it returned",
    changed="the SVD had another start, and the sparsities were pooled",
)

K8 = claims.Statement(
    id="K8",
    quote="Both algorithms explain roughly the same variance (in fact, GRQI explains 2.35% more "
    "for small sparsities)",
    measures="variance of GRQI / variance of GPower, at equal cardinality below 5 % of the genes",
    unit="times",
    rule=claims.above(1),
    over=claims.every("k", least=3),
    **RETURNED,
)


@K8.measured
def _more_variance(data):
    rows = data[(data.label == COLUMN) & (data.penalty == "gpower1") & (data.solver != "grqi")]
    below = causes.distances(data, rows, "value")
    for name, both in _variances(data):
        primary = name == K8.primary
        yield claims.Reading(name, _at_each_k(both, "more"), both, below if primary else ())


K8b = claims.Statement(
    id="K8b",
    quote="2.35% more for small sparsities",
    measures="how much more GRQI explains than GPower below 5 % of the genes, median over k",
    unit="%",
    rule=claims.within(2.35 / 2, 2.35 * 2),
    paper=[claims.PaperNumber(2.35)],
    **RETURNED | dict(kind="number"),
)


@K8b.measured
def _as_much_more(data):
    for name, both in _variances(data):
        yield claims.Reading(name, [_middle(100 * (both.more - 1))], both)
        if name == K8b.primary:
            # section 5 is about sigma, and an increase in sigma of 2.35 % is an increase in
            # variance of 4.8 %
            yield claims.Reading("sigma, not squared", [_middle(100 * (both.more**0.5 - 1))], both)


@K8.because
@K8b.because
def _not_refitted(data, judged):
    return causes.same_answer(_pairs(data, "gpower1"))


K9 = claims.Statement(
    id="K9",
    quote="GRQI still uses about an order of magnitude fewer flops at small sparsity levels",
    rule=claims.at_least(10),
    over=claims.every("k", least=3),
    paper=[claims.PaperNumber(10)],
    changed="four readings had to agree",
    headline=dict(
        holds="On gene expression GRQI needs {range} fewer flops than GPower.",
        fails="On gene expression GPower needs {range} the flops of GRQI, where the paper says "
        "about ten times.",
        undecided="On gene expression GPower needs {range} the flops of GRQI; ten times is not "
        "excluded.",
    ),
    **FLOPS,
)


@K9.measured
def _fewer_flops(data):
    gpower1 = _pairs(data, "gpower1", "main", "grqi")
    # computed by the paper's formula, without a run on Sigma, which is 12600 x 12600
    supplied = base.flops_of_grqi(gpower1.n, gpower1.cardinality_g, gpower1.iterations_g)
    others = [
        *_others(data),
        ("Algorithm 1, Sigma given", gpower1.assign(ratio=gpower1.flops_p / supplied)),
    ]
    for name, both in [*_by_penalty(data), *others]:
        yield claims.Reading(name, _at_each_k(both, "ratio"), both)


@K9.because
def _dense_samples(data, judged):
    both = _pairs(data, "gpower1")
    p, g = both.iterations_p.median(), both.iterations_g.median()
    # per iteration, because the number of iterations is reported separately
    cost = ((both.flops_g / both.iterations_g) / (both.flops_p / both.iterations_p)).median()
    return (
        f"GPower1 ends after {number(p)} iterations (median), and the sparse SVD after "
        f"{number(g)}, each of which costs {number(cost)} times as much."
    )


K20 = claims.Statement(
    id="K20",
    where="section 5",
    quote="When R is a k_1 x k_2 submatrix with k_1 <= k_2, Sigma - mu I can be inverted using "
    "O(k_1^2 k_2 + k_1^3) floating point operations",
    kind="theorem",
    measures="exponent of the sparse SVD's flops per iteration (J = 0) against k_1^2 k_2 + k_1^3",
    unit="",
    rule=claims.at_most(1.1),
    primary="dense matrices",
    why="the flops of a solve depend only on the shape",
)


@K20.measured
def _cost(data):
    # generated matrices, because an exponent requires several shapes and real data have one
    solved = data[(data.dataset == GENERATED) & (data.label == COST)]
    shape = solved[["m", "n"]].astype(float)
    short, long = shape.min(axis=1), shape.max(axis=1)
    cost = short**2 * long + short**3
    time = claims.slope(cost, solved.solve_time / solved.iterations)
    place = claims.Place(
        f"{len(solved)} sizes", claims.exact(claims.slope(cost, solved.flops / solved.iterations))
    )
    yield claims.Reading(
        "dense matrices", [place], solved, [f"The exponent of time is {number(time)}."]
    )


K21 = claims.Statement(
    id="K21",
    quote="the relative advantage is not as large as in Figure 2",
    rule=claims.below(1),
    over=BANDS,
    also=[
        claims.Part(
            "advantage here", "flops of GPower / of GRQI here", "times", claims.above(1), BANDS
        )
    ],
    changed="only the difference to Figure 2 was tested, so no advantage at all also passed",
    **FLOPS | dict(measures="flops of GPower / flops of GRQI here, over those in Figure 2"),
)


@K21.measured
def _smaller_advantage(data):
    square = base.pairs(data[data.dataset == GENERATED], "main")
    of_figure_2 = dict(base.by_penalty(square))
    for name, both in _by_penalty(data):
        rows = pd.concat([both, of_figure_2[name]])
        yield claims.Reading(name, list(_beside(both, of_figure_2[name])), rows)


def _beside(here, there):
    """Yield the advantage here divided by that in Figure 2, and the advantage, for each band."""
    for low, high in pairwise(EDGES):
        # the two data sets have different cardinalities, so bands are compared instead of single k
        rows, other = (of[(of.sparsity >= low) & (of.sparsity < high)] for of in (here, there))
        if len(rows) and len(other):
            label = f"{100 * low:g}-{100 * high:g} %"
            # there is only one problem here, so the interval comes from the problems of Figure 2
            advantage = float(np.exp(np.log(rows.ratio).mean()))
            smaller = base.typical("share")(other.assign(share=advantage / other.ratio))
            yield claims.Place(label, smaller, low)
            yield claims.Place(label, claims.exact(advantage), low, "advantage here")


@K21.because
def _none_left(data, judged):
    both = _pairs(data, "gpower1")
    lost = both[both.ratio < 1]
    advantage = (
        f"At k = {span(lost.cardinality_p)} GRQI needs {span(1 / lost.ratio, 'times')} the flops"
    )
    return f"{advantage} of GPower1: no advantage is left." if len(lost) else ""


def _by_penalty(data):
    """Return the pairs for each penalty with the sparse SVD from the paper's start."""
    return [(base.NAMES[penalty], _pairs(data, penalty)) for penalty in base.PENALTIES]


def _others(data):
    """Return the pairs with GPower1 in the other readings that have more than one nonzero."""
    for name, label in OTHERS.items():
        both = _pairs(data, "gpower1", label)
        if (both.cardinality_p > 1).any():
            yield name, both


def _variances(data):
    """Yield the pairs of each penalty, as returned and refitted, and the other readings."""
    for name, both in _by_penalty(data):
        for suffix, form in base.FORMS.items():
            yield f"{name}, {form}", both.assign(more=_more(both, suffix))
    yield from _others(data)


def _pairs(data, penalty, reading=COLUMN, solver="ssvd_grqi"):
    """Pair each run of GPower below 5 % with the run of a solver with equal cardinality.

    ratio : flops of GPower divided by those of the solver. more : variance of the solver divided by
    that of GPower.
    """
    rows = data[(data.penalty == penalty) & (data.label == reading) & (data.dataset != GENERATED)]
    rows = rows.assign(variance=rows.value)
    gpower, grqi = (rows[rows.solver == name] for name in (penalty, solver))
    columns = ["chain", "variance", "variance_refit", "flops", "iterations", "cardinality"]
    both = pd.merge(gpower, grqi[columns], on="chain", suffixes=("_p", "_g"))
    # all of K8 to K21 are about small sparsities
    both = both[(both.cardinality_p == both.cardinality_g) & (both.sparsity < SMALL)]
    return both.assign(ratio=both.flops_p / both.flops_g, more=_more(both))


def _more(both, suffix=""):
    """Return the variance of GRQI divided by that of GPower; differences below 1e-6 are ties."""
    return (both[f"variance{suffix}_g"] / both[f"variance{suffix}_p"]).round(6)


def _at_each_k(both, column):
    return claims.places(
        both, "cardinality_p", lambda rows: claims.exact(rows[column].mean()), "k = {:g}"
    )


def _middle(values):
    return claims.Place("gene expression", claims.exact(values.median()))


def runs(scale):
    """Run the solvers on all genes; at paper scale with 18 sparsities from 0.08 % to 50 %.

    Only the primary reading is run for large sparsities as well.
    """
    sparsities = base.grid(0.0008, 0.5, 18 if scale == "paper" else 9)
    # fractions of n, because a stand-in can have a different number of genes
    yield from truth(scale, "singh", {}, 20, [float(s) for s in sparsities if s < 0.008])
    for penalty in base.PENALTIES:
        for reading, parameters in READINGS.items():
            for s in sparsities:
                # the statements are about small sparsities, but the curve in the figure extends to
                # 50 %
                if reading == "main" or s < SMALL:
                    yield from _three(
                        # memory is measured once, at the largest k, where it is highest
                        penalty,
                        float(s),
                        reading,
                        parameters,
                        memory=s == sparsities[-1],
                    )
    yield from _costs((50, 100, 200, 400) if scale == "paper" else (30, 60, 120))


def _costs(sizes):
    """Yield runs of the sparse SVD on whole matrices k_1 x k_2, without power steps."""
    for k_1 in sizes:
        # each term of the cost must dominate for some shapes: k_1^3 for square matrices, k_1^2 k_2
        # for long ones
        for k_2 in (k_1, 4 * k_1, 16 * k_1):
            yield Run(
                dataset=GENERATED,
                parameters=dict(m=k_1, n=k_2, seed=0),
                solver="ssvd_grqi",
                # J = 0, because a power step would add the cost of products to that of solving the
                # system
                settings=dict(k=k_2, k_u=k_1, J=0, max_iterations=5),
                label=COST,
            )


def _three(penalty, share, reading, parameters, memory):
    common = dict(dataset="singh", parameters=parameters, label=reading)
    yield Run(solver=penalty, settings=dict(k=share, **base.GPM), **common)
    svd = base.GRQI | SVD.get(reading, {})
    yield Run(solver="ssvd_grqi", settings=svd, match=penalty, memory=memory, **common)
    yield Run(solver="grqi", settings=base.GRQI, match=penalty, **common)


@with_truth
def data(table):
    """Return one row per run.

    penalty : the variant of GPower that set the cardinality. value : sigma^2 without a refit; the
        refitted value is in the rows.
    """
    # sigma^2 is what the sparse SVD maximises; for all other methods it is the variance
    value = table.singular_value.pow(2).fillna(table.variance)
    return table.assign(
        penalty=table.match.fillna(table.solver), sparsity=table.cardinality / table.n, value=value
    )


def draw(data, axes):
    """Draw variance and flops against sparsity."""
    left, right = axes.flat
    truth = truth_of(data)
    # the generated matrices are only used for K20
    data = data[data.dataset != GENERATED]
    other = data[(data.label == COLUMN) & (data.solver == "ssvd_grqi")]
    both = _pairs(data, "gpower1")
    data = data[data.label == "main"]
    truth.draw(left, data.lambda_1.iloc[0], data.n.iloc[0])
    for solver in ("grqi", *base.PENALTIES, "ssvd_grqi"):
        label = "GRQI, Algorithm 1" if solver == "grqi" else base.NAMES[solver]
        _draw_solver(axes.flat, data[data.solver == solver], solver, label)
    _draw_start(left, other)
    right.plot([], [], color="black", linestyle=":", linewidth=0.9, label="with start-up")
    left.set(xscale="log", xlabel="sparsity k/n", ylabel="variance $\\sigma^2 / \\lambda_1$")
    right.set(xscale="log", yscale="log", xlabel="sparsity k/n", ylabel="flops")
    # the truth line extends to one nonzero, far to the left of all runs
    left.set_xlim(right.get_xlim())
    _mark_found(both, left, right)
    for axis in (left, right):
        plain_log_ticks(axis)
        name_lines(axis)


def _mark_found(both, left, right):
    """State the results and the paper's numbers in the titles."""
    # a quick run on a stand-in may not contain pairs with equal cardinality
    if both.empty:
        return
    gain = number(100 * (both.more.median() - 1), "%")
    less = span(both.ratio, "times")
    left.set_title(f"GRQI explains {gain} more than GPower1 (the paper: 2.35 %)")
    right.set_title(f"GPower1 takes {less} GRQI's flops below 5 % (the paper: 10)")


def _draw_solver(panels, part, solver, label):
    """Draw a line through runs with GPower1's cardinalities, and markers for those with GPower0's.

    A single line through all runs would jump between the results of two searches.
    """
    left, right = panels
    style = look(solver) | dict(alpha=0.4 if solver == "grqi" else 1.0)
    line = part[part.penalty == (solver if solver in base.PENALTIES else base.PENALTIES[0])]
    line = line.sort_values("sparsity")
    left.plot(line.sparsity, line.value / line.lambda_1, label=label, **style)
    right.plot(line.sparsity, line.flops, label=label, **style)
    in_all = line.flops + line.setup_flops
    right.plot(line.sparsity, in_all, color=style["color"], linestyle=":", linewidth=0.9)
    if solver not in base.PENALTIES:
        marks = part[part.penalty != base.PENALTIES[0]]
        style |= dict(linestyle="none", fillstyle="none", markersize=3.5)
        left.plot(marks.sparsity, marks.value / marks.lambda_1, **style)
        right.plot(marks.sparsity, marks.flops, **style)


def _draw_start(axis, other):
    """Draw the sparse SVD from its other start, for the cardinalities that were run."""
    other = other[other.penalty == base.PENALTIES[0]].sort_values("sparsity")
    style = look("ssvd_grqi") | dict(linestyle=":", marker="", color=PALETTE[6], linewidth=1.3)
    label = "SSVD from $\\Sigma$'s column"
    axis.plot(other.sparsity, other.value / other.lambda_1, label=f"_{label}", zorder=4, **style)
    if len(other):
        # this line ends inside the panel, so its name is next to its end and not at the edge
        end = (other.sparsity.iloc[-1], other.value.iloc[-1] / other.lambda_1.iloc[-1])
        words = dict(color=style["color"], fontsize=LETTERS, ha="right", textcoords="offset points")
        pointer = dict(arrowstyle="-", color=style["color"], linewidth=0.6)
        axis.annotate(label, end, (-24, 8), arrowprops=pointer, **words)
