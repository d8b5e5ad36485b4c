"""The pages of a scale: an overview with every claim, and a page for each paper."""

import json
import re
import struct
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd

from spcabench import opening, registry
from spcabench.atomic_files import write_changed, write_text
from spcabench.page import (
    card,
    claims_file,
    in_short,
    interactive_curves,
    numbers_page,
    solver_curves,
    solver_page,
    solver_pictures,
    source_links,
)
from spcabench.page.papers import Paper, in_order
from spcabench.page.render import render

LARGEST_SVG = 300_000  # bytes; a larger one is shown as PNG
MISSING = (
    "The curves of this page need Bokeh, which is not installed: pip install 'spcabench[pages]', "
    "then the same command again."
)
PUBLISHED = (
    "The published pages hold no interactive curves. `spcabench explore results/published` makes a "
    "copy that does."
)
# folders beside that of a run, with the same figures at the other scale; the first one counts
OTHER_CLAIMS = "quick_claims.json"  # in a published run: the claims at the quick scale
OTHERS = {"quick": ("published", "paper"), "paper": ("quick",)}


def papers(folder: Path) -> list[dict[str, Any]]:
    """The papers of a run, each with its figures, data and counts of verdicts."""
    figures: dict[str, list[dict[str, Any]]] = {}
    for path in (folder / "figures").glob("*/claims.json"):
        figure = _figure(folder, path)
        figures.setdefault(figure["paper"], []).append(figure)
    return [_paper(paper, figures[paper.key]) for paper in in_order(figures)]


def write_page(folder: Path, published: bool = False) -> Path:
    """Write the JSON files and the pages of ``results/SCALE``; the path of the main page.

    published : the pages go without what is not committed: rows as tables, comparisons, scripts.
    """
    if not published:
        _write_tables(folder)
    _write_numbers(folder)
    shown_papers = papers(folder)
    figures = [figure for paper in shown_papers for figure in paper["figures"]]
    about = _about(folder, figures)
    statements = [s for paper in shown_papers for s in paper["statements"]]
    _write_json(folder / "claims.json", about, "statements", [_plain(s) for s in statements])
    bounds = [{"figure": f["figure"], **entry} for f in figures for entry in f.get("certified", [])]
    _write_json(folder / "certified.json", about, "certified", bounds)
    rows = solver_page.read(file for figure in figures for file in _rows(folder, figure["figure"]))
    about |= {"solvers": solver_page.solvers(rows), "time": _time(rows)}
    about |= {"comparisons": _comparisons(folder if published else folder.parent, folder)}
    if not published or (folder / "history").is_dir():
        about |= {"history": _history(folder)}
    about["other"] = _other_scale(folder, about["scale"], published)
    scripts = [] if published else _write_curves(folder, rows)
    write_text(folder / "index.html", _page(shown_papers, figures, about))
    _write_paper_pages(folder, shown_papers, about)
    _write_solver_pages(folder / "solvers", figures, about, scripts, rows, published)
    return folder / "index.html"


