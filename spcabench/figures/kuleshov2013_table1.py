"""Kuleshov (2013), Table 1: eigenvalue algorithms and their sparse generalisations, with
measurements.

The paper's table pairs the power method with GPower, and Rayleigh quotient iteration with GRQI.
Here each algorithm is run on Sigma = A'A with A ~ N(0, 1). The table also names the optimisation
method to which each algorithm is equivalent (section 3). Beside it, we added the steps
||x - x_prev|| against the iteration. The order of convergence is the slope of log(next step)
against log(step) over all seeds (five for the slow methods), for steps between 0.3 and 1e-8. GRQI
runs with finite J = 2, after which its support is fixed (section 2.1), and only its steps from
iteration 2 on are used. GPower runs with k = 44 of 1000, and a search finds its penalty.
"""

from itertools import pairwise
from textwrap import fill

import numpy as np
import pandas as pd

from spcabench import claims
from spcabench.claims import claim
from spcabench.figures._kuleshov2013 import GPM, GRQI, k_at
from spcabench.run import Run
from spcabench.running import schema
from spcabench.showing.style import draw_table, look, name_lines
from spcabench.solving.status import Status

PANELS, SIZE = (1, 2), (11.5, 3.6)
J = 2
# linear methods take so many steps that five seeds determine their order; cubic methods take only
# three steps
SLOW, FEW = ("power_method", "gpower1", "gpower0"), 5
# solver -> name, and the optimisation method to which it is equivalent
METHODS = {
    "power_method": ("power method", "gradient"),
    "rayleigh_quotient_iteration": ("RQI", "Newton"),
    "gpower1": ("GPower1", "subgradient"),
    "gpower0": ("GPower0", "subgradient"),
    "grqi": (f"GRQI, J = {J}", "Newton"),
}


# what runs


def runs(scale):
    """Run all seeds with a history."""
    n, seeds = (1000, 20) if scale == "paper" else (300, 10)
    for seed in range(seeds):
        for solver in METHODS:
            if solver in SLOW and seed >= FEW:
                continue  # thousands of steps, so a few seeds determine the order
            yield run(solver, n, seed)


def run(solver, n, seed):
    """Return a run to the accuracy of rounding, with the settings of the table."""
    k = k_at(0.044, n)
    # search for the penalty, because the paper's gamma = 5 leaves at most one nonzero (see Figure
    # 1)
    own = {"grqi": dict(k=k, J=J, **GRQI), "gpower1": dict(k=k, **GPM), "gpower0": dict(k=k, **GPM)}
    settings = own.get(solver, GPM) | dict(tol=1e-14, history=True, stop="step")
    if solver.startswith("gpower"):
        # a linear rate is visible after a few hundred steps
        settings |= dict(max_iterations=400)
    if solver == "rayleigh_quotient_iteration":
        # with n = 1000, rounding keeps the steps from becoming smaller
        settings |= dict(max_iterations=20)
    return Run(
        dataset="gaussian",
        parameters=dict(m=n, n=n, seed=seed),
        solver=solver,
        settings=settings,
        seed=seed,
        form="data" if solver.startswith("gpower") else "covariance",
        label="history",
    )


def data(table):
    """Return one row per method, with its numbers and the steps of the first seed.

    order : slope over all seeds. orders : slope for each seed. iterations : median number of
    iterations to 1e-6. reached : fraction of the seeds that reached 1e-6. flops : median of the
    flops of an iteration.
    """
    lines = []
    for solver in METHODS:
        past = table[(table.solver == solver) & (table.label == "history")]
        if past.empty:
            continue
        steps = [_steps(history) for history in past.history]
        # the first J steps can change the support; the proposition applies to the later ones
        fitted = [s[J:] if solver == "grqi" else s for s in steps]
        small = [s < 1e-6 for s in steps]
        # argmax of booleans is the first True
        counts = [int(np.argmax(s)) + 1 if s.any() else len(s) for s in small]
        lines.append(
            dict(
                solver=solver,
                n=past.n.iloc[0],
                order=order(fitted),
                orders=[order([s]) for s in fitted],
                seed=list(past.seed),
                stand_in=past.stand_in.any(),
                problem=past.problem.iloc[0],
                row=" ".join(past.row),
                flops=(past.flops / past.iterations).median(),
                iterations=float(np.median(counts)),
                reached=float(np.mean([s.any() for s in small])),
                steps=steps[0],
                stopped=past.status.iloc[0] == Status.MAX_ITERATIONS,
            )
        )
    return pd.DataFrame(lines)


