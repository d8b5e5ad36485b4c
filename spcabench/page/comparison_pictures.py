"""The pictures of a comparison, with their data and captions."""

import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from spcabench.comparison import suite
from spcabench.comparison.ranking import recovered
from spcabench.files import make_folder, write_picture
from spcabench.page import comparison_drawing as drawing
from spcabench.page import light_svg
from spcabench.page.comparison_drawing import Looks
from spcabench.showing import style

# only the columns that are drawn, because a table of all eighty is slower to slice
DRAWN = [
    *("item", "asked", "family", "solver", "answered", "value", "cardinality", "variance"),
    *("best", "bound", "proven", "unit", "work", "time", "search_time", "history"),
    *("setup_flops", "setup_time"),
]


@dataclass(frozen=True)
class Picture:
    """A picture of the page; ``draw(*arguments, axes)`` draws it on a grid of axes.

    words : its caption. shape : rows and columns of axes. size : width and height in inches.
    """

    title: str
    words: str
    draw: Callable[..., None]
    shape: tuple[int, int]
    size: tuple[float, float]
    arguments: tuple[Any, ...]

    @property
    def name(self) -> str:
        """The title in the form of a file name."""
        return re.sub(r"[^A-Za-z0-9_]+", "-", self.title).strip("-").lower()

    def svg(self) -> str:
        """Return the picture as the text of an SVG file."""
        text = io.StringIO()
        with self._drawn() as figure:
            # without a date, an unchanged picture gives an unchanged file
            figure.savefig(text, format="svg", metadata={"Date": None})
        return light_svg.light(text.getvalue())

    def write(self, file: Path) -> None:
        """Write the picture to a PDF file with embedded fonts, and create its folder."""
        make_folder(file.parent)
        with self._drawn() as figure:
            write_picture(file, figure, metadata={"CreationDate": None})

    @contextmanager
    def _drawn(self) -> Iterator[Any]:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        # titles have a fixed height, because finding it takes a quarter of the drawing time
        with matplotlib.rc_context(style.RC | {"axes.titley": 1.0}):
            figure, axes = plt.subplots(*self.shape, figsize=self.size, squeeze=False)
            self.draw(*self.arguments, axes)
            yield figure
            plt.close(figure)


def pictures(
    rows: pd.DataFrame,
    answers: pd.DataFrame,
    ranking: pd.DataFrame,
    named: Iterable[str],
    files: Mapping[str, str] | None = None,
    last: str = "time",
) -> Iterator[Picture]:
    """Yield the pictures of a comparison, starting with the frontier, if any solver answered.

    named : the solvers that the comparison is about. files : label -> file, for solvers from
        outside the repository. last : the cost that orders equally good solvers, "time" or "flops".
    """
    answers, looks = answers[DRAWN], looks_of(ranking, named, files)
    chosen = {solver: look for solver, look in looks.items() if look["color"] != style.GREY}
    if not chosen:
        return
    yield _frontier_picture(ranking[ranking.answered > 0], looks, last)
    yield from _profile_pictures(answers, looks)
    yield _anytime_picture(answers, chosen)
    yield from _trade_off_picture(answers, chosen)
    yield from _recovery_picture(recovered(rows), looks)


def looks_of(
    ranking: pd.DataFrame, named: Iterable[str], files: Mapping[str, str] | None = None
) -> Looks:
    """Return the styles of solvers with answers: named solvers, then the papers', then the best."""
    order = [s for s, count in zip(ranking.solver, ranking.answered, strict=True) if count]
    first = [name for name in dict.fromkeys([*named, *suite.OF_PAPERS]) if name in order]
    return style.looks([*first, *order], files, max(len(first), len(style.DISTINCT)))


