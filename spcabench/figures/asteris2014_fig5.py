"""Asteris, Papailiopoulos, Dimakis (2014), Figure 5: variance of nonnegative components of leukemia
genes, against k.

Armstrong et al., 72 samples x 12582 probe sets, raw intensities, centred; k = 1 to 1000 (ours: the
paper names no range). Algorithm 3 with d = 3, eps = 0.1 and N = ceil(eps^-d ln n) samples; EM, best
of 10 restarts. Shaded: from Algorithm 3's variance up to q / (1 - eps) + lambda_4 capped at
lambda_1 (q its value on the rank-3 matrix), which bounds the optimum with probability 1 - 1/n;
dotted: without 1 / (1 - eps), the other reading, which is no bound. Variances are as the solvers
give them, which for EM is after its renormalisation. The right panel is ours.
"""

from typing import Any

import numpy as np

from spcabench.claims import Condition, Statement, decided, interval
from spcabench.figures._asteris2014 import ALG3, EM, MAIN, both, draw_trade_off, grid, with_bounds
from spcabench.figures._asteris2014_claims import A13, A17, explained, lower, lowest, ratio
from spcabench.figures._truth import truth
from spcabench.run import Run

PANELS, SIZE = (1, 2), (10.0, 4.8)
K, LARGEST = 50, 1000
# settings of EM beside ten restarts to a tolerance of 1e-6: the authors' package has 1e-3
EM_ALSO: tuple[dict[str, Any], ...] = (
    dict(restarts=1),
    dict(restarts=30),
    dict(restarts=100),
    dict(tol_em=1e-3),
)
PREPROCESSINGS = {"not centred": dict(center=False), "scaled": dict(scale=True)}

A4 = Statement(
    id="A4",
    quote="For low values of k, Alg. 3 outperforms the EM algorithm in terms of explained variance",
    where="section 7, figure 5",
    test="variance of Algorithm 3 above that of EM at equal k, as given and both refitted, lowest "
    "third of the axis (k up to 333); ties within 1e-6 left out",
    threshold="at 80 % of the k at least",
)
A5 = Statement(
    id="A5",
    quote="For larger values, the two algorithms exhibit similar performance",
    where="section 7, figure 5",
    test="variance of Algorithm 3 / variance of EM at equal k, as given and both refitted, "
    "highest third of the axis",
    threshold="interval within 5 %",
)
A6 = Statement(
    id="A6",
    quote="For k as small as 50 ... the extracted component captures at least 44.6% of the "
    "variance corresponding to the true nonnegative k-sparse PC",
    where="section 7, figure 5",
    test="variance of Algorithm 3 over the upper bound at k = 50, in both readings of the bound",
    threshold="at least 44.6 %, to the printed digits",
)
A7 = Statement(
    id="A7",
    quote="The obtained upper bound is a significant improvement compared to the trivial bound "
    "given by lambda_1",
    where="section 7, figure 5",
    test="the bound q / (1 - eps) + lambda_4 against lambda_1",
    threshold="at least 10 % lower at 80 % of the k",
)
A14 = Statement(
    id="A14",
    quote="in practice we observed similar speed, both in the order of a few seconds",
    where="section 8",
    test="time of Algorithm 3 over time of EM (10 restarts) at k = 50, one thread, interleaved, "
    "minimum of the rounds",
    threshold="ratio within [1/2, 2] and both at most 10 s",
    earlier=(
        dict(
            verdict="fails",
            measured="12.8 times EM's time",
            reason="the test is the same; Algorithm 3 skipped no rows of V then",
        ),
    ),
    timed=True,
)


def runs(scale):
    """Paper: 120 cardinalities from 1 to 1000; other preprocessings at 12."""
    paper = scale == "paper"
    yield from both("mll", {}, grid(LARGEST, 120 if paper else 16, [K]), MAIN, None)
    yield from truth(scale, "mll", {}, 20, nonnegative=True)
    for label, parameters in PREPROCESSINGS.items():
        yield from both("mll", parameters, grid(LARGEST, 12, [K]) if paper else [K], label, None)
    for solver, settings in (("spannogram", ALG3), ("em", EM)):
        yield Run(
            dataset="mll", solver=solver, settings=dict(k=K, **settings), timed=True, label="time"
        )
    for changed in EM_ALSO:
        settings = dict(k=K, **(EM | changed))
        yield Run(dataset="mll", solver="em", settings=settings, timed=True, label="time")


data = with_bounds


def draw(data, axes):
    """The trade-off."""
    draw_trade_off(data, axes, {K: 44.6})


def claims(data):
    """A4 to A7, A13, A14, A17."""
    for column, name in (("value", "as given"), ("refit", "refitted")):
        quotient = ratio(data, column)
        low, high = (
            quotient[part]
            for part in (quotient.index <= LARGEST / 3, quotient.index >= 2 * LARGEST / 3)
        )
        clear = low[np.abs(low - 1) > 1e-6]
        above = float((clear > 1).mean()) if len(clear) else 0.0
        words = f"higher at {100 * above:.0f} % of {len(clear)} k; Alg. 3 / EM {interval(low)}"
        yield A4.judged(decided(above >= 0.8 if len(low) else None), words, name)
        yield A5.judged(
            interval(high).within(0.95, 1.05),
            f"Alg. 3 / EM {interval(high)} over {len(high)} k",
            name,
        )
    yield from explained(A6, data, K, 44.6, 1)
    yield lower(A7, data, "uncapped", None)
    yield lowest(A13, data, 40.0)
    yield _speed(data)
    yield lower(A17, data, "uncapped", "apriori")


def _speed(data):
    """A14, and the same with other settings of EM."""
    timed = data[data.samples.notna()]
    total = timed.setup_time + timed.solve_time
    mine = total[timed.solver == "spannogram"].min()
    em = timed[timed.solver == "em"].settings.map(_of_em)
    best = total[em.index].groupby(em).min()
    if np.isnan(mine) or "10 restarts" not in best.index:
        return A14.judged("undecided", "no timed runs")
    ten = best["10 restarts"]
    words = f"Alg. 3 {mine:.2f} s, EM {ten:.3f} s, ratio {mine / ten:.3g} (k = {K})"
    verdict = _similar_speed(mine, ten)
    conditions = [
        Condition(f"EM with {name}", _similar_speed(mine, time), f"ratio {mine / time:.3g}")
        for name, time in best.drop("10 restarts").items()
    ]
    cause = "EM's time grows with its restarts, of which the paper states no number."
    return A14.judged(
        verdict, words, conditions=conditions, cause="" if verdict == "holds" else cause
    )


def _of_em(settings):
    """The settings of an EM run, in words."""
    if "tol_em" in settings:
        return f"a tolerance of {settings['tol_em']:g}"
    return f"{settings['restarts']} restart{'s' if settings['restarts'] > 1 else ''}"


def _similar_speed(mine, other):
    return decided(bool(0.5 <= mine / other <= 2.0 and max(mine, other) <= 10.0))