def _steps(history):
    """Return ||x - x_prev|| for every iteration."""
    return np.array([entry["change"] for entry in schema.steps(history)][1:], dtype=float)


def order(steps):
    """Return the slope of log(next step) against log(step), for steps from 0.3 to 1e-8.

    The next step must exceed rounding errors. The slope is NaN if there are fewer than two such
    pairs.
    """
    # steps above 0.3 precede convergence, and steps below 1e-12 are dominated by rounding
    results = [(a, b) for s in steps for a, b in pairwise(s) if 1e-8 < a < 0.3 and b > 1e-12]
    if len(results) < 2:
        return np.nan
    a, b = np.log(np.array(results)).T
    return float(np.polyfit(a, b, 1)[0])


# what is drawn


def tables(data):
    """List the numbers of all methods; if few runs reached 1e-6, the iterations are a bound."""
    head = ["", "equivalent method", "order", "iterations to 1e-6", "flops per iteration"]
    lines = [
        [
            *METHODS[row.solver],
            f"{row.order:.2f}",
            f"{'' if row.reached > 0.5 else '> '}{row.iterations:.0f}",
            f"{row.flops:.2g}",
        ]
        for row in data.itertuples()
    ]
    return [{"title": f"n = {data.n.iloc[0]}", "head": head, "lines": lines}]


def draw(data, axes):
    """Draw the paper's table with our numbers, and plot the steps against the iteration."""
    left, axis = axes.flat
    left.get_gridspec().set_width_ratios([1.2, 1])
    (table,) = tables(data)
    draw_table(
        left, [fill(name, 12) for name in table["head"]], table["lines"], names=1.1, align="left"
    )
    for row in data.itertuples():
        # a step of exactly zero cannot be shown on a logarithmic axis
        positive = np.maximum(row.steps, 1e-17)
        iteration = np.arange(1, len(positive) + 1)
        name = METHODS[row.solver][0]
        name += f", stopped at {len(row.steps)}" if row.stopped else ""
        style = look(row.solver) | dict(markevery=max(1, len(positive) // 12))
        axis.plot(iteration, positive, label=name, **style)
    axis.set(xscale="log", xlabel="iteration")
    axis.set(yscale="log", ylabel="$\\|x - x_{prev}\\|$", ylim=(1e-16, 2))
    axis.set_title(f"GRQI converges at order {K14.told(data)} (the paper: cubic)")
    name_lines(axis)


# what is claimed


@claim(
    "K14",
    "section 2.1, proposition (J finite)",
    "the iterates (x_j) generated by Algorithm 1 converge to x* at a cubic rate",
    kind="theorem",
    measures="slope of log(next step) against log(step) of GRQI, its support fixed",
    unit="",
    rule=claims.at_least(2.5),
    null=1.0,  # linear convergence
    paper=[claims.PaperNumber(3)],
    changed="it was counted as a number, but the paper proves it (Rayleigh quotient iteration on a "
    "fixed support)",
)
def K14(data):
    """Judge the slope of each seed."""
    grqi = data[data.solver == "grqi"].explode(["orders", "seed"], ignore_index=True)
    return claims.tidy(grqi, "orders", f"n = {data.n.iloc[0]}", reading=f"GRQI, J = {J}")
