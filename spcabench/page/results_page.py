"""Write the pages of a scale, and their content as JSON."""

from pathlib import Path
from typing import Any

from spcabench import registry
from spcabench.files import write_changed, write_text
from spcabench.page import (
    certified_page,
    choose_page,
    claims_file,
    numbers_page,
    overview_page,
    paper_page,
    search_index,
    solver_page,
)
from spcabench.page.cite import cite
from spcabench.page.paper_page import row_files

# style and script of all pages of a run are separate files, because a run has 140 pages
SHARED = ("site.css", "site.js")
TEMPLATES = Path(__file__).with_name("templates")


def write_page(folder: Path, published: bool = False) -> Path:
    """Write the JSON files and the pages of ``results/SCALE``; return the path of the main page.

    published : whether the comparisons are in this folder, and not next to it.
    """
    for name in SHARED:
        write_changed(folder / name, (TEMPLATES / name).read_text(encoding="utf-8"))
    reports = claims_file.read_all(folder)
    newest = max(reports.values(), key=lambda report: report["written"])
    about: dict[str, Any] = {
        "scale": newest["scale"],
        "cite": cite(newest),
        "site": search_index.site(folder),
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
        certified_page.write(folder, bounds, about)
    about["site"] = search_index.site(folder)
    about["shown"] = {figure["figure"]: figure for figure in figures}
    comparisons = overview_page.comparisons_of(folder if published else folder.parent, folder)
    overview_page.write(folder, papers, about, comparisons)
    paper_page.write(folder, papers, about, published)
    solver_page.write(folder / "solvers", about, comparisons)
    return folder / "index.html"
