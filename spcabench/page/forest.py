"""Forest tables: a judged statement as tables of intervals over the region of its rule.

`blocks` returns a statement's head, its readings and further facts as plain data. The template
forest.html.j2 draws them for the page and for print; `forest_text` writes them for a terminal and
for a repository's web page.
"""

import math
from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Any

from spcabench.claims import judging, summary
from spcabench.showing import words

Stored = dict[str, Any]
MOST = 12  # places that a table lists one by one; more places are grouped by their verdict
LISTED = 60  # places that a folded table lists one by one; claims.json has those of longer tables
WITH_UNIT = ("s", "B", "share", "%")  # units without which a threshold cannot be read
CELL = 300  # maximum characters of any text
ORDER = ("fails", "open", "holds", "too few", "not judged")  # of the rows of grouped places
NEEDS = {
    "every": "all",
    "most": "more than half of the",
    "often": "at least a quarter of the",
    "some": "one or more",
}
LIMITS = {"low": "from", "high": "below"}
EXPLAINED = {
    "holds": "it holds under every reading of the paper's words",
    "fails": "it fails under every reading of the paper's words",
    "depends": "it holds under one reading of the paper's words and fails under another one",
    "open": "the data do not decide it",
    "calibrated": "a preparation of the data was chosen by another number of the paper",
    "incomplete": "runs are missing, hit a limit, or are too few at some places",
    "stand-in": "measured on other data than the paper's",
    "simulated": "measured on simulated data",
}


def blocks(statement: Stored) -> list[Stored]:
    """Return the blocks of a statement, each with its ``kind``.

    The first is the "head": quotation, verdict, marks and the numbers in a sentence. A "reading"
    has its verdict, its numbers in a line and its notes; the first reading with each verdict comes
    first, and has the tables of its places too. "facts" are pairs of a name and a text.
    """
    readings = [r for r in statement["readings"] if r["places"]]
    shown = summary.first_of_each(readings)
    readings = [*shown, *(r for r in readings if not any(r is other for other in shown))]
    axes = {part["name"]: _axis(statement, part) for part in statement["parts"]}
    return [
        _head(statement),
        *(_reading(statement, r, i < len(shown), axes) for i, r in enumerate(readings)),
        {"kind": "facts", "facts": _facts(statement)},
    ]


def causes(statement: Stored) -> list[str]:
    """Return why readings come out as they do, each with the name of its reading."""
    several = len(statement["readings"]) > 1
    return [
        f"{r['name']}: {r['because']}" if several else r["because"]
        for r in statement["readings"]
        if r["because"]
    ]


def cut(text: str, most: int = CELL) -> str:
    """Shorten a text to at most ``most`` characters, at a word boundary."""
    return text if len(text) <= most else f"{text[: most - 4].rsplit(' ', 1)[0]} ..."


def _head(statement: Stored) -> Stored:
    calibrated = f"calibrated on {statement['calibrated']}"
    return {
        "kind": "head",
        "id": statement["id"],
        "where": statement["where"],
        "type": statement["kind"],
        "quote": cut(statement["quote"]),
        "verdict": statement["verdict"],
        "explained": EXPLAINED[statement["verdict"]],
        "marks": [
            (calibrated if mark == "calibrated" else mark, EXPLAINED[mark])
            for mark in statement["marks"]
        ],
        "reason": cut(statement["reason"]),
        "short": cut(statement["short"]),
    }


def _reading(statement: Stored, reading: Stored, whole: bool, axes: Stored) -> Stored:
    parts = statement["parts"] if whole else []
    tables = [_table(statement, reading, part, axes[part["name"]]) for part in parts]
    return {
        "kind": "reading",
        "name": cut(reading["name"], 80),
        "verdict": reading["verdict"],
        "short": cut(summary.of_reading(statement, reading)),
        "because": cut(reading["because"]),
        "marks": [mark for mark in ("stand-in", "simulated") if reading[mark.replace("-", "_")]],
        "notes": [cut(note) for note in reading["notes"]],
        "same": cut(", ".join(reading["same"])),
        "data": cut("; ".join(reading["data"])),
        "rows": reading["rows"],
        "tables": [table for table in tables if table["rows"]],
    }


def _table(statement: Stored, reading: Stored, part: Stored, at: Callable[..., float]) -> Stored:
    """Return the table of a part: its places over the region of the rule, and the paper's numbers.

    Positions are percentages of the width of the column of intervals.
    """
    places = [place for place in reading["places"] if place["part"] == part["name"]]
    mine = [paper for paper in statement["paper"] if paper["part"] == part["name"]]
    single = [_row(place["label"], [place], part, at) for place in places]
    rule = judging.rule_of(part)
    own = {place["label"] for place in places}
    return {
        "part": part["name"],
        "measures": cut(part["measures"]),
        "rule": scope(part),
        "region": (at(rule.low), at(rule.high)),
        "edges": [
            (at(end), words.number(end, part["unit"] if part["unit"] in WITH_UNIT else ""))
            for end in (rule.low, rule.high)
            if math.isfinite(end)
        ],
        "paper": [
            _of_paper(paper, part, at)
            for paper in mine
            if not paper["place"] or paper["place"] in own
        ],
        "rows": single if len(places) <= MOST else _grouped(places, part, at),
        "count": len(places),
        "folded": single if MOST < len(places) <= LISTED else [],
    }


