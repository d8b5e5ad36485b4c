"""The page written by `report`, which presents the results of `solve`."""

import io
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from spcabench.cli import terminal
from spcabench.errors import InputError
from spcabench.machine import require
from spcabench.page.light_svg import light
from spcabench.page.render import render
from spcabench.problem.problem import Problem
from spcabench.showing import pictures
from spcabench.showing.substitutes import substitutes
from spcabench.showing.text import cells, dominance, names, total_variance
from spcabench.solving.deflate import Components
from spcabench.vectors import largest_indices, oriented

if TYPE_CHECKING:
    from spcabench.cli.answer import Answer

HEAT_ROWS = 60  # maximum number of variables in the heat map
MANY = 2000  # number of samples above which the plot of the scores is rasterised
CLOSE = 3  # maximum number of substitutes per variable
STABLE = 0.8  # a variable is stable if it is chosen in at least this fraction of half-samples
CRITERIA = {
    "heldout": "By the variance of held-out samples",
    "stability": "By the stability of the chosen variables",
    "certified": "By the elbow of the variance",
}
# CSS variables that replace the colours of pictures, because they change in dark mode
COLOURS = {"#000000": "text", "#ffffff": "page", "#dddddd": "line", "#0072b2": "plus"}
COLOURS |= {"#d55e00": "minus", "#808080": "strong"}


def text(scale: bool, problem: Problem, answer: "Answer", commands: dict[str, str]) -> str:
    """Return the page; raise InputError if there is no answer.

    commands : mapping from the description of a result to the command that reproduces it.
    """
    bound, results = answer.bound, answer.results
    if not any(result.good for result in results):
        raise InputError(f"report: no answer to show: {results[0].fault}")
    total, labels = total_variance(problem), terminal.labels(results)
    with terminal.slow(terminal.BOUNDS, bound):
        rows = [
            cells(problem, result, bound) | {"result": result, "label": label}
            for label, result in zip(labels, results, strict=True)
        ]
    joint = isinstance(results, Components)
    tests = answer.chance.tests if joint and len(answer.chance.tests) == len(results) else []
    of_file = problem.provenance.get("notes", ())
    dominant = dominance(problem, terminal.SCALED)
    shown = {dominant, *of_file}  # elsewhere on the page
    notes = [n for n in terminal.notes(problem, results, answer.chance) if n not in shown]
    return render(
        "report.html.j2",
        top=None,
        problem=problem,
        sparse=problem.form == "sparse",
        prepared=_preparation(scale, problem),
        left_out=of_file,
        answer=answer,
        rows=rows,
        tests=tests,
        dominant=dominant,
        notes=notes,
        total=total,
        bounds=bound,
        span=results.projected_variance / total if len(results) > 1 and joint else None,
        heat=_heat(problem, answer, labels),
        stable=STABLE,
        path=_path(answer, total, bound),
        null=bool(answer.chance.tests),
        criterion=CRITERIA[answer.selection.criterion] if answer.selection else "",
        scores=_scores(problem, results) if joint and problem.m is not None else "",
        commands=commands,
        version=version("spcabench"),
    )


def _preparation(scale: bool, problem: Problem) -> str:
    """Describe the preprocessing of the data."""
    if problem.m is None:
        return "a covariance, used without changes"
    centred = "the mean of each column subtracted" if problem.mean is not None else "not centred"
    scaled = ", columns divided by their standard deviations" if scale else ", not scaled"
    divisor = f"; variances are divided by {problem.divisor:,}" if problem.divisor > 1 else ""
    return centred + scaled + divisor


