"""The page of each solver: its runs in all figures, as a table, a picture and curves."""

from pathlib import Path
from typing import Any

import pandas as pd

from spcabench import registry
from spcabench.atomic_files import make_folder, write_changed, write_text
from spcabench.page import (
    interactive_curves,
    solver_curves,
    solver_numbers,
    solver_pictures,
    source_links,
)
from spcabench.page.render import render

MISSING = (
    "The curves of this page need Bokeh, which is not installed: pip install 'spcabench[pages]', "
    "then run the same command again."
)
PUBLISHED = (
    "The published pages have no interactive curves. `spcabench explore results/published` makes a "
    "copy that does."
)


def write(
    folder: Path,
    figures: list[dict[str, Any]],
    about: dict[str, Any],
    rows: pd.DataFrame,
    published: bool,
) -> None:
    """Write the pages into a folder. about : the solvers and the scale. rows : of all figures."""
    make_folder(folder)
    # the curves are megabytes of script and change with every run: not for git
    scripts = [] if published else _write_curves(folder.resolve(), rows)
    # against all solvers, so it is computed once and not for each page
    runs = solver_numbers.compared(rows[rows.solver.notna()])
    how = PUBLISHED if published else MISSING
    shown = {f["figure"]: (f["title"], f"{f['paper']}.html") for f in figures}
    for solver in about["solvers"]:
        file = source_links.relative(registry.path("solver", solver["name"]), folder)
        values = {name: about[name] for name in ("scale", "site")}
        values |= {"shown": shown, "file": file, "how": how}
        values["picture"] = picture = solver_pictures.picture(solver["name"], runs)
        # a solver may have no run that another one shares
        if picture is not None:
            write_changed(folder / "pictures" / f"{solver['name']}.svg", picture.svg())
        text = render("solver.html.j2", **solver, **values, scripts=scripts)
        write_text(folder / f"{solver['name']}.html", text)


def _write_curves(home: Path, rows: pd.DataFrame) -> list[str]:
    """Write the scripts of the pages, with one file of numbers for all; their addresses."""
    data = solver_curves.data(rows)
    return interactive_curves.write(home.parents[1], home, data, "curves-data.js")