def _frontier_picture(ranking: pd.DataFrame, looks: Looks, last: str) -> Picture:
    unit = {"time": "time", "flops": "number of flops"}[last]
    return Picture(
        "Frontier",
        f"Share of the pairs solved to 99.9 % against the {unit}, shifted geometric mean; a bar to "
        "the right leads to the slowest rounds. The line joins the solvers that none other exceeds "
        "in both; they are named, as are those of the papers. Not to be told apart: solvers whose "
        "ranks overlap, in the table above.",
        drawing.frontier,
        (1, 1),
        (9.5, 4.6),
        (ranking, looks, last),
    )


def _profile_pictures(answers: pd.DataFrame, looks: Looks) -> Iterator[Picture]:
    coloured = sum(look["color"] != style.GREY for look in looks.values())
    few = (
        f"The {coloured} solvers in colour are the named ones and those of the five papers, then "
        "the best; " + ("the others are grey." if len(looks) > coloured else "all are shown.")
    )
    bands = "Bands are 90 % intervals from resampling the problems."
    yield Picture(
        "Performance profiles",
        f"After Dolan and Moré (2002). {few} {bands}",
        drawing.performance,
        (1, 2),
        (9.5, 4.4),
        (answers, looks),
    )
    yield Picture(
        "Data profiles",
        f"After Moré and Wild (2009). {few} {bands} The first feasible iterate that is good "
        "enough counts; for a searched penalty, the whole search counts.",
        drawing.data,
        (2, 3),
        (9.5, 6.6),
        (answers, looks),
    )
    families = list(dict.fromkeys(answers.family))
    if len(families) > 1:
        shape = _grid(len(families))
        yield Picture(
            "Profiles by kind of problem",
            "The data profiles on flops to 99 % of the best known, separately for each kind "
            f"of problem. A solver that is good on average need not be good on your data. {few}",
            drawing.by_family,
            shape,
            (9.5, 2.5 * shape[0] + 0.8),
            (answers, looks, families),
        )


def _anytime_picture(answers: pd.DataFrame, looks: Looks) -> Picture:
    answered = answers[answers.answered].groupby(["item", "asked"])
    pairs = [(str(item), int(k)) for (item, k), _ in answered]
    # the largest k of each problem, for which the curves show the most
    pairs = list({item: (item, k) for item, k in pairs}.values())[:9]
    # fill whole rows of panels
    pairs = pairs[: 3 * (len(pairs) // 3)] if len(pairs) >= 3 else pairs
    shape = _grid(len(pairs))
    return Picture(
        "Anytime curves",
        "The best feasible value so far, before the refit, against the flops of the run. Solvers "
        "with a searched penalty are points at the cost of the search. Dotted lines: certified "
        "bounds.",
        drawing.anytime,
        shape,
        (9.5, 2.6 * shape[0] + 0.8),
        (answers, looks, pairs),
    )


def _trade_off_picture(answers: pd.DataFrame, looks: Looks) -> Iterator[Picture]:
    # a curve through only two points would not be informative
    several = answers.groupby("item").asked.nunique()
    items = [item for item in dict.fromkeys(answers.item) if several[item] >= 3]
    if items:
        shape = (-(-len(items) // 4), 4)
        yield Picture(
            "Trade-off",
            "Variance after the refit against the cardinality reached.",
            drawing.trade_off,
            shape,
            (9.5, 2.4 * shape[0] + 0.6),
            (answers, looks, items),
        )


def _recovery_picture(recovered: pd.DataFrame, looks: Looks) -> Iterator[Picture]:
    if len(recovered):
        yield Picture(
            "Support recovery",
            f"Spiked model with {suite.SAMPLES} samples of {suite.VARIABLES} variables, solved at "
            f"the true k. Means over seeds {', '.join(map(str, suite.SEEDS))}; failures are zero.",
            drawing.recovery,
            (1, recovered.sparsity.nunique()),
            (9.5, 3.9),
            (recovered, looks),
        )


def _grid(count: int) -> tuple[int, int]:
    """Return rows and columns of a grid for ``count`` panels, with at most three per row."""
    return -(-count // 3), min(count, 3)
