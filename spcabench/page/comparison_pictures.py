"""The pictures of a comparison, each a function of the standing, as SVG text in the house style."""

import io
import json
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd

from spcabench import style
from spcabench.comparison import profiles
from spcabench.comparison.standing import PAIR, TARGETS, costs, values

MOST = 9  # solvers in a picture of curves: the named ones, then the best
UNITS = {"time": "time, s", "work": "flops / flops of one product with $\\Sigma$"}


def svg(
    draw: Callable[..., None], shape: tuple[int, int], size: tuple[float, float], *given: Any
) -> str:
    """A picture as the text of an SVG. draw : called with ``given`` and the axes."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    with matplotlib.rc_context(style.RC):
        figure, axes = plt.subplots(*shape, figsize=size, squeeze=False)
        draw(*given, axes)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
        plt.close(figure)
    return text.getvalue()


def shown(order: Iterable[str], named: Iterable[str]) -> list[str]:
    """The named solvers, then the best of the others."""
    return list(dict.fromkeys([*named, *order]))[:MOST]


def performance(found: pd.DataFrame, solvers: list[str], axes: Any) -> None:
    """Performance profiles at 99 % of the best known: on flops, and on time."""
    grid = np.geomspace(1.0, 1e5, 200)
    for axis, of in zip(axes.flat, ("work", "time"), strict=True):
        cost = costs(found, 0.99, of).reindex(columns=solvers, fill_value=np.inf)
        cost = cost.loc[:, np.isfinite(cost).any()]
        _curves(axis, profiles.ratios(cost.to_numpy()), cost, grid)
        word = "flops" if of == "work" else "time"
        axis.set(xscale="log", xlabel=f"{word} over the least of the solvers shown", ylim=(0, 1.02))
        axis.set(ylabel="share of pairs solved to 99 %", xlim=(1, grid[-1]))
    _legend(axes)


def data(found: pd.DataFrame, solvers: list[str], axes: Any) -> None:
    """Data profiles to 90, 99 and 99.9 % of the best known, with bootstrap bands."""
    unit = found.groupby(PAIR).unit.first()
    for line, of in zip(axes, ("work", "time"), strict=True):
        grid = np.geomspace(0.1, 1e6, 200) if of == "work" else np.geomspace(1e-5, 20.0, 200)
        for axis, share in zip(line, TARGETS, strict=True):
            cost = costs(found, share, of).reindex(columns=solvers, fill_value=np.inf)
            cost = cost.loc[:, np.isfinite(cost).any()]
            if of == "work":
                cost = cost.div(unit.reindex(cost.index), axis=0)
            _curves(axis, cost.to_numpy(), cost, grid)
            axis.set(xscale="log", xlabel=UNITS[of], ylim=(0, 1.02), xlim=(grid[0], grid[-1]))
            axis.set(title=f"to {100 * share:g} %")
        line[0].set(ylabel="share of pairs")
    _legend(axes)


def _curves(axis: Any, cost: np.ndarray, table: pd.DataFrame, grid: np.ndarray) -> None:
    """A profile for each solver, with its bootstrap band."""
    low, high = profiles.band(cost, table.index.get_level_values(0).to_numpy(), grid)
    for i, (solver, line) in enumerate(
        zip(table.columns, profiles.reached(cost, grid), strict=True)
    ):
        look = {**style.look(solver), "markersize": 4, "markevery": (5 * i, 40)}
        axis.plot(grid, line, label=solver, **look)
        axis.fill_between(grid, low[i], high[i], color=look["color"], alpha=0.1, linewidth=0)


def _legend(axes: Any) -> None:
    """One legend for all axes, below them."""
    found: dict[str, Any] = {}
    for axis in axes.flat:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    axes.flat[0].figure.legend(found.values(), found.keys(), loc="outside lower center", ncols=5)


def pairwise(found: pd.DataFrame, order: list[str], axes: Any) -> None:
    """Share of the pairs on which the solver of the line has the higher value than that of the
    column.
    """
    names, table = values(found)
    place = [names.index(solver) for solver in order]
    won = profiles.wins(table[:, place])
    axis = axes.flat[0]
    axis.imshow(
        np.where(np.eye(len(order), dtype=bool), np.nan, won),
        cmap="Blues",
        vmin=0,
        vmax=1,
        aspect="auto",
    )
    for i, j in np.ndindex(won.shape):
        if i != j:
            colour = "white" if won[i, j] > 0.55 else "black"
            axis.text(
                j, i, f"{100 * won[i, j]:.0f}", ha="center", va="center", fontsize=6.5, color=colour
            )
    axis.set_xticks(range(len(order)), order, rotation=60, ha="right")
    axis.set_yticks(range(len(order)), order)
    axis.grid(False)
    axis.set(ylabel="this solver has the higher value, % of pairs", xlabel="than this one")


def duels(found: pd.DataFrame, named: str, others: list[str], axes: Any) -> None:
    """Performance profiles of two at a time, on time at 99 %: a profile of many can change their
    order.
    """
    grid = np.geomspace(1.0, 1e4, 200)
    cost = costs(found, 0.99, "time")
    for axis, other in zip(axes.flat, others, strict=False):
        two = cost[[named, other]]
        _curves(axis, profiles.ratios(two.to_numpy()), two, grid)
        axis.set(xscale="log", ylim=(0, 1.02), xlim=(1, grid[-1]), xlabel="time over the lesser")
        axis.legend(loc="lower right")


def anytime(
    found: pd.DataFrame, solvers: list[str], pairs: list[tuple[str, int]], axes: Any
) -> None:
    """Best value so far against flops, and the certified bound, over the best known."""
    from matplotlib.ticker import NullFormatter

    for axis, (item, k) in zip(axes.flat, pairs, strict=True):
        part = found[(found.item == item) & (found.asked == k)]
        best = part.best.iloc[0]
        for row in part[part.solver.isin(solvers) & part.answered & part.work.notna()].itertuples():
            look = {**style.look(row.solver), "markersize": 3}
            steps = (
                _steps(row)
                if isinstance(row.history, str) and not np.isfinite(row.search_time)
                else None
            )
            x, y = steps if steps is not None and len(steps[0]) else ([row.work], [row.variance])
            axis.plot(x, np.array(y) / best, drawstyle="steps-post", label=row.solver, **look)
        axis.axhline(1.0, color="black", linewidth=0.8)
        bound = part.bound.iloc[0] / best
        words = "proven" if part.proven.iloc[0] else f"bound {bound:.3g}"
        axis.axhline(bound, color="black", linestyle=":", linewidth=0.9)
        axis.set(
            xscale="log",
            xlabel="flops",
            title=f"{item}, k = {k} ({words})",
            ylim=(0.55, min(bound, 1.3) + 0.05),
        )
        axis.xaxis.set_minor_formatter(NullFormatter())
    for axis in axes[:, 0]:
        axis.set(ylabel="best value / best known")
    _legend(axes)


def _steps(row: Any) -> tuple[list[float], np.ndarray]:
    """Flops, and the best feasible value so far."""
    steps = [s for s in json.loads(row.history) if s["cardinality"] <= row.asked]
    flops = [max(s["flops"] + row.setup_flops, 1.0) for s in steps]
    return flops, np.maximum.accumulate([s["variance"] for s in steps]) if steps else np.array([])


def trade_off(found: pd.DataFrame, solvers: list[str], names: list[str], axes: Any) -> None:
    """Variance against the cardinality; the best known black, the certified bound grey above it."""
    for axis, item in zip(axes.flat, names, strict=False):
        part = found[found.item == item]
        truth = part.groupby("asked")[["best", "bound"]].first()
        unit = truth.best.iloc[-1]
        axis.fill_between(
            truth.index,
            truth.best / unit,
            truth.bound / unit,
            color="#999999",
            alpha=0.3,
            linewidth=0,
        )
        axis.plot(
            truth.index,
            truth.best / unit,
            color="black",
            linewidth=0.9,
            label="best known (grey: to the bound)",
        )
        for solver in solvers:
            mine = part[(part.solver == solver) & part.answered].sort_values("cardinality")
            axis.plot(
                mine.cardinality,
                mine.value / unit,
                label=solver,
                **{**style.look(solver), "linewidth": 0.8},
            )
        axis.set(title=item, xlabel="cardinality")
    for axis in axes.flat[len(names) :]:
        axis.set_axis_off()
    for axis in axes[:, 0]:
        axis.set(ylabel="variance, relative")
    _legend(axes)


def recovery(table: pd.DataFrame, solvers: list[str], axes: Any) -> None:
    """F1 of the support against the signal's strength, a panel for each k / sqrt(n)."""
    for axis, (sparsity, part) in zip(axes.flat, table.groupby("sparsity"), strict=False):
        for solver in solvers:
            mine = part[part.solver == solver]
            axis.plot(mine.strength, mine.f1, label=solver, **style.look(solver))
        axis.set(
            title=f"$k = {sparsity:g}\\,\\sqrt{{n}}$", xlabel="signal strength", ylim=(0, 1.03)
        )
    axes.flat[0].set(ylabel="F1 of the support")
    _legend(axes)
