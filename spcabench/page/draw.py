"""Draw and judge one figure from its rows alone."""

import inspect
import re
import textwrap
import warnings
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

from spcabench import registry
from spcabench.claims import Claim
from spcabench.errors import InputError, using_file
from spcabench.figures import _truth
from spcabench.files import make_folder, write_picture
from spcabench.page import claims_file
from spcabench.page.papers import key_of
from spcabench.page.row_names import hashes
from spcabench.running import rows as results
from spcabench.showing import style
from spcabench.solving.status import GOOD

FORMULA = re.compile(r"\$[^$]*\$")
MOST_LINES = 6  # of a title


def draw_figure(name: str, files: list[Path], folder: Path) -> None:
    """Write figure.svg, figure.pdf and figure.png of a figure to a folder."""
    _loaded(registry.module("figure", name), files)  # fails before the folder is created
    make_folder(folder)
    draw_to(name, files, [folder / f"figure.{kind}" for kind in ("svg", "pdf", "png")])


def draw_to(
    name: str,
    files: list[Path],
    outs: Iterable[Path],
    width: float | None = None,
    height: float | None = None,
    fontsize: float | None = None,
    title: bool = True,
) -> None:
    """Write a figure to files, with sizes in inches and points.

    By default, the figure has its own size and the font size of the style.
    """
    import matplotlib

    # before pyplot is imported, because other backends fail without a display
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    module = registry.module("figure", name)
    rows, data = _loaded(module, files)
    with matplotlib.rc_context(style.RC):
        own = module.SIZE
        # if only the width or the height is specified, the figure's proportions determine the other
        size = (
            width or own[0] * (height or own[1]) / own[1],
            height or own[1] * (width or own[0]) / own[0],
        )
        figure, axes = plt.subplots(*module.PANELS, figsize=size, squeeze=False)
        _draw(module, data, axes)
        scale = (fontsize or style.RC["font.size"]) / style.RC["font.size"]
        _mark(figure, module, rows, title, scale)
        if fontsize:
            style.scale_fonts(figure, scale)
        # the figure's own size fits, but a user's size can be too small for the legends
        fits = _fits(figure)
        if fits:
            _wrap_titles(figure)
            fits = _fits(figure)  # a wrapped title is higher
        if (width or height or fontsize) and not fits:
            raise InputError(
                f"--size: the figure does not fit into {size[0]:.3g} x {size[1]:.3g} inches"
            )
        for out in outs:
            write_picture(out, figure)
        plt.close(figure)


