"""Write the page of each solver: its description, its paper, its ranks, and where it runs."""

import ast
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

from spcabench import registry
from spcabench.comparison.ranking import HIT, TOLD
from spcabench.files import make_folder, write_text
from spcabench.page import source_links
from spcabench.page.render import render
from spcabench.page.solver_table import facts_of
from spcabench.page.tables import Link, Table, percent
from spcabench.running import rows
from spcabench.showing import style
from spcabench.showing.words import duration

HEADS = ("Comparison", "Rank", f"To {TOLD}", "Time")
Comparisons = list[dict[str, Any]]


def solvers(files: list[Path]) -> list[dict[str, Any]]:
    """Return the description of each solver, and the figures that run it, from their rows."""
    runs = rows.read_text(files, ["experiment", "solver"]).drop_duplicates()
    figures = runs.groupby("solver").experiment.agg(sorted)
    return [_about(name) | {"figures": figures.get(name, [])} for name in registry.names("solver")]


def _about(name: str) -> dict[str, Any]:
    file, module = registry.path("solver", name), registry.module("solver", name)
    docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    first, _, body = docstring.partition("\n\n")
    return {
        "name": name,
        "what": first.rstrip("."),
        # join the lines within a paragraph or list item
        "docstring": re.sub(r"(?<!\n)\n(?!\n|\d+\. )\s*", " ", body.strip()),
        "traits": asdict(module.TRAITS),
        "facts": facts_of(name),
        "colour": style.look(name)["color"],
    }


def write(folder: Path, about: dict[str, Any], comparisons: Comparisons) -> None:
    """Write the solvers' pages to a folder.

    about : the solvers, the figures and the footer. comparisons : as in `results_page`.
    """
    make_folder(folder)
    for solver in about["solvers"]:
        name = solver["name"]
        file = source_links.function(registry.path("solver", name), "solve", folder)
        ranks = Table.of(HEADS, [row for c in comparisons for row in _rank(name, c)])
        text = render("solver.html.j2", **about | solver | {"file": file, "ranks": ranks})
        write_text(folder / f"{name}.html", text)


def _rank(solver: str, comparison: dict[str, Any]) -> list[list[Any]]:
    """Return the solver's line of a comparison's ranking, if it was ranked there."""
    ranking = comparison["ranking"]
    return [
        [
            Link(comparison["name"], f"../{comparison['path']}"),
            f"{row['rank']} of {len(ranking)}",
            percent(row[HIT], 0),
            duration(row["time"]),
        ]
        for row in ranking
        if row["solver"] == solver
    ]
