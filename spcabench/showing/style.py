"""The style of all figures: a solver has the same colour, marker and line style in all of them.

Solvers can also be distinguished in greyscale.
"""

import math
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from spcabench import registry
from spcabench.errors import InputError

# colours of Okabe and Ito, which are safe for colour-blind readers; black is for bounds
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F3C8D", "#6B6B6B")
MARKERS = "osD^vP*X<>hp"
DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 1.5)),
    (0, (1.5, 1.2)),
    (0, (5, 1.2, 1.2, 1.2)),
    (0, (8, 2)),
)

# colours for the solvers in a picture; black is for bounds, grey for solvers without a colour
DISTINCT = (*PALETTE[:7], "#8C510A")
SPARE = ("#332288", "#882255", "#117733", "#DDCC77")  # from Tol's muted scheme
COLOURS = len(DISTINCT) + len(SPARE)
GREY = "#B5B5B5"
NEAR = 0.2  # colours at a smaller distance in the RGB unit cube are treated as equal

# A figure is at most WIDEST inches wide and sets no font sizes. Pages show all pictures at the same
# scale, so letters have the same size in all figures.
WIDEST, LETTERS = 11.5, 8.0
BELOW = 28.0  # points from a panel to its legend: ticks and the label of the axis

RC: dict[Any, Any] = {
    "figure.constrained_layout.use": True,
    "figure.dpi": 100,
    "savefig.dpi": 150,
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.grid": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "legend.fontsize": LETTERS,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
    "svg.hashsalt": "spcabench",
    "pdf.fonttype": 42,
}