def scope(part: Stored) -> str:
    """Return the rule of a part, and the places to which it applies, in words."""
    over = part["over"]
    ends = [f"{word} {words.number(over[e])}" for e, word in LIMITS.items() if over[e] is not None]
    inside = f" ({' and '.join(ends)})" if ends else ""
    rule = judging.rule_of(part).words(part["unit"])
    return f"{rule}, for {NEEDS[over['need']]} {over['noun']}{inside}"


def _of_paper(paper: Stored, part: Stored, at: Callable[..., float]) -> Stored:
    place = f", {paper['place']}" if paper["place"] else ""
    return {
        "label": f"the paper{place}",
        "number": words.span([paper["low"], paper["high"]], part["unit"]),
        "points": sorted({at(paper["low"]), at(paper["high"])}),
    }


def _row(label: str, places: list[Stored], part: Stored, at: Callable[..., float]) -> Stored:
    """Return a row for one place, or for several places with the same verdict."""
    known = [place for place in places if place["value"] is not None]
    values = [place["value"] for place in known]
    lows, highs = ([place[end] for place in places] for end in ("low", "high"))
    low = -math.inf if None in lows else min(lows)
    high = math.inf if None in highs else max(highs)
    several = f"{summary.span_of(part, known) if known else 'n/a'} at {len(places)} places"
    verdict = _verdict(places[0])
    return {
        "label": cut(label, 120),
        "number": several if len(places) > 1 else summary.one(part, places[0]),
        "verdict": verdict,
        "look": _appearance(places[0]),
        "ends": (at(low), at(high)) if values and _appearance(places[0]) != "few" else (),
        "points": sorted({at(min(values)), at(max(values))}) if values else [],
    }


def _verdict(place: Stored) -> str:
    # "open" would suggest that the data had been judged, but there are too few of them
    few = place["kind"] == "too few" or place["value"] is None
    return "not judged" if not place["judged"] else "too few" if few else place["verdict"]


def _appearance(place: Stored) -> str:
    few = place["kind"] == "too few" or place["value"] is None
    return "few" if few else place["verdict"]


def _grouped(places: list[Stored], part: Stored, at: Callable[..., float]) -> list[Stored]:
    """Return a row for each verdict, which names the consecutive places that have it."""
    rows = []
    for verdict in ORDER:
        mine = [place for place in places if _verdict(place) == verdict]
        runs = [list(run) for same, run in groupby(places, _verdict) if same == verdict]
        # places without an x are grouped by their labels too
        label = "; ".join(summary.where([p | {"x": 0.0} for p in run]) for run in runs)
        rows += [_row(label, mine, part, at)] if mine else []
    return rows


def _axis(statement: Stored, part: Stored) -> Callable[..., float]:
    """Return a function from a number to its position, in percent, on an axis for all readings.

    The axis covers the numbers, the ends of the rule and the paper's numbers. Intervals extend it
    on each side by at most its own length, because one wide interval would squeeze all others.
    """
    rule = judging.rule_of(part)
    places = [p for r in statement["readings"] for p in r["places"] if p["part"] == part["name"]]
    paper = [
        p[end] for p in statement["paper"] for end in ("low", "high") if p["part"] == part["name"]
    ]
    core = _moved([rule.low, rule.high, *paper, *(place["value"] for place in places)], part)
    low, high = min(core, default=0.0), max(core, default=1.0)
    # a single number still needs an axis around it
    room = (high - low) or (0.3 if part["logarithmic"] else abs(high) / 5 or 1.0)
    ends = _moved((place[end] for place in places for end in ("low", "high")), part)
    first = max(min([low, *ends]), low - room) - 0.05 * room
    last = min(max([high, *ends]), high + room) + 0.05 * room

    def at(value: float) -> float:
        if math.isinf(value):
            return 100.0 if value > 0 else 0.0
        moved = _moved([value], part) or [-math.inf]
        return round(min(max(100 * (moved[0] - first) / (last - first), 0.0), 100.0), 1)

    return at


def _moved(values: Iterable[float | None], part: Stored) -> list[float]:
    """Return finite values on a part's axis; a logarithmic axis has no zero."""
    finite = [value for value in values if value is not None and math.isfinite(value)]
    return [math.log10(v) for v in finite if v > 0] if part["logarithmic"] else finite


def _facts(statement: Stored) -> list[tuple[str, str]]:
    """Return what is known about a statement beside its numbers: pairs of a name and a text."""
    timed = "The verdict depends on time or memory, so it can change from run to run."
    facts = [
        ("Why this rule", statement["deviates"]),
        ("Timing", timed if statement["timed"] else ""),
        ("Test changed", statement["changed"]),
    ]
    for entry in statement.get("earlier") or ():
        reading = f" ({entry['reading']})" if entry["reading"] else ""
        why = f": {entry['why']}" if entry["why"] else ""
        facts.append((f"Verdict of {entry['version']}", f"{entry['verdict']}{reading}{why}"))
    return [(name, cut(text)) for name, text in facts if text]
