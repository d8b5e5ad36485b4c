"""Collect the papers of a run with their figures and statements, and write their pages."""

from pathlib import Path
from typing import Any

from spcabench import registry
from spcabench.files import write_text
from spcabench.page import claims_file, forest, in_short, numbers_page, source_links
from spcabench.page.papers import Paper, in_order
from spcabench.page.render import render
from spcabench.page.source_links import relative


def papers(folder: Path) -> list[dict[str, Any]]:
    """Return the papers of a run, each with its figures, data and counts of verdicts."""
    reports = claims_file.read_all(folder)
    figures = {name: _figure(folder, report) for name, report in reports.items()}
    # a statement that several figures judge appears once, with the places from all of them
    statements = [_statement(s, figures) for s in claims_file.of_run(reports)]
    keys = {figure["paper"] for figure in figures.values()}
    return [_paper(paper, [*figures.values()], statements) for paper in in_order(keys)]


def write(
    folder: Path, shown_papers: list[dict[str, Any]], about: dict[str, Any], published: bool
) -> None:
    """Write the page of each paper, and in a published run the same as Markdown.

    about : the run, and its solvers with their figures.
    """
    by_figure: dict[str, list[str]] = {}
    for solver in about["solvers"]:
        for figure in solver["figures"]:
            by_figure.setdefault(figure, []).append(solver["name"])
    values = about | {"blocks": forest.blocks, "papers": shown_papers, "by": by_figure}
    for paper in shown_papers:
        for kind in ("html", "md") if published else ("html",):
            text = render(f"paper.{kind}.j2", **values, paper=paper)
            write_text(folder / f"{paper['key']}.{kind}", text)


def _statement(statement: dict[str, Any], figures: dict[str, Any]) -> dict[str, Any]:
    """Return a statement with the links to its code and to the rows on which it rests."""
    mine = [f for f in figures.values() if f["paper"] == statement["paper_key"]]
    at = [home for f in mine for home in f.get("rows_of", {}).get(statement["id"], ())]
    homes = [figures[home] for home in dict.fromkeys(at) if home in figures]
    return statement | {
        "code": figures[statement["figure"]]["code_of"].get(statement["id"]),
        "rows_at": [(f"rows of {f['short']}", f["numbers"]) for f in homes if f["numbers"]],
    }


def _paper(
    paper: Paper, figures: list[dict[str, Any]], statements: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return a paper with its figures, and each of its statements once in the figures' order."""
    figures = [figure for figure in figures if figure["paper"] == paper.key]
    figures = sorted(figures, key=lambda f: claims_file.natural(f["figure"]))
    statements = [s for s in statements if s["paper_key"] == paper.key]
    for figure in figures:
        ids = {s["id"] for s in figure["statements"]}
        figure["judged"] = [s for s in statements if s["id"] in ids]
        # shown in full below its own figure only; other figures just mention it
        figure["shown"] = in_short.ordered(s for s in statements if s["figure"] == figure["figure"])
        figure["line"] = f"{in_short.told(in_short.counts(figure['judged']))}."
    data = {d["name"]: d for figure in figures for d in figure["data"]}
    count = in_short.counts(statements)
    return {
        "key": paper.key,
        "name": paper.name,
        "first_author": (paper.authors or (paper.key,))[0],
        "reference": paper.reference,
        "address": paper.address,
        "figures": figures,
        "page": f"{paper.key}.html",
        "statements": statements,
        "verdicts": count,
        "told": in_short.told(count),
        "in_short": in_short.sentences(statements, paper.telling),
        "header": in_short.header(statements),
        "stand_ins": sorted({d["name"] for d in data.values() if d["stand_in"]}),
    }


def _figure(folder: Path, report: dict[str, Any]) -> dict[str, Any]:
    """Return a figure's claims with its picture, files, rows and paragraphs for the page."""
    name = report["figure"]
    home = folder / "figures" / name
    files = [home / f"figure.{kind}" for kind in ("svg", "pdf", "png")]
    numbers = home / numbers_page.NAME
    return report | {
        "short": name.removeprefix(report["paper"] + "_"),
        "image": picture(folder, name),
        "files": [(f.suffix[1:].upper(), relative(f, folder)) for f in files if f.exists()],
        "rows": [(file.stem, relative(file, folder)) for file in row_files(folder, name)],
        "numbers": relative(numbers, folder) if numbers.exists() else None,
        "paragraphs": [part for part in report["caption"].split("\n\n") if part.strip()],
        "source": source_links.source(folder, name),
        "code_of": source_links.statements(folder, name),
    }


def picture(folder: Path, figure: str) -> dict[str, Any] | None:
    """Return the address and size of a figure's picture, or None."""
    file = folder / "figures" / figure / "figure.svg"
    if not file.exists():
        return None
    # the size reserves a place while the picture loads; an inch has 96 pixels in a browser
    known = figure in registry.names("figure")
    size = registry.module("figure", figure).SIZE if known else (None, None)
    width, height = (side and round(96 * side) for side in size)
    return {"address": relative(file, folder), "width": width, "height": height}


def row_files(folder: Path, figure: str) -> list[Path]:
    """Return the files of a figure's own rows."""
    return sorted((folder / "rows" / figure).glob("*.parquet"))
