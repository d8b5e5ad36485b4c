"""The search index of the pages, with titles, texts and addresses, as a script.

Browsers allow a local page to load scripts but no other files, so the index is a script. A page
loads it when its search field is used.
"""

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from spcabench.files import write_text

NAME = "search.js"
# optional pages of a run, by their names in the navigation bar
OPTIONAL = {
    "choose": "choose.html",
    "optimal": "optimal.html",
    "history": "history/index.html",
    "docs": "../../docs/",
}
Entry = tuple[str, str, str]  # title, text, address from the folder of the index


def site(folder: Path) -> dict[str, str]:
    """Return the optional pages that exist for a run, for the navigation bar."""
    return {n: at for n, at in OPTIONAL.items() if (folder / at).exists()} | {"ext": ".md"}


def write(folder: Path, values: dict[str, Any]) -> None:
    """Write the index of a run.

    values : the values that the templates of the pages use.
    """
    # pages come first, because the search shows the first of several equally good matches
    parts = (_pages(values), _statements(values), values.get("advice", []), _optima(values))
    write_index(folder / NAME, [*chain(*parts)])


def write_index(file: Path, entries: Iterable[Entry]) -> None:
    """Write an index; pages identify it by the folder of its script."""
    # "</" would end a script element if the text is ever inlined; JSON allows the backslash
    text = json.dumps(list(entries), ensure_ascii=False, separators=(",", ":"))
    folder = 'document.currentScript.src.replace(/[^/]*$/, "")'
    write_text(file, f"window.SEARCH[{folder}] = {text};\n")


def _statements(values: dict[str, Any]) -> Iterator[Entry]:
    for s in values["statements"]:
        page = f"{s['paper_key']}.html"
        marks = f" ({', '.join(s['marks'])})" if s["marks"] else ""
        text = f"{s['verdict']}{marks}: {s['short']} {s['quote']} ({s['where']}, {s['paper_key']})"
        yield f"{s['id']}: {s['quote']}", text, f"{page}#{s['id']}"
    for name, figure in values["shown"].items():
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
    if "docs" in site:
        text = "run and compare your own method: spcabench compare mine.py"
        yield "run your own: test my solver", text, f"{site['docs']}new_solver{site['ext']}"
    others = [s["id"] for s in values["statements"] if "stand-in" in s["marks"]]
    text = f"stand-in: the paper's data are not public for {', '.join(others) or 'no statement'}"
    title, page = "claims that rest on other data than the paper's", "claims.html"
    yield title, text, f"{page}#claims?data=stand-in"


def _optima(values: dict[str, Any]) -> Iterator[Entry]:
    """Yield an entry for each problem and k in the table of best known answers."""
    for e in values["optima"]:
        printed = e["published"] or "nothing known to us"
        text = f"{e['value']:.9g}, {e['state']}; found by {e['who']}; published: {printed}"
        text += f"; bound by {e['bound_by'] or 'unknown'}"
        words = urlencode({"words": f"{e['instance']} k={e['k']}"})
        address = f"{values['site']['optimal']}#instances?{words}"
        yield f"{e['instance']}, k = {e['k']}", text, address
