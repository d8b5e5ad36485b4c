"""One look for all figures: a solver has the same colour, marker and line everywhere.

Solvers can also be distinguished in greyscale.
"""

import math
import re
import zlib
from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

import numpy as np

from spcabench import registry
from spcabench.errors import InputError

# Okabe and Ito's colours, distinguishable with colour blindness; black is for bounds and references
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F3C8D", "#6B6B6B")
MARKERS = "osD^vP*X<>hp"
DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 1.5)),
    (0, (1.5, 1.2)),
    (0, (5, 1.2, 1.2, 1.2)),
    (0, (8, 2)),
)

# for the solvers of one picture: black is for bounds, grey for solvers without a colour
DISTINCT = (*PALETTE[:7], "#8C510A")
SPARE = ("#332288", "#882255", "#117733", "#DDCC77")  # from Tol's muted scheme
MOST = len(DISTINCT) + len(SPARE)
GREY = "#B5B5B5"
NEAR = 0.2  # colours closer than this, in a cube of side 1, count as the same

# every figure is at most WIDEST inches wide and sets no font sizes, because pages show all
# pictures at one scale: letters then have the same size in all figures
WIDEST, LETTERS = 11.5, 8.0

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
    """Return the colour, marker and line of a solver, as keywords of matplotlib's ``plot``.

    The colour is the COLOUR in its file, if there is one. Everything else follows from the name
    alone, so that a new solver never changes the look of another.

    Parameters
    ----------
    solver : str
        Name of a solver, or any other name.
    file : str, optional
        The solver's file, if it is not found by its name.

    Returns
    -------
    dict
        The entries "color", "marker" and "linestyle".
    """
    number = zlib.crc32(solver.encode())
    return {
        "color": own_colour(file or solver) or PALETTE[number % len(PALETTE)],
        "marker": MARKERS[number // 8 % len(MARKERS)],
        "linestyle": DASHES[number // 128 % len(DASHES)],
    }


def own_colour(solver: str) -> str | None:
    """Return the COLOUR in a solver's file, given by name or path; None if there is none.

    The file is read but not run, because drawing a picture must not run strangers' code.
    """
    try:
        colour = registry.written(solver, "COLOUR")
    except InputError:  # no solver has this name
        return None
    return colour if re.fullmatch("#[0-9a-fA-F]{6}", colour) else None


def looks(
    solvers: Iterable[str], files: Mapping[str, str] | None = None, first: int = len(DISTINCT)
) -> dict[str, Any]:
    """Return the look of each solver of one picture; no two have the same colour or marker.

    The first ones have a colour, and the others are grey. A solver keeps its usual look unless an
    earlier one has taken the colour or the marker.

    Parameters
    ----------
    solvers : iterable of str
        Names of the solvers, those that must have a colour first.
    files : mapping, optional
        Files by name, for solvers that are not found by their names.
    first : int
        How many have a colour, at most `MOST`.

    Returns
    -------
    dict
        For each name, the entries of `look`, in the order of ``solvers``.
    """
    files, shown = files or {}, list(dict.fromkeys(solvers))
    by_solver = {solver: look(solver, files.get(solver)) for solver in shown}
    coloured = shown[: min(first, MOST)]
    # a colour set in a file takes precedence over one that follows from a name
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

    A solver keeps its usual look unless an earlier one, by name, has the same colour, marker and
    dashes. In that case it gets the next free marker and dashes.
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
    """The distance of a colour from the nearest of the others; inf if there are none."""
    from matplotlib.colors import to_rgb

    here = to_rgb(colour)
    return min((math.dist(here, to_rgb(other)) for other in others), default=math.inf)


def plain_log_ticks(axis: Any) -> None:
    """Label a logarithmic x axis with plain numbers, at 1, 2 and 5 times powers of ten.

    An axis within one decade has more labels.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axis.get_xlim()
    steps = (1.0, 2.0, 5.0) if high > 10 * low else (1.0, 2.0, 3.0, 4.0, 6.0, 8.0)
    axis.xaxis.set_major_locator(LogLocator(subs=steps))
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.xaxis.set_minor_formatter(NullFormatter())


def name_lines(axis: Any) -> None:
    """Write the label of each coloured line at its right end, outside the panel.

    A legend inside the panel lists the others: bands, and black lines, which are bounds and
    references.

    Parameters
    ----------
    axis : matplotlib.axes.Axes
        The axes, with final limits.
    """
    least = 0.055  # minimum distance of two names, as a share of the height
    lines = [line for line in axis.get_lines() if not line.get_label().startswith("_")]
    named = [line for line in lines if line.get_color() != "black"]
    handles, labels = axis.get_legend_handles_labels()
    others = [
        (handle, label)
        for handle, label in zip(handles, labels, strict=True)
        if handle not in named
    ]
    if others:
        axis.legend(*zip(*others, strict=True))
    ends = []
    for line in named:
        points = axis.transLimits.transform(axis.transScale.transform(line.get_xydata()))
        inside = points[~np.isnan(points).any(axis=1)]
        if len(inside):
            ends.append((float(np.clip(inside[inside[:, 0].argmax(), 1], 0.0, 1.0)), line))
    ends.sort(key=lambda end: end[0])
    # as close to its end as the names below and the room above allow; at the upper edge, a name
    # would be next to the title
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


def mark_level(axis: Any, level: float, name: str, side: str = "left") -> None:
    """Draw a dotted horizontal line, with its name above its left or right end."""
    axis.axhline(level, color="black", linewidth=0.8, linestyle=":")
    style = dict(transform=axis.get_yaxis_transform(), va="bottom", fontsize=LETTERS)
    axis.text(0.01 if side == "left" else 0.99, level, name, ha=side, **style)


def scale_fonts(figure: Any, factor: float) -> None:
    """Multiply the font size of every text in a figure, including explicitly set sizes."""
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
