"""Write the page of each solver: its description, and its runs in all figures."""

from pathlib import Path
from typing import Any

import pandas as pd

from spcabench import registry
from spcabench.files import make_folder, write_changed, write_text
from spcabench.page import solver_numbers, solver_pictures, source_links
from spcabench.page.render import render


def write(
    folder: Path,
    figures: list[dict[str, Any]],
    about: dict[str, Any],
    rows: pd.DataFrame,
) -> None:
    """Write the solvers' pages to a folder.

    about : the solvers and the scale. rows : the rows of all figures.
    """
    make_folder(folder)
    # computed once for all pages, because each solver is compared with all others
    runs = solver_numbers.compared(rows[rows.solver.notna()])
    shown = {f["figure"]: (f["title"], f"{f['paper']}.html") for f in figures}
    for solver in [*about["solvers"], *solver_numbers.others(about["solvers"])]:
        file = source_links.function(registry.path("solver", solver["name"]), "solve", folder)
        values = {name: about[name] for name in ("scale", "site")}
        values |= {"shown": shown, "file": file}
        values["picture"] = picture = solver_pictures.picture(solver["name"], runs)
        # a solver may have no run on a problem that another solver shares
        if picture is not None:
            write_changed(folder / "pictures" / f"{solver['name']}.svg", picture.svg())
        text = render("solver.html.j2", **solver, **values)
        write_text(folder / f"{solver['name']}.html", text)
