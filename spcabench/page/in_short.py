"""Summaries of statements: counts of verdicts, and a few sentences per paper."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from spcabench.claims import summary
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


def sentences(statements: Iterable[Stored], telling: Mapping[str, str]) -> list[str]:
    """Return a sentence for each telling statement: its verdict, the claim and the numbers.

    telling : id -> the claim in a few words; if there are none, the sentence has the quotation.
    """
    known = {s["id"]: s for s in statements}
    return [_sentence(known[id], claim) for id, claim in telling.items() if id in known]


def _sentence(s: Stored, claim: str) -> str:
    elsewhere = " on other data" if "stand-in" in s["marks"] else ""
    told = summary.first_of_each(s["readings"])
    if s["verdict"] == "depends":
        told = [reading for reading in told if reading["verdict"] != "open"]
    numbers = [
        f"{reading['name']}: {_decisive(s, reading)}" if len(told) > 1 else _decisive(s, reading)
        for reading in told
    ]
    return (
        f"{s['id']} {s['verdict']}{elsewhere}: {claim or s['quote']} "
        f"({'; '.join(numbers) or 'not measured'})."
    )


def _decisive(s: Stored, reading: Stored) -> str:
    """Return the range of the numbers of the first part with the reading's verdict."""
    parts = [(part, places) for part, places in summary.judged_places(s, reading) if places]
    decide = [p for p in parts if reading["verdict"] in {place["verdict"] for place in p[1]}]
    return summary.span_of(*(decide or parts)[0]) if parts else "no number"


def header(statements: Iterable[Stored]) -> str:
    """State how many tests were changed after results had been seen."""
    own = [s for s in statements if s["kind"] != "theorem"]
    changed = sum(bool(s["changed"]) for s in own)
    return (
        f"{changed} of {len(own)} statements have a test that changed after its first run; their "
        "cards show the first verdict and why. "
        "Readings and rules were chosen after results had been seen, so no reading has priority."
    )
