"""Zhang, El Ghaoui (2011), Figure 1: time of block coordinate ascent and of the first-order method,
against n.

Left Sigma = F'F, F square with entries from N(0, 1); right the spiked Sigma = uu' + VV'/m, Card(u)
= n/10 and m = n (ours: the paper states no m). The penalty is 0.58 sqrt(log n) standard deviations
of the entries beside the diagonal (ours), which leaves 5 to 20 nonzeros; 0.6 and 1.5 times as much
beside it. All run to a certified relative gap of 1e-2, without screening, with a time limit of 60 s
a run at paper scale; hollow: ended there; the legend says up to which n a method was run. BCA is
the paper's Algorithm 1 with beta = 1e-3/n, every box QP solved to 1e-9. Ours: the same with beta =
5e-3/n and box QPs as exact as the gap that is left deserves; and continuation in beta. One thread,
interleaved, exclusive; the minimum of the rounds, its median and quartiles over seeds (quartiles of
the rounds where there is one). Axes of n linear as in the paper, then
logarithmic; exponents are those of the flops, over the sizes at which the gap was reached.

Third row: the certified gap after the paper's five sweeps, for three penalties; and after every
sweep on the words of largest variance of three corpora, at a penalty that leaves about five. Last
row: sweeps until BCA rests, against 1/eps; variance at equal cardinality, after a refit on each
support, over that of the relaxation's solution (BCA with continuation to a gap of 1e-3).
"""

from typing import Any

import numpy as np

from spcabench.claims import Condition, Statement, decided, every, interval
from spcabench.figures import _zhang2011_limits as at_rest
from spcabench.figures import _zhang2011_text as text
from spcabench.figures._zhang2011 import (
    compared,
    draw_quality,
    draw_sweeps,
    draw_times,
    exponent,
    much_faster,
    penalty,
    source,
    speedups,
    timed,
)
from spcabench.run import Run

PANELS, SIZE = (4, 2), (10.5, 14.5)
FAMILIES = {"gaussian": "Gaussian, $\\Sigma = F^TF$", "spiked": "spiked, $\\Sigma = uu^T + VV^T/m$"}
NAMES = {
    "bca": "BCA, the paper's",
    "bca loose": "BCA, looser inside",
    "bca_continuation": "BCA, continuation in $\\beta$",
    "dspca": "DSPCA, first order",
}
BASELINES = {
    "thresholding": "thresholding",
    "greedy_forward": "greedy, forward",
    "greedy_full": "greedy, both passes",
}
BASELINES |= {"spca_elastic_net": "SPCA, elastic net", "tpower": "TPower (ours)"}
GAP = 1e-2
LOOSE = "five, loose"
FACTORS = (0.6, 1.5)  # of the penalty, for conditions
OWN: dict[str, dict[str, Any]] = {
    "bca": dict(K=10**6),
    "bca loose": dict(K=10**6, inner="loose", eps=5e-3),
    "bca_continuation": {},
    "dspca": dict(eps=GAP),
}
# sizes that are timed, and how many seeds a size has (from 200: none of them was looked at in
# tuning a solver)
SIZES: dict[str, dict[str, tuple[int, ...]]] = {
    "quick": dict.fromkeys(OWN, (25, 50, 100)),
    "paper": {
        "bca": (50, 100, 200, 300),
        "bca loose": (50, 100, 200, 300, 400),
        "bca_continuation": (50, 100, 200, 300, 400, 600, 800),
        "dspca": (50, 100, 200, 300, 400),
    },
}
AT = {"quick": (25,), "paper": (50, 100, 200)}  # sizes of the conditions
SEEDS = {"quick": {25: 2, 50: 2}, "paper": {50: 6, 100: 6, 200: 3, 300: 3}}
CONDITION_SEEDS = {"quick": {25: 2}, "paper": {50: 6, 100: 6, 200: 3}}
LIMIT = {"quick": 10.0, "paper": 60.0}

Z1 = Statement(
    id="Z1",
    quote="Fig 1 shows that our algorithm converges much faster than the first order algorithm",
    where="section 4, figure 1",
    test="time of DSPCA / time of BCA to a certified gap of 1e-2, at each n of each panel where "
    "either reached it; a run that did not counts with its time limit",
    threshold="at least 5 at every n (plain BCA is primary)",
    timed=True,
)
Z4 = Statement(
    id="Z4",
    quote="K is fixed at a number independent of problem size (typically K = 5); O(K n^3)",
    where="section 3",
    test="certified relative gap of the relaxation after 5 sweeps, at every n of both panels; "
    "exponent of their flops",
    threshold="gap at most 1e-2; exponent at most 3.1",
)
Z5, Z8 = at_rest.Z5, at_rest.Z8
Z11 = Statement(
    id="Z11",
    quote="simple ad-hoc methods, and the greedy, SCoTLASS and SPCA algorithms, often "
    "underperform DSPCA",
    where="section 1",
    test="variance below that of the relaxation's solution, both refitted, at equal cardinality; "
    "ties (1e-6) left out; share of a problem's runs, mean and interval over problems",
    threshold="more than half of the runs, for each method (SCoTLASS apart)",
    earlier=(
        dict(
            verdict="fails",
            measured="greedy, forward: below in 49 % of 65 runs (52 % of 106 in the run before, "
            "and held); the other methods as now",
            reason="the share had no interval, and two runs lay on either side of one half; "
            "changed after both",
        ),
    ),
)


