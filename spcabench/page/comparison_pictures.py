"""The pictures of a comparison: which there are, and how each is drawn from the answers."""

import base64
import io
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from spcabench import style
from spcabench.comparison import profiles, standing, suite
from spcabench.comparison.standing import PAIR, TARGETS, costs, values

MOST = 9  # solvers in a picture of curves: the named ones, then the best
UNITS = {"time": "time, s", "work": "flops / flops of one product with $\\Sigma$"}


@dataclass(frozen=True)
class Picture:
    """A picture of the page: ``draw(*given, axes)`` draws it on a grid of axes.

    words : its caption. shape : rows and columns of axes. size : in inches.
    """

    title: str
    words: str
    draw: Callable[..., None]
    shape: tuple[int, int]
    size: tuple[float, float]
    given: tuple[Any, ...]

    @property
    def address(self) -> str:
        """The picture as a data address."""
        return f"data:image/svg+xml;base64,{base64.b64encode(self.svg().encode()).decode()}"

    def svg(self) -> str:
        """The picture as the text of an SVG."""
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        with matplotlib.rc_context(style.RC):
            figure, axes = plt.subplots(*self.shape, figsize=self.size, squeeze=False)
            self.draw(*self.given, axes)
            text = io.StringIO()
            figure.savefig(text, format="svg", metadata={"Date": None})
            plt.close(figure)
        return text.getvalue()


def pictures(
    rows: pd.DataFrame, answers: pd.DataFrame, ranking: pd.DataFrame, named: Iterable[str]
) -> Iterator[Picture]:
    """The pictures of a comparison; none where no solver answered."""
    order = [s for s, count in zip(ranking.solver, ranking.answered, strict=True) if count]
    named = [solver for solver in named if solver in order]
    solvers = shown(order, named)
    if not solvers:
        return
    yield from _profile_pictures(answers, solvers)
    yield _pairwise_picture(answers, order)
    for solver in named[:2]:
        yield from _duels_picture(answers, solver, order)
    yield _anytime_picture(answers, solvers)
    yield from _trade_off_picture(answers, solvers)
    yield from _recovery_picture(standing.recovered(rows), solvers)


def shown(order: Iterable[str], named: Iterable[str]) -> list[str]:
    """The named solvers, then the best of the others."""
    return list(dict.fromkeys([*named, *order]))[:MOST]


def _profile_pictures(answers: pd.DataFrame, solvers: list[str]) -> Iterator[Picture]:
    few = (
        f"The {len(solvers)} solvers shown are those named, then the best of the ranking; bands: "
        "90 %, problems resampled."
    )
    yield Picture(
        "Performance profiles",
        f"After Dolan and More (2002). {few}",
        performance,
        (1, 2),
        (9.5, 4.4),
        (answers, solvers),
    )
    yield Picture(
        "Data profiles",
        f"After More and Wild (2009). {few} The first feasible iterate that is good enough counts; "
        "of a searched penalty the whole search.",
        data,
        (2, 3),
        (9.5, 6.6),
        (answers, solvers),
    )


def _pairwise_picture(answers: pd.DataFrame, order: list[str]) -> Picture:
    size = 2.6 + 0.27 * len(order)
    return Picture(
        "Pair by pair",
        "Values after the refit, ties within 1e-6 on neither side, a failure below every value.",
        pairwise,
        (1, 1),
        (size + 1.0, size),
        (answers, order),
    )


def _duels_picture(answers: pd.DataFrame, solver: str, order: list[str]) -> Iterator[Picture]:
    rivals = [other for other in order if other != solver][:6]
    if rivals:
        shape = _grid(len(rivals), 3)
        yield Picture(
            f"{solver}, two at a time",
            "Performance profiles on time, at 99 % of the best known.",
            duels,
            shape,
            (9.5, 2.9 * shape[0]),
            (answers, solver, rivals),
        )


