"""What the search of the pages finds: titles, texts and addresses, as a script.

Pages that are opened as files may load scripts and no other files, so the index is one. A page
loads it when its search field is used.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from spcabench.atomic_files import write_text
from spcabench.comparison import best_known

NAME = "search.js"
# pages that a run may lack, and how the bar of the site names them
OPTIONAL = {
    "choose": "choose.html",
    "optimal": "optimal.html",
    "history": "history/index.html",
    "docs": "../../docs/",
}
Entry = tuple[str, str, str]  # title, text, address from the folder of the index


def site(folder: Path) -> dict[str, str]:
    """The pages to which the bar of a run's pages leads, of those that a run may lack."""
    return {n: at for n, at in OPTIONAL.items() if (folder / at).exists()} | {"ext": ".md"}


def write(folder: Path, values: dict[str, Any]) -> None:
    """Write the index of a run. values : as the pages have them."""
    write_index(folder / NAME, [*_statements(values), *_pages(values), *_optima(values)])


def write_index(file: Path, entries: Iterable[Entry]) -> None:
    """Write an index, which the pages of the site know by the folder of its script."""
    # "</" would end a script that a page holds; a file is safe, and JSON allows the backslash
    text = json.dumps(list(entries), ensure_ascii=False, separators=(",", ":"))
    folder = 'document.currentScript.src.replace(/[^/]*$/, "")'
    write_text(file, f"window.SEARCH[{folder}] = {text};\n")


def _statements(values: dict[str, Any]) -> Iterator[Entry]:
    for s in values["statements"]:
        page = f"{s['paper_key']}.html"
        marks = " ".join(s["marks"])
        text = f"{s['verdict']} {marks}: {s['short']} {s['quote']} ({s['where']}, {s['paper_key']})"
        yield f"{s['id']}: {s['quote']}", text, f"{page}#{s['id']}"
    for name, figure in values["figures"].items():
        text = f"{figure['line']} {figure['caption'][:300]}"
        yield f"{name}: {figure['title']}", text, f"{figure['paper']}.html#{name}"


def _pages(values: dict[str, Any]) -> Iterator[Entry]:
    for paper in values["papers"]:
        yield paper["name"], paper["told"], paper["page"]
    for solver in values["solvers"]:
        yield f"solver {solver['name']}", solver["what"], f"solvers/{solver['name']}.html"
    for c in values["comparisons"]:
        text = "ranking of the solvers, best within a budget of time or flops, every problem and k"
        yield f"comparison {c['name']}", text, c["path"]
    site = values["site"]
    if "history" in site:
        text = "what became slower or faster since the first commit: flops, time, memory"
        yield "history: performance across commits", text, site["history"]
    if "choose" in site:
        text = "which solver or method for your data: genes, text, n, m, k, budget"
        yield "choose a solver", text, site["choose"]


def _optima(values: dict[str, Any]) -> Iterator[Entry]:
    """Each problem and k of the table of the best known answers."""
    page = values["site"].get("optimal")
    for e in best_known.read().values() if page else ():
        state = "proven optimal" if e.proven else f"optimum at most {e.gap:.2%} above"
        sign = ", nonnegative" if e.nonnegative else ""
        found = f"{e.value:.9g}, {state}; found by {e.who}, bound by {e.bound_by or 'unknown'}"
        yield f"{e.item}, k = {e.k}{sign}", found, f"{page}#{e.item}"
