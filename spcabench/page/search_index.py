"""The search index of the pages, with titles, texts and addresses, as a script.

Browsers allow a local page to load scripts but no other files, so the index is a script. A page
loads it when its search field is used.
"""

import json
import re
from collections.abc import Iterable, Iterator
from html import unescape
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from spcabench.files import write_text
from spcabench.page import forest, in_short
from spcabench.page.render import OPTIONAL
from spcabench.showing.words import size

NAME = "search.js"
LONGEST = 300  # characters of a part of a document
Entry = tuple[str, str, str]  # title, text, address from the folder of the index
# what readers type in place of words of the papers
READERS_WORDS = {
    "of magnitude fewer flops": "ten times cheaper",
    "hundred times fewer flops": "a hundred times cheaper",
}


def site(folder: Path, published: bool) -> dict[str, str]:
    """Return the optional pages that exist for a run, for the navigation bar.

    published : whether the run is the published one, which has the documents.
    """
    pages = OPTIONAL | {"docs": OPTIONAL["docs"] if published else "../published/docs/"}
    return {n: at for n, at in pages.items() if (folder / at).exists()}


def write(folder: Path, values: dict[str, Any]) -> None:
    """Write the index of a run.

    values : the values that the templates of the pages use.
    """
    # pages come first, because the search shows the first of several equally good matches
    more = (values.get("advice", []), _optima(values), values.get("documents", []))
    write_index(folder / NAME, [*chain(_pages(values), _statements(values), *more)])


def write_index(file: Path, entries: Iterable[Entry]) -> None:
    """Write an index; pages identify it by the folder of its script."""
    # "</" would end a script element if the text is ever inlined; JSON allows the backslash
    text = json.dumps(list(entries), ensure_ascii=False, separators=(",", ":"))
    folder = 'document.currentScript.src.replace(/[^/]*$/, "")'
    write_text(file, f"window.SEARCH[{folder}] = {text};\n")


def parts(html: str, address: str) -> Iterator[Entry]:
    """Yield an entry for each part of a document, which begins with a heading.

    html : the document. address : of its page.
    """
    of = ""
    for part in re.split(r"(?=<h[1-3])", html):
        if heading := re.match(r'<h[1-3] id="([^"]*)"[^>]*>(.*?)</h\d>(.*)', part, re.DOTALL):
            plain = (re.sub(r"<[^>]*>", "", words) for words in heading.groups()[1:])
            title, text = (" ".join(unescape(words).split()) for words in plain)
            yield f"{of}{title}", text[:LONGEST], f"{address}#{heading[1]}"
            of = of or f"{title}: "


def _statements(values: dict[str, Any]) -> Iterator[Entry]:
    for s in values["statements"]:
        page = f"{s['paper_key']}.html"
        marks = f" ({', '.join(s['marks'])})" if s["marks"] else ""
        text = f"{s['verdict']}{marks}: {s['short']} {s['quote']} ({s['where']}, {s['paper_key']})"
        said = [f" ({words})" for quoted, words in READERS_WORDS.items() if quoted in s["quote"]]
        yield f"{s['id']}: {s['quote']}{''.join(said)}", text, f"{page}#{s['id']}"
    for name, figure in values["shown"].items():
        text = f"{figure['line']} {figure['caption'][:300]}"
        yield f"{name}: {figure['title']}", text, f"{figure['paper']}.html#{name}"


