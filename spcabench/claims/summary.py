"""Sentences made from the numbers of a judged statement: one in short, and those of headlines."""

from itertools import groupby, takewhile
from typing import Any

from spcabench.claims.words import listed, number, span

Stored = dict[str, Any]
LONGEST = 160  # characters of a sentence in short
VERBS = {"holds": "holds", "fails": "fails", "undecided": "undecided"}


def judged_places(statement: Stored, reading: Stored) -> list[tuple[Stored, list[Stored]]]:
    """Return each part with its judged places that have a number."""
    return [
        (
            part,
            [
                place
                for place in reading["places"]
                if place["part"] == part["name"] and place["judged"] and place["value"] is not None
            ],
        )
        for part in statement["parts"]
    ]


def short(statement: Stored, reading: Stored | None) -> str:
    """Return what was measured in one sentence of at most 160 characters.

    It has the numbers of the primary reading, and what another reading says where it differs.
    """
    if reading is None:
        return "No runs yet." if statement["verdict"] == "pending" else "No run gave an answer."
    parts = [
        _of_places(part, places) for part, places in judged_places(statement, reading) if places
    ]
    text = _fitting(parts) or "No run gave an answer."
    opposite = _opposite(statement, reading)
    if opposite is not None:
        more = f"{text}; {opposite['name']}: {_overall(statement, opposite)}"
        text = more if len(more) <= LONGEST else text
    return text


def _fitting(parts: list[list[str]]) -> str:
    """The longest of the ways to say each part with which all fit."""
    for detail in range(max((len(ways) for ways in parts), default=0)):
        text = "; ".join(ways[min(detail, len(ways) - 1)] for ways in parts)
        if len(text) <= LONGEST:
            return text
    return f"{text[: LONGEST - 2].rsplit(' ', 1)[0]} ..." if parts else ""


def _of_places(part: Stored, places: list[Stored]) -> list[str]:
    """The numbers of one part, in words: the most detailed way first."""
    unit, noun = part["unit"], part["over"]["noun"]
    name = f"{part['name']}: " if part["name"] else ""
    if len(places) == 1:
        return [f"{name}{_one(part, places[0])}", f"{name}{number(places[0]['value'], unit)}"]
    whole = f"{name}{_span(part, places)} at {len(places)} {noun}"
    groups = _groups(places)
    if len(groups) == 1:
        return [whole]
    told = [f"{verdict} at {where(of)} ({_span(part, of)})" for verdict, of in groups]
    counts = {word: sum(p["verdict"] == word for p in places) for word in VERBS}
    brief = ", ".join(f"{word} at {n}" for word, n in counts.items() if n)
    return [f"{name}{'; '.join(told)}", f"{whole}: {brief}", whole]


def _one(part: Stored, place: Stored) -> str:
    """A number with its interval and what that is over."""
    unit = part["unit"]
    if place["kind"] in ("at least", "at most"):
        end = place["low"] if place["kind"] == "at least" else place["high"]
        return f"{place['kind']} {number(end, unit)} (a run hit its limit)"
    value = number(place["value"], unit)
    if place["kind"] == "exact":
        return value
    if place["kind"] == "too few":
        return f"{value} ({place['count']} {place['over']}: too few)"
    # the unit stands behind the number already
    low, high = (number(place[end], unit).removesuffix(f" {unit}") for end in ("low", "high"))
    ends = f"{low}, {high}".replace(" %", "") if unit in ("share", "%") else f"{low}, {high}"
    return f"{value} [{ends}] over {place['count']} {place['over']}"


def _span(part: Stored, places: list[Stored]) -> str:
    return span([place["value"] for place in places], part["unit"])


def _groups(places: list[Stored]) -> list[tuple[str, list[Stored]]]:
    """Consecutive places of the same verdict."""
    return [(word, list(of)) for word, of in groupby(places, key=lambda place: place["verdict"])]


def where(places: list[Stored]) -> str:
    """Return from which to which label places reach: "0-10 %", "k = 5 to 20".

    Places that lie on no axis are listed.
    """
    if all(place["x"] is None for place in places):
        return listed([place["label"] for place in places])
    first, last = (place["label"].split() for place in (places[0], places[-1]))
    if first == last:
        return " ".join(first)
    same = _in_common(first, last)
    back = _in_common(first[same:][::-1], last[same:][::-1])
    one, other = (" ".join(label[same : len(label) - back]) for label in (first, last))
    low, _, high = f"{one}-{other}".partition("-")
    banded = one.count("-") == other.count("-") == 1 and one[0].isdigit()
    between = f"{low}-{high.rpartition('-')[2]}" if banded else f"{one} to {other}"
    return " ".join([*first[:same], between, *first[len(first) - back :]])


def _in_common(one: list[str], other: list[str]) -> int:
    """How many words two lists begin with alike."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _opposite(statement: Stored, reading: Stored) -> Stored | None:
    """The first reading whose verdict is another one than that of the primary."""
    mine = reading["would"] or reading["verdict"]
    others = (r for r in statement["readings"] if r["name"] != reading["name"])
    return next(
        (r for r in others if (r["would"] or r["verdict"]) not in (mine, "undecided")), None
    )


def _overall(statement: Stored, reading: Stored) -> str:
    """The verdict of a reading, and from where to where its numbers reach."""
    part, places = judged_places(statement, reading)[0]
    return f"{reading['would'] or reading['verdict']} ({_span(part, places)})"


def fields(statement: Stored, reading: Stored | None) -> dict[str, str]:
    """Return what the templates of a headline may name.

    value : the number, of the first part; range : from where to where its numbers reach. low, high
    : the smallest and the largest. holds, fails, undecided : the range at places with that verdict;
    holds_where and so on : those places. count : how many places are judged. paper : the paper's
    number.
    """
    if reading is None:
        return {}
    part, places = judged_places(statement, reading)[0]
    unit, values = part["unit"], [place["value"] for place in places]
    paper = statement["paper"][0] if statement["paper"] else {"low": None, "high": None}
    found: dict[str, str] = {
        "value": number(values[0], unit) if values else "n/a",
        "range": span(values, unit),
        "low": number(min(values), unit) if values else "n/a",
        "high": number(max(values), unit) if values else "n/a",
        "count": str(len(places)),
        "paper": span([paper["low"], paper["high"]], unit) if paper["low"] is not None else "n/a",
    }
    for word in VERBS:
        mine = [place for place in places if place["verdict"] == word]
        found[word] = span([place["value"] for place in mine], unit)
        runs = [where(of) for verdict, of in _groups(places) if verdict == word]
        found[f"{word}_where"] = listed(runs) or "nowhere"
        found[f"{word}_count"] = str(len(mine))
    return found
