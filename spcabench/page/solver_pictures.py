"""The picture on a solver's page: the runs of this and of other solvers on the same problems."""

from typing import Any

import pandas as pd

from spcabench.page.comparison_pictures import Picture
from spcabench.showing import style

PROBLEM = ["dataset", "parameters", "nonnegative"]
# column, axis label, whether the axis is logarithmic
PANELS = (("share", "variance over the best of all", False), ("flops", "flops", True))
MOST = 500  # maximum number of points in a panel; more would overlap and make the file larger


def picture(name: str, runs: pd.DataFrame) -> Picture | None:
    """Return the picture of a solver, or None if none of its runs found a component.

    runs : as returned by `solver_numbers.compared`.
    """
    mine = runs[runs.solver == name].dropna(subset=["share", "cardinality"])
    if mine.empty:
        return None
    same = runs.merge(mine[PROBLEM].drop_duplicates(), on=PROBLEM)
    others = same[same.solver != name]
    drawn = max(len(mine), len(others)) > MOST
    few = f" {MOST} random runs of each are shown." if drawn else ""
    return Picture(
        name,
        f"The runs of {name}, and in grey those of the other solvers on the same problems. "
        "Variance is after the refit, over the largest of any run with at most as many nonzeros."
        f"{few}",
        draw,
        (1, 2),
        (9.5, 3.6),
        (name, mine, others),
    )


def draw(name: str, mine: pd.DataFrame, others: pd.DataFrame, axes: Any) -> None:
    """Plot the quality and the flops of each run against its cardinality."""
    from matplotlib.ticker import NullLocator

    look = style.look(name)
    for axis, (column, label, logarithmic) in zip(axes.flat, PANELS, strict=True):
        for runs, shown in (
            (others, {"color": style.GREY, "marker": ".", "markersize": 3}),
            (mine, {"color": look["color"], "marker": look["marker"], "markersize": 4}),
        ):
            seen = _few(runs[["cardinality", column]].dropna())
            # thousands of points take less space as an image inside the picture
            axis.plot(seen.cardinality, seen[column], ls="", rasterized=True, **shown)
        axis.set(xscale="log", xlabel="cardinality", ylabel=label)
        if logarithmic and (mine[column] > 0).any():
            axis.set(yscale="log")
            axis.yaxis.set_minor_locator(NullLocator())
        if axis.get_xlim()[1] < 200.0 * axis.get_xlim()[0]:  # otherwise powers of ten suffice
            style.plain_log_ticks(axis)
        axis.xaxis.set_minor_locator(NullLocator())
    handles = [
        axes.flat[0].plot([], [], ls="", color=look["color"], marker=look["marker"])[0],
        axes.flat[0].plot([], [], ls="", color=style.GREY, marker=".")[0],
    ]
    axes.flat[0].figure.legend(
        handles, [name, "other solvers"], loc="outside lower center", ncols=2
    )


def _few(points: pd.DataFrame) -> pd.DataFrame:
    """Return at most ``MOST`` points, chosen at random with a fixed seed."""
    return points if len(points) <= MOST else points.sample(MOST, random_state=0)
