"""Write the front page of a run, its pages of claims and solvers, and the search index."""

from pathlib import Path
from typing import Any

import pandas as pd

from spcabench.comparison import best_known
from spcabench.files import write_text
from spcabench.page import certified_page, in_short, search_index
from spcabench.page.render import render
from spcabench.page.source_links import relative

PAGES = ("index", "claims", "solvers")


def write(
    folder: Path,
    papers: list[dict[str, Any]],
    about: dict[str, Any],
    comparisons: list[dict[str, Any]],
) -> None:
    """Write the front page, the pages of claims and of solvers, and the search index.

    comparisons : as returned by `comparisons_of`.
    """
    statements = [s for paper in papers for s in paper["statements"]]
    counts = in_short.counts(statements)
    known = best_known.read().values()
    values = about | {
        "comparisons": comparisons,
        "words": in_short.WORDS,
        "papers": papers,
        "statements": in_short.ordered(statements),
        "counts": counts,
        "told": in_short.told(counts),
        "header": in_short.header(statements),
        "listed": len(known),
        "proven": sum(entry.proven for entry in known),
        "optima": certified_page.of_suites() if "optimal" in about["site"] else [],
    }
    for name in PAGES:
        write_text(folder / f"{name}.html", render(f"{name}.html.j2", **values))
    search_index.write(folder, values)


def comparisons_of(home: Path, folder: Path) -> list[dict[str, Any]]:
    """Return the comparisons below a folder, with addresses from a folder.

    ranks : the rank of each solver with an answer; empty for several components, where each
    formulation has its own ranking.
    """
    comparisons = []
    for page in sorted((home / "compare").glob("*/index.html")):
        file = page.with_name("ranking.csv")
        ranking = pd.read_csv(file) if file.exists() else pd.DataFrame({"answered": []})
        rows = ranking[ranking.answered > 0].to_dict("records")
        comparisons.append(
            {
                "name": page.parent.name,
                "path": relative(page, folder),
                "ranking": rows,
                "ranks": {row["solver"]: row["rank"] for row in rows},
            }
        )
    return comparisons
