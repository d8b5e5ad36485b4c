"""Judge a statement from its stored numbers alone.

The stored data are plain JSON values, so a published statement can be judged again in the same way.
An open end of an interval is stored as None. A place *holds* if its interval lies inside the region
of the rule, *fails* if it lies outside, and is *open* if it crosses an edge of the region.

With many places, one of them can lie outside by chance. If every place must hold, a place therefore
fails only at the level 5 % / number of places. If one place is enough, that place must hold at this
level.

No reading of the paper's words has priority. A statement holds or fails if it does so under every
reading, it *depends* if one reading holds and another one fails, and otherwise it is open.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from spcabench.claims import intervals
from spcabench.claims.rules import Rule, needed
from spcabench.claims.summary import short
from spcabench.showing.words import span

Stored = dict[str, Any]
MOST_DATA = 8  # number of problems that a reading names
# kinds of numbers at places where runs are missing or hit a limit
INCOMPLETE = {"at least", "at most", "too few"}


def finite(number: float | None) -> float | None:
    """Return the number, or None if it is NaN or infinite, because JSON has neither."""
    return None if number is None or not np.isfinite(number) else float(number)


def plain(values: Mapping[str, Any]) -> Stored:
    """Return values for JSON, with None in the place of numbers that are not finite."""
    return {k: finite(v) if isinstance(v, float) else v for k, v in values.items()}


def reading(name: str, table: pd.DataFrame, parts: Sequence[Any]) -> Stored:
    """Return a reading as plain data, before it is judged, from its tidy table.

    parts : the parts of the claim (see `claim.Part`).
    """
    places = []
    for part in parts:
        mine = table[table.part == part.name]
        for label, rows in mine.groupby("label", sort=False):
            number = intervals.measured(rows, part.unit, part.average)
            about = {"label": label, "x": float(rows.x.iloc[0]), "part": part.name}
            places.append(plain(about | asdict(number)))
    return {
        "name": name,
        "stand_in": bool(table.stand_in.eq(True).any()),
        "simulated": bool(table.simulated.eq(True).any()),
        "data": sorted(map(str, table.problem.dropna().unique()))[:MOST_DATA],
        "rows": int(table.groupby("part").size().max()),
        "notes": list(table.attrs.get("notes", ())),
        "places": places,
    }


def judged(statement: Stored) -> Stored:
    """Return a stored statement with its verdicts, marks and short result.

    Parameters
    ----------
    statement : dict
        The statement with its ``parts``, and its ``readings`` with their ``places``. Existing
        verdicts are replaced.
    """
    readings = _without_copies([_judged_reading(statement, r) for r in statement["readings"]])
    verdicts = {reading["verdict"] for reading in readings}
    reason = next((r["reason"] for r in readings if r["verdict"] == "open"), "")
    if {"holds", "fails"} <= verdicts:
        verdict, reason = "depends", ""
    elif len(verdicts) == 1:
        (verdict,) = verdicts
    else:
        verdict, reason = "open", reason or "no run gave an answer"
    statement = statement | {"readings": readings, "verdict": verdict, "reason": reason}
    statement |= {"marks": _marks(statement)}
    return statement | {"short": short(statement)}


def of_name(readings: Iterable[Stored], name: str) -> Stored | None:
    """Return the reading with this name; if it was merged, return the reading with its numbers."""
    return next((r for r in readings if name in (r["name"], *r.get("same", ()))), None)


def merged(statements: list[Stored]) -> Stored:
    """Join the data of one statement from all figures that judge it, and judge it once."""
    first, *others = statements
    # readings with the same numbers in one figure can have others in another one
    readings = [*_apart(first["readings"])]
    for reading in (r for other in others for r in _apart(other["readings"])):
        mine = of_name(readings, reading["name"])
        if mine is None:
            readings.append(reading)
            continue
        for name in ("places", "notes", "data"):
            mine[name] = [*mine[name], *reading[name]]
        for name in ("stand_in", "simulated"):
            mine[name] = mine[name] or reading[name]
        mine["rows"] += reading["rows"]
    return judged(first | {"readings": readings})


def _judged_reading(statement: Stored, reading: Stored) -> Stored:
    """Return a reading with its verdict and the verdicts at its places; all parts must hold."""
    places, outcomes = [], []
    for part in statement["parts"]:
        done = _judged_places(part, [p for p in reading["places"] if p["part"] == part["name"]])
        places += done
        outcomes.append(_of_part(part, [place for place in done if place["judged"]]))
    verdict, reason = next(
        (outcome for word in ("fails", "open") for outcome in outcomes if outcome[0] == word),
        ("holds", ""),
    )
    if reading["stand_in"] and not statement["any_data"]:
        verdict, reason = "open", "the data are a stand-in"
    return reading | {"places": places, "verdict": verdict, "reason": reason}


def _judged_places(part: Stored, places: list[Stored]) -> list[Stored]:
    """Return the places of one part with intervals and verdicts; ``judged`` marks its scope."""
    over, rule = part["over"], rule_of(part)
    inside = [_covers(over, place["x"]) for place in places]
    strict = 1 - (1 - intervals.LEVEL) / max(sum(inside), 1)
    done = []
    for place, is_judged in zip(places, inside, strict=True):
        measured = measured_of(place)
        ends, wide = measured.interval(), measured.interval(strict)
        known = measured.kind != "too few" and np.isfinite(measured.value)
        holds = rule.side(*(wide if over["need"] == "some" else ends)) == "inside"
        fails = rule.side(*(wide if over["need"] == "every" else ends)) in ("below", "above")
        verdict = "open" if not known else "holds" if holds else "fails" if fails else "open"
        done.append(
            place
            | {"low": finite(ends[0]), "high": finite(ends[1])}
            | {"wide_low": finite(wide[0]), "wide_high": finite(wide[1])}
            | {"judged": is_judged, "verdict": verdict}
        )
    return done


def _of_part(part: Stored, places: list[Stored]) -> tuple[str, str]:
    """Return the verdict on one part and its reason, from the judged places."""
    words, over = [place["verdict"] for place in places], part["over"]
    if not places:
        return "open", f"{part['name'] or 'the quantity'}: no run in the range gave an answer"
    need = needed(over["need"], len(places))
    holds, fails = words.count("holds") >= need, len(places) - words.count("fails") < need
    # a place that fails decides alone if every place must hold, whatever the others are
    alone = (holds and over["need"] == "some") or (fails and over["need"] == "every")
    if (holds or fails) and not alone and len(places) < over["least"]:
        return "open", "the data do not cover the range"
    if holds or fails:
        return "holds" if holds else "fails", ""
    return "open", _why_open(part, places)


def _why_open(part: Stored, places: list[Stored]) -> str:
    """Return the first reason that applies to an open place."""
    open_places = [measured_of(place) for place in places if place["verdict"] == "open"]
    reasons = {
        "too few problems": any(
            m.kind == "too few" and m.count + m.missing < intervals.FEWEST for m in open_places
        ),
        "values are missing": any(m.incomplete or np.isnan(m.value) for m in open_places),
        "all problems give the same value, so the spread is unknown": any(
            m.without_spread for m in open_places
        ),
    }
    return next((reason for reason, applies in reasons.items() if applies), _across(part, places))


def _across(part: Stored, places: list[Stored]) -> str:
    """Say that an interval includes the threshold, with the one that decides if it is wider."""
    undecided = [place for place in places if place["verdict"] == "open"]
    if any(rule_of(part).side(*measured_of(p).interval()) == "across" for p in undecided):
        return "the interval includes the threshold"
    wide = span([undecided[0]["wide_low"], undecided[0]["wide_high"]], part["unit"])
    return f"the interval for {len(places)} places includes the threshold: {wide}"


def _covers(over: Stored, x: float | None) -> bool:
    low, high = over["low"], over["high"]
    return x is None or ((low is None or x >= low) and (high is None or x < high))


def rule_of(part: Stored) -> Rule:
    """Return the rule of a stored part."""
    low, high = part["rule"]["low"], part["rule"]["high"]
    ends = part["rule"]["ends"]
    return Rule(-np.inf if low is None else low, np.inf if high is None else high, ends)


def measured_of(place: Stored) -> intervals.Measured:
    """Return the measured number of a stored place."""
    value = np.nan if place["value"] is None else place["value"]
    names = ("kind", "spread", "count", "over", "missing")
    return intervals.Measured(value, *(place[name] for name in names))


def _apart(readings: Iterable[Stored]) -> Iterator[Stored]:
    """Yield a reading for each of the names with the same numbers."""
    for reading in readings:
        for name in (reading["name"], *reading["same"]):
            yield reading | {"name": name, "same": []}


def _without_copies(readings: list[Stored]) -> list[Stored]:
    """Return the readings without those whose numbers are the same as in an earlier reading."""
    different: list[Stored] = []
    for reading in readings:
        twin = next((r for r in different if _numbers(r) == _numbers(reading)), None)
        if twin is None or not reading["places"]:
            different.append(reading | {"same": list(reading.get("same", ()))})
        else:
            twin["same"].append(reading["name"])
    return different


def _numbers(reading: Stored) -> list[tuple[Any, ...]]:
    return [(p["part"], p["label"], p["value"], p["spread"]) for p in reading["places"]]


def _marks(statement: Stored) -> list[str]:
    """Return the marks shown next to the verdict."""
    readings = statement["readings"]
    places = [place for r in readings for place in r["places"] if place["judged"]]
    marks = {
        "calibrated": bool(statement["calibrated"]),
        "incomplete": any(p["missing"] or p["kind"] in INCOMPLETE for p in places),
        "stand-in": any(reading["stand_in"] for reading in readings),
        "simulated": any(reading["simulated"] for reading in readings),
    }
    return [mark for mark, applies in marks.items() if applies]
