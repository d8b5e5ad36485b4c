"""Write the pages of a scale, and their content as JSON."""

from pathlib import Path
from typing import Any

import pandas as pd

from spcabench import registry
from spcabench.comparison import best_known
from spcabench.files import make_folder, write_changed, write_text
from spcabench.page import (
    certified_page,
    choose_page,
    claims_file,
    document_pages,
    findings,
    in_short,
    numbers_page,
    paper_page,
    search_index,
    solver_page,
)
from spcabench.page.cite import cite
from spcabench.page.paper_page import row_files
from spcabench.page.render import OPTIONAL, render
from spcabench.page.source_links import relative

# style and script of all pages of a run are separate files, because a run has 140 pages
SHARED = ("site.css", "site.js")
TEMPLATES = Path(__file__).with_name("templates")


def write_page(folder: Path, published: bool = False) -> Path:
    """Write the JSON files and the pages of ``results/SCALE``; return the path of the main page.

    published : whether the comparisons are in this folder, and not next to it.
    """
    for name in SHARED:
        write_changed(folder / name, (TEMPLATES / name).read_text(encoding="utf-8"))
    if published:
        make_folder(folder / OPTIONAL["docs"])  # to which the other pages lead
    reports = claims_file.read_all(folder)
    newest = max(reports.values(), key=lambda report: report["written"])
    about: dict[str, Any] = {
        "scale": newest["scale"],
        "cite": cite(newest),
        "site": search_index.site(folder, published),
    }
    # these are written first, because the other pages link only to existing files
    for name, report in reports.items():
        if files := row_files(folder, name):
            page = folder / "figures" / name / numbers_page.NAME
            judged = claims_file.judged_rows(reports.values(), report)
            numbers_page.write(files, page, report, judged, about)
    papers = paper_page.papers(folder)
    figures = [figure for paper in papers for figure in paper["figures"]]
    # certified optima are also written as data, so that others can compare with them
    bounds = [{"figure": f["figure"], **entry} for f in figures for entry in f["certified"]]
    statements = [
        # the links are only for the pages
        {name: value for name, value in s.items() if name not in ("code", "rows_at")}
        for paper in papers
        for s in paper["statements"]
    ]
    facts = {
        "version": claims_file.VERSION,
        "scale": newest["scale"],
        "commit": newest["commit"],
        "commits": sorted({commit for figure in figures for commit in figure["commits"]}),
        # of the newest row, so that the same rows give the same file
        "written": newest["written"],
    }
    for file, key, entries in (
        ("claims.json", "statements", statements),
        ("certified.json", "certified", bounds),
    ):
        write_text(folder / file, claims_file.in_lines(facts | {key: entries}, key))
    files = [file for name in reports for file in row_files(folder, name)]
    about["solvers"] = solver_page.solvers(files)
    if published:
        about["advice"] = choose_page.write(folder, registry.names("solver"), about)
        certified_page.write(folder, about)
    about["site"] = search_index.site(folder, published)
    about["documents"] = [*document_pages.write(folder, about)] if published else []
    about["shown"] = {figure["figure"]: figure for figure in figures}
    comparisons = comparisons_of(folder if published else folder.parent, folder)
    _write_overview(folder, papers, about | {"comparisons": comparisons})
    paper_page.write(folder, papers, about, published)
    solver_page.write(folder / "solvers", about, comparisons)
    return folder / "index.html"


def _write_overview(folder: Path, papers: list[dict[str, Any]], about: dict[str, Any]) -> None:
    """Write the front page, the pages of claims and of solvers, and the search index."""
    statements = [s for paper in papers for s in paper["statements"]]
    counts = in_short.counts(statements)
    known = best_known.read().values()
    values = about | {
        "words": in_short.WORDS,
        "papers": papers,
        "statements": in_short.ordered(statements),
        "counts": counts,
        "told": in_short.told(counts),
        "header": in_short.header(statements),
        "cover": about["shown"].get(findings.COVER),
        "caption": findings.caption(statements),
        "listed": len(known),
        "proven": sum(entry.proven for entry in known),
        "frontier": certified_page.proven(),
        "optima": certified_page.of_suites() if "optimal" in about["site"] else [],
    }
    for name in ("index", "claims", "solvers"):
        write_text(folder / f"{name}.html", render(f"{name}.html.j2", **values))
    search_index.write(folder, values)


def comparisons_of(home: Path, folder: Path) -> list[dict[str, Any]]:
    """Return the comparisons below a folder, with addresses from a folder.

    ranks : the rank of each solver with an answer; empty for several components, where each
    formulation has its own ranking. most : the three solvers that need the most memory, and how
    much.
    """
    comparisons = []
    for page in sorted((home / "compare").glob("*/index.html")):
        file = page.with_name("ranking.csv")
        ranking = pd.read_csv(file) if file.exists() else pd.DataFrame({"answered": []})
        rows = ranking[ranking.answered > 0].to_dict("records")
        memory = ranking.reindex(columns=["solver", "most_memory"]).set_index("solver").most_memory
        comparisons.append(
            {
                "name": page.parent.name,
                "path": relative(page, folder),
                "ranking": rows,
                "most": memory.dropna().nlargest(3).to_dict(),
                "ranks": {row["solver"]: row["rank"] for row in rows},
            }
        )
    return comparisons
