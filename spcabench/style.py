"""One look for all figures: a solver has the same colour, marker and line everywhere.

Solvers can be told apart in grey too.
"""

import zlib
from typing import Any

from spcabench import registry

# Okabe and Ito's colours, which survive colour blindness; black is kept for bounds and references
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F3C8D", "#6B6B6B")
MARKERS = "osD^vP*X<>hp"
DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 1.5)),
    (0, (1.5, 1.2)),
    (0, (5, 1.2, 1.2, 1.2)),
    (0, (8, 2)),
)

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
    "legend.fontsize": 8,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
    "svg.hashsalt": "spcabench",
    "pdf.fonttype": 42,
}


def look(solver: str) -> dict[str, Any]:
    """Return the colour, marker and line of a solver, as keywords of matplotlib's ``plot``.

    The colour is the COLOUR of its file, if there is one. Everything else follows from the name
    alone, so that a new solver changes the look of no other.

    Parameters
    ----------
    solver : str
        Name of a solver, or any other name.

    Returns
    -------
    dict
        The entries "color", "marker" and "linestyle".
    """
    number = zlib.crc32(solver.encode())
    try:
        colour = getattr(registry.module("solver", solver), "COLOUR", None)
    except ValueError:
        colour = None
    return {
        "color": colour or PALETTE[number % len(PALETTE)],
        "marker": MARKERS[number // 8 % len(MARKERS)],
        "linestyle": DASHES[number // 128 % len(DASHES)],
    }


def plain_log_ticks(axis: Any) -> None:
    """Label a logarithmic x axis in plain numbers, at 1, 2 and 5 times powers of ten.

    Within one decade there are more labels.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axis.get_xlim()
    steps = (1.0, 2.0, 5.0) if high > 10 * low else (1.0, 2.0, 3.0, 4.0, 6.0, 8.0)
    axis.xaxis.set_major_locator(LogLocator(subs=steps))
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.xaxis.set_minor_formatter(NullFormatter())


def scale_fonts(figure: Any, factor: float) -> None:
    """Multiply the size of every text of a figure, those that the figure sets itself too."""
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
