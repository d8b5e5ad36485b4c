"""Kuleshov (2013), Figure 4: prostate gene expression, variance and flops against sparsity, first
component.

Data of Singh et al. (2002): 102 samples x 12600 genes, genes centred, R not scaled. GRQI's sparse
SVD (Algorithm 5) with k_u = 102 (samples dense) and k genes, at the cardinality that GPower
reached, its penalty searched; stop at ||x - x_prev|| < 1e-6, x the gene loading (for the SVD both
vectors). The common value is sigma^2 = (u'Rv)^2, which for GPower is its variance; the second
reading, sigma, is listed. Flops by the paper's rule; GRQI (Algorithm 1, its columns taken from the
data) is ours and drawn lighter. Lines
join the runs at the cardinalities of GPower1; hollow marks are those at the cardinalities of
GPower0.

The paper says neither which algorithm drew the curve (the text says Algorithm 1), nor k_u, nor the
start: Algorithm 1 with Sigma given, k_u = 10, and the largest column of Sigma as the start of the
SVD are readings too, judged at small sparsities. The cost of Algorithm 5 is counted apart, on dense
matrices with N(0, 1) entries, by iterations without a power step (J = 0).
"""

from dataclasses import replace
from typing import Any

import pandas as pd

from spcabench.claims import (
    Condition,
    Statement,
    by_band,
    decided,
    every,
    interval,
    show,
    slope,
)
from spcabench.figures._kuleshov2013 import (
    GPM,
    GRQI,
    NAMES,
    PENALTIES,
    flops_of_grqi,
    grid,
    pairs,
)
from spcabench.figures._kuleshov2013_causes import same_answer
from spcabench.figures._readings import readings
from spcabench.figures._truth import known, truth, with_truth
from spcabench.run import Run
from spcabench.style import PALETTE, look, plain_log_ticks

SHARES = ("kuleshov2013_fig2",)
PANELS, SIZE = (1, 2), (9.5, 4.0)
SMALL = 0.05  # "small sparsities"
EDGES = (0.0, 0.01, 0.02, SMALL)
TIE = 1e-4  # a difference in percent that is none
COLUMN = "SVD started from the largest column of the covariance"
FEW = "k_u = 10"
PREPARED: dict[str, dict[str, Any]] = {
    "main": {},
    "not centred": dict(center=False),
    "scaled": dict(scale=True),
}
# other readings of the sparse SVD, with its settings
SVD: dict[str, dict[str, Any]] = {COLUMN: dict(first="covariance"), FEW: dict(k_u=10)}
READINGS: dict[str, dict[str, Any]] = PREPARED | {name: {} for name in SVD}
COST = "cost"
GENERATED = "gaussian"  # the data of K20, and of Figure 2