def runs(scale):
    """Paper: n = 50 to 800 for BCA with continuation, to 400 for DSPCA, to 300 for plain BCA."""
    sizes, paper = SIZES[scale], scale == "paper"
    for family in FAMILIES:
        for n in sizes["bca_continuation"]:
            for seed in range(200, 200 + SEEDS[scale].get(n, 1)):
                for method in (m for m in sizes if n in sizes[m]):
                    if method != "bca" or n < 300 or seed == 200:
                        yield _timed(family, n, seed, method, scale)
        for n in AT[scale]:
            for seed in range(300, 300 + CONDITION_SEEDS[scale][n]):
                for method in ("bca", "bca loose", "dspca"):
                    # a run of the paper's own BCA may take its whole time limit at n = 200
                    for factor in FACTORS if n < 200 or method != "bca" else ():
                        yield _timed(family, n, seed, method, scale, factor)
                    if n == AT[scale][0]:
                        yield _timed(family, n, seed, method, scale, goal=1e-3)
        for n in sizes["bca"]:
            for factor in (1.0, *FACTORS):
                settings: dict[str, Any] = dict(lam=factor * penalty(family, n), K=5, screen=False)
                label = "sweeps" if factor == 1.0 else f"sweeps {factor:g}"
                yield Run(**source(family, n, 200), solver="bca", settings=settings, label=label)
        for n in sizes["bca loose"]:
            settings = dict(lam=penalty(family, n), K=5, screen=False, inner="loose", eps=5e-3)
            yield Run(**source(family, n, 200), solver="bca", settings=settings, label=LOOSE)
        for seed in range(100, 112 if paper else 102):
            yield from _compared(family, 100 if paper else 40, seed)
        yield from at_rest.measures(family, range(100, 110 if paper else 102))
    yield from text.measures(scale)


def _timed(family, n, seed, method, scale, factor=1.0, goal=GAP):
    """One timed run to the goal. Penalties and goals of conditions are in the label."""
    solver, _, loose = method.partition(" ")
    own = dict(OWN[method])
    if goal != GAP and (loose or solver == "dspca"):
        own["eps"] = goal / 2 if loose else goal
    label = "time" if factor == 1.0 else f"penalty {factor:g}"
    named = {"rho" if solver == "dspca" else "lam": factor * penalty(family, n), "screen": False}
    limits = dict(tol=goal, time_limit=LIMIT[scale], stop="gap", max_iterations=10**6)
    return Run(
        **source(family, n, seed),
        solver=solver,
        settings=named | own | limits,
        timed=True,
        # of plain BCA there is one problem at n = 300, that of seed 200
        one_round=n == 200 or (n == 300 and seed > 200),
        label=label if goal == GAP else f"goal {goal:g}",
        timeout=4 * LIMIT[scale],
    )


def _compared(family, n, seed):
    for k in (5, 10, 20):
        common = dict(**source(family, n, seed), label=f"quality {k}")
        yield Run(solver="bca_continuation", settings=dict(k=k), **common)
        for solver in BASELINES:
            yield Run(solver=solver, match="bca_continuation", **common)


def data(table):
    """The rows, with family, method and x = n."""
    loose = table.settings.map(lambda given: given.get("inner") == "loose")
    return table.assign(
        family=table.dataset,
        x=table.n.astype(float),
        method=table.solver.where(~loose, "bca loose"),
    )


def draw(data, axes):
    """Times on two kinds of axes; gaps after sweeps; rest; variances against the relaxation's."""
    for column, (family, title) in enumerate(FAMILIES.items()):
        rows = timed(data[(data.family == family) & (data.label == "time")])
        for axis, scale in zip(axes[:2, column], ("linear", "log"), strict=True):
            draw_times(axis, rows, NAMES, scale)
            axis.set_title(title)
    draw_sweeps(axes[2, 0], data, FAMILIES, GAP)
    text.draw_text(axes[2, 1], data)
    at_rest.draw_limits(axes[3, 0], data, FAMILIES)
    draw_quality(axes[3, 1], compared(data, BASELINES), BASELINES)


READINGS = {
    "bca": "plain",
    "bca loose": "box QPs and beta after the gap, ours",
    "bca_continuation": "with continuation, ours",
}


