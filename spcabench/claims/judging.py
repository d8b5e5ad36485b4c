"""Judge a statement from its stored numbers alone.

The stored data are plain JSON values, so a published statement can be judged again in the same way.
An open end of an interval is stored as None. A place *holds* if its interval lies inside the region
of the rule, *fails* if it lies outside, and is *undecided* if it crosses an edge of the region.

With many places, one of them can lie outside by chance. If every place must hold, a place therefore
fails only at the level 5 % / number of places. If one place is enough, that place must hold at this
level.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from spcabench.claims import intervals
from spcabench.claims.rules import Rule
from spcabench.claims.summary import short

Stored = dict[str, Any]
OF_THEOREM = {"holds": "checked", "fails": "violated"}
GEOMETRIC = ("times", "s")  # units whose numbers are compared as ratios
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
            number = _measured(rows, part)
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


def _measured(rows: pd.DataFrame, part: Any) -> intervals.Measured:
    """Return the number at a place, by the statistic that belongs to the unit of its part."""
    if rows.seed.isna().all():
        (value,) = rows.value.unique()
        return intervals.exact(value)
    options: Stored = {"over": "seed", "called": rows.over.iloc[0]}
    average = part.average or ("geometric mean" if part.unit in GEOMETRIC else "mean")
    if average == "geometric mean":
        return intervals.geometric_mean(rows, "value", missed="missed", **options)
    if part.unit == "share" and not part.average:
        return intervals.share(rows, "value", **options)
    return intervals.mean(rows, "value", **options)


def judged(statement: Stored) -> Stored:
    """Return a stored statement with its verdicts, marks and short result.

    Parameters
    ----------
    statement : dict
        The statement with its ``parts``, and its ``readings`` with their ``places``. Existing
        verdicts are replaced.
    """
    readings = _without_copies([_judged_reading(statement, r) for r in statement["readings"]])
    statement = statement | {"readings": readings}
    primary = of_name(readings, statement["primary"])
    statement |= _verdict(statement, primary)
    statement |= {"marks": _marks(statement, primary)}
    return statement | {"short": short(statement, primary)}


def of_name(readings: Iterable[Stored], name: str) -> Stored | None:
    """Return the reading with this name; if it was merged, return the reading with its numbers."""
    return next((r for r in readings if name in (r["name"], *r.get("same", ()))), None)


def merged(statements: list[Stored]) -> Stored:
    """Join the data of one statement from all figures that judge it, and judge it once."""
    first, *others = statements
    readings = [dict(reading) for reading in first["readings"]]
    for reading in (r for other in others for r in other["readings"]):
        mine = of_name(readings, reading["name"])
        if mine is None:
            readings.append(dict(reading))
            continue
        for name in ("places", "notes", "data"):
            mine[name] = [*mine[name], *reading[name]]
        for name in ("stand_in", "simulated"):
            mine[name] = mine[name] or reading[name]
        mine["rows"] += reading["rows"]
    return judged(first | {"readings": readings})


def _verdict(statement: Stored, primary: Stored | None) -> Stored:
    """Return the verdict of the statement, which is that of its primary reading."""
    if statement["calibration"]:
        return {"verdict": "calibration", "would": "", "reason": "", "side": ""}
    if primary is None:
        pending = statement["pending"]
        return {
            "verdict": "pending" if pending else "undecided",
            "would": "",
            "reason": pending or "no run gave an answer",
            "side": "",
        }
    outcome = {name: primary[name] for name in ("verdict", "would", "reason", "side")}
    if statement["kind"] == "theorem":
        outcome["verdict"] = OF_THEOREM.get(outcome["verdict"], outcome["verdict"])
    return outcome


def _judged_reading(statement: Stored, reading: Stored) -> Stored:
    """Return a reading with its verdict and the verdicts at its places."""
    places, outcomes = [], []
    for part in statement["parts"]:
        mine = [place for place in reading["places"] if place["part"] == part["name"]]
        done = _judged_places(part, mine)
        places += done
        # a reading other than the primary one can leave parts unmeasured
        if done or reading["name"] == statement["primary"]:
            outcomes.append(_of_part(part, [place for place in done if place["judged"]]))
    outcomes += _at_one_place(statement["parts"], places)
    verdict, reason, side = _of_all(outcomes or [_of_part(statement["parts"][0], [])])
    would = ""
    if reading["stand_in"] and not statement["any_data"] and verdict != "undecided":
        verdict, would, reason = "undecided", verdict, "the data are a stand-in"
    return reading | {
        "places": places,
        "verdict": verdict,
        "would": would,
        "reason": reason,
        "side": side,
    }


def _judged_places(part: Stored, places: list[Stored]) -> list[Stored]:
    """Return the places of one part with intervals and verdicts; ``judged`` marks its scope."""
    over, rule = part["over"], rule_of(part)
    inside = [_covers(over, place["x"]) for place in places]
    strict = 1 - (1 - intervals.LEVEL) / max(sum(inside), 1)
    done = []
    for place, is_judged in zip(places, inside, strict=True):
        measured = measured_of(place)
        ends, wide = measured.interval(), measured.interval(strict)
        holds = rule.side(*(ends if over["all"] else wide)) == "inside"
        side = rule.side(*(wide if over["all"] else ends))
        known = measured.kind != "too few" and np.isfinite(measured.value)
        fails = known and side in ("below", "above")
        verdict = "holds" if known and holds else "fails" if fails else "undecided"
        done.append(
            place
            | {"low": finite(ends[0]), "high": finite(ends[1])}
            | {"wide_low": finite(wide[0]), "wide_high": finite(wide[1])}
            | {"judged": is_judged, "verdict": verdict, "side": side if fails else ""}
        )
    return done


def _of_part(part: Stored, places: list[Stored]) -> tuple[str, str, str]:
    """Return the verdict on one part, its reason and its side, from the judged places."""
    words = [place["verdict"] for place in places]
    sides = {place["side"] for place in places if place["side"]}
    side = "both sides" if len(sides) > 1 else "".join(sides)
    if part["over"]["all"]:
        decided = "fails" if "fails" in words else "holds" if set(words) == {"holds"} else ""
    else:
        decided = "holds" if "holds" in words else "fails" if set(words) == {"fails"} else ""
    # too few places can show neither that the rule holds at all of them nor that it holds at none
    rests_on_all = decided == ("holds" if part["over"]["all"] else "fails")
    if rests_on_all and len(places) < part["over"]["least"]:
        return "undecided", "the data do not cover the range", ""
    if decided:
        return decided, "", side if decided == "fails" else ""
    if not places:
        return "undecided", "no run in the range gave an answer", ""
    return "undecided", _why_undecided(places), ""


def _why_undecided(places: list[Stored]) -> str:
    """Return the first reason that applies to an undecided place."""
    open_places = [measured_of(place) for place in places if place["verdict"] == "undecided"]
    reasons = {
        "too few problems": any(
            m.kind == "too few" and m.count + m.missing < intervals.FEWEST for m in open_places
        ),
        "values are missing": any(m.incomplete or np.isnan(m.value) for m in open_places),
        "all problems give the same value, so the spread is unknown": any(
            m.without_spread for m in open_places
        ),
    }
    return next(
        (reason for reason, applies in reasons.items() if applies),
        "the interval includes the threshold",
    )


def _at_one_place(parts: list[Stored], places: list[Stored]) -> list[tuple[str, str, str]]:
    """Return the outcome of the parts for which one place is enough; it must satisfy them all."""
    names = [part["name"] for part in parts if not part["over"]["all"]]
    labels: dict[str, list[str]] = {}
    for place in places:
        if place["judged"] and place["part"] in names:
            labels.setdefault(place["label"], []).append(place["verdict"])
    shared = [words for words in labels.values() if len(words) == len(names) > 1]
    if not shared or ["holds"] * len(names) in shared:
        return []
    decided = all("fails" in words for words in shared)
    reason = "" if decided else "no single place is known to satisfy all parts"
    return [("fails" if decided else "undecided", reason, "")]


def _of_all(outcomes: list[tuple[str, str, str]]) -> tuple[str, str, str]:
    """Return the verdict, reason and side of a reading; all of its parts must hold."""
    for wanted in ("fails", "undecided"):
        for outcome in outcomes:
            if outcome[0] == wanted:
                return outcome
    return outcomes[0]


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


def _marks(statement: Stored, primary: Stored | None) -> list[str]:
    """Return the marks shown next to the verdict."""
    outcomes = {
        (r["would"] or r["verdict"], r["side"])
        for r in statement["readings"]
        if (r["would"] or r["verdict"]) != "undecided"
    }
    marks = {
        "depends": len({word for word, _ in outcomes}) > 1 or len(outcomes) > 1,
        "calibrated": bool(statement["calibrated_by"]),
    }
    if primary is not None:
        places = [place for place in primary["places"] if place["judged"]]
        lacking = any(p["missing"] or p["kind"] in INCOMPLETE for p in places)
        marks |= {
            "incomplete": lacking,
            "stand-in": primary["stand_in"],
            "simulated": primary["simulated"],
        }
    return [mark for mark, applies in marks.items() if applies]
