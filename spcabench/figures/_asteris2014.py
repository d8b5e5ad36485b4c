"""Shared code for Figures 4 to 6 of Asteris, Papailiopoulos and Dimakis (2014)."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from spcabench import registry
from spcabench.claims.words import number, span
from spcabench.figures._truth import VISIBLE, truth_of, with_truth
from spcabench.problem.problem import Problem
from spcabench.run import Run
from spcabench.solving import bounds
from spcabench.solving.result import graded, refitted
from spcabench.solving.status import Status
from spcabench.style import LETTERS, legend_below, look, plain_log_ticks

D, EPS = 3, 0.1
ALG3: dict[str, Any] = dict(d=D, eps=EPS, nonnegative=True)
EM: dict[str, Any] = dict(restarts=10, nonnegative=True)
NAMES = {
    "spannogram": "Alg. 3 ($d = 3$, $\\epsilon = 0.1$)",
    "em": "EM, best of 10",
    "nspca": "NSPCA, best of 3",
}
# the curves often coincide, so open markers are drawn below small filled ones
MARKS: dict[str, Any] = {
    "spannogram": dict(marker="o", markersize=7, markerfacecolor="none", linestyle="-"),
    "em": dict(marker="o", markersize=3, linestyle="--"),
}
MAIN, TIME, ACCURACY = "main", "time", "accuracy"


def both(
    dataset: str, parameters: dict[str, Any], ks: Sequence[int], label: str, form: str | None
) -> Iterator[Run]:
    """Run Algorithm 3 once for all k, and EM once for each k."""
    common: dict[str, Any] = dict(dataset=dataset, parameters=parameters, form=form, label=label)
    ks = [int(k) for k in ks]
    # all k share the samples, so a run for hundreds of k costs little more than a run for one
    yield Run(function=one_pass, settings=dict(ks=ks), uses=("spannogram",), **common)
    for k in ks:
        yield Run(solver="em", settings=dict(k=k, **EM), **common)


def one_pass(problem: Problem, *, seed: int, ks: Sequence[int]) -> dict[str, list[float]]:
    """Run Algorithm 3 for all ks up to n, and return the values from which its bounds are computed.

    cardinality, variance : cardinality and variance of x as returned. variance_refit : variance
        after a refit. q : x'A_3 x. lambda_next : lambda_4. bound : deterministic upper bound on
        the optimum.
    """
    # the driver cannot be used, because it stops a run after one component for one k
    path = registry.module("solver", "spannogram").path
    w, U = problem.covariance.leading_pairs(D + 1)
    columns: dict[str, list[float]] = {
        name: [] for name in ("k", "cardinality", "variance", "variance_refit", "q", "bound")
    }
    for k, x, _ in path(problem, [k for k in ks if k <= problem.n], seed=seed, **ALG3):
        x, status = graded(x, Status.FINISHED, k, problem.n, nonnegative=True)
        # a bound computed from an infeasible vector would be wrong, without any warning
        if status != Status.FINISHED:
            raise RuntimeError(f"Algorithm 3 gave no feasible component at k = {k}")
        columns["k"].append(k)
        columns["cardinality"].append(float(np.count_nonzero(x)))
        # the paper uses x as returned, but a bound is compared with the variance after a refit
        columns["variance"].append(problem.variance(x))
        columns["variance_refit"].append(problem.variance(refitted(problem, x, nonnegative=True)))
        columns["q"].append(float((w[:D] * (x @ U[:, :D]) ** 2).sum()))
        columns["bound"].append(bounds.upper_bound(problem, k, nonnegative=True))
    return columns | {"lambda_next": [max(float(w[D]), 0.0)] * len(columns["k"])}


def guarantee(
    problem: Problem, *, seed: int, k: int, d: int, eps: float, draws: int
) -> dict[str, Any]:
    """Return the fraction of its own bound that Algorithm 3 reaches, for each random draw."""
    path = registry.module("solver", "spannogram").path
    w, U = problem.covariance.leading_pairs(d + 1)
    shares = []
    for draw in range(draws):
        ((_, x, _),) = path(problem, [k], d=d, eps=eps, nonnegative=True, seed=seed + draw)
        q = float((w[:d] * (x @ U[:, :d]) ** 2).sum())
        shares.append(problem.variance(x) / min(q / (1 - eps) + w[d], w[0]))
    return {"d": d, "eps": eps, "k": k, "shares": shares}


def unfolded(table: pd.DataFrame) -> pd.DataFrame:
    """Expand each pass of Algorithm 3 into one row for each k."""
    passes = table[table.measure == one_pass.__name__]
    rows = [
        pd.DataFrame(row.extra).assign(
            solver="spannogram",
            nonnegative=True,
            label=row.label,
            n=row.n,
            dataset=row.dataset,
            parameters=[row.parameters] * len(row.extra["k"]),
            lambda_1=row.lambda_1,
            problem=row.problem,
            stand_in=row.stand_in,
        )
        for row in passes.itertuples()
    ]
    others = table[table.measure != one_pass.__name__]
    # EM's rows lack q and lambda_next, so a table without a pass of Algorithm 3 would lack them too
    own = [name for name in ("q", "lambda_next") if name not in others]
    return pd.concat([others.assign(**dict.fromkeys(own, np.nan)), *rows], ignore_index=True)


def grid(n: int, count: int, at: Sequence[int]) -> list[int]:
    """Return cardinalities from 1 to n, closer for small k, including those in ``at``."""
    return sorted(
        {
            1,
            n,
            *at,
            # geometric spacing for small k, where the curves bend, and linear spacing for larger k
            *np.unique(np.round(np.geomspace(1, n, count // 2)).astype(int)).tolist(),
            *np.unique(np.round(np.linspace(1, n, count // 2)).astype(int)).tolist(),
        }
    )


@with_truth
def with_bounds(table: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each solver and k, with variances and bounds as fractions of lambda_1.

    value, refit : variance as returned by the solver (value), and after a refit (refit). upper :
    the bound at the upper edge of the shaded region. loose : the same expression without
    1 / (1 - eps), which is not a bound. best : the smallest certified bound known to the harness.
    apriori : value / ((1 - eps) rho_d), from Theorem 1.
    """
    table = unfolded(table)
    k, n, top = table.cardinality.clip(lower=1), table.n, table.lambda_1
    q, after = table.q / top, table.lambda_next / top
    # Theorem 1, with the cardinality that was reached instead of k
    rho = np.maximum(k / (2 * n), 1 / (1 + 2 * (n / k) * after))
    return table.assign(
        value=table.variance / top,
        refit=table.variance_refit / top,
        upper=np.minimum(q / (1 - EPS) + after, 1.0),
        loose=np.minimum(q + after, 1.0),
        best=np.minimum(table.bound / top, 1.0),
        apriori=np.minimum(table.variance / top / ((1 - EPS) * rho), 1.0),
    )