def _heat(problem: Problem, answer: "Answer", labels: list[str]) -> dict[str, Any]:
    """Return the heat map, with a row for each variable of a component, sorted by loadings."""
    good = [i for i, result in enumerate(answer.results) if result.good]
    Z = np.array([oriented(answer.results[i].x) for i in good])
    unknown = np.full(problem.n, np.nan)
    counted = answer.chance.frequencies or [None] * len(answer.results)
    often = np.array([unknown if counted[i] is None else counted[i] for i in good])
    close = [_close(answer.results[i]) for i in good]
    largest, most, variables = np.abs(Z).max(), HEAT_ROWS // len(good), names(problem)
    # variables are grouped by the first component that uses them, and sorted by loading
    order = dict.fromkeys(
        j for x in Z for j in np.argsort(-np.abs(x), kind="stable") if x[j] != 0.0
    )
    largest_of_each = {j for x in Z for j in largest_indices(np.abs(x), min(most, problem.n))}
    rows = [
        {
            "name": variables[j],
            # percentage of the colour, at most 60 % to keep text readable
            "cells": [
                (x, 60.0 * abs(x) / largest, share)
                for x, share in zip(Z[:, j], often[:, j], strict=True)
            ],
            "close": [(i, swaps[j]) for i, swaps in zip(good, close, strict=True) if j in swaps],
        }
        for j in order
        if j in largest_of_each
    ]
    return {
        "labels": [labels[i] for i in good],
        "rows": rows,
        "count": len(order),
        "stable": sum(bool((often[Z[:, j] != 0.0, j] >= STABLE).any()) for j in order),
    }


def _close(result: Any) -> dict[int, list[str]]:
    """Return the best substitutes of each variable, with the fraction of variance lost."""
    close: dict[int, list[str]] = {}
    variables = names(result.problem)
    for swap in substitutes(result):
        text = f"{variables[swap.substitute]} ({swap.loss:.2%})"
        close.setdefault(swap.variable, []).append(text)
    return {j: texts[:CLOSE] for j, texts in close.items()}


def _path(answer: "Answer", total: float, bound: bool) -> list[str]:
    """Return plots against k: variance, bound and null distribution, and the criterion."""
    selection, tests = answer.selection, answer.chance.tests
    if selection is None:
        several = not isinstance(answer.results, Components)
        return [_svg(answer.results.plot(bound=bound))] if several else []
    stable = selection.criterion == "stability"
    columns = {"share": selection.columns["share"]} if stable else selection.columns
    figure = pictures.selection(selection.ks, columns, selection.k)
    axis = figure.axes[0]
    if bound and "bound" not in columns:
        bounds = [
            min(100.0, 100.0 * r.bound / total) if r.good else np.nan for r in selection.results
        ]
        axis.plot(selection.ks, bounds, "k--", linewidth=1.0, label="certified bound")
    if tests and tests[0] and len(tests[0].ks) > 1:
        low, middle, high = 100.0 / total * np.percentile(tests[0].permuted, (5, 50, 95), axis=0)
        axis.fill_between(tests[0].ks, low, high, color="#808080", alpha=0.4, linewidth=0)
        label = f"null: {tests[0].permutations} tables with permuted\ncolumns, median and 5 to 95 %"
        axis.plot(tests[0].ks, middle, color="#808080", label=label)
    axis.set_ylim(0, 1.08 * axis.dataLim.ymax)
    axis.get_legend().remove()
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=8)
    return [_svg(figure), *([_svg(selection.plot())] if stable else [])]


def _scores(problem: Problem, results: Any) -> str:
    """Return a plot of the scores of the samples on the first two components."""
    figure = pictures.scores(problem, [result for result in results if result.good])
    for points in figure.axes[0].collections:
        points.set_rasterized((problem.m or 0) > MANY)
    return _svg(figure)


def _svg(figure: Any) -> str:
    """Return a figure as an SVG element in the colours of the page."""
    pyplot, text = require("matplotlib.pyplot"), io.StringIO()
    figure.axes[0].set_title("")
    with pyplot.rc_context({"svg.fonttype": "none"}):
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    pyplot.close(figure)
    svg = light(text.getvalue()[text.getvalue().index("<svg") :])
    for colour, variable in COLOURS.items():
        svg = svg.replace(colour, f"var(--{variable})")
    return Markup(svg)
