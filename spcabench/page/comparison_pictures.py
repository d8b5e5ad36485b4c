"""The pictures of a comparison; each is a function that returns its caption, panels and drawing."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from spcabench.comparison import profiles, suite
from spcabench.comparison.ranking import HIT, PAIR, TOLD, costs, recovered, steps
from spcabench.files import make_folder, write_picture, write_text
from spcabench.page import light_svg
from spcabench.page.standing import Standing
from spcabench.showing import style

POINTS = 141  # number of points of a profile, two or three pixels apart
COLUMNS = 3  # panels in a row
MEASURES = {"work": "flops", "time": "time"}
UNITS = {"time": "time, s", "work": "flops / flops of one product with $\\Sigma$"}
COLOURED = "Solvers in colour are the named ones, those of the papers, and then the best."
BANDS = "Bands are 90 % intervals from resampling the problems."


@dataclass(frozen=True)
class Picture:
    """A picture of a page, which is a grid of panels.

    words : its caption. panels : what each panel shows. draw : draws a panel on its axes. label :
    of the y axes. height : of a row, in inches.
    """

    title: str
    words: str
    panels: Sequence[Any]
    draw: Callable[[Any, Any], None]
    label: str
    height: float = 2.6

    @property
    def name(self) -> str:
        """The title in the form of a file name."""
        return re.sub(r"[^A-Za-z0-9_]+", "-", self.title).strip("-").lower()

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches."""
        return 9.5, -(-len(self.panels) // COLUMNS) * self.height + 0.8

    def write(self, file: Path) -> None:
        """Write the picture to an SVG or PDF file, and create its folder."""
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        make_folder(file.parent)
        columns = min(len(self.panels), COLUMNS)
        # titles have a fixed height, because finding it takes a quarter of the drawing time
        with matplotlib.rc_context(style.RC | {"axes.titley": 1.0}):
            rows = -(-len(self.panels) // columns)
            figure, axes = plt.subplots(rows, columns, figsize=self.size, squeeze=False)
            for axis, panel in zip(axes.flat, self.panels, strict=False):
                self.draw(axis, panel)
            for axis in axes.flat[len(self.panels) :]:
                axis.set_axis_off()
            for axis in axes[:, 0]:
                axis.set(ylabel=self.label)
            # a solver is in most panels but needs only one entry in the legend
            entries: dict[str, Any] = {}
            for axis in axes.flat:
                handles, labels = axis.get_legend_handles_labels()
                for label, handle in zip(labels, handles, strict=True):
                    entries.setdefault(label, handle)
            if entries:
                figure.legend(entries.values(), entries.keys(), loc="outside lower center", ncols=5)
            write_picture(file, figure)
            plt.close(figure)
        if file.suffix == ".svg":
            write_text(file, light_svg.light(file.read_text(encoding="utf-8")))


def pictures(standing: Standing) -> Iterator[Picture]:
    """Yield the pictures of a comparison, starting with the frontier, if any solver answered."""
    if standing.looks:
        for picture in (_frontier, _performance, _data, _anytime, _recovery):
            if (made := picture(standing)).panels:
                yield made


def _frontier(standing: Standing) -> Picture:
    last, looks = standing.last, standing.looks
    ranks = standing.ranks[standing.ranks.answered > 0].dropna(subset=[last])
    ranks = ranks.sort_values(last, kind="stable")

    def draw(axis: Any, unit: str) -> None:
        points = ranks.set_index("solver")[[last, HIT]]
        best = points[HIT].cummax().shift(fill_value=-1.0)
        front = points[points[HIT] > best]
        axis.step(*front.to_numpy().T, where="post", color="black", linewidth=0.8, zorder=1)
        for row in ranks.itertuples():
            look = {**looks[row.solver], "linestyle": ""}
            x, y = points.loc[row.solver]
            if last == "time":
                axis.plot([x, row.slowest], [y, y], color=look["color"], linewidth=1.0)
            axis.plot([x], [y], **look)
        named = [s for s in points.index if s in front.index or s in standing.coloured]
        # solvers with the same position share a label
        for (x, y), same in points.loc[named].groupby([last, HIT]):
            # labels are either above the line or below it
            place = (4, 4) if same.index[0] in front.index else (4, -9)
            words = " = ".join(same.index)
            axis.annotate(words, (x, y), place, textcoords="offset points", fontsize=7.5)
        _log(axis, xlabel=unit, ylim=(-0.02, 1.05))

    unit = {"time": "time", "flops": "number of flops"}[last]
    return Picture(
        "Frontier",
        f"Share of the pairs solved to {TOLD} against the {unit}, shifted geometric mean; a bar to "
        "the right leads to the slowest rounds. The line joins the solvers that none other exceeds "
        "in both; they are named, as are those of the papers. Not to be told apart: solvers whose "
        "ranks overlap, in the table above.",
        [{"time": "time, s", "flops": "flops"}[last]],
        draw,
        f"share of pairs solved to {TOLD}",
        height=3.8,
    )


def _performance(standing: Standing) -> Picture:
    def draw(axis: Any, measure: str) -> None:
        cost = _reaching(standing, 0.99, measure)
        ratios = pd.DataFrame(profiles.ratios(cost.to_numpy()), cost.index, cost.columns)
        _profile(axis, ratios, np.geomspace(1.0, 1e5, POINTS), standing)
        axis.set(xlabel=f"{MEASURES[measure]} over the least of all solvers")

    words = f"After Dolan and Moré (2002). {COLOURED} {BANDS}"
    label = "share of pairs solved to 99 %"
    return Picture("Performance profiles", words, [*MEASURES], draw, label, height=3.6)


def _data(standing: Standing) -> Picture:
    families = standing.answers.groupby(PAIR).family.first()

    def draw(axis: Any, panel: tuple[str, str]) -> None:
        family, measure = panel
        cost = _reaching(standing, 0.99, measure)
        if family in kinds:
            cost = cost[families.reindex(cost.index) == family]
        _data_profile(axis, standing, cost, measure, band=family not in kinds)
        axis.set(title=family)

    kinds = [*dict.fromkeys(standing.answers.family)]
    panels = [("all problems", measure) for measure in MEASURES]
    return Picture(
        "Data profiles",
        f"After Moré and Wild (2009). {COLOURED} {BANDS} The first feasible iterate that is good "
        "enough counts; for a searched penalty, the whole search counts. A solver that is good on "
        "average need not be good on your kind of problem.",
        panels + [(kind, "work") for kind in kinds if len(kinds) > 1],
        draw,
        "share of pairs solved to 99 %",
        height=2.9,
    )


def _anytime(standing: Standing) -> Picture:
    answers = standing.answers[standing.answers.answered]

    def draw(axis: Any, panel: tuple[str, int]) -> None:
        part = answers[(answers["item"] == panel[0]) & (answers.asked == panel[1])]
        best = part.best.iloc[0]
        chosen = part[part.solver.isin(standing.coloured) & part.work.notna()]
        for row in chosen.itertuples():
            x, y = _best_so_far(row)
            look = {**standing.looks[row.solver], "markersize": 3}
            axis.plot(x, y / best, drawstyle="steps-post", label=row.solver, **look)
        axis.axhline(1.0, color="black", linewidth=0.8)
        bound = part.bound.iloc[0] / best
        axis.axhline(bound, color="black", linestyle=":", linewidth=0.9)
        certainty = "proven" if part.proven.iloc[0] else f"bound {bound:.3g}"
        # a loose bound must not squeeze the curves
        _log(axis, xlabel="flops", ylim=(0.55, min(bound, 1.3) + 0.05))
        axis.set(title=f"{panel[0]}, k = {panel[1]} ({certainty})")

    return Picture(
        "Anytime curves",
        "The best feasible value so far, before the refit, against the flops of the run, at the "
        "largest k of up to nine problems. Solvers with a searched penalty are points at the cost "
        "of the search. Dotted lines: certified bounds.",
        # the largest k, for which the curves show the most
        [(str(item), int(k)) for item, k in answers.groupby("item").asked.max().items()][:9],
        draw,
        "best value / best known",
    )


def _best_so_far(row: Any) -> tuple[Any, Any]:
    """Return the flops and values of the feasible iterates that increase the best value."""
    # the history of a searched penalty covers only its last trial
    if not isinstance(row.history, str) or np.isfinite(row.search_time):
        return np.array([row.work]), np.array([row.variance])
    taken = steps(row.history)
    feasible = taken["cardinality"] <= row.asked
    if not feasible.any():
        return np.array([row.work]), np.array([row.variance])
    # a logarithmic axis has no zero
    flops = np.maximum(taken["flops"][feasible] + row.setup_flops, 1.0)
    highest = np.maximum.accumulate(taken["variance"][feasible])
    # increases of less than a pixel are invisible, but the curve continues to the end of the run
    rises = np.diff(np.round(250 * highest / row.best), prepend=-1.0) > 0
    rises[-1] = True
    return flops[rises], highest[rises]


def _recovery(standing: Standing) -> Picture:
    table = recovered(standing.comparison.rows)

    def draw(axis: Any, sparsity: float) -> None:
        part = table[table.sparsity == sparsity]
        for solver in reversed(standing.looks):  # draw the grey solvers first
            mine = part[part.solver == solver]
            look = standing.looks[solver]
            if solver not in standing.coloured:
                look = {"color": style.GREY, "linewidth": 0.6, "label": "_"}
            axis.plot(mine.strength, mine.f1, **{"label": solver} | look)
        title = f"$k = {sparsity:g}\\,\\sqrt{{n}}$"
        axis.set(title=title, xlabel="signal strength", ylim=(0, 1.03))

    return Picture(
        "Support recovery",
        f"Spiked model with {suite.SAMPLES} samples of {suite.VARIABLES} variables, solved at the "
        f"true k. Means over seeds {', '.join(map(str, suite.SEEDS))}; failures are zero.",
        sorted(table.sparsity.unique()),
        draw,
        "F1 of the support",
        height=3.1,
    )


def _reaching(standing: Standing, share: float, measure: str) -> pd.DataFrame:
    """Return the costs to reach a fraction of the best known value on each pair, or inf."""
    return costs(standing.answers, share, measure).reindex(
        columns=[*standing.looks], fill_value=np.inf
    )


def _data_profile(
    axis: Any, standing: Standing, cost: pd.DataFrame, measure: str, band: bool = True
) -> None:
    # fixed limits make different panels and comparisons comparable
    low, high = (0.1, 1e6) if measure == "work" else (1e-5, 20.0)
    # problems of all sizes share an axis, so flops are measured in products with Sigma
    if measure == "work":
        cost = cost.div(standing.answers.groupby(PAIR).unit.first().reindex(cost.index), axis=0)
    _profile(axis, cost, np.geomspace(low, high, POINTS), standing, band)
    axis.set(xlabel=UNITS[measure])


def _profile(
    axis: Any, cost: pd.DataFrame, grid: np.ndarray, standing: Standing, band: bool = True
) -> None:
    """Draw the fraction of pairs that each solver completes within each cost of a grid."""
    _log(axis, ylim=(0, 1.02), xlim=(grid[0], grid[-1]))
    # a solver that never reaches it would have a line at zero
    cost = cost.loc[:, np.isfinite(cost).any()]
    lines = dict(zip(cost, profiles.reached(cost.to_numpy(), grid), strict=True))
    if not lines:
        axis.text(0.5, 0.5, "no solver reaches it", transform=axis.transAxes, ha="center")
    coloured = [solver for solver in lines if solver in standing.coloured]
    # in the ranking's order, so that the same rows give the same file
    for solver in [solver for solver in lines if solver not in coloured]:
        axis.plot(grid, lines[solver], color=style.GREY, linewidth=0.6, zorder=1)
    for place, solver in enumerate(coloured):
        # markers are shifted, so that lines that coincide can be told apart
        look = {**standing.looks[solver], "markersize": 4, "markevery": (4 * place % 28, 28)}
        axis.plot(grid, lines[solver], label=solver, **look)
    if band and coloured:
        # cardinalities of one problem are not independent, so whole problems are resampled
        groups = cost.index.get_level_values(0).to_numpy()
        edges = profiles.band(cost[coloured].to_numpy(), groups, grid[::2])
        for solver, low, high in zip(coloured, *edges, strict=True):
            colour = standing.looks[solver]["color"]
            axis.fill_between(grid[::2], low, high, color=colour, alpha=0.1, linewidth=0)


def _log(axis: Any, **settings: Any) -> None:
    """Make an x axis logarithmic, with more ticks than powers of ten only if it is short.

    More ticks are slow to draw.
    """
    from matplotlib.ticker import NullLocator

    axis.set(xscale="log", **settings)
    low, high = axis.get_xlim()
    if high > 10 * low:
        axis.xaxis.set_minor_locator(NullLocator())