def by_cardinality(data: pd.DataFrame, solver: str, label: str = MAIN) -> pd.DataFrame:
    """Return the rows of a solver, indexed by k."""
    return data[(data.solver == solver) & (data.label == label)].set_index("k").sort_index()


def draw_trade_off(
    data: pd.DataFrame,
    axes: Any,
    paper: dict[int, float],
    label: str = MAIN,
    plain_name: str = "",
    **scale: Any,
) -> None:
    """Plot the variance and its bound in the left panel, and their ratio in the right panel.

    paper : the paper's numbers, a mapping from k to the percentage of a bound. label : label of the
    data preparation that determines the verdicts; if this is not the plain data, the right panel
    also shows the ratio for the plain data, under the name plain_name. scale : arguments of
    ``Axes.set`` for the k axes.
    """
    left, right = axes.flat
    rows = by_cardinality(data, "spannogram", label)
    # the region is drawn first, so that the curves lie on top of it
    _draw_bounds(left, rows)
    if len(rows) and label == MAIN:  # the optimum is known only for the plain data
        truth_of(data).draw(left, rows.lambda_1.iloc[0])
    _draw_methods(left, data, label)
    thin: dict[str, Any] = dict(color=look("spannogram")["color"], linewidth=0.8, alpha=0.6)
    # if the refit changes nothing, the two curves coincide and need only one legend entry
    apart = (rows.refit - rows.value).abs().max() > VISIBLE
    named = "Alg. 3, refitted (ours)" if apart else None
    left.plot(rows.index, rows.refit, label=named, **thin)
    left.set(ylim=(0, 1.05), ylabel="variance $x^\\top A x / \\lambda_1$")
    _draw_explained(right, rows)
    if label != MAIN:
        # this shows how much the preparation alone changes the ratio
        plain = by_cardinality(data, "spannogram")
        other = dict(color="#CC79A7", linewidth=1.0, label=f"of the shaded bound, {plain_name}")
        right.plot(plain.index, 100 * plain.value / plain.upper, **other)
    stars: dict[str, Any] = dict(markersize=9, linestyle="none", label="the paper's numbers")
    right.plot(list(paper), list(paper.values()), "k*", **stars)
    # the paper's k can be missing from the grid of the quick scale
    ours = [100 * (rows.value / rows.upper).get(k, np.nan) for k in paper]
    for (k, percent), own in zip(paper.items(), ours, strict=True):
        told = f"the paper: {percent:g} %; here {own:.1f} %"
        # the space below the curves is free: to the right of a star or, near the edge, to its left
        beside = "left" if k < 0.25 * max(rows.index, default=k) and len(paper) == 1 else "right"
        style: dict[str, Any] = dict(textcoords="offset points", ha=beside, fontsize=LETTERS)
        down = -36 if k == max(paper) else -46
        right.annotate(told, (k, percent), (0, down), arrowprops=dict(arrowstyle="-"), **style)
    both = [by_cardinality(data, solver, label).value for solver in MARKS]
    ratio = (both[0] / both[1]).dropna()
    if len(ratio):
        prepared = "" if label == MAIN else f"{label}: "
        equal = (ratio - 1).abs().max() < VISIBLE
        much = "as much variance as" if equal else f"{span(ratio, 'times')} the variance of"
        left.set_title(f"{prepared}Algorithm 3 has {much} EM")
        least = number((rows.value / rows.upper).min(), "share")
        right.set_title(f"Algorithm 3 explains at least {least} of its bound")
    right.set(ylim=(0, 105), ylabel="explained by Alg. 3, % of a bound")
    for axis in (left, right):
        axis.set(xlabel="cardinality $k$", **scale)
        if axis.get_xscale() == "log":
            plain_log_ticks(axis)
        legend_below(axis)


