"""Draw pictures of components: loadings, scores, biplot, scree, the path over k, and a choice of k.

Each function returns a matplotlib figure. Matplotlib is imported when the first picture is drawn.
"""

from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from spcabench.errors import InputError
from spcabench.flops import uncharged
from spcabench.machine import require
from spcabench.problem.data import Data
from spcabench.problem.spectral import adjusted_variances
from spcabench.showing import text
from spcabench.showing.style import PALETTE, RC
from spcabench.showing.substitutes import substitutes
from spcabench.vectors import Array, Indices, Vector, largest_indices, oriented

if TYPE_CHECKING:
    from spcabench.problem.problem import Problem
    from spcabench.solving.result import Result

BARS = 20  # number of variables drawn per component
ARROWS = 25  # number of variables drawn in a biplot
TOGETHER = 6  # maximum number of names in one label of a biplot
NEAR = (
    0.1  # arrows whose tips are at most this far apart share a label; relative to the longest arrow
)
POSITIVE, NEGATIVE = PALETTE[0], PALETTE[1]
OF_SAMPLES = ("scores", "biplot")
KINDS = ("loadings", "substitutes", "scores", "biplot", "scree")


def components(
    problem: "Problem", results: Sequence["Result"], kind: str, axis: Any = None, count: int = BARS
) -> Any:
    """Draw components as a picture of one of the kinds in `KINDS`.

    Raise InputError if the kind is unknown, an answer is invalid, or scores are requested without
    samples.
    """
    if kind not in KINDS:
        raise InputError(f"kind: {kind!r}; choose from {', '.join(KINDS)}")
    good = [r for r in results if r.good]
    if not good:
        raise InputError(f"plot: the answer is invalid: {results[0].fault}")
    if kind in ("loadings", "substitutes"):
        return loadings(problem, good, axis, count, replaced=kind == "substitutes")
    if kind == "scree":
        return scree(problem, good, axis)
    return scores(problem, good, axis, arrows=kind == "biplot")


@contextmanager
def _figure(axis: Any, panels: int = 1, size: tuple[float, float] = (5.5, 4.2)) -> Any:
    """Yield a figure and its axes: new ones, or the axes that were passed."""
    matplotlib = require("matplotlib")
    pyplot = require("matplotlib.pyplot")
    with matplotlib.rc_context(RC):
        if axis is not None:
            if not isinstance(axis, require("matplotlib.axes").Axes):
                raise InputError(f"axis: {axis!r:.80}; it must be a matplotlib Axes")
            figure, axes = axis.figure, [axis]
        else:
            figure, grid = pyplot.subplots(1, panels, squeeze=False, figsize=size)
            axes = [*grid.flat]
        yield figure, axes
        if axis is None and "inline" in matplotlib.get_backend():
            pyplot.close(figure)  # a notebook shows open figures, and also the one it gets
        for text in figure.findobj(require("matplotlib.text").Text):
            # a dollar sign in a variable's name does not start a formula
            text.set_parse_math(False)


def loadings(
    problem: "Problem",
    results: Sequence["Result"],
    axis: Any = None,
    count: int = BARS,
    replaced: bool = False,
) -> Any:
    """Draw the largest loadings of each component as bars.

    If ``replaced`` is true, each variable's name is followed by the names of its best substitutes.
    """
    if axis is not None and len(results) > 1:
        raise InputError(f"axis: a single Axes cannot show {len(results)} components; leave it out")
    size = (max(5.5, (5.2 if replaced else 3.6) * len(results)), 4.2)
    with _figure(axis, len(results), size) as (figure, axes):
        for i, (panel, result) in enumerate(zip(axes, results, strict=True), 1):
            _bars(panel, problem, result, f"component {i}", count, replaced)
        if axis is None:
            figure.suptitle(problem.name)
    return figure