def look(solver: str, file: str | None = None) -> dict[str, Any]:
    """Return the colour, marker and line style of a solver, as keyword arguments of ``plot``.

    The colour is COLOUR in the solver's file, if defined. Otherwise, the colour depends only on the
    name of the solver, as do the marker and the line style, so adding a solver never changes the
    look of other solvers.

    Parameters
    ----------
    solver : str
        Name of a solver, or any other name.
    file : str, optional
        File of the solver, if the registry does not contain its name.

    Returns
    -------
    dict
        Dict with the keys "color", "marker" and "linestyle".
    """
    number = zlib.crc32(solver.encode())
    return {
        "color": own_colour(file or solver) or PALETTE[number % len(PALETTE)],
        "marker": MARKERS[number // 8 % len(MARKERS)],
        "linestyle": DASHES[number // 128 % len(DASHES)],
    }


def own_colour(solver: str) -> str | None:
    """Return the COLOUR defined in the file of a solver (a name or a path), or None.

    The file is parsed but not executed, because plotting must not execute third-party code.
    """
    try:
        colour = registry.written(solver, "COLOUR")
    except InputError:  # no solver has this name
        return None
    return colour if re.fullmatch("#[0-9a-fA-F]{6}", colour) else None


def looks(
    solvers: Iterable[str], files: Mapping[str, str] | None = None, first: int = len(DISTINCT)
) -> dict[str, Any]:
    """Return the look of each solver in a picture.

    The first solvers have different colours and markers, and the remaining solvers are grey. A
    solver keeps its usual colour and marker unless an earlier solver already uses them.

    Parameters
    ----------
    solvers : iterable of str
        Names of the solvers, starting with those that must have a colour.
    files : mapping, optional
        Mapping from names to files, for solvers that the registry does not contain.
    first : int
        Number of solvers with a colour, at most `COLOURS`.

    Returns
    -------
    dict
        Mapping from names to dicts as returned by `look`, in the order of ``solvers``.
    """
    files, shown = files or {}, list(dict.fromkeys(solvers))
    by_solver = {solver: look(solver, files.get(solver)) for solver in shown}
    coloured = shown[: min(first, COLOURS)]
    # a colour in a file takes precedence over a colour derived from a name
    order = sorted(coloured, key=lambda solver: own_colour(files.get(solver, solver)) is None)
    colours: list[str] = []
    for solver in order:
        wanted = by_solver[solver]["color"]
        free = [c for c in (wanted, *DISTINCT) if _apart(c, colours) > NEAR and _hue(c)]
        colours.append(free[0] if free else max(SPARE, key=lambda c: _apart(c, colours)))
        by_solver[solver]["color"] = colours[-1]
    for place, solver in enumerate(coloured):
        others = {by_solver[other]["marker"] for other in coloured[:place]}
        wanted = (by_solver[solver]["marker"], *MARKERS)
        by_solver[solver]["marker"] = next(marker for marker in wanted if marker not in others)
    for solver in shown[len(coloured) :]:
        by_solver[solver]["color"] = GREY
    return by_solver


def many(solvers: Iterable[str]) -> dict[str, Any]:
    """Return the look of each solver in a picture with many lines.

    Solvers are processed in alphabetical order. A solver keeps its usual look unless an earlier
    solver has the same colour, marker and dashes. In that case, it gets the next free combination
    of marker and dashes.
    """
    by_solver: dict[str, Any] = {}
    for solver in sorted(set(solvers)):
        own = look(solver)
        order = [(own["marker"], own["linestyle"]), *product(MARKERS, DASHES)]
        taken = {
            (other["marker"], other["linestyle"])
            for other in by_solver.values()
            if other["color"] == own["color"]
        }
        marker, dashes = next((pair for pair in order if pair not in taken), order[0])
        by_solver[solver] = own | {"marker": marker, "linestyle": dashes}
    return by_solver


def _hue(colour: str) -> bool:
    """Whether a colour is neither grey nor black."""
    from matplotlib.colors import to_rgb

    return max(to_rgb(colour)) - min(to_rgb(colour)) > 0.1


def _apart(colour: str, others: Iterable[str]) -> float:
    """Return the distance from a colour to the nearest of some colours, or inf without any."""
    from matplotlib.colors import to_rgb

    here = to_rgb(colour)
    return min((math.dist(here, to_rgb(other)) for other in others), default=math.inf)


def plain_log_ticks(axis: Any) -> None:
    """Label a logarithmic x axis with plain numbers at 1, 2 and 5 times powers of ten.

    If the axis spans less than a decade, more labels are added; if it spans four or its panel is
    narrow, fewer are shown.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axis.get_xlim()
    steps: tuple[float, ...] = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0)
    if high > 10 * low:
        decade = axis.get_window_extent().width / axis.figure.dpi * 72 / np.log10(high / low)
        # a label is about 24 points wide; from 1 to 2 are .3 decades, of which names beside the
        # panel take a fifth
        steps = (1.0, 2.0, 5.0) if 0.24 * decade >= 24 else (1.0, 3.0)
        if high >= 1e4 * low or (high >= 100 * low and 0.38 * decade < 24):
            steps = (1.0,)
    axis.xaxis.set_major_locator(LogLocator(subs=steps))
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.xaxis.set_minor_formatter(NullFormatter())


def name_lines(axis: Any) -> None:
    """Write the label of each coloured line at its right end, outside the panel.

    A legend below the panel lists bands and black lines, which are bounds and references.

    Parameters
    ----------
    axis : matplotlib.axes.Axes
        The axes, with final limits.
    """
    # minimum distance between two names, as a fraction of the panel's height, which titles shorten
    least = 1.2 * LETTERS / (0.65 * axis.get_window_extent().height / axis.figure.dpi * 72)
    lines = [line for line in axis.get_lines() if not line.get_label().startswith("_")]
    named = [line for line in lines if line.get_color() != "black"]
    handles, labels = axis.get_legend_handles_labels()
    others = [
        (handle, label)
        for handle, label in zip(handles, labels, strict=True)
        if handle not in named
    ]
    if others:
        legend_below(axis, *zip(*others, strict=True))
    ends = []
    for line in named:
        points = axis.transLimits.transform(axis.transScale.transform(line.get_xydata()))
        inside = points[~np.isnan(points).any(axis=1)]
        if len(inside):
            ends.append((float(np.clip(inside[inside[:, 0].argmax(), 1], 0.0, 1.0)), line))
    ends.sort(key=lambda end: end[0])
    # Each name is as close to the end of its line as the other names allow. Names stay below the
    # upper edge, where they would touch the title.
    lowest, highest = -np.inf, 0.97
    for place, (height, line) in enumerate(ends):
        above = (len(ends) - 1 - place) * least
        lowest = max(min(height, highest - above), lowest + least)
        axis.annotate(
            line.get_label(),
            (1.0, lowest),
            (4, 0),
            xycoords="axes fraction",
            textcoords="offset points",
            color=line.get_color(),
            va="center",
            fontsize=LETTERS,
        )


def legend_below(axis: Any, *entries: Any) -> None:
    """Draw a legend below the panel, where it covers no curve; ``entries`` as in ``legend``."""
    from matplotlib.transforms import ScaledTranslation

    # under a narrow panel, two columns would be wider than the panel
    wide = axis.get_window_extent().width / axis.figure.dpi > 3.5
    # in points, because the label of the axis does not shrink with the panel
    shift = ScaledTranslation(0.0, -BELOW / 72, axis.figure.dpi_scale_trans)
    below: dict[str, Any] = dict(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=1 + wide)
    axis.legend(*entries, bbox_transform=axis.transAxes + shift, **below)


def mark_level(axis: Any, level: float, name: str, side: str = "left") -> None:
    """Draw a dotted horizontal line with a name above its left or right end."""
    axis.axhline(level, color="black", linewidth=0.8, linestyle=":")
    style = dict(transform=axis.get_yaxis_transform(), va="bottom", fontsize=LETTERS)
    axis.text(0.01 if side == "left" else 0.99, level, name, ha=side, **style)


def draw_table(
    axis: Any,
    head: Sequence[str],
    lines: Sequence[Sequence[str]],
    names: float = 2.0,
    align: str = "right",
) -> None:
    """Draw a table that fills a panel, such as one of loadings or words.

    Parameters
    ----------
    axis : matplotlib.axes.Axes
        The axes, which are hidden.
    head, lines : sequence
        The names of the columns, and the cells of each line, which begins with its name.
    names : float
        Width of the first column, relative to that of the others.
    align : str
        "left" or "right".
    """
    axis.set_axis_off()
    options = dict(bbox=(0, 0, 1, 1), edges="horizontal", cellLoc=align, colLoc=align)
    total = names + len(head) - 1
    widths = [names / total, *[1 / total] * (len(head) - 1)]
    drawing = axis.table(lines, colLabels=head, colWidths=widths, **options)
    drawing.auto_set_font_size(False)
    drawing.set_fontsize(LETTERS)
    height = 1 + max(name.count("\n") for name in head)  # lines of the head
    for (row, _), cell in drawing.get_celld().items():
        cell.set(linewidth=0.6, edgecolor=GREY)
        if row == 0:
            cell.set_height(cell.get_height() * height)


def scale_fonts(figure: Any, factor: float) -> None:
    """Multiply the font sizes of all texts in a figure, even if they were set explicitly."""
    from matplotlib.text import Text

    ticks: set[Any] = set()
    for axes in figure.axes:
        for name, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
            for which in ("major", "minor"):
                labels = axis.get_ticklabels(which=which)
                ticks |= {*labels, axis.get_offset_text()}
                if labels:
                    axes.tick_params(
                        axis=name, which=which, labelsize=factor * labels[0].get_fontsize()
                    )
    for text in figure.findobj(Text):
        if text not in ticks:
            text.set_fontsize(factor * text.get_fontsize())
