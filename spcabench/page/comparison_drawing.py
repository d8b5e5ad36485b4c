"""Draw the pictures of a comparison from its answers, each on a grid of axes."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from spcabench.comparison import profiles
from spcabench.comparison.ranking import PAIR, TARGETS, costs
from spcabench.running import schema
from spcabench.showing import style

SEEN = 250  # number of distinguishable steps in the height of a panel
POINTS = 141  # number of points of a profile, two or three pixels apart
UNITS = {"time": "time, s", "work": "flops / flops of one product with $\\Sigma$"}
Looks = dict[str, dict[str, Any]]  # solver -> its style; solvers after the first eight are grey


def frontier(ranking: pd.DataFrame, looks: Looks, last: str, axes: Any) -> None:
    """Plot how many pairs are solved to 99.9 % against the cost, and join the best trade-offs."""
    axis = axes.flat[0]
    ranking = ranking.dropna(subset=[last]).sort_values(last, kind="stable")
    points = ranking.set_index("solver")[[last, "at 0.999"]]
    best = points["at 0.999"].cummax().shift(fill_value=-1.0)
    front = points[points["at 0.999"] > best]
    axis.step(*front.to_numpy().T, where="post", color="black", linewidth=0.8, zorder=1)
    for row in ranking.itertuples():
        look = {**looks[row.solver], "linestyle": ""}
        x, y = points.loc[row.solver]
        if last == "time":
            axis.plot([x, row.slowest], [y, y], color=look["color"], linewidth=1.0)
        axis.plot([x], [y], **look)
    named = [s for s in points.index if s in front.index or looks[s]["color"] != style.GREY]
    # solvers with the same position share a label
    for (x, y), same in points.loc[named].round(4).groupby([last, "at 0.999"]):
        # labels are either above the line or below it
        place = (4, 4) if same.index[0] in front.index else (4, -9)
        words = " = ".join(same.index)
        axis.annotate(words, (x, y), place, textcoords="offset points", fontsize=7.5)
    unit = {"time": "time, s", "flops": "flops"}[last]
    _log(axis, xlabel=unit, ylabel="share of pairs solved to 99.9 %", ylim=(-0.02, 1.05))


def performance(answers: pd.DataFrame, looks: Looks, axes: Any) -> None:
    """Draw performance profiles at 99 % of the best known, for flops and for time."""
    grid = np.geomspace(1.0, 1e5, POINTS)
    for axis, measure in zip(axes.flat, ("work", "time"), strict=True):
        cost = _reaching(answers, looks, 0.99, measure)
        _curves(axis, profiles.ratios(cost.to_numpy()), cost, grid, looks)
        word = "flops" if measure == "work" else "time"
        _log(axis, xlabel=f"{word} over the least of all solvers", ylim=(0, 1.02))
        axis.set(ylabel="share of pairs solved to 99 %", xlim=(1, grid[-1]))
    _legend(axes)


def data(answers: pd.DataFrame, looks: Looks, axes: Any) -> None:
    """Draw data profiles to 90, 99 and 99.9 % of the best known, with bootstrap bands."""
    for row, measure in zip(axes, ("work", "time"), strict=True):
        for axis, share in zip(row, TARGETS, strict=True):
            _data_profile(axis, answers, looks, share, measure)
            axis.set(title=f"to {100 * share:g} %")
    _shared(axes, "share of pairs")
    _legend(axes)


def by_family(answers: pd.DataFrame, looks: Looks, families: list[str], axes: Any) -> None:
    """Draw data profiles for flops, to 99 % of the best known value, for each kind of problem."""
    for axis, family in zip(axes.flat, families, strict=False):
        _data_profile(axis, answers[answers.family == family], looks, 0.99, "work", band=False)
        axis.set(title=family)
    _hide(axes, len(families))
    _shared(axes, "share of pairs")
    _legend(axes)


def _data_profile(
    axis: Any,
    answers: pd.DataFrame,
    looks: Looks,
    share: float,
    measure: str,
    band: bool = True,
) -> None:
    # fixed limits make different panels and comparisons comparable
    low, high = (0.1, 1e6) if measure == "work" else (1e-5, 20.0)
    grid = np.geomspace(low, high, POINTS)
    cost = _reaching(answers, looks, share, measure)
    # problems of all sizes share an axis, so flops are measured in products with Sigma
    if measure == "work":
        cost = cost.div(answers.groupby(PAIR).unit.first().reindex(cost.index), axis=0)
    _curves(axis, cost.to_numpy(), cost, grid, looks, band)
    _log(axis, xlabel=UNITS[measure], ylim=(0, 1.02), xlim=(grid[0], grid[-1]))


def _log(axis: Any, **settings: Any) -> None:
    """Make an x axis logarithmic, with ticks only at powers of ten; more are slow to draw."""
    from matplotlib.ticker import NullLocator

    axis.set(xscale="log", **settings)
    axis.xaxis.set_minor_locator(NullLocator())


def _reaching(answers: pd.DataFrame, looks: Looks, share: float, measure: str) -> pd.DataFrame:
    """Return the costs of the solvers that reach a fraction of the best known value on any pair."""
    # a solver that never reaches it would have a line at zero
    cost = costs(answers, share, measure).reindex(columns=[*looks], fill_value=np.inf)
    return cost.loc[:, np.isfinite(cost).any()]


def _shared(axes: Any, label: str) -> None:
    """Label the y axes of the first column only, because all axes of a row are the same."""
    for axis in axes[:, 0]:
        axis.set(ylabel=label)
    for axis in axes[:, 1:].flat:
        axis.tick_params(labelleft=False)


def _hide(axes: Any, used: int) -> None:
    """Hide all panels except the first ``used`` panels."""
    for axis in axes.flat[used:]:
        axis.set_axis_off()


def _curves(
    axis: Any,
    cost: np.ndarray,
    table: pd.DataFrame,
    grid: np.ndarray,
    looks: Looks,
    band: bool = True,
) -> None:
    """Draw a profile for each solver; coloured profiles have bootstrap bands and lie on top."""
    if table.columns.empty:
        axis.text(0.5, 0.5, "no solver reaches it", transform=axis.transAxes, ha="center")
        return
    lines = profiles.reached(cost, grid)
    coloured = [i for i, solver in enumerate(table) if looks[solver]["color"] != style.GREY]
    # all grey profiles form one curve with gaps, which is faster to draw and to load
    grey = [_corners(grid, lines[i]) for i in sorted({*range(len(lines))} - {*coloured})]
    if grey:
        # a missing value interrupts the line between two solvers
        x, y = (np.concatenate([[*line[part], np.nan] for line in grey]) for part in (0, 1))
        axis.plot(x, y, color=style.GREY, linewidth=0.6, zorder=1)
    one_line = _one_line(axis, {str(table.columns[i]): (grid, lines[i]) for i in coloured})
    for i in coloured:
        solver = str(table.columns[i])
        if solver not in one_line:  # it is still listed in the legend
            axis.plot([], [], label=solver, **{**looks[solver], "markersize": 4})
            continue
        # shift the markers, so that those of different solvers do not coincide
        here = slice(4 * i % 28, None, 28)
        look = {**looks[solver], "markersize": 4}
        axis.plot(*_corners(grid, lines[i]), **look | {"marker": ""})
        axis.plot(grid[here], lines[i][here], **look | {"linestyle": ""})
        # line and markers were drawn separately; the legend shows them together
        axis.plot([], [], label=solver, **look)
    if band and coloured:
        # cardinalities of one problem are not independent, so whole problems are resampled
        groups = table.index.get_level_values(0).to_numpy()
        low, high = profiles.band(cost[:, coloured], groups, grid)
        for j, i in enumerate(coloured):
            colour = looks[str(table.columns[i])]["color"]
            at, below, above = _corners(grid[::2], low[j, ::2], high[j, ::2])
            axis.fill_between(at, below, above, color=colour, alpha=0.1, linewidth=0)


def _one_line(axis: Any, lines: Mapping[str, tuple[Any, Any]]) -> list[str]:
    """Return the solvers to draw: the first of each group with coinciding lines; name the rest.

    lines : x and y of each solver; y is a fraction, and parts that are not visible are ignored.
    """
    groups: dict[Any, list[str]] = {}
    for solver, (x, y) in lines.items():
        seen = np.round(SEEN * np.asarray(y, dtype=float))
        groups.setdefault((tuple(x), tuple(seen)), []).append(solver)
    shared = [textwrap.fill(" = ".join(group), 40) for group in groups.values() if len(group) > 1]
    if shared:
        place = dict(transform=axis.transAxes, ha="right", va="bottom", fontsize=6)
        axis.text(0.99, 0.02, "\n".join(["one line:", *shared]), **place)
    return [group[0] for group in groups.values()]


def _corners(grid: np.ndarray, *lines: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the grid and the lines over it, without points between two equal values.

    Lines with many points make a large file, and a step of less than a pixel is invisible.
    """
    seen = np.round(np.array(lines) * SEEN)
    turns = (np.diff(seen, axis=1) != 0).any(axis=0)
    # a step needs the points before and after the jump, otherwise it becomes a slope
    corners = np.concatenate([[True], turns]) | np.concatenate([turns, [True]])
    return grid[corners], *(line[corners] for line in lines)


