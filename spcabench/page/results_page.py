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
from jinja2 import Environment, PackageLoader, Template

from spcabench.errors import InputError
from spcabench.page import solver_page
from spcabench.running.whole_files import write_text

SCHEMA = 1
LARGEST_SVG = 1_500_000  # bytes; a larger one is shown as PNG
WORDS = ("fails", "undecided", "holds")
MIME = {"svg": "image/svg+xml", "png": "image/png"}
PAPERS = {
    "kuleshov2013": (
        "Kuleshov (2013)",
        "Fast algorithms for sparse principal component analysis based on Rayleigh quotient "
        "iteration, ICML 2013",
    ),
    "he2010": ("He, Monteiro, Park (2010)", "An efficient algorithm for rank-1 sparse PCA"),
    "daspremont2007": (
        "d'Aspremont, El Ghaoui, Jordan, Lanckriet (2007)",
        "A direct formulation for sparse PCA using semidefinite programming, SIAM Review 49(3)",
    ),
    "zhang2011": (
        "Zhang, El Ghaoui (2011)",
        "Large-scale sparse PCA with application to text data, NIPS 2011",
    ),
    "asteris2014": (
        "Asteris, Papailiopoulos, Dimakis (2014)",
        "Nonnegative sparse PCA with provable guarantees, ICML 2014",
    ),
}


def papers(folder: Path, embedded: bool = False) -> list[dict[str, Any]]:
    """The papers that have a figure in a run, each with its figures, data and counts of
    verdicts.
    """
    figures = [
        _figure(folder, path, embedded) for path in (folder / "figures").glob("*/claims.json")
    ]
    return [_paper(key, [f for f in figures if f["paper"] == key]) for key in _papers(figures)]


def write_page(folder: Path, embedded: bool = True) -> Path:
    """Write the JSON files and the page of ``results/SCALE`` from its figures' claims; the page's
    path.

    embedded : the pictures are in the page, and rows are written as tables too; else the page needs
        its folder.
    """
    made = papers(folder, embedded)
    shown = [figure for paper in made for figure in paper["figures"]]
    claims = [claim for figure in shown for claim in figure["claims"]]
    last: dict[str, Any] = max(shown, key=lambda f: f["written"], default={})
    about = {
        "schema": SCHEMA,
        "scale": last.get("scale", folder.name),
        "commit": last.get("commit", "unknown"),
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    write_text(folder / "claims.json", json.dumps(about | {"claims": claims}, indent=1) + "\n")
    entries = [{"figure": f["figure"], **entry} for f in shown for entry in f.get("certified", [])]
    write_text(
        folder / "certified.json", json.dumps(about | {"certified": entries}, indent=1) + "\n"
    )
    rows = solver_page.read(file for figure in shown for file in _rows(folder, figure["figure"]))
    solvers = solver_page.solvers(rows)
    beside = {"history": _history(folder), "comparisons": _comparisons(folder)} if embedded else {}
    about |= beside | {"solvers": solvers, "time": _time(rows)}
    write_text(folder / "index.html", _page(made, shown, claims, about))
    (folder / "solvers").mkdir(exist_ok=True)
    titles = {figure["figure"]: figure["title"] for figure in shown}
    for solver in solvers:
        text = _template("solver.html.j2").render(**solver, scale=about["scale"], titles=titles)
        write_text(folder / "solvers" / f"{solver['name']}.html", text)
    return folder / "index.html"


def _template(name: str) -> Template:
    loader = PackageLoader("spcabench.page")
    return Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True
    ).get_template(name)


def _page(
    papers: list[dict[str, Any]],
    figures: list[dict[str, Any]],
    claims: list[dict[str, Any]],
    about: dict[str, Any],
) -> str:
    return _template("index.html.j2").render(
        **about,
        words=WORDS,
        papers=papers,
        open_claims=sorted(
            (c for c in claims if c["verdict"] != "holds"), key=lambda c: WORDS.index(c["verdict"])
        ),
        counts=count(figures),
        titles={figure["figure"]: figure["short"] for figure in figures},
        machines=_machines(figures),
        dirty=any(figure["dirty"] for figure in figures),
        total=sum(entry["seconds"] for entry in about["time"].values()),
    )


def _papers(figures: list[dict[str, Any]]) -> list[str]:
    """The papers that have a figure: known ones first, in their order."""
    keys = {figure["paper"] for figure in figures}
    return [key for key in PAPERS if key in keys] + sorted(keys - set(PAPERS))


def _paper(key: str, figures: list[dict[str, Any]]) -> dict[str, Any]:
    authors, title = PAPERS.get(key, (key, ""))
    data = {d["name"]: d for figure in figures for d in figure["data"]}
    return {
        "key": key,
        "authors": authors,
        "title": title,
        "figures": sorted(figures, key=lambda f: _natural(f["figure"])),
        "verdicts": count(figures),
        "data": list(data.values()),
        "stand_ins": sorted({d["name"] for d in data.values() if d["stand_in"]}),
    }


def _figure(folder: Path, path: Path, embedded: bool) -> dict[str, Any]:
    """The claims file of a figure, with what the page adds: picture, files, rows, paragraphs."""
    figure = json.loads(path.read_text(encoding="utf-8"))
    if figure.get("schema") != SCHEMA:
        raise InputError(
            f"{path}: schema {figure.get('schema')!r}, expected {SCHEMA}; judge this figure again"
        )
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
    found: dict[str, dict[str, Any]] = {}
    for figure, part in rows.assign(seconds=solver_page.seconds(rows)).groupby("experiment"):
        by = part.groupby("solver").seconds.sum().sort_values(ascending=False)
        most = ", ".join(
            f"{name} {value:.0f} s" for name, value in by.head(3).items() if value >= 0.5
        )
        found[str(figure)] = {"rows": len(part), "seconds": float(by.sum()), "most": most}
    return dict(sorted(found.items(), key=lambda item: -item[1]["seconds"]))


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
    """The picture as a data address: the SVG, the PNG where that is too large or missing; None
    without either.
    """
    svg, png = folder / f"{name}.svg", folder / f"{name}.png"
    small = svg.exists() and svg.stat().st_size <= LARGEST_SVG
    file = svg if small or not png.exists() else png
    if not file.exists():
        return None
    return f"data:{MIME[file.suffix[1:]]};base64,{base64.b64encode(file.read_bytes()).decode()}"


def _machines(figures: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The different machines, each with the figures made on it."""
    found: dict[str, dict[str, Any]] = {}
    for figure in figures:
        # Two BLAS libraries are recorded in the order in which they were loaded, which says
        # nothing.
        blas = ", ".join(sorted(figure["machine"]["blas"].split(", ")))
        machine = figure["machine"] | {"blas": blas}
        found.setdefault(json.dumps(machine, sort_keys=True), machine | {"figures": []})[
            "figures"
        ].append(figure)
    return list(found.values())


def count(figures: Iterable[dict[str, Any]]) -> dict[str, int]:
    """How many claims have each verdict."""
    verdicts = Counter(claim["verdict"] for figure in figures for claim in figure["claims"])
    return {word: verdicts[word] for word in WORDS}


def _natural(name: str) -> list[tuple[int, str]]:
    """Sorts ``fig10`` after ``fig9``."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]


def _link(folder: Path, file: Path) -> str:
    return quote(file.relative_to(folder).as_posix())
