"""The page of a scale: every claim with its verdict, every figure; one self-contained file."""

import base64
import json
import os
from collections import Counter
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

SCHEMA = 1
LARGEST_SVG = 1_500_000  # bytes; a larger one is shown as PNG
WORDS = ("fails", "undecided", "holds")
PAPERS = {
    "he2010": ("He, Monteiro, Park (2010)", "An efficient algorithm for rank-1 sparse PCA"),
    "daspremont2007": (
        "d'Aspremont, El Ghaoui, Jordan, Lanckriet (2007)",
        "A direct formulation for sparse PCA using semidefinite programming, SIAM Review 49(3)",
    ),
    "zhang2011": ("Zhang, El Ghaoui (2011)", "Large-scale sparse PCA with application to text data, NIPS"),
    "asteris2014": (
        "Asteris, Papailiopoulos, Dimakis (2014)",
        "Nonnegative sparse PCA with provable guarantees, ICML",
    ),
    "kuleshov2013": (
        "Kuleshov (2013)",
        "Fast algorithms for sparse principal component analysis based on Rayleigh quotient iteration, ICML",
    ),
}


def write_page(folder: Path) -> Path:
    """Write ``claims.json`` and ``index.html`` of ``results/SCALE`` from its figures' claims; the page's path."""
    figures = [_figure(folder, path) for path in sorted((folder / "figures").glob("*/claims.json"))]
    claims = [claim for figure in figures for claim in figure["claims"]]
    last: dict[str, Any] = max(figures, key=lambda f: f["written"], default={})
    about = {
        "schema": SCHEMA,
        "scale": folder.name,
        "commit": last.get("commit", "unknown"),
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    _write(folder / "claims.json", json.dumps(about | {"claims": claims}, indent=1) + "\n")
    environment = Environment(loader=PackageLoader("spcabench"), autoescape=True, undefined=StrictUndefined)
    page = environment.get_template("index.html.j2").render(
        **about,
        papers=[_paper(key, list(group)) for key, group in groupby(figures, key=lambda f: f["paper"])],
        open_claims=sorted((c for c in claims if c["verdict"] != "holds"), key=lambda c: WORDS.index(c["verdict"])),
        counts=Counter(claim["verdict"] for claim in claims),
        machine=last.get("machine"),
        dirty=any(figure["dirty"] for figure in figures),
    )
    _write(folder / "index.html", page)
    return folder / "index.html"


def _paper(key: str, figures: list[dict[str, Any]]) -> dict[str, Any]:
    authors, title = PAPERS.get(key, (key, ""))
    verdicts = Counter(claim["verdict"] for figure in figures for claim in figure["claims"])
    stand_in = any(data["stand_in"] for figure in figures for data in figure["data"])
    return {
        "key": key,
        "authors": authors,
        "title": title,
        "figures": figures,
        "verdicts": {word: verdicts[word] for word in WORDS},
        "stand_in": stand_in,
    }


def _figure(folder: Path, path: Path) -> dict[str, Any]:
    figure = json.loads(path.read_text(encoding="utf-8"))
    name = figure["figure"]
    files = [path.parent / f"figure.{kind}" for kind in ("svg", "pdf", "png")]
    rows = sorted((folder / "rows" / name).glob("*.parquet"))
    return figure | {
        "image": _image(path.parent),
        "files": [(file.suffix[1:].upper(), file.relative_to(folder).as_posix()) for file in files if file.exists()],
        "rows": [(file.stem, file.relative_to(folder).as_posix()) for file in rows],
        "paragraphs": figure["caption"].split("\n\n"),
    }


def _image(folder: Path) -> str | None:
    """The picture as a data address, or None where there is none."""
    svg, png = folder / "figure.svg", folder / "figure.png"
    if svg.exists() and svg.stat().st_size <= LARGEST_SVG:
        return "data:image/svg+xml;base64," + base64.b64encode(svg.read_bytes()).decode()
    if png.exists():
        return "data:image/png;base64," + base64.b64encode(png.read_bytes()).decode()
    return None


def _write(path: Path, text: str) -> None:
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    aside.write_text(text, encoding="utf-8")
    os.replace(aside, path)