def _legend(axes: Any) -> None:
    """Draw one legend for all axes, below them."""
    handles: dict[str, Any] = {}
    for axis in axes.flat:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            # a solver is in most panels but needs only one entry in the legend
            handles.setdefault(label, handle)
    figure = axes.flat[0].figure
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=5)


def anytime(answers: pd.DataFrame, looks: Looks, pairs: list[tuple[str, int]], axes: Any) -> None:
    """Plot the best value so far and the certified bound, as fractions of the best known value."""
    for axis, (item, k) in zip(axes.flat, pairs, strict=False):
        part = answers[(answers.item == item) & (answers.asked == k)]
        best = part.best.iloc[0]
        for row in part[part.solver.isin(looks) & part.answered & part.work.notna()].itertuples():
            look = {**looks[row.solver], "markersize": 3}
            steps = (
                _steps(row)
                # the history of a searched penalty covers only its last trial, so it is drawn as
                # one point
                if isinstance(row.history, str) and not np.isfinite(row.search_time)
                else None
            )
            x, y = steps if steps is not None and len(steps[0]) else ([row.work], [row.variance])
            axis.plot(x, np.array(y) / best, drawstyle="steps-post", label=row.solver, **look)
        axis.axhline(1.0, color="black", linewidth=0.8)
        bound = part.bound.iloc[0] / best
        certainty = "proven" if part.proven.iloc[0] else f"bound {bound:.3g}"
        axis.axhline(bound, color="black", linestyle=":", linewidth=0.9)
        _log(
            axis,
            xlabel="flops",
            title=f"{item}, k = {k} ({certainty})",
            # a loose bound must not squeeze the curves
            ylim=(0.55, min(bound, 1.3) + 0.05),
        )
    _hide(axes, len(pairs))
    for axis in axes[:, 0]:
        axis.set(ylabel="best value / best known")
    _legend(axes)