def _about(folder: Path, figures: list[dict[str, Any]]) -> dict[str, Any]:
    """What the page and its JSON files say of the run.

    That is the scale and the commit of the newest figure, and the commits of all.
    """
    newest: dict[str, Any] = max(figures, key=lambda f: f["written"], default={})
    return {
        "version": claims_file.VERSION,
        "scale": newest.get("scale", folder.name),
        "commit": newest.get("commit", "unknown"),
        "commits": sorted({f["commit"] for f in figures if "commit" in f}) or ["unknown"],
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _write_json(path: Path, about: dict[str, Any], name: str, entries: list[Any]) -> None:
    write_text(path, json.dumps(about | {name: entries}, indent=1) + "\n")


def _plain(statement: dict[str, Any]) -> dict[str, Any]:
    """A statement as data: without what only its page needs."""
    return {name: value for name, value in statement.items() if name != "code"}


def _write_tables(folder: Path) -> None:
    """Write the rows of each figure as a table for people."""
    for path in (folder / "figures").glob("*/claims.json"):
        if rows := _rows(folder, path.parent.name):
            solver_page.write_table(rows, path.parent / "rows.csv")


def _write_numbers(folder: Path) -> None:
    """Write a page of the numbers of each figure that has rows of its own."""
    for path in (folder / "figures").glob("*/claims.json"):
        if found := _rows(folder, path.parent.name):
            figure = claims_file.read(path, path.parent.name)
            words = {name: figure[name] for name in ("figure", "title", "scale")}
            home, overview = (f"../../{name}.html" for name in (figure["paper"], "index"))
            numbers_page.write(
                found, path.with_name(numbers_page.NAME), home=home, overview=overview, **words
            )


def _write_paper_pages(
    folder: Path, shown_papers: list[dict[str, Any]], about: dict[str, Any]
) -> None:
    by_figure: dict[str, list[str]] = {}
    for solver in about["solvers"]:
        for figure in solver["figures"]:
            by_figure.setdefault(figure, []).append(solver["name"])
    for paper in shown_papers:
        text = render(
            "paper.html.j2", **about, card=card, paper=paper, papers=shown_papers, by=by_figure
        )
        write_text(folder / f"{paper['key']}.html", text)


def _write_curves(folder: Path, rows: pd.DataFrame) -> list[str]:
    """Write the scripts of the solvers' pages, one file of numbers for all; their addresses."""
    home = folder.resolve() / "solvers"
    return interactive_curves.write(
        home.parents[1], home, solver_curves.data(rows), "curves-data.js"
    )


def _write_solver_pages(
    folder: Path,
    figures: list[dict[str, Any]],
    about: dict[str, Any],
    scripts: list[str],
    rows: pd.DataFrame,
    published: bool,
) -> None:
    folder.mkdir(exist_ok=True)
    runs = solver_page.compared(rows[rows.solver.notna()])
    how = PUBLISHED if published else MISSING
    shown = {f["figure"]: (f["title"], f"{f['paper']}.html") for f in figures}
    for solver in about["solvers"]:
        file = source_links.relative(registry.path("solver", solver["name"]), folder)
        more = {"scale": about["scale"], "shown": shown, "file": file, "how": how}
        more["picture"] = picture = solver_pictures.picture(solver["name"], runs)
        if picture is not None:
            write_changed(folder / "pictures" / f"{solver['name']}.svg", picture.svg())
        text = render("solver.html.j2", **solver, **more, scripts=scripts)
        write_text(folder / f"{solver['name']}.html", text)


def _page(
    papers: list[dict[str, Any]], figures: list[dict[str, Any]], about: dict[str, Any]
) -> str:
    statements = [s for paper in papers for s in paper["statements"]]
    return render(
        "index.html.j2",
        **about,
        words=in_short.WORDS,
        papers=papers,
        statements=in_short.ordered(statements),
        differing=differing(statements, about["other"]),
        counts=in_short.counts(statements),
        told=in_short.told(in_short.counts(statements)),
        header=in_short.header(statements),
        figures={figure["figure"]: figure for figure in figures},
        machines=_machines(figures),
        dirty=any(figure["dirty"] for figure in figures),
        total=sum(entry["seconds"] for entry in about["time"].values()),
    )


def differing(
    statements: Iterable[dict[str, Any]], other: dict[str, Any] | None
) -> list[dict[str, Any]]:
    """The statements whose verdict at the other scale is another one; it is added as "beside"."""
    if other is None:
        return []
    found = {_key(s): s for s in other["statements"]}
    both = [s | {"beside": found[_key(s)]} for s in statements if _key(s) in found]
    return [s for s in both if s["verdict"] != s["beside"]["verdict"]]


def _key(statement: dict[str, Any]) -> tuple[str, str]:
    return statement["paper_key"], statement["id"]


def _other_scale(folder: Path, scale: str, published: bool) -> dict[str, Any] | None:
    """The claims of the run at the other scale, where one lies beside this run, and its page.

    A published run keeps those claims itself, because the other run is not published.
    """
    if kept := _claims(folder / OTHER_CLAIMS):
        return kept | {"page": ""}
    if published:
        return None
    for name in OTHERS.get(scale, ()):
        file = folder.parent / name / "claims.json"
        if file.parent.resolve() != folder.resolve() and (found := _claims(file)):
            return found | {"page": f"../{name}/index.html"}
    return None


def _claims(file: Path) -> dict[str, Any] | None:
    """The claims of another run; None if there are none of this version."""
    run = opening.read_json(file) if file.exists() else {}
    return run if run.get("version") == claims_file.VERSION else None


def _paper(paper: Paper, figures: list[dict[str, Any]]) -> dict[str, Any]:
    """A paper with its figures, and each of its statements once, in the order of the figures."""
    figures = sorted(figures, key=lambda f: natural(f["figure"]))
    statements = claims_file.whole(s for figure in figures for s in figure["statements"])
    for figure in figures:
        ids = {s["id"] for s in figure["statements"]}
        figure["judged"] = [s for s in statements if s["id"] in ids]
        figure["shown"] = in_short.ordered(s for s in statements if s["figure"] == figure["figure"])
        figure["line"] = in_short.of_figure(figure["judged"])
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
        "in_short": in_short.sentences(statements),
        "header": in_short.header(statements),
        "data": list(data.values()),
        "stand_ins": sorted({d["name"] for d in data.values() if d["stand_in"]}),
    }