K8 = Statement(
    id="K8",
    quote="in fact, GRQI explains 2.35% more for small sparsities",
    where="section 5.1",
    test="sigma^2 of GRQI over that of GPower, minus one, at equal cardinality below 5 % of the "
    "genes: the direction",
    threshold="interval above 0 (ties within 1e-6 are none)",
    earlier=(
        dict(
            verdict="holds for GPower1 raw, fails for the others",
            measured="15.4 % for GPower1 raw, 0 to 0.003 % for the others (paper scale)",
            reason="the direction and the number were one test, and more than twice the number "
            "held too",
        ),
    ),
)
K8b = Statement(
    id="K8b",
    quote="2.35% more for small sparsities",
    where="section 5.1",
    test="as K8: the number",
    threshold="median from half to twice 2.35 %, its interval too",
)
K9 = Statement(
    id="K9",
    quote="GRQI still uses about an order of magnitude fewer flops at small sparsity levels",
    where="section 5.1",
    test="median of flops of GPower / flops of GRQI, in every band of sparsity below 5 %; the "
    "sparse SVD with all samples (k_u = 102), with k_u = 10, started from the largest column of "
    "Sigma, and Algorithm 1 with Sigma given are readings, undecided where they disagree",
    threshold="at least 10 in every band",
    earlier=(
        dict(
            verdict="fails",
            measured="ratio 0.65 to 1.1, for both penalties (paper scale)",
            reason="first tested with the sparse SVD with all samples only; the paper's sentence "
            "says Algorithm 1, and it states neither k_u nor a start",
        ),
    ),
)
K20 = Statement(
    id="K20",
    quote="When R is a k_1 x k_2 submatrix with k_1 <= k_2, Sigma - mu I can be inverted using "
    "O(k_1^2 k_2 + k_1^3) floating point operations",
    where="section 5",
    test="fitted exponent of exact flops per iteration of the sparse SVD without power steps "
    "(J = 0) against k_1^2 k_2 + k_1^3",
    threshold="at most 1.1",
    by_construction="the flops are counted by the formula that the exponent is fitted to",
)
K21 = Statement(
    id="K21",
    quote="the relative advantage is not as large as in Figure 2",
    where="section 5.1",
    test="flops of GPower / flops of GRQI's sparse SVD here against flops of GPower / flops of "
    "GRQI in Figure 2, in every band of sparsity below 5 % that both have",
    threshold="the interval here below that of Figure 2 in every band",
)


def runs(scale):
    """All genes; paper: 18 sparsities from 0.08 % to 50 %.

    The readings beside the primary one are run at small sparsities only.
    """
    sparsities = grid(0.0008, 0.5, 18 if scale == "paper" else 9)
    yield from truth(scale, "singh", {}, 20, [float(s) for s in sparsities if s < 0.008])
    for penalty in PENALTIES:
        for reading, parameters in READINGS.items():
            for s in sparsities:
                if reading == "main" or s < SMALL:
                    yield from _three(
                        penalty, float(s), reading, parameters, memory=s == sparsities[-1]
                    )
    yield from _costs((50, 100, 200, 400) if scale == "paper" else (30, 60, 120))


def _costs(sizes):
    """The sparse SVD of whole matrices without power steps, k_1 x k_2."""
    for k_1 in sizes:
        for k_2 in (k_1, 4 * k_1, 16 * k_1):
            yield Run(
                dataset=GENERATED,
                parameters=dict(m=k_1, n=k_2, seed=0),
                solver="ssvd_grqi",
                settings=dict(k=k_2, k_u=k_1, J=0, max_iterations=5),
                label=COST,
            )


def _three(penalty, share, reading, parameters, memory):
    common = dict(dataset="singh", parameters=parameters, label=reading)
    yield Run(solver=penalty, settings=dict(k=share, **GPM), **common)
    svd = GRQI | SVD.get(reading, {})
    yield Run(solver="ssvd_grqi", settings=svd, match=penalty, memory=memory, **common)
    yield Run(solver="grqi", settings=GRQI, match=penalty, **common)


@with_truth
def data(table):
    """One row per run.

    penalty : whose run set the cardinality. value : sigma^2. It is raw; the refitted one is in the
    rows.
    """
    value = table.singular_value.pow(2).fillna(table.variance)
    return table.assign(
        penalty=table.match.fillna(table.solver), sparsity=table.cardinality / table.n, value=value
    )


def draw(data, axes):
    """Variance and flops against sparsity."""
    left, right = axes.flat
    truth = known(data)
    data = data[data.dataset != GENERATED]
    other = data[(data.label == COLUMN) & (data.solver == "ssvd_grqi")]
    data = data[data.label == "main"]
    truth.draw(left, data.lambda_1.iloc[0], data.n.iloc[0])
    for solver in ("grqi", *PENALTIES, "ssvd_grqi"):
        label = "GRQI (Algorithm 1, ours)" if solver == "grqi" else NAMES[solver]
        _draw_solver(axes.flat, data[data.solver == solver], solver, label)
    _draw_start(left, other)
    right.plot([], [], color="black", linestyle=":", linewidth=0.9, label="dotted: start-up too")
    left.set(xscale="log", xlabel="sparsity k/n", ylabel="variance $\\sigma^2 / \\lambda_1$")
    right.set(xscale="log", yscale="log", xlabel="sparsity k/n", ylabel="flops")
    left.set_xlim(right.get_xlim())
    for axis in (left, right):
        plain_log_ticks(axis)
        axis.legend()