def _draw_bounds(axis: Any, rows: pd.DataFrame) -> None:
    """Draw the region that contains the optimum, the bound without 1 / (1 - eps), and lambda_1."""
    shade: dict[str, Any] = dict(color=look("spannogram")["color"], alpha=0.15, linewidth=0)
    black: dict[str, Any] = dict(color="black", linewidth=0.8)
    axis.fill_between(rows.index, rows.value, rows.upper, label="the optimum is here", **shade)
    dotted = "bound without $1/(1-\\epsilon)$"
    axis.plot(rows.index, rows.loose, linestyle=":", label=dotted, **black)
    axis.axhline(1.0, linestyle="--", label="trivial bound $\\lambda_1$", **black)


def _draw_methods(axis: Any, data: pd.DataFrame, label: str) -> None:
    for solver, marker in MARKS.items():
        # hundreds of markers would merge into a thick line
        curve = by_cardinality(data, solver, label)
        style = look(solver) | marker | dict(markevery=max(1, len(curve) // 20))
        axis.plot(curve.index, curve.value, label=NAMES[solver], **style)


def _draw_explained(axis: Any, rows: pd.DataFrame) -> None:
    """Plot the variance of Algorithm 3 as a percentage of each bound."""
    colour = look("spannogram")["color"]
    for column, style, name in (
        ("upper", dict(linestyle="-"), "of the shaded bound"),
        ("loose", dict(linestyle=":"), "of the bound without $1/(1-\\epsilon)$"),
        ("best", dict(linestyle="-.", alpha=0.6), "of the best deterministic bound"),
    ):
        axis.plot(rows.index, 100 * rows.value / rows[column], color=colour, label=name, **style)
    style = dict(color="#777777", linewidth=0.9, label="shaded bound, % of the a-priori bound")
    axis.plot(rows.index, 100 * rows.upper / rows.apriori, **style)
