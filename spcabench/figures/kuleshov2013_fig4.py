"""Kuleshov (2013), Figure 4: prostate gene expression, variance and flops against sparsity, first
component.

Data of Singh et al. (2002): 102 samples x 12600 genes, genes centred, R not scaled. GRQI's sparse
SVD (Algorithm 5) with k_u = 102 (samples dense) and k genes, at the cardinality that GPower
reached, its penalty searched; stop at ||x - x_prev|| < 1e-6, x the gene loading (for the SVD both
vectors). The common value is sigma^2 = (u'Rv)^2, which for GPower is its variance; the second
reading, sigma, is listed. Flops by the paper's rule; GRQI (Algorithm 1, its columns taken from the
data) is ours and drawn lighter.
"""

import pandas as pd

from spcabench.claims import Statement, by_band, decided, every, interval, show
from spcabench.figures._kuleshov2013 import GPM, GRQI, NAMES, PENALTIES, grid
from spcabench.figures._truth import known, truth, with_truth
from spcabench.run import Run
from spcabench.style import look, plain_log_ticks

PANELS, SIZE = (1, 2), (9.5, 4.0)
SMALL = 0.05  # "small sparsities"
EDGES = (0.0, 0.01, 0.02, SMALL)
TIE = 1e-4  # a difference in percent that is none
COLUMN = "SVD started from the largest column of the covariance"
READINGS = {
    "main": {},
    "not centred": dict(center=False),
    "scaled": dict(scale=True),
    COLUMN: {},
}

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
    test="median of flops of GPower / flops of GRQI's sparse SVD, in every band of sparsity "
    "below 5 %",
    threshold="at least 10 in every band",
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


def _three(penalty, share, reading, parameters, memory):
    common = dict(dataset="singh", parameters=parameters, label=reading)
    yield Run(solver=penalty, settings=dict(k=share, **GPM), **common)
    svd = GRQI | (dict(first="covariance") if reading == COLUMN else {})
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
    data = data[data.label == "main"]
    truth.draw(left, data.lambda_1.iloc[0], data.n.iloc[0])
    for solver in ("grqi", *PENALTIES, "ssvd_grqi"):
        part = data[data.solver == solver].sort_values("sparsity")
        if part.empty:
            continue
        style = look(solver) | dict(alpha=0.4 if solver == "grqi" else 1.0)
        label = "GRQI (Algorithm 1, ours)" if solver == "grqi" else NAMES[solver]
        left.plot(part.sparsity, part.value / part.lambda_1, label=label, **style)
        right.plot(part.sparsity, part.flops, label=label, **style)
    left.set(xscale="log", xlabel="sparsity k/n", ylabel="variance $\\sigma^2 / \\lambda_1$")
    right.set(xscale="log", yscale="log", xlabel="sparsity k/n", ylabel="flops")
    left.set_xlim(right.get_xlim())
    for axis in (left, right):
        plain_log_ticks(axis)
        axis.legend()


def _pairs(data, penalty, reading="main"):
    mine = data[(data.penalty == penalty) & (data.label == reading)]
    gpower, svd = (mine[mine.solver == name] for name in (penalty, "ssvd_grqi"))
    kept = ["chain", "value", "variance_refit", "flops", "cardinality"]
    both = pd.merge(gpower, svd[kept], on="chain", suffixes=("_p", "_g"))
    return both[(both.cardinality_p == both.cardinality_g) & (both.sparsity < SMALL)]


def claims(data):
    """K8 and K9 for each penalty, K8 raw and refitted; other preprocessings listed."""
    for penalty in PENALTIES:
        both = {reading: _pairs(data, penalty, reading) for reading in READINGS}
        for column, word in (("value", "raw"), ("variance_refit", "refitted")):
            differences = {r: interval(_more(b, column)) for r, b in both.items()}
            sigma = interval(_more(both["main"], column, 0.5))
            rest = "; ".join(f"{r}: {differences[r]} %" for r in list(READINGS)[1:])
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
            yield K8.judged(_above(main), measured, variant)
            yield K8b.judged(main.within(2.35 / 2, 2.35 * 2), measured, variant)
        below = by_band(both["main"].sparsity, both["main"].flops_p / both["main"].flops_g, EDGES)
        rest = "; ".join(
            f"{r}: {interval(both[r].flops_p / both[r].flops_g)}" for r in list(READINGS)[1:]
        )
        verdict = every([v.at_least(10) for v in below.values()])
        yield K9.judged(verdict, f"ratio {show(below)} ({rest})", NAMES[penalty])


def _above(more):
    """The verdict on "more": a difference within rounding is none."""
    if not more.count or more.low <= TIE < more.high:
        return "undecided"
    return decided(more.low > TIE)


def _more(both, column, power=1.0):
    return 100 * ((both[f"{column}_g"] / both[f"{column}_p"]) ** power - 1)