def _wrap_titles(figure: Any) -> None:
    """Wrap each title that is wider than its panel with its labels, so that no title is cut off."""
    for axes in figure.axes:
        axes.title.set_visible(False)
        panel = axes.get_tightbbox()
        axes.title.set_visible(True)
        text = " ".join(axes.get_title().split())
        for lines in range(1, MOST_LINES + 1):
            box = axes.title.get_window_extent()
            if panel is None or (panel.x0 <= box.x0 and box.x1 <= panel.x1):
                break
            # formulas stay on one line
            whole = FORMULA.sub(lambda formula: formula[0].replace(" ", "\0"), text)
            wrapped = textwrap.fill(whole, -(-len(whole) // lines), break_long_words=False)
            axes.set_title(wrapped.replace("\0", " "))


def _fits(figure: Any) -> bool:
    """Whether the axes fit into the figure, and each legend into its axes."""
    with warnings.catch_warnings(record=True) as complaints:
        warnings.simplefilter("always")
        # if there is no room for axes, Matplotlib only warns, and only during the layout
        figure.draw_without_rendering()
    legends = [
        (axes.get_legend().get_window_extent(), axes.bbox)
        for axes in figure.axes
        if axes.get_legend()
    ]
    # a legend outside its axes can have any size
    inside = [(box, axes) for box, axes in legends if box.overlaps(axes)]
    return not complaints and all(
        box.width <= axes.width and box.height <= axes.height for box, axes in inside
    )


def _loaded(module: ModuleType, files: list[Path]) -> tuple[pd.DataFrame, Any]:
    """Return all rows of a figure, and the result of its ``data`` for rows with an answer."""
    # the modification times are part of the key, so that renewed files are read again
    return _of_files(module, tuple(files), tuple(map(_changed, files)))


def _changed(file: Path) -> int:
    with using_file(file):
        return file.stat().st_mtime_ns


@lru_cache(maxsize=1)  # shared by drawing and judging
def _of_files(
    module: ModuleType, files: tuple[Path, ...], written: tuple[int, ...]
) -> tuple[pd.DataFrame, Any]:
    # with their names, so that each statement can say on which runs it rests
    rows = results.read(files).assign(row=hashes(results.read_text(files)))
    results.check(rows, module.__name__.rpartition(".")[2])
    # the data are real, but not the paper's data
    others = rows.dataset.isin(getattr(module, "STAND_INS", ()))
    rows = rows.assign(stand_in=rows.stand_in.eq(True) | others)
    good = rows[rows.status.isin(GOOD)].reset_index(drop=True)
    prepare = getattr(module, "data", lambda table: table)
    return rows, prepare(good) if len(good) else None


def _draw(module: ModuleType, data: Any, axes: np.ndarray) -> None:
    if data is not None:
        module.draw(data, axes)
        return
    for axis in axes.flat:
        axis.set_axis_off()
    axes.flat[0].text(0, 0.5, "No run gave an answer.", transform=axes.flat[0].transAxes)


def _mark(figure: Any, module: ModuleType, rows: pd.DataFrame, titled: bool, scale: float) -> None:
    """Add the title; a stand-in is always mentioned, even without a title."""
    stand_ins = sorted(set(rows.problem[rows.stand_in].dropna()))
    lines = [_paragraphs(module)[0].rstrip(".")] if titled else []
    if stand_ins:
        lines.append(f"STAND-IN DATA: {'; '.join(stand_ins)}")
    width = int(12.5 * figure.get_figwidth() / scale)  # characters that fit in a line
    if lines:
        figure.suptitle("\n".join(textwrap.fill(line, width) for line in lines), fontsize=10.5)


def _paragraphs(module: ModuleType) -> list[str]:
    text = inspect.getdoc(module) or module.__name__
    return [" ".join(part.split()) for part in text.split("\n\n")]


def judge_figure(name: str, scale: str, files: list[Path], out: Path) -> None:
    """Write the `judgement` of a figure to a JSON file."""
    claims_file.write(out, judgement(name, scale, files))


def judgement(name: str, scale: str, files: list[Path]) -> dict[str, Any]:
    """Return a figure's judged statements, provenance and runs, from its rows alone."""
    module = registry.module("figure", name)
    # the cache returns the same rows that were drawn, so statements and picture agree
    rows, data = _loaded(module, files)
    # rows can come from several commits and machines; the newest row represents the figure
    last = rows.sort_values("written", kind="stable").iloc[-1]
    title, *caption = _paragraphs(module)
    title = title.rstrip(".")
    report = {
        "version": claims_file.VERSION,
        "figure": name,
        "paper": key_of(name),
        "title": title,
        "caption": "\n\n".join(caption),
        "scale": scale,
        "commit": last.commit,
        "commits": sorted(rows.commit.unique()),
        "dirty": bool(rows.dirty.any()),
        "written": max(rows.written),
        "command": f"spcabench figure {name} --scale {scale}",
        "data": _provenance(rows),
        "machine": last.machine,
        "machines": [*{results.to_json(m, sort_keys=True): m for m in rows.machine}.values()],
        "runs": _summary(rows),
    }
    written = claims_file.statements(module)
    report["statements"] = [
        statement.judge(data) | {"figure": name, "paper_key": report["paper"]}
        for statement in written
    ]
    home = rows.set_index("row").experiment.to_dict()
    report["rows_of"] = {statement.id: _rows_of(statement, data, home) for statement in written}
    certified = getattr(module, "certified", _truth.certified)
    report["certified"] = certified(data) if data is not None else []
    if hasattr(module, "tables"):
        report["tables"] = module.tables(data) if data is not None else []
    return report


def _rows_of(statement: Claim, data: Any, home: dict[str, str]) -> dict[str, list[str]]:
    """Return the names of the rows on which a statement rests, by the figure that has them."""
    tables = [] if data is None else [table for _, table in statement.tables(data)]
    names = {name for table in tables for line in table.row for name in line.split()}
    found: dict[str, list[str]] = {}
    for name in sorted(names & home.keys()):
        found.setdefault(home[name], []).append(name)
    return found


def _provenance(rows: pd.DataFrame) -> list[dict[str, Any]]:
    # a run that failed before its data were loaded has no problem; the order of rows
    # depends on which of them a later run added
    first = rows.dropna(subset=["problem"]).drop_duplicates("problem")
    first = first.sort_values("problem", key=lambda names: names.map(claims_file.natural))
    return [
        {
            "dataset": row.dataset,
            "name": row.problem,
            **row.provenance,
            "stand_in": bool(row.stand_in),
        }
        for row in first.itertuples()
    ]


def _summary(rows: pd.DataFrame) -> dict[str, Any]:
    seconds = rows.solve_time.sum() + rows.setup_time.sum() + rows.search_time.sum()
    return {
        "rows": len(rows),
        "seconds": round(float(seconds), 1),
        "status": rows.status.value_counts().to_dict(),
    }
