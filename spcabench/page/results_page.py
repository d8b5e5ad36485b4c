"""Write the pages of a scale, and their content as JSON and CSV."""

from datetime import UTC, datetime
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
    solver_numbers,
    solver_page,
)
from spcabench.page.paper_page import row_files

# style and script of all pages of a run are separate files, because a run has 140 pages
SHARED = ("site.css", "site.js")
TEMPLATES = Path(__file__).with_name("templates")


def write_page(folder: Path, published: bool = False) -> Path:
    """Write the JSON files and the pages of ``results/SCALE``; return the path of the main page.

    published : whether to leave out what is not committed: tables of rows, comparisons and scripts.
    """
    for name in SHARED:
        write_changed(folder / name, (TEMPLATES / name).read_text(encoding="utf-8"))
    # these are written first, because the other pages link only to existing files
    _write_rows(folder, tables=not published)
    papers = paper_page.papers(folder)
    figures = [figure for paper in papers for figure in paper["figures"]]
    about = _about(folder, figures)
    statements = [s for paper in papers for s in paper["statements"]]
    report = about | {"statements": [_plain(s) for s in statements]}
    write_text(folder / "claims.json", claims_file.in_lines(report, "statements"))
    # certified optima are also written as data, so that others can compare with them
    bounds = [{"figure": f["figure"], **entry} for f in figures for entry in f.get("certified", [])]
    report = about | {"certified": bounds}
    write_text(folder / "certified.json", claims_file.in_lines(report, "certified"))
    files = [file for figure in figures for file in row_files(folder, figure["figure"])]
    # read once for all pages, because the rows are the largest files of a run
    rows = solver_numbers.read(files)
    about |= {"solvers": solver_numbers.solvers(rows)}
    if published or (folder / "compare").is_dir():
        about["advice"] = choose_page.write(folder, folder / "compare", registry.names("solver"))
        certified_page.write(folder, bounds)
    about |= {"site": search_index.site(folder)}
    overview_page.write(folder, papers, figures, about, rows, published)
    paper_page.write(folder, papers, about)
    solver_page.write(folder / "solvers", figures, about, rows)
    return folder / "index.html"


def _about(folder: Path, figures: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the facts about a run that its page and its JSON files state.

    These are the scale and the commit of the newest figure, and the commits of all figures.
    """
    newest: dict[str, Any] = max(figures, key=lambda f: f["written"], default={})
    return {
        "version": claims_file.VERSION,
        "scale": newest.get("scale", folder.name),
        "commit": newest.get("commit", "unknown"),
        "commits": sorted({c for f in figures for c in _commits(f)}) or ["unknown"],
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _commits(figure: dict[str, Any]) -> list[str]:
    """Return the commits that computed a figure's rows; older files name only the last commit."""
    return figure.get("commits") or [figure["commit"]] if "commit" in figure else []


def _plain(statement: dict[str, Any]) -> dict[str, Any]:
    """Return a statement as data, without the fields that only its page uses."""
    return {name: value for name, value in statement.items() if name != "code"}


def _write_rows(folder: Path, tables: bool) -> None:
    """Write the page of each figure's own rows and, if ``tables``, a CSV table."""
    for path in (folder / "figures").glob("*/claims.json"):
        if not (files := row_files(folder, path.parent.name)):
            continue
        if tables:
            solver_numbers.write_table(files, path.with_name("rows.csv"))
        figure = claims_file.read(path, path.parent.name)
        words = {name: figure[name] for name in ("figure", "title", "scale")}
        words |= {"home": f"../../{figure['paper']}.html", "site": search_index.site(folder)}
        numbers_page.write(files, path.with_name(numbers_page.NAME), **words)
