"""Pictures of He, Monteiro and Park (2010): times and variances as lines."""

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from spcabench.figures._he2010 import NAMES, SOLVERS
from spcabench.figures._times import times
from spcabench.figures._truth import Truth
from spcabench.showing.style import look, name_lines, plain_log_ticks

HOLLOW: dict[str, Any] = dict(linestyle="none", markerfacecolor="white")


def missed(rows: pd.DataFrame) -> pd.Series:
    """Mark the rows whose search for a penalty missed the requested cardinality by over 2 %."""
    return (rows.wanted - rows.cardinality).abs() > 0.02 * rows[["wanted", "cardinality"]].max(
        axis=1
    )


def broken(rows: pd.DataFrame, *series: pd.Series) -> tuple[np.ndarray, ...]:
    """Return x and the values of the series, with NaN where a line must be interrupted.

    If x is a cardinality, the line is interrupted where a larger one was requested, but the search
    stopped more than a tenth below it.
    """
    x = series[0].index.to_numpy()
    # a line across a range that the search could not reach would suggest runs that do not exist
    far = rows.wanted[rows.x < 0.9 * rows.wanted]
    gaps = [i + 1 for i in range(len(x) - 1) if far.between(x[i], x[i + 1]).any()]
    return tuple(np.insert(v, gaps, np.nan) for v in (x, *(s.to_numpy() for s in series)))


def draw_line(axis, rows: pd.DataFrame, y: pd.Series, solver: str) -> None:
    """Plot a line against x, with hollow markers if a search missed the requested cardinality."""
    style = look(solver)
    axis.plot(*broken(rows, y), **style, label=NAMES[solver])
    off = missed(rows).groupby(rows.x).any().reindex(y.index, fill_value=False)
    if solver == "gpower0" and off.any():
        axis.plot(y.index[off], y[off], **style | HOLLOW)
        black = style | HOLLOW | dict(color="black")
        axis.plot([], [], **black, label="hollow: the search missed the cardinality")


def draw_times(axis, rows: pd.DataFrame, solvers: Sequence[str] = SOLVERS) -> None:
    """Plot the time of each solver against x, with the band computed by `times`."""
    for solver in solvers:
        part = rows.dropna(subset=[solver])
        if part.empty:  # no run finished
            continue
        middle, low, high = times(part.assign(total=part[solver]))
        draw_line(axis, part, middle, solver)
        band: dict[str, Any] = dict(color=look(solver)["color"], alpha=0.2, linewidth=0)
        axis.fill_between(*broken(part, low, high), **band)
    axis.set(yscale="log", ylabel="time of a run, s")


def draw_values(axis, rows: pd.DataFrame, solvers: Sequence[str] = SOLVERS) -> None:
    """Plot the variance ||Vx||^2 of each solver against x."""
    for solver in solvers:
        part = rows.dropna(subset=[f"variance {solver}"])
        draw_line(axis, part, part.groupby("x")[f"variance {solver}"].median(), solver)
    axis.set(ylabel="variance $\\|Vx\\|^2$")


def draw_trade_off(
    data: SimpleNamespace, axes, solvers: Sequence[str] = SOLVERS, xlabel: str = "cardinality"
) -> None:
    """Plot times (first panel) and variances (second panel) against the cardinality."""
    panels = clock, variance = tuple(axes)
    draw_times(clock, data.rows, solvers)
    # only the rows of the truth's problem, because its optimum does not apply to other problems
    draw_values(variance, data.rows[data.rows.seed == data.rows.seed.min()], solvers)
    low, high = variance.get_ylim()
    useful(data.truth).draw(variance)
    variance.yaxis.get_offset_text().set_x(-0.1)  # beside the title, not below it
    for axis in panels:
        axis.set(xscale="log", xlabel=xlabel)
    # the exact search covers small k, at which no method was run
    variance.set(xlim=clock.get_xlim(), ylim=(low, high))
    for axis in panels:
        plain_log_ticks(axis)
        name_lines(axis)


def useful(truth: Truth) -> Truth:
    """Return the truth without bounds above twice the best value, which say too little."""
    table = truth.table
    return replace(
        truth, table=table.assign(bound=table.bound.where(table.bound <= 2 * table.best))
    )