def _draw_solver(panels, part, solver, label):
    """A line through the runs at GPower1's cardinalities, and marks for those at GPower0's.

    One line through both would jump between two searches.
    """
    left, right = panels
    style = look(solver) | dict(alpha=0.4 if solver == "grqi" else 1.0)
    line = part[part.penalty == (solver if solver in PENALTIES else PENALTIES[0])]
    line = line.sort_values("sparsity")
    left.plot(line.sparsity, line.value / line.lambda_1, label=label, **style)
    right.plot(line.sparsity, line.flops, label=label, **style)
    in_all = line.flops + line.setup_flops
    right.plot(line.sparsity, in_all, color=style["color"], linestyle=":", linewidth=0.9)
    if solver not in PENALTIES:
        marks = part[part.penalty != PENALTIES[0]]
        style |= dict(linestyle="none", fillstyle="none", markersize=3.5)
        left.plot(marks.sparsity, marks.value / marks.lambda_1, **style)
        right.plot(marks.sparsity, marks.flops, **style)


def _draw_start(axis, other):
    """The sparse SVD from its other start, at the cardinalities where it was run."""
    other = other[other.penalty == PENALTIES[0]].sort_values("sparsity")
    style = look("ssvd_grqi") | dict(linestyle=":", marker="", color=PALETTE[6], linewidth=1.3)
    label = "GRQI-SSVD, start: column of $\\Sigma$"
    axis.plot(other.sparsity, other.value / other.lambda_1, label=label, zorder=4, **style)


def _pairs(data, penalty, reading="main", solver="ssvd_grqi"):
    mine = data[(data.penalty == penalty) & (data.label == reading)]
    gpower, grqi = (mine[mine.solver == name] for name in (penalty, solver))
    kept = ["chain", "value", "variance_refit", "flops", "iterations", "cardinality"]
    both = pd.merge(gpower, grqi[kept], on="chain", suffixes=("_p", "_g"))
    return both[(both.cardinality_p == both.cardinality_g) & (both.sparsity < SMALL)]


def claims(data):
    """K8, K9 and K21 for each penalty, K8 raw and refitted; other preprocessings listed; K20."""
    generated = data.dataset == GENERATED
    square = pairs(data[generated], "main")
    yield _cost(data[generated & (data.label == COST)])
    data = data[~generated]
    for penalty in PENALTIES:
        both = {reading: _pairs(data, penalty, reading) for reading in READINGS}
        for column, word in (("value", "raw"), ("variance_refit", "refitted")):
            differences = {r: interval(_more(b, column)) for r, b in both.items()}
            sigma = interval(_more(both["main"], column, 0.5))
            rest = "; ".join(_words(r, differences[r], both[r]) for r in list(READINGS)[1:])
            main = differences["main"]
            measured = f"{main} % over {main.count} sparsities (sigma: {sigma} %; {rest})"
            mine = data[
                (data.label == "main") & (data.penalty == penalty) & (data.solver != "grqi")
            ]
            truth = [
                known(data).distance(rows, column, NAMES[name])
                for name, rows in mine.groupby("solver")
            ]
            measured += f"; {'; '.join(truth)}"
            variant = f"{NAMES[penalty]}, {word}"
            start = differences[COLUMN]
            conditions = [Condition(COLUMN, _above(start), f"{start} %")] if start.count else []
            same = same_answer(both["main"])
            for statement, judge in ((K8, _above), (K8b, _as_much)):
                conditions = [replace(c, verdict=judge(start)) for c in conditions]
                verdict = judge(main)
                cause = same if verdict == "fails" else ""
                yield statement.judged(
                    verdict, measured, variant, conditions=conditions, cause=cause
                )
        yield _fewer_flops(data, penalty, both)
        yield _smaller_advantage(both["main"], square[square.penalty == penalty], NAMES[penalty])


