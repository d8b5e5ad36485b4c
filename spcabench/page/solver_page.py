"""Write the page of each solver: its description, its paper, and its runs in all figures."""

from pathlib import Path
from typing import Any

from spcabench import registry
from spcabench.files import make_folder, write_text
from spcabench.iterate import Facts
from spcabench.page import solver_numbers, source_links
from spcabench.page.render import render


def write(folder: Path, figures: list[dict[str, Any]], about: dict[str, Any]) -> None:
    """Write the solvers' pages to a folder.

    about : the solvers, the scale, and the footer.
    """
    make_folder(folder)
    shown = {f["figure"]: (f["title"], f"{f['paper']}.html") for f in figures}
    for solver in [*about["solvers"], *solver_numbers.others(about["solvers"])]:
        name = solver["name"]
        values: dict[str, Any] = {
            "shown": shown,
            "file": source_links.function(registry.path("solver", name), "solve", folder),
            "facts": getattr(registry.module("solver", name), "FACTS", Facts()),
        }
        values |= {part: about[part] for part in ("scale", "site", "cite")}
        write_text(folder / f"{name}.html", render("solver.html.j2", **solver, **values))