def _pages(values: dict[str, Any]) -> Iterator[Entry]:
    for paper in values["papers"]:
        yield paper["name"], paper["told"], paper["page"]
        for verdict in in_short.WORDS:
            mine = [s for s in paper["statements"] if s["verdict"] == verdict]
            if mine:
                reasons = [(s["id"], "; ".join(forest.causes(s)) or s["short"]) for s in mine]
                told = "; ".join(f"{id}: {reason}" for id, reason in reasons)
                words = urlencode({"paper": paper["key"], "verdict": verdict})
                title = f"{paper['name']}: which claims have the verdict {verdict}, and why"
                # the card of a single statement gives the reason
                card = f"{paper['page']}#{mine[0]['id']}"
                yield title, told, card if len(mine) == 1 else f"claims.html#claims?{words}"
    for solver in values["solvers"]:
        name, compared = solver["name"], values["comparisons"]
        ranks = [f"rank {c['ranks'][name]} in {c['name']}" for c in compared if name in c["ranks"]]
        yield f"solver {name}", "; ".join([solver["what"], *ranks]), f"solvers/{name}.html"
    yield "solvers", "all solvers, with their ranks in each comparison", "solvers.html"
    for c in values["comparisons"]:
        text = "ranking of the solvers: best and fastest, within a budget, on every problem and k"
        yield f"comparison {c['name']}", text, c["path"]
        text = f"columns of the comparison {c['name']}: rank, share, gap, memory, most, time, flops"
        yield f"columns of {c['name']}", text, f"{c['path']}#ranking"
    largest = sorted(values["comparisons"], key=lambda c: -max(c["most"].values(), default=0.0))
    for c in largest[:1]:
        told = ", ".join(f"{solver} {size(of)}" for solver, of in c["most"].items())
        text = f"who needs most memory? In comparison {c['name']}: {told}"
        yield "memory of solvers, over 1 GB", text, f"{c['path']}#ranking"
    cited = values["cite"]
    text = f"version {cited['release']}, BibTeX, commit {cited['commit']}, {cited['date']}"
    yield "cite spcabench, version and release", text, "index.html#cite"
    text = f"{cited['machine']}; times and memory depend on it, flops do not"
    yield "machine of the published times", text, "index.html#cite"
    for name, figure in values["shown"].items():
        if figure["numbers"]:
            title = f"numbers of {figure['title'].partition(':')[0]} as CSV"
            yield title, f"{name}: every run, filtered, as a file", f"{figure['numbers']}#runs"
    yield from _other_pages(values)


def _other_pages(values: dict[str, Any]) -> Iterator[Entry]:
    """Yield the words of verdicts, and the pages that a run may not have."""
    site = values["site"]
    others = [s["id"] for s in values["statements"] if "stand-in" in s["marks"]]
    text = f"stand-in: the paper's data are not public for {', '.join(others) or 'no statement'}"
    title = "stand-in data: claims that rest on other data than the paper's"
    yield title, text, "claims.html#claims?data=stand-in"
    page = "claims.html"
    if "docs" in site:
        page = f"{site['docs']}reading_results.html#what-a-card-shows"
    for word, meaning in forest.EXPLAINED.items():
        yield f"what {word} means (word, verdict, mark)", meaning, page
    yield "words, verdicts", f"what {', '.join(forest.EXPLAINED)} mean", page
    if "optimal" in site:
        text = "an answer is proven optimal if no other k variables explain more variance"
        yield "what proven means (proven optimum, bound)", text, site["optimal"]
    if "history" in site:
        text = "what became slower or faster"
        yield "history: performance across commits", text, site["history"]
        for solver in values["solvers"]:
            text = "whether it became slower or takes more flops since a release"
            at = f"{site['history']}#{solver['name']}"
            yield f"history of {solver['name']} across commits", text, at
    if "choose" in site:
        text = "which solver is best or fastest for your data: genes, text, n, m, k"
        yield "choose a solver", text, site["choose"]
        text = "the best solver for nonnegative loadings"
        yield "x >= 0, nonnegative", text, f"{site['choose']}#mode=nonnegative"
    if "docs" in site:
        text = "run and compare your own method: spcabench compare mine.py"
        yield "run your own: test my solver", text, f"{site['docs']}new_solver.html"
        text = "-k auto chooses k, the number of variables, by held-out variance"
        page = f"{site['docs']}analysis.html"
        yield "choose k", text, f"{page}#choosing-k"
        text = "--missing rows, columns or mean: leave out rows or columns, or put in the mean"
        yield "missing values, NaN", text, f"{page}#a-survey-with-gaps-and-text"


def _optima(values: dict[str, Any]) -> Iterator[Entry]:
    """Yield an entry for each problem and k in the table of best known answers."""
    for e in values["optima"]:
        printed = e["published"] or "nothing known to us"
        text = f"{e['value']:.9g}, {e['state']}; found by {e['who']}; published: {printed}"
        text += f"; bound by {e['bound_by'] or 'unknown'}"
        words = urlencode({"words": f"{e['instance']} k={e['k']}"})
        address = f"{values['site']['optimal']}#instances?{words}"
        yield f"{e['instance']}, k = {e['k']}", text, address