def _steps(row: Any) -> tuple[Sequence[float], np.ndarray]:
    """Return the flops and the best feasible value so far, whenever it visibly increases."""
    taken = schema.steps(row.history, "cardinality", "flops", "variance")
    # an iterate with too many nonzeros is not a feasible answer
    steps = [step for step in taken if step["cardinality"] <= row.asked]
    if not steps:
        return [], np.array([])
    # a logarithmic axis has no zero
    flops = np.array([max(s["flops"] + row.setup_flops, 1.0) for s in steps])
    highest = np.maximum.accumulate([s["variance"] for s in steps])
    rises = np.diff(np.round(highest / row.best * SEEN), prepend=-1.0) > 0
    # the curve continues to the end of the run, even if the value no longer increases
    rises[-1] = True
    return flops[rises], highest[rises]


def trade_off(answers: pd.DataFrame, looks: Looks, names: list[str], axes: Any) -> None:
    """Plot variance against k, with the best known value in black and its gap in grey."""
    for axis, item in zip(axes.flat, names, strict=False):
        part = answers[answers.item == item]
        truth = part.groupby("asked")[["best", "bound"]].first()
        # the scales of problems differ by powers of ten, so each panel is relative to its largest k
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
        answered = part[part.answered].sort_values("cardinality").groupby("solver")
        lines = {
            solver: (mine.cardinality.to_numpy(), mine.value.to_numpy() / unit)
            for solver, mine in answered
            if solver in looks
        }
        lines = {solver: lines[solver] for solver in looks if solver in lines}
        drawn = _one_line(axis, lines)
        for solver, line in lines.items():
            line = line if solver in drawn else ([], [])
            axis.plot(*line, label=solver, **{**looks[solver], "linewidth": 0.8})
        axis.set(title=item, xlabel="cardinality")
    _hide(axes, len(names))
    for axis in axes[:, 0]:
        axis.set(ylabel="variance, relative")
    _legend(axes)


def recovery(table: pd.DataFrame, looks: Looks, axes: Any) -> None:
    """Plot the F1 score of the support against the signal strength, for each k / sqrt(n)."""
    for axis, (sparsity, part) in zip(axes.flat, table.groupby("sparsity"), strict=False):
        for solver in reversed(looks):  # draw the grey solvers first
            mine = part[part.solver == solver]
            look, label = {**looks[solver]}, solver
            if look["color"] == style.GREY:
                look, label = {"color": style.GREY, "linewidth": 0.6}, "_"
            axis.plot(mine.strength, mine.f1, label=label, **look)
        axis.set(
            title=f"$k = {sparsity:g}\\,\\sqrt{{n}}$", xlabel="signal strength", ylim=(0, 1.03)
        )
    axes.flat[0].set(ylabel="F1 of the support")
    _legend(axes)
