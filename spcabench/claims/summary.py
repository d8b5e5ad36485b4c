"""Generate sentences from a judged statement: the short result, and the headline of a paper."""

import re
from itertools import groupby, zip_longest
from typing import Any

from spcabench.claims.words import listed, number, span

Stored = dict[str, Any]
LONGEST = 160  # maximum number of characters of a short sentence
# for places at which runs hit a limit: the known end of the interval, and the sign before it
BOUNDS = {"at least": ("low", ">= "), "at most": ("high", "<= ")}
# a number in a label, or the two numbers of a band: "2,000", "0.05", "1-2"
NUMBER = re.compile(r"((?<![\w.])\d[\d,]*(?:\.\d+)?(?:-\d[\d.]*)?(?<!,))")
VERBS = {"holds": "holds", "fails": "fails", "undecided": "undecided"}


# names of the fields that the template of a headline can use
FIELDS = (
    *("value", "range", "low", "high", "count", "paper"),
    *(f"{word}{what}" for word in VERBS for what in ("", "_where", "_count")),
)


def judged_places(statement: Stored, reading: Stored) -> list[tuple[Stored, list[Stored]]]:
    """Return each part with the judged places at which it was measured."""
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
    """Return the measured result in one sentence of at most 160 characters.

    It contains the numbers of the primary reading. If another reading has a different result, it
    contains that result too.
    """
    if reading is None:
        return "No runs yet." if statement["verdict"] == "pending" else "No run gave an answer."
    ways = _ways(
        [_of_places(part, places) for part, places in judged_places(statement, reading) if places]
    )
    ways = ways or [_without_numbers(reading)]
    other = _opposite(statement, reading)
    if other is not None:
        brief = f"; {other['name']}: {' '.join(_outcome(other)).strip()}"
        part, places = judged_places(statement, other)[0]
        whole = f"{_outcome(other)[0]} ({_span(part, places)})"
        ways = [f"{ways[0]}; {other['name']}: {whole}"] + [way + brief for way in ways]
    fitting = next((way for way in ways if len(way) <= LONGEST), "")
    return fitting or f"{ways[-1][: LONGEST - 4].rsplit(' ', 1)[0]} ..."


def _without_numbers(reading: Stored) -> str:
    """Explain why a reading has no number at any place."""
    missing = [place for place in reading["places"] if place["judged"] and place["missing"]]
    if not missing:
        return "No run gave an answer."
    counts = {of_all(place) for place in missing}
    return f"No usable number: only {listed(sorted(counts))} gave one."


def _ways(parts: list[list[str]]) -> list[str]:
    """Return sentences about all parts, the most detailed sentence first."""
    longest = max((len(ways) for ways in parts), default=0)
    return [
        "; ".join(ways[min(detail, len(ways) - 1)] for ways in parts) for detail in range(longest)
    ]


def _of_places(part: Stored, places: list[Stored]) -> list[str]:
    """Return sentences with the numbers of one part, the most detailed sentence first."""
    unit, noun = part["unit"], part["over"]["noun"]
    name = f"{part['name']}: " if part["name"] else ""
    if len(places) == 1:
        return [
            f"{name}{one(part, places[0])}",
            f"{name}{number(places[0]['value'], unit, thresholds(part))}",
        ]
    few = sum(place["kind"] == "too few" for place in places) % len(places)
    all_told = f"{len(places) - few} of {len(places)}" if few else f"{len(places)}"
    whole = f"{name}{_span(part, places)} at {all_told} {noun}"
    groups = _groups(places)
    if len(groups) == 1:
        return [whole]
    told = [f"{verdict} at {where(of)} ({_span(part, of)})" for verdict, of in groups]
    counts = {word: sum(p["verdict"] == word for p in places) for word in VERBS}
    brief = ", ".join(f"{word} at {n}" for word, n in counts.items() if n)
    return [f"{name}{'; '.join(told)}", f"{whole}: {brief}", whole]


def thresholds(part: Stored) -> list[float]:
    """Return the ends of a part's rule; no other number may be rounded to one of these."""
    return [end for end in (part["rule"]["low"], part["rule"]["high"]) if end is not None]


def one(part: Stored, place: Stored) -> str:
    """Return a number with its interval and the number of its replicates."""
    unit, ends_of_rule = part["unit"], thresholds(part)
    if place["kind"] in BOUNDS:
        bound = number(bound_or_value(place), unit, ends_of_rule)
        return f"{place['kind']} {bound} (a run hit its limit)"
    value = number(place["value"], unit, ends_of_rule)
    if place["kind"] == "exact":
        return value
    if place["kind"] == "too few":
        return f"{value} ({place['count']} {place['over']}: too few)"
    over = f" over {of_all(place)}"
    if place["low"] is None and place["high"] is None:
        return f"{value}{over}, without an interval"
    # the number already includes the unit
    ends = [number(place[end], unit, ends_of_rule) for end in ("low", "high")]
    low, high = (end.removesuffix(f" {unit}") for end in ends)
    interval = f"{low}, {high}".replace(" %", "") if unit in ("share", "%") else f"{low}, {high}"
    return f"{value} [{interval}]{over}"