def _figure(folder: Path, path: Path) -> dict[str, Any]:
    """The claims file of a figure, with what the pages add: picture, files, rows, paragraphs."""
    figure = claims_file.read(path, path.parent.name)
    files = [path.parent / f"figure.{kind}" for kind in ("svg", "pdf", "png")]
    rows, table = _rows(folder, path.parent.name), path.parent / "rows.csv"
    numbers = path.with_name(numbers_page.NAME)
    written = source_links.statements(folder, figure["figure"])
    earlier = claims_file.first_verdicts().get(figure["paper"], {})
    return figure | {
        "short": figure["figure"].removeprefix(figure["paper"] + "_"),
        "image": _picture(folder, path.parent),
        "files": [
            (file.suffix[1:].upper(), _link(folder, file)) for file in files if file.exists()
        ],
        "rows": [(file.stem, _link(folder, file)) for file in rows],
        "table": _link(folder, table) if table.exists() else None,
        "numbers": _link(folder, numbers) if numbers.exists() else None,
        "paragraphs": [part for part in figure["caption"].split("\n\n") if part.strip()],
        "source": source_links.source(folder, figure["figure"]),
        "revised": claims_file.revised(figure),
        "statements": [
            s | {"code": written.get(s["id"]), "earlier": earlier.get(s["id"], [])}
            for s in figure["statements"]
        ],
    }


def _picture(folder: Path, home: Path, name: str = "figure") -> dict[str, Any] | None:
    """The address of a picture, a small SVG or else the PNG, with its size; None where none is."""
    svg, png = home / f"{name}.svg", home / f"{name}.png"
    small = svg.exists() and svg.stat().st_size <= LARGEST_SVG
    file = svg if small or not png.exists() else png
    if not file.exists():
        return None
    width, height = _pixels(png) if png.exists() else (None, None)
    thumb = _link(folder, png if png.exists() else file)
    return {"address": _link(folder, file), "thumb": thumb, "width": width, "height": height}


def _pixels(png: Path) -> tuple[int, int]:
    """Width and height of a PNG: a page keeps the place of a picture that is not loaded yet."""
    with png.open("rb") as stream:
        return struct.unpack(">II", stream.read(24)[16:])


def _rows(folder: Path, figure: str) -> list[Path]:
    return sorted((folder / "rows" / figure).glob("*.parquet"))


def _time(rows: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Figure -> rows, seconds inside solvers, and which took most; the longest first."""
    entries: dict[str, dict[str, Any]] = {}
    for figure, part in rows.assign(seconds=solver_page.seconds(rows)).groupby("experiment"):
        by_solver = (
            part.groupby(part.solver.fillna(part.measure))
            .seconds.sum()
            .sort_values(ascending=False)
        )
        most = ", ".join(
            f"{name} {value:.0f} s" for name, value in by_solver.head(3).items() if value >= 0.5
        )
        entries[str(figure)] = {"rows": len(part), "seconds": float(by_solver.sum()), "most": most}
    return dict(sorted(entries.items(), key=lambda item: -item[1]["seconds"]))


def _comparisons(home: Path, folder: Path) -> list[dict[str, Any]]:
    """The comparisons below a folder: name, address from the pages of the run, and how many.

    within : whether the page tells who is best within a budget.
    """
    pages = [
        *(home / "compare").glob("index.html"),
        *sorted((home / "compare").glob("*/index.html")),
    ]
    found = []
    for page in pages:
        ranking = page.with_name("ranking.csv")
        solvers = len(pd.read_csv(ranking)) if ranking.exists() else None
        about = {"name": page.parent.name, "path": source_links.relative(page, folder)}
        within = 'id="within"' in page.read_text(encoding="utf-8")
        found.append(about | {"solvers": solvers, "within": within})
    return found


def _history(folder: Path) -> dict[str, Any] | None:
    """The performance across commits, of a published run or of this clone: commits, picture, page.

    None where it was not measured.
    """
    for home in (folder / "history", folder.parent / "history"):
        if (home / "history.json").exists():
            history = opening.read_json(home / "history.json")
            place, picture = source_links.relative(home, folder), _picture(home, home, "history")
            image = f"{place}/{picture['address']}" if picture else None
            return history | {"image": image, "page": f"{place}/index.html"}
    return None


def _machines(figures: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The different machines, each with the figures made on it."""
    machines: dict[str, dict[str, Any]] = {}
    for figure in figures:
        # Two BLAS libraries are recorded in the order in which they were loaded: it says nothing.
        blas = ", ".join(sorted(figure["machine"]["blas"].split(", ")))
        machine = figure["machine"] | {"blas": blas}
        key = json.dumps(machine, sort_keys=True)
        machines.setdefault(key, machine | {"figures": []})["figures"].append(figure)
    return list(machines.values())


def natural(name: str) -> list[tuple[int, str]]:
    """Sorts ``fig10`` after ``fig9``."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]


def _link(folder: Path, file: Path) -> str:
    return quote(file.relative_to(folder).as_posix())