def _bars(
    axis: Any, problem: "Problem", result: "Result", label: str, count: int, replaced: bool
) -> None:
    x, variance, names = oriented(result.x), problem.variance(result.x), text.names(problem)
    W = largest_indices(np.abs(x), min(count, max(result.cardinality, 1)))
    W = W[np.argsort(np.abs(x[W]), kind="stable")]
    colours = [POSITIVE if x[j] > 0 else NEGATIVE for j in W]
    axis.barh(range(len(W)), x[W], color=colours, tick_label=_labels(result, names, W, replaced))
    axis.axvline(0.0, color="black", linewidth=0.8)
    axis.locator_params(axis="x", nbins=4)
    shown = f", {len(W)} of {result.cardinality} variables" if len(W) < result.cardinality else ""
    share = f"variance {variance:.4g}, {variance / text.total_variance(problem):.1%}"
    axis.set(xlabel="loading", title=f"{label}{shown}\n{share}")


def _labels(result: "Result", names: Sequence[str], W: Indices, replaced: bool) -> list[str]:
    """Return the names of the variables W, with their best substitutes if requested."""
    others: dict[int, list[str]] = {}
    if replaced:
        for s in substitutes(result):
            others.setdefault(s.variable, []).append(names[s.substitute][:20])
    return [" or ".join([names[j][:30], *others.get(int(j), [])[:2]]) for j in W]


def _scores(problem: "Problem", results: Sequence["Result"]) -> Array:
    """Return the scores (m, 2) in units of the standard deviation of the first component.

    If there is only one component, the second column is zero.
    """
    if not isinstance(problem.matrix, Data):
        raise InputError(
            f"kind: problem {problem.name!r} is a covariance, which has no scores; choose from "
            "loadings, substitutes and scree"
        )
    with uncharged():
        scores_of_samples = np.column_stack([problem.data @ oriented(r.x) for r in results[:2]])
    scores_of_samples /= scores_of_samples[:, 0].std() or 1.0
    return _two_columns(scores_of_samples)


def _two_columns(M: Array) -> Array:
    """Return M with a second column of zeros if it has only one."""
    return M if M.shape[1] == 2 else np.column_stack([M, np.zeros(len(M))])


def scores(
    problem: "Problem", results: Sequence["Result"], axis: Any = None, arrows: bool = False
) -> Any:
    """Plot the samples by their scores on the first two components.

    Each class has its own colour. If ``arrows`` is true, the picture is a biplot, with an arrow for
    each variable, scaled to the size of the scores.
    """
    T = _scores(problem, results)
    with _figure(axis, size=(5.5, 5.0)) as (figure, (panel,)):
        for label, colour, rows in _classes(problem, len(T)):
            panel.scatter(*T[rows].T, s=12, color=colour, alpha=0.7, linewidths=0, label=label)
        if problem.labels is not None:
            panel.legend()
        if arrows:
            _arrows(panel, problem, results, T)
        second = "score on component 2, in the same unit" if len(results) > 1 else ""
        first = "score on component 1, in standard deviations"
        panel.set(xlabel=first, ylabel=second, title=problem.name)
    return figure


def _classes(problem: "Problem", m: int) -> list[tuple[str | None, str, Indices]]:
    """Return the name, colour and samples of each class; a single class without usable labels."""
    labels = np.array(problem.labels if problem.labels is not None else [""] * m)
    classes = sorted(set(labels))
    if problem.labels is None or len(classes) > len(PALETTE):
        return [(None, PALETTE[0], np.arange(m))]
    return [(c, PALETTE[i], np.flatnonzero(labels == c)) for i, c in enumerate(classes)]


def _arrows(axis: Any, problem: "Problem", results: Sequence["Result"], T: Array) -> None:
    """Draw an arrow for each variable; arrows with tips close together share a label."""
    names = text.names(problem)
    Z = _two_columns(np.column_stack([oriented(r.x) for r in results[:2]]))
    length = np.linalg.norm(Z, axis=1)
    tips = 0.9 * np.abs(T).max() / length.max() * Z
    places: dict[tuple[int, int], list[int]] = {}
    for j in largest_indices(length, min(ARROWS, int(np.count_nonzero(length)))):
        axis.annotate("", tips[j], (0.0, 0.0), arrowprops=dict(arrowstyle="->", color=NEGATIVE))
        at = np.round(tips[j] / (NEAR * np.abs(tips).max())).astype(int)
        places.setdefault((int(at[0]), int(at[1])), []).append(int(j))
    for together in places.values():
        _name_tip(axis, tips[together[0]], [names[j][:20] for j in together])


