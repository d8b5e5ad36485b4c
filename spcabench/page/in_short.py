"""Summaries of statements: counts, a sentence for each figure, and a few sentences per paper."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from spcabench.showing.words import counted, listed

Stored = dict[str, Any]
WORDS = ("fails", "undecided", "holds")  # the verdicts that are counted, in the pages' order
# verdicts that are counted separately
APART = {
    "checked": ("theorem checked", "theorems checked"),
    "violated": ("theorem violated", "theorems violated"),
    "pending": ("pending", "pending"),
}
# singular and plural forms
PREDICATES = {
    "holds": ("holds", "hold"),
    "undecided": ("is undecided", "are undecided"),
    "fails": ("fails", "fail"),
}
FIRST = ("violated", "fails", "undecided", "pending", "holds", "checked", "calibration")
# start of the sentence for a statement that was not measured on the paper's data
ELSEWHERE = "on other data than the paper's, "


def counts(statements: Iterable[Stored]) -> dict[str, int]:
    """Count the statements by verdict, and count those that depend on a reading."""
    judged = list(statements)
    verdicts = Counter(s["verdict"] for s in judged)
    own = [s for s in judged if s["verdict"] in WORDS]
    return {
        **{word: verdicts[word] for word in (*WORDS, *APART)},
        "judged": len(own),
        "depends": sum("depends" in s["marks"] for s in own),
        "close": sum("close" in s["marks"] for s in own),
    }


def told(count: dict[str, int]) -> str:
    """Return the counts as a line: "20 statements: 10 hold, 4 undecided, 6 fail; ..."."""
    parts = [
        f"{count[word]} {PREDICATES[word][count[word] != 1]}"
        for word in reversed(WORDS)
        if count[word]
    ]
    lines = [f"{counted(count['judged'], 'statements')}: {', '.join(parts) or 'none judged'}"]
    if number := count["depends"]:
        lines.append(f"{number} of them depend{'s' if number == 1 else ''} on a reading")
    for word, (singular, plural) in APART.items():
        if number := count[word]:
            lines.append(f"{number} {singular if number == 1 else plural}")
    return "; ".join(lines)


def ordered(statements: Iterable[Stored]) -> list[Stored]:
    """Sort statements as on pages: those that fail or depend on a reading come first."""
    return sorted(
        statements, key=lambda s: (FIRST.index(s["verdict"]), "depends" not in s["marks"])
    )


def sentences(statements: Iterable[Stored], telling: Iterable[str]) -> list[str]:
    """Return a sentence with the quote, the numbers and the verdict of each telling statement."""
    known = {s["id"]: s for s in statements}
    return [_sentence(known[id]) for id in telling if id in known]


def _sentence(s: Stored) -> str:
    depends = ", depends" if "depends" in s["marks"] else ""
    elsewhere = ELSEWHERE if s["would"] else ""
    return f'"{s["quote"]}": {elsewhere}{s["short"]} ({s["id"]}: {s["verdict"]}{depends}).'


def of_figure(statements: list[Stored]) -> str:
    """State in a line whether a figure is reproduced: fully, partly, not, or only on other data."""
    own = [s for s in statements if s["verdict"] in WORDS]
    if not own:
        apart = [s["id"] for s in statements if s["verdict"] in ("checked", "violated")]
        return f"Theorems only: {listed(apart)}." if apart else "No statement is judged here."
    verdicts = Counter(s["verdict"] for s in own)
    shown = [word for word in reversed(WORDS) if verdicts[word]]
    if len(own) == 1:
        of = f"the statement {PREDICATES[shown[0]][0]}"
    else:
        first, *others = (
            f"{verdicts[word]} {PREDICATES[word][verdicts[word] > 1]}" for word in shown
        )
        of = listed([first.replace(" ", f" of {len(own)} statements ", 1), *others])
    if all(s["would"] for s in own):
        return f"Other data than the paper's: {of}."
    if verdicts["holds"]:
        return f"{'Reproduced' if shown == ['holds'] else 'Partly reproduced'}: {of}."
    return f"{'Not reproduced' if verdicts['fails'] else 'Undecided'}: {of}."


def header(statements: Iterable[Stored]) -> str:
    """State how many tests were changed after results had been seen."""
    own = [s for s in statements if s["kind"] != "theorem"]
    unchanged = sum(not s["changed"] for s in own)
    return (
        f"For {unchanged} of {len(own)} statements, the test was written before the first run; the "
        "cards of the other statements show the first verdict and why the test changed. All "
        "primary readings were chosen after results had been seen."
    )
