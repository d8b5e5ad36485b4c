"""Generate sentences from a judged statement: the short result, and ranges of its numbers."""

import re
from functools import partial
from itertools import groupby
from typing import Any

from spcabench.showing.words import listed, number, span

Stored = dict[str, Any]
# for places at which runs hit a limit: the known end of the interval, and the sign before it
BOUNDS = {"at least": ("low", ">= "), "at most": ("high", "<= ")}
NUMBER = re.compile(r"\d[\d.,]*")  # in a label: "2,000", "0.05"
VERDICTS = ("holds", "fails", "open")


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


def short(statement: Stored) -> str:
    """Return the measured result in one sentence: the numbers of the first reading of each verdict.

    If readings have different verdicts, each is named with its verdict.
    """
    readings = statement["readings"]
    if not readings:
        return "No run gave an answer."
    told = first_of_each(readings)
    if len(told) == 1:
        return of_reading(statement, told[0])
    return "; ".join(f"{r['name']} ({r['verdict']}): {of_reading(statement, r)}" for r in told)


def first_of_each(readings: list[Stored]) -> list[Stored]:
    """Return the first reading with each verdict, in the order of the readings."""
    first = {reading["verdict"]: reading for reading in reversed(readings)}
    return [reading for reading in readings if first[reading["verdict"]] is reading]


def of_reading(statement: Stored, reading: Stored) -> str:
    """Return the numbers of each part of a reading in a sentence."""
    judged = [(p, places) for p, places in judged_places(statement, reading) if places]
    # parts with different verdicts are each told with their own
    alike = len({place["verdict"] for _, places in judged for place in places}) == 1
    parts = [_of_part(part, places, alike or len(judged) == 1) for part, places in judged]
    return "; ".join(parts) or _without_numbers(reading)


def _without_numbers(reading: Stored) -> str:
    """Explain why a reading has no number at any place."""
    missing = [place for place in reading["places"] if place["judged"] and place["missing"]]
    if not missing:
        return "No run gave an answer."
    counts = {of_all(place) for place in missing}
    return f"No usable number: only {listed(sorted(counts))} gave one."


def _of_part(part: Stored, places: list[Stored], alike: bool) -> str:
    """Return the numbers of one part, and at how many places each verdict applies.

    alike : whether a verdict that applies to all places of the part need not be told.
    """
    name = f"{part['name']}: " if part["name"] else ""
    if len(places) == 1:
        verdict = "" if alike else f" ({places[0]['verdict']})"
        return f"{name}{one(part, places[0])}{verdict}"
    few = sum(place["kind"] == "too few" for place in places) % len(places)
    all_told = f"{len(places) - few} of {len(places)}" if few else f"{len(places)}"
    of = {word: [p for p in places if p["verdict"] == word] for word in VERDICTS}
    # a single place is named, because it can decide alone
    verdicts = [
        f"{word} at {len(those)}" + (f" ({those[0]['label']})" if len(those) == 1 else "")
        for word, those in of.items()
        if those
    ]
    whole = f"{name}{span_of(part, places)} at {all_told} {part['over']['noun']}"
    if len(verdicts) == 1:
        return whole if alike else f"{whole} ({places[0]['verdict']})"
    return f"{whole}: {', '.join(verdicts)}"


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
    own = _interval(part, place["low"], place["high"])
    # an open place whose interval has no threshold is open by the wider one, for several places
    if place["verdict"] != "open" or any(_between(place, end) for end in ends_of_rule):
        return f"{value} {own}{over}"
    wide = _interval(part, place["wide_low"], place["wide_high"])
    return f"{value} {own}, for all places {wide}{over}"


def _between(place: Stored, threshold: float) -> bool:
    low, high = place["low"], place["high"]
    return (low is None or low <= threshold) and (high is None or threshold <= high)


def _interval(part: Stored, *ends: float | None) -> str:
    """Return an interval without its unit, which the number before it has."""
    unit = part["unit"]
    told = ["" if end is None else number(end, unit, thresholds(part)) for end in ends]
    low, high = (end.removesuffix(f" {unit}") for end in told)
    interval = f"{low}, {high}"
    return f"[{interval.replace(' %', '') if unit in ('share', '%') else interval}]"


def of_all(place: Stored) -> str:
    """Return how many replicates have a value: "20 problems", "18 of 20 problems"."""
    lacking = f" of {place['count'] + place['missing']}" if place["missing"] else ""
    return f"{place['count']}{lacking} {place['over']}"


def bound_or_value(place: Stored) -> float:
    """Return the number to report for a place: its value, or the known end if runs hit a limit."""
    end, _ = BOUNDS.get(place["kind"], ("value", ""))
    return place["value"] if place[end] is None else place[end]


def span_of(part: Stored, places: list[Stored]) -> str:
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


def where(places: list[Stored]) -> str:
    """Return the labels of consecutive places, those with the same words by the first and the last.

    Examples: "0-1 % to 5-10 %", "faces, k = 20 to faces, k = 180 and genes, k = 50". The names of
    data sets, which have different words, are listed.
    """
    runs = [[*run] for _, run in groupby((p["label"] for p in places), partial(NUMBER.sub, ""))]
    return listed([" to ".join(dict.fromkeys([run[0], run[-1]])) for run in runs])
