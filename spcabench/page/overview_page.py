"""Write the front page of a run, and its pages of claims and of solvers."""

from pathlib import Path
from typing import Any

import pandas as pd

from spcabench.comparison import best_known
from spcabench.files import write_text
from spcabench.page import certified_page, in_short, search_index, solver_numbers
from spcabench.page.render import render
from spcabench.page.source_links import relative

PAGES = ("index", "claims", "solvers")


def write(
    folder: Path,
    papers: list[dict[str, Any]],
    figures: list[dict[str, Any]],
    about: dict[str, Any],
    published: bool,
) -> None:
    """Write the front page, the pages of claims and of solvers, and the search index.

    published : see `results_page.write_page`.
    """
    statements = [s for paper in papers for s in paper["statements"]]
    counts = in_short.counts(statements)
    known = best_known.read().values()
    values = about | {
        "comparisons": _comparisons(folder if published else folder.parent, folder),
        "words": in_short.WORDS,
        "papers": papers,
        "statements": in_short.ordered(statements),
        "counts": counts,
        "told": in_short.told(counts),
        "header": in_short.header(statements),
        "figures": {figure["figure"]: figure for figure in figures},
        "listed": len(known),
        "proven": sum(entry.proven for entry in known),
        "optima": certified_page.of_suites() if "optimal" in about["site"] else [],
        "others": solver_numbers.others(about["solvers"]),
    }
    for name in PAGES:
        write_text(folder / f"{name}.html", render(f"{name}.html.j2", **values))
    search_index.write(folder, values)


def _comparisons(home: Path, folder: Path) -> list[dict[str, Any]]:
    """Return name, address and number of solvers of each comparison below a folder."""
    comparisons = []
    for page in sorted((home / "compare").glob("*/index.html")):
        # a comparison of components has no such file, so its number of solvers is not shown
        ranking = page.with_name("ranking.csv")
        solvers = len(pd.read_csv(ranking)) if ranking.exists() else None
        comparisons.append(
            {"name": page.parent.name, "path": relative(page, folder), "solvers": solvers}
        )
    return comparisons