def _anytime_picture(answers: pd.DataFrame, solvers: list[str]) -> Picture:
    pairs = [(str(item), int(k)) for (item, k), _ in answers.groupby(["item", "asked"])]
    pairs = list({item: (item, k) for item, k in pairs}.values())[:9]
    pairs = pairs[: 3 * (len(pairs) // 3)] if len(pairs) >= 3 else pairs  # whole rows of panels
    shape = _grid(len(pairs), 3)
    return Picture(
        "Anytime curves",
        "The best feasible value so far, before the refit, against the flops of the run; solvers "
        "with a searched penalty are points, at the cost of the search. Dotted: the certified "
        "bound.",
        anytime,
        shape,
        (9.5, 2.6 * shape[0] + 0.8),
        (answers, solvers, pairs),
    )


def _trade_off_picture(answers: pd.DataFrame, solvers: list[str]) -> Iterator[Picture]:
    several = answers.groupby("item").asked.nunique()
    items = [item for item in dict.fromkeys(answers.item) if several[item] >= 3]
    if items:
        shape = (-(-len(items) // 4), 4)
        yield Picture(
            "Trade-off",
            "Variance after the refit against the cardinality reached.",
            trade_off,
            shape,
            (9.5, 2.4 * shape[0] + 0.6),
            (answers, solvers, items),
        )


def _recovery_picture(recovered: pd.DataFrame, solvers: list[str]) -> Iterator[Picture]:
    if len(recovered):
        yield Picture(
            "Support recovery",
            f"Spiked model, {suite.SAMPLES} samples of {suite.VARIABLES} variables, asked at the "
            f"true k; means over seeds {', '.join(map(str, suite.SEEDS))}, a failure counts zero.",
            recovery,
            (1, recovered.sparsity.nunique()),
            (9.5, 3.9),
            (recovered, solvers),
        )


def _grid(count: int, most: int) -> tuple[int, int]:
    """Rows and columns of so many panels, at most so many in a row."""
    return -(-count // most), min(count, most)


def performance(answers: pd.DataFrame, solvers: list[str], axes: Any) -> None:
    """Performance profiles at 99 % of the best known: on flops, and on time."""
    grid = np.geomspace(1.0, 1e5, 200)
    for axis, measure in zip(axes.flat, ("work", "time"), strict=True):
        cost = costs(answers, 0.99, measure).reindex(columns=solvers, fill_value=np.inf)
        cost = cost.loc[:, np.isfinite(cost).any()]
        _curves(axis, profiles.ratios(cost.to_numpy()), cost, grid)
        word = "flops" if measure == "work" else "time"
        axis.set(xscale="log", xlabel=f"{word} over the least of the solvers shown", ylim=(0, 1.02))
        axis.set(ylabel="share of pairs solved to 99 %", xlim=(1, grid[-1]))
    _legend(axes)


def data(answers: pd.DataFrame, solvers: list[str], axes: Any) -> None:
    """Data profiles to 90, 99 and 99.9 % of the best known, with bootstrap bands."""
    unit = answers.groupby(PAIR).unit.first()
    for row, measure in zip(axes, ("work", "time"), strict=True):
        grid = np.geomspace(0.1, 1e6, 200) if measure == "work" else np.geomspace(1e-5, 20.0, 200)
        for axis, share in zip(row, TARGETS, strict=True):
            cost = costs(answers, share, measure).reindex(columns=solvers, fill_value=np.inf)
            cost = cost.loc[:, np.isfinite(cost).any()]
            if measure == "work":
                cost = cost.div(unit.reindex(cost.index), axis=0)
            _curves(axis, cost.to_numpy(), cost, grid)
            axis.set(xscale="log", xlabel=UNITS[measure], ylim=(0, 1.02), xlim=(grid[0], grid[-1]))
            axis.set(title=f"to {100 * share:g} %")
        row[0].set(ylabel="share of pairs")
    _legend(axes)


def _curves(axis: Any, cost: np.ndarray, table: pd.DataFrame, grid: np.ndarray) -> None:
    """A profile for each solver, with its bootstrap band."""
    if table.columns.empty:
        words = "no solver shown reaches this share"
        axis.text(0.5, 0.5, words, transform=axis.transAxes, ha="center")
        return
    low, high = profiles.band(cost, table.index.get_level_values(0).to_numpy(), grid)
    for i, (solver, line) in enumerate(
        zip(table.columns, profiles.reached(cost, grid), strict=True)
    ):
        look = {**style.look(solver), "markersize": 4, "markevery": (5 * i, 40)}
        axis.plot(grid, line, label=solver, **look)
        axis.fill_between(grid, low[i], high[i], color=look["color"], alpha=0.1, linewidth=0)


def _legend(axes: Any) -> None:
    """One legend for all axes, below them."""
    handles: dict[str, Any] = {}
    for axis in axes.flat:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    figure = axes.flat[0].figure
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=5)


def pairwise(answers: pd.DataFrame, order: list[str], axes: Any) -> None:
    """Share of the pairs on which the row's solver has the higher value than the column's."""
    names, table = values(answers)
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


def duels(answers: pd.DataFrame, named: str, others: list[str], axes: Any) -> None:
    """Performance profiles of two solvers at a time, on time at 99 %.

    A profile of many can change the order of two.
    """
    grid = np.geomspace(1.0, 1e4, 200)
    cost = costs(answers, 0.99, "time")
    for axis, other in zip(axes.flat, others, strict=False):
        pair = cost[[named, other]]
        _curves(axis, profiles.ratios(pair.to_numpy()), pair, grid)
        axis.set(xscale="log", ylim=(0, 1.02), xlim=(1, grid[-1]), xlabel="time over the lesser")
        axis.legend(loc="lower right")


def anytime(
    answers: pd.DataFrame, solvers: list[str], pairs: list[tuple[str, int]], axes: Any
) -> None:
    """Best value so far against flops, and the certified bound, over the best known."""
    from matplotlib.ticker import NullFormatter

    for axis, (item, k) in zip(axes.flat, pairs, strict=True):
        part = answers[(answers.item == item) & (answers.asked == k)]
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
        certainty = "proven" if part.proven.iloc[0] else f"bound {bound:.3g}"
        axis.axhline(bound, color="black", linestyle=":", linewidth=0.9)
        axis.set(
            xscale="log",
            xlabel="flops",
            title=f"{item}, k = {k} ({certainty})",
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


def trade_off(answers: pd.DataFrame, solvers: list[str], names: list[str], axes: Any) -> None:
    """Variance against the cardinality; the best known black, the certified bound grey above it."""
    for axis, item in zip(axes.flat, names, strict=False):
        part = answers[answers.item == item]
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
