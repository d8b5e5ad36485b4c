"""The page of a scale: every claim with its verdict, every figure; one self-contained file."""

import base64
import json
import re
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd

from spcabench.page import claims_file, solver_page
from spcabench.page.papers import Paper, in_order
from spcabench.page.render import render
from spcabench.running.whole_files import write_text

LARGEST_SVG = 1_500_000  # bytes; a larger one is shown as PNG
WORDS = ("fails", "undecided", "holds")
MIME = {"svg": "image/svg+xml", "png": "image/png"}


def papers(folder: Path, embedded: bool = False) -> list[dict[str, Any]]:
    """The papers of a run, each with its figures, data and counts of verdicts."""
    figures: dict[str, list[dict[str, Any]]] = {}
    for path in (folder / "figures").glob("*/claims.json"):
        figure = _figure(folder, path, embedded)
        figures.setdefault(figure["paper"], []).append(figure)
    return [_paper(paper, figures[paper.key]) for paper in in_order(figures)]


def write_page(folder: Path, embedded: bool = True) -> Path:
    """Write the JSON files and the pages of ``results/SCALE``; the path of the main page.

    embedded : the pictures are in the page, and rows are written as tables too; else the page needs
        its folder.
    """
    shown_papers = papers(folder, embedded)
    figures = [figure for paper in shown_papers for figure in paper["figures"]]
    about = _about(folder, figures)
    _write_json(folder / "claims.json", about, "claims", _claims(figures))
    bounds = [{"figure": f["figure"], **entry} for f in figures for entry in f.get("certified", [])]
    _write_json(folder / "certified.json", about, "certified", bounds)
    rows = solver_page.read(file for figure in figures for file in _rows(folder, figure["figure"]))
    about |= {"solvers": solver_page.solvers(rows), "time": _time(rows)}
    if embedded:
        about |= {"history": _history(folder), "comparisons": _comparisons(folder)}
    write_text(folder / "index.html", _page(shown_papers, figures, about))
    _write_solver_pages(folder / "solvers", figures, about)
    return folder / "index.html"


def _about(folder: Path, figures: list[dict[str, Any]]) -> dict[str, Any]:
    """What the page and its JSON files say of the run: scale and commit of the newest figure."""
    newest: dict[str, Any] = max(figures, key=lambda f: f["written"], default={})
    return {
        "schema": claims_file.SCHEMA,
        "scale": newest.get("scale", folder.name),
        "commit": newest.get("commit", "unknown"),
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _write_json(path: Path, about: dict[str, Any], name: str, entries: list[Any]) -> None:
    write_text(path, json.dumps(about | {name: entries}, indent=1) + "\n")


def _claims(figures: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [claim for figure in figures for claim in figure["claims"]]


def _write_solver_pages(folder: Path, figures: list[dict[str, Any]], about: dict[str, Any]) -> None:
    folder.mkdir(exist_ok=True)
    titles = {figure["figure"]: figure["title"] for figure in figures}
    for solver in about["solvers"]:
        text = render("solver.html.j2", **solver, scale=about["scale"], titles=titles)
        write_text(folder / f"{solver['name']}.html", text)


def _page(
    papers: list[dict[str, Any]], figures: list[dict[str, Any]], about: dict[str, Any]
) -> str:
    not_holding = [claim for claim in _claims(figures) if claim["verdict"] != "holds"]
    return render(
        "index.html.j2",
        **about,
        words=WORDS,
        papers=papers,
        open_claims=sorted(not_holding, key=lambda claim: WORDS.index(claim["verdict"])),
        counts=count(figures),
        by_construction=by_construction(figures),
        changed=sorted({claim["id"] for claim in _claims(figures) if claim["earlier"]}),
        titles={figure["figure"]: figure["short"] for figure in figures},
        machines=_machines(figures),
        dirty=any(figure["dirty"] for figure in figures),
        total=sum(entry["seconds"] for entry in about["time"].values()),
    )


def _paper(paper: Paper, figures: list[dict[str, Any]]) -> dict[str, Any]:
    data = {d["name"]: d for figure in figures for d in figure["data"]}
    return {
        "key": paper.key,
        "name": paper.name,
        "first_author": (paper.authors or (paper.key,))[0],
        "reference": paper.reference,
        "address": paper.address,
        "figures": sorted(figures, key=lambda f: _natural(f["figure"])),
        "verdicts": count(figures),
        "by_construction": by_construction(figures),
        "data": list(data.values()),
        "stand_ins": sorted({d["name"] for d in data.values() if d["stand_in"]}),
    }


def _figure(folder: Path, path: Path, embedded: bool) -> dict[str, Any]:
    """The claims file of a figure, with what the page adds: picture, files, rows, paragraphs."""
    figure = claims_file.read(path)
    files = [path.parent / f"figure.{kind}" for kind in ("svg", "pdf", "png")]
    rows, table = _rows(folder, path.parent.name), path.parent / "rows.csv"
    if rows and embedded:
        solver_page.write_table(rows, table)
    return figure | {
        "short": figure["figure"].removeprefix(figure["paper"] + "_"),
        "image": _image(path.parent) if embedded else _link(folder, path.parent / "figure.png"),
        "files": [
            (file.suffix[1:].upper(), _link(folder, file)) for file in files if file.exists()
        ],
        "rows": [(file.stem, _link(folder, file)) for file in rows],
        "table": _link(folder, table) if table.exists() else None,
        "paragraphs": [part for part in figure["caption"].split("\n\n") if part.strip()],
    }


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


def _comparisons(folder: Path) -> list[tuple[str, str]]:
    """The pages of comparisons, name and address, where they were made."""
    home = folder.parent
    pages = [
        *(home / "compare").glob("index.html"),
        *sorted((home / "compare").glob("*/index.html")),
    ]
    return [(page.parent.name, "../" + _link(home, page)) for page in pages]


def _history(folder: Path) -> dict[str, Any] | None:
    """The performance across commits, where it was measured: machine, commits and picture."""
    home = folder.parent / "history"
    if not (home / "history.json").exists():
        return None
    return json.loads((home / "history.json").read_text(encoding="utf-8")) | {
        "image": _image(home, "history")
    }


def _image(folder: Path, name: str = "figure") -> str | None:
    """The picture as a data address: the SVG, or the PNG in place of a large one."""
    svg, png = folder / f"{name}.svg", folder / f"{name}.png"
    small = svg.exists() and svg.stat().st_size <= LARGEST_SVG
    file = svg if small or not png.exists() else png
    if not file.exists():
        return None
    return f"data:{MIME[file.suffix[1:]]};base64,{base64.b64encode(file.read_bytes()).decode()}"


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


def count(figures: Iterable[dict[str, Any]]) -> dict[str, int]:
    """How many claims have each verdict; those that hold by construction are counted apart."""
    claims = _claims(figures)
    verdicts = Counter(claim["verdict"] for claim in claims if not claim["by_construction"])
    return {word: verdicts[word] for word in WORDS}


def by_construction(figures: Iterable[dict[str, Any]]) -> list[str]:
    """The names of the claims that cannot fail."""
    return sorted({claim["id"] for claim in _claims(figures) if claim["by_construction"]})


def _natural(name: str) -> list[tuple[int, str]]:
    """Sorts ``fig10`` after ``fig9``."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]


def _link(folder: Path, file: Path) -> str:
    return quote(file.relative_to(folder).as_posix())