def _name_tip(axis: Any, tip: Vector, names: list[str]) -> None:
    """Write names at an arrow's tip, inside the axes: beside a steep arrow, otherwise along it."""
    x, y = tip
    steep, above = abs(x) < abs(y), y >= 0
    others = [f"and {len(names) - TOGETHER} more"] if len(names) > TOGETHER else []
    axis.scatter(x, y, s=0)  # extend the axes to include this point
    axis.annotate(
        "\n".join(names[:TOGETHER] + others),
        (x, y),
        (5.0, 0.0) if steep else (0.0, 4.0 if above else -4.0),
        textcoords="offset points",
        ha="left" if steep or x < 0 else "right",
        va="top" if steep == above else "bottom",
        fontsize=7.5,
        color="#8A3B00",
        bbox=dict(facecolor="white", alpha=0.75, edgecolor="none", pad=0.5),
    )


def scree(problem: "Problem", results: Sequence["Result"], axis: Any = None) -> Any:
    """Plot the percentage of the variance added by each component, and the running total."""
    Z = np.column_stack([r.x for r in results])
    with uncharged():
        gram = Z.T @ np.column_stack([problem.covariance @ r.x for r in results])
    shares = adjusted_variances(gram) / text.total_variance(problem)
    numbers = np.arange(1, len(shares) + 1)
    with _figure(axis) as (figure, (panel,)):
        panel.bar(numbers, 100.0 * shares, color=POSITIVE, label="added by this component")
        panel.plot(numbers, 100.0 * shares.cumsum(), "o-", color=NEGATIVE, label="total so far")
        panel.set(xlabel="component", ylabel="% of the variance", title=problem.name)
        panel.set_xticks(numbers)
        panel.legend()
    return figure


def path(results: Sequence["Result"], axis: Any = None, bound: bool = True) -> Any:
    """Plot the variance and its certified bound against the cardinality."""
    k = [r.k for r in results]
    with _figure(axis) as (figure, (panel,)):
        label = f"variance, {results[0].solver}"
        panel.plot(k, [r.variance for r in results], "o-", color=POSITIVE, label=label)
        if bound:
            bounds = [r.bound for r in results]
            panel.plot(k, bounds, color="black", linestyle="--", label="certified bound")
        panel.set(xlabel="cardinality k", ylabel="variance", ylim=(0, None))
        panel.set_title(results[0].problem.name)
        panel.xaxis.get_major_locator().set_params(integer=True)
        panel.legend()
    return figure


CURVES = {  # columns of a choice of k, with their titles and error columns
    "share": ("variance on all samples", None, "% of the variance"),
    "bound": ("certified bound", None, "% of the variance"),
    "held_out": (
        "held-out variance (bars: standard\nerror of its distance to the largest)",
        "held_out_error",
        "% of the variance",
    ),
    "stability": ("stability of the variables", "stability_error", "stability, % of 1"),
}


def selection(ks: Sequence[int], columns: Mapping[str, Vector], k: int, axis: Any = None) -> Any:
    """Plot the values behind a choice of k, and mark the recommended k with a line."""
    shown = [name for name in CURVES if name in columns]
    if "stability" in shown:
        shown = ["stability"]
    with _figure(axis) as (figure, (panel,)):
        for name, colour in zip(shown, (POSITIVE, NEGATIVE), strict=False):
            label, error, ylabel = CURVES[name]
            values = 100.0 * columns[name]
            spread = None if error is None else 100.0 * columns[error]
            panel.errorbar(ks, values, spread, fmt="o-", color=colour, capsize=2, label=label)
            panel.set(xlabel="cardinality k", ylabel=ylabel)
        panel.axvline(k, color="black", linestyle=":", label=f"recommended, k = {k}")
        panel.xaxis.get_major_locator().set_params(integer=True)
        panel.legend()
    return figure
