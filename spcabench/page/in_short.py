"""Summaries of statements: counts of verdicts, and a few sentences per paper."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from spcabench.showing.words import counted

Stored = dict[str, Any]
WORDS = ("fails", "open", "depends", "holds")  # the verdicts, in the pages' order
# singular and plural forms
PREDICATES = {
    "holds": ("holds", "hold"),
    "depends": ("depends", "depend"),
    "open": ("is open", "are open"),
    "fails": ("fails", "fail"),
}


def counts(statements: Iterable[Stored]) -> dict[str, int]:
    """Count the statements by verdict, without the theorems, which are counted together."""
    judged = list(statements)
    own = [s for s in judged if s["kind"] != "theorem"]
    verdicts = Counter(s["verdict"] for s in own)
    return {
        **{word: verdicts[word] for word in WORDS},
        "judged": len(own),
        "theorems": len(judged) - len(own),
    }


def told(count: dict[str, int]) -> str:
    """Return the counts as a line: "20 statements: 10 hold, 4 depend, 6 fail; 1 theorem"."""
    parts = [
        f"{count[word]} {PREDICATES[word][count[word] != 1]}"
        for word in reversed(WORDS)
        if count[word]
    ]
    line = f"{counted(count['judged'], 'statements')}: {', '.join(parts) or 'none judged'}"
    theorems = f"; {counted(count['theorems'], 'theorems')} checked" if count["theorems"] else ""
    return line + theorems


def ordered(statements: Iterable[Stored]) -> list[Stored]:
    """Sort statements as on pages: those that fail come first, theorems last."""
    return sorted(statements, key=lambda s: (s["kind"] == "theorem", WORDS.index(s["verdict"])))


def sentences(statements: Iterable[Stored], telling: Iterable[str]) -> list[str]:
    """Return a sentence with the quote, the numbers and the verdict of each telling statement."""
    known = {s["id"]: s for s in statements}
    return [_sentence(known[id]) for id in telling if id in known]


def _sentence(s: Stored) -> str:
    elsewhere = "on other data than the paper's, " if "stand-in" in s["marks"] else ""
    return f'"{s["quote"]}": {elsewhere}{s["short"]} ({s["id"]}: {s["verdict"]}).'


def header(statements: Iterable[Stored]) -> str:
    """State how many tests were changed after results had been seen."""
    own = [s for s in statements if s["kind"] != "theorem"]
    unchanged = sum(not s["changed"] for s in own)
    return (
        f"The tests of {unchanged} of {len(own)} statements are as before their first run; the "
        "cards of the other statements show the first verdict and why the test changed. "
        "Readings and rules were chosen after results had been seen, so no reading has priority."
    )