def of_all(place: Stored) -> str:
    """Return how many replicates have a value: "20 problems", "18 of 20 problems"."""
    lacking = f" of {place['count'] + place['missing']}" if place["missing"] else ""
    return f"{place['count']}{lacking} {place['over']}"


def bound_or_value(place: Stored) -> float:
    """Return the number to report for a place: its value, or the known end if runs hit a limit."""
    end, _ = BOUNDS.get(place["kind"], ("value", ""))
    return place["value"] if place[end] is None else place[end]


def _span(part: Stored, places: list[Stored]) -> str:
    """Return the range of the numbers at several places.

    A bound is shown with its sign. Places with too few problems are left out if other places exist.
    """
    enough = [place for place in places if place["kind"] != "too few"] or places
    if not enough:
        return span([], part["unit"])
    outer = [choose(enough, key=bound_or_value) for choose in (min, max)]
    signs = [BOUNDS.get(place["kind"], ("", ""))[1] for place in outer]
    low, high = map(bound_or_value, outer)
    if not any(signs):
        return span([low, high], part["unit"], thresholds(part))
    first, last = (
        sign + number(end, part["unit"], thresholds(part))
        for sign, end in zip(signs, (low, high), strict=True)
    )
    unit = f" {part['unit']}"
    if first == last:
        return first
    return f"{first.removesuffix(unit) if last.endswith(unit) else first} to {last}"


def _groups(places: list[Stored]) -> list[tuple[str, list[Stored]]]:
    """Group consecutive places with the same verdict."""
    return [(word, list(of)) for word, of in groupby(places, key=lambda place: place["verdict"])]


def where(places: list[Stored]) -> str:
    """Return the labels of places as a range, computed separately for each number in the labels.

    Examples: "0-10 %", "k = 5 to 20", "n = 200 to 2000, 1-15 %". Places without an axis are listed
    one by one. Labels whose words differ, such as the names of data sets, are listed too.
    """
    labels = [place["label"] for place in places]
    if all(place["x"] is None for place in places):
        return listed(labels)
    alike: dict[tuple[str, ...], list[list[str]]] = {}
    for label in labels:
        words = NUMBER.split(label)  # texts and numbers alternate
        alike.setdefault(tuple(words[::2]), []).append(words[1::2])
    return listed([_reach(texts, numbers) for texts, numbers in alike.items()])


def _reach(texts: tuple[str, ...], numbers: list[list[str]]) -> str:
    """Combine labels with the same words: each number becomes a range from smallest to largest."""
    told = []
    for column in zip(*numbers, strict=True):
        ends = [choose(column, key=_first_number) for choose in (min, max)]
        if column[0].count("-") and ends[0] != ends[1]:  # a band: from its first edge to its last
            told.append(f"{ends[0].split('-')[0]}-{ends[1].split('-')[1]}")
        else:
            told.append(" to ".join(dict.fromkeys(ends)))
    pairs = zip_longest(texts, told, fillvalue="")
    return "".join(text for pair in pairs for text in pair)


def _first_number(text: str) -> float:
    return float(text.split("-")[0].replace(",", ""))


def _opposite(statement: Stored, reading: Stored) -> Stored | None:
    """Return the first decided reading whose verdict or failing side differs from this one."""
    others = (r for r in statement["readings"] if r["name"] != reading["name"])
    decided = [r for r in others if _outcome(r)[0] != "undecided"]
    return next((r for r in decided if _outcome(r) != _outcome(reading)), None)


def _outcome(reading: Stored) -> tuple[str, str]:
    """Return the verdict that follows from a reading's numbers, and the side of a failure."""
    sides = {"below": "(too low)", "above": "(too high)", "both sides": "(too low and too high)"}
    return reading["would"] or reading["verdict"], sides.get(reading["side"], "")


def fields(statement: Stored, reading: Stored | None) -> dict[str, str]:
    """Return the fields that the template of a headline can use.

    value : the number of the first part. range : the range of its numbers. low, high : the smallest
    and the largest number. holds, fails, undecided : the range of the numbers at places with this
    verdict. holds_where, fails_where, undecided_where : the labels of these places. holds_count,
    fails_count, undecided_count : their number. count : the number of judged places. paper : the
    paper's number.
    """
    if reading is None:
        return {}
    part, places = judged_places(statement, reading)[0]
    unit = part["unit"]
    enough = [place for place in places if place["kind"] != "too few"] or places
    least, most = ([choose(enough, key=bound_or_value)] if enough else [] for choose in (min, max))
    paper = statement["paper"][0] if statement["paper"] else {"low": None, "high": None}
    texts: dict[str, str] = {
        "value": _span(part, places[:1]),
        "range": _span(part, places),
        "low": _span(part, least),
        "high": _span(part, most),
        "count": str(len(places)),
        "paper": span([paper["low"], paper["high"]], unit),
    }
    for word in VERBS:
        chosen = [place for place in places if place["verdict"] == word]
        texts[word] = _span(part, chosen)
        runs = [where(group) for verdict, group in _groups(places) if verdict == word]
        texts[f"{word}_where"] = listed(runs) or "nowhere"
        texts[f"{word}_count"] = str(len(chosen))
    return texts