def _words(reading, difference, both):
    """The number of a reading, or that there is nothing to read from it."""
    if len(both) and (both.cardinality_p == 1).all():
        return f"{reading}: empty, every run has k = 1"
    return f"{reading}: {difference} %"


def _fewer_flops(data, penalty, both):
    """K9 in its readings; other preprocessings of the data are conditions."""
    one = _pairs(data, penalty, solver="grqi")
    ratios = {
        "sparse SVD, k_u = 102": _ratio(both["main"]),
        **{f"sparse SVD, {name}": _ratio(both[name]) for name in SVD},
        "Algorithm 1, Sigma given": by_band(
            one.sparsity,
            one.flops_p / flops_of_grqi(one.n, one.cardinality_g, one.iterations_g),
            EDGES,
        ),
    }
    ratios = {name: ratio for name, ratio in ratios.items() if ratio}
    verdict, words = readings(
        {name: _tenfold(ratio) for name, ratio in ratios.items()},
        {name: f"ratio {show(ratio)}" for name, ratio in ratios.items()},
    )
    conditions = [
        Condition(name, _tenfold(ratio), f"ratio {show(ratio)}", chosen_after=False)
        for name in list(PREPARED)[1:]
        if (ratio := _ratio(both[name])) and (both[name].cardinality_p > 1).any()
    ]
    few = interval(_more(both[FEW], "value"))
    cause = ""
    if verdict == "undecided" and FEW in words and few.count:
        cause = (
            f"The readings disagree. With {FEW} the singular vectors explain {few} % more than "
            "GPower (a negative number is less), so that K8 and K9 need not be of one reading."
        )
    return K9.judged(verdict, words or "no run", NAMES[penalty], conditions=conditions, cause=cause)


def _ratio(both):
    return by_band(both.sparsity, both.flops_p / both.flops_g, EDGES)


def _tenfold(ratio):
    return every([v.at_least(10) for v in ratio.values()])


def _cost(runs):
    """K20: the growth of flops, and beside it that of the time."""
    if runs.empty:
        return K20.judged("undecided", "no run")
    m, n = runs.m.astype(float), runs.n.astype(float)
    k_1, k_2 = m.where(m < n, n), m.where(m > n, n)
    cost = k_1**2 * k_2 + k_1**3
    growth = slope(cost, runs.flops / runs.iterations)
    time = slope(cost, runs.solve_time / runs.iterations)
    return K20.judged(
        decided(growth <= 1.1), f"exponent {growth:.3f} (time {time:.2f}) over {len(runs)} sizes"
    )


def _smaller_advantage(here, square, name):
    """K21, band by band."""
    mine, other = _ratio(here), by_band(square.sparsity, square.ratio, EDGES)
    verdicts = [
        decided(
            True if mine[b].high < other[b].low else False if mine[b].low > other[b].high else None
        )
        for b in mine
        if b in other
    ]
    return K21.judged(every(verdicts), f"here {show(mine)}; in Figure 2 {show(other)}", name)


def _as_much(more):
    """The verdict on "2.35 % more": half to twice as much."""
    return more.within(2.35 / 2, 2.35 * 2)


def _above(more):
    """The verdict on "more": a difference within rounding is none."""
    if not more.count or more.low <= TIE < more.high:
        return "undecided"
    return decided(more.low > TIE)


def _more(both, column, power=1.0):
    return 100 * ((both[f"{column}_g"] / both[f"{column}_p"]) ** power - 1)