def claims(data):
    """Z1, Z4, Z5, Z8, Z11."""
    for method, reading in READINGS.items():
        verdict, words = _faster(data[data.label == "time"], method)
        cards = timed(data).query("reached").cardinality
        used = f" ({cards.min():.0f} to {cards.max():.0f} nonzeros)" if len(cards) else ""
        conditions = list(_elsewhere(data, method))
        cause = CAUSE if method == "bca" and verdict != "holds" else ""
        yield Z1.judged(
            verdict, f"ratio at n = {words}{used}", reading, conditions=conditions, cause=cause
        )
    yield _five_sweeps(data)
    yield from at_rest.judged(data)
    ratio = compared(data, BASELINES)
    for solver in (s for s in BASELINES if s in ratio and s != "tpower"):
        verdict, words = _below(ratio[solver].dropna() - 1.0)
        cause = _shares(data, solver) if verdict == "fails" else ""
        yield Z11.judged(verdict, words, BASELINES[solver], cause=cause)


def _below(off):
    """Verdict on "more often below than not", by the interval of the share over problems."""
    clear = off[off.abs() > 1e-6]
    share = interval(100.0 * (clear < 0).groupby(["family", "seed"]).mean(), np.mean)
    words = (
        f"below in {share} % of a problem's runs (mean of {share.count} problems; {len(clear)} "
        f"runs, {len(off) - len(clear)} ties left out); median {100 * off.median():+.2f} %"
    )
    return share.at_least(50.0), words


CAUSE = (
    "Every box QP is solved to 1e-9, which takes hundreds of passes; where it is solved as well as "
    "the gap deserves, a fraction of them is enough."
)


def _shares(data, solver):
    """What a baseline and the relaxation's solution reach of the least certified bound."""
    rows = data[data.label.str.startswith("quality")]
    least = rows.groupby(["family", "seed", "label"]).bound.transform("min")
    reached = (rows.variance_refit / least).groupby(rows.solver).median()
    return (
        f"In the median the refitted support of the relaxation's solution reaches "
        f"{100 * reached['bca_continuation']:.1f} % of the least certified bound, and "
        f"{100 * reached[solver]:.1f} % with {BASELINES[solver]}: the relaxation charges for "
        "|X_ij|, not for the number of variables."
    )


def _faster(data, method):
    """Verdict on "much faster" in both families, and the ratios."""
    found = {f: speedups(timed(data[data.family == f]), "dspca", method) for f in FAMILIES}
    verdicts = {f: much_faster(ratio) for f, ratio in found.items()}
    words = "; ".join(f"{f}: {text}" for f, (_, text) in verdicts.items())
    return every([v for v, _ in verdicts.values()]), words


def _elsewhere(data, method):
    """Z1 at other penalties, at another goal, and on text."""
    for label in sorted({name for name in data.label if name.startswith(("penalty ", "goal "))}):
        mine = data[data.label == label]
        if method in set(mine.method):
            kind, _, number = label.partition(" ")
            name = f"{number} times the penalty" if kind == "penalty" else f"a gap of {number}"
            yield Condition(name, *_faster(mine, method))
    yield from text.faster(data, method)


def _five_sweeps(data):
    verdict, words = _after_five(data[data.label == "sweeps"])
    labels = {f"sweeps {factor:g}": f"{factor:g} times the penalty" for factor in FACTORS}
    labels[LOOSE] = "box QPs and beta after the gap, ours"
    conditions = [
        Condition(name, *_after_five(mine))
        for label, name in labels.items()
        if len(mine := data[data.label == label])
    ]
    cause = (
        "The gap after five sweeps depends on the problem: random matrices without structure need "
        "more, covariances of words fewer; and box QPs solved to 1e-9 take more passes as n grows."
    )
    return Z4.judged(
        verdict,
        words,
        conditions=[*conditions, *text.five_sweeps(data, GAP)],
        cause=cause if verdict == "fails" else "",
    )


def _after_five(rows):
    """Verdict of Z4 on runs of five sweeps, with the gaps and the exponents of their flops."""
    growth = {f: exponent(part.x, part.flops) for f, part in rows.groupby("family")}
    powers = ", ".join(f"{f} {g:.2f}" for f, g in growth.items())
    gaps = "; ".join(
        f"{family}: "
        + ", ".join(f"{n}: {g:.2g}" for n, g in zip(p.n, p.relaxation_gap, strict=True))
        for family, p in rows.groupby("family")
    )
    holds = (rows.relaxation_gap <= GAP).all() and all(g <= 3.1 for g in growth.values())
    known = len(rows) and not any(np.isnan(g) for g in growth.values())
    verdict = decided(bool(holds) if known else None)
    return verdict, f"gap at n = {gaps}; exponents {powers}"
