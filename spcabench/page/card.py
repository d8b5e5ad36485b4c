"""Cards of judged statements: one layout as HTML with SVG, text, Markdown and Matplotlib.

A *panel* is one part of a statement in one reading: its rows over an axis, which is the same for
all readings of the part. A *row* is a place, or consecutive places with the same verdict.
"""

import math
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from markupsafe import Markup

from spcabench.claims import judging, words
from spcabench.claims.rules import Rule
from spcabench.claims.summary import BOUNDS, bound_or_value, of_all, thresholds, where
from spcabench.page.render import render

Stored = dict[str, Any]
MOST, BESIDE = 8, 3  # number of rows of a panel, and of readings, that are shown unfolded
CELL = 300  # maximum characters of any text on a card
TABLE = 60  # maximum places of a reading that a table lists one by one
BAR = 30  # width of a row's picture in a terminal, in characters
WIDTH, LINE, CHARACTER = 340, 23, 7.4  # sizes of a panel, in its own pixels
WITH_UNIT = ("s", "B", "share", "%")  # units that are written with each number
# the look of a verdict: its colour and, in pictures, its shape
LOOKS = {"holds": "holds", "checked": "holds", "fails": "fails", "violated": "fails"}
COLOURS = {"holds": "#005f97", "fails": "#a83f00", "undecided": "#555555", "few": "#6f6f6f"}
SHAPES = {"holds": "o", "fails": "s", "undecided": "o", "few": "x"}  # Matplotlib's markers
GLYPHS = {"holds": "●*", "fails": "■X", "undecided": "○o", "few": "×x"}  # and plain ASCII
LIMITS = {"low": "from", "high": "below"}
ASCII = str.maketrans({"–": "-", "≥": ">=", "≤": "<=", "µ": "u"})
SIDES = {"below": "too low", "above": "too high", "both sides": "too low and too high"}
VERDICTS = {
    "holds": "the numbers and their intervals satisfy the rule",
    "fails": "the numbers and their intervals break the rule",
    "undecided": "the data do not decide it",
    "checked": "a theorem: the runs agree with it",
    "violated": "a theorem that the runs contradict, so our code has a bug",
    "pending": "the runs that decide it have not been executed yet",
    "calibration": "this number chose the reading of other statements, so it is not judged",
}
MARKS = {
    "depends": "another reading has another verdict, or fails on the other side",
    "calibrated": "the primary reading is the one closest to another number of the paper",
    "incomplete": "runs are missing, hit a limit, or are too few at some places",
    "stand-in": "measured on other data than the paper's",
    "simulated": "measured on simulated data",
}
# rendered once at import, because all cards share it
STYLE = render("card.css.j2")


@dataclass(frozen=True)
class Axis:
    """An axis from ``low`` to ``high``, in decades or in multiples of ``scale``."""

    low: float
    high: float
    logarithmic: bool
    scale: float = 1.0

    def at(self, value: float) -> float:
        """Return the position of a value, clipped to 0 (left end) and 1 (right end)."""
        place = (_moved(value, self.logarithmic, self.scale) - self.low) / (self.high - self.low)
        return min(max(place, 0.0), 1.0)

    def covers(self, value: float) -> bool:
        """Whether a value lies on the axis."""
        return self.low <= _moved(value, self.logarithmic, self.scale) <= self.high

    def ticks(self, most: int) -> list[float]:
        """Return at most ``most`` round numbers."""
        if not self.logarithmic:
            return [self.scale * tick for tick in _round(self.low, self.high, most)]
        step = max(1, math.ceil((self.high - self.low) / (most - 1)))
        first, last = math.ceil(self.low / step) * step, math.floor(self.high)
        decades = [10.0**power for power in range(first, last + 1, step)]
        # less than a decade contains at most one power of ten, and one tick shows no scale
        if len(decades) > 1:
            return decades
        low, high = 10.0**self.low, 10.0**self.high
        fine = [m * 10.0**p for p in range(math.floor(self.low), last + 1) for m in (1, 2, 5)]
        # 1, 2 and 5 of each decade; if these are too few or too many, any round numbers
        inside = [tick for tick in fine if low <= tick <= high]
        return inside if 1 < len(inside) <= most else _round(low, high, most)


@dataclass(frozen=True)
class Row:
    """A place, or consecutive places with the same verdict: its style, numbers and interval."""

    label: str
    places: list[Stored]
    part: Stored

    @property
    def unit(self) -> str:
        """The unit if it is written with each number, otherwise empty."""
        return _shown(self.part)

    @property
    def look(self) -> str:
        """The style of the row's verdict, or "few" if there are too few replicates."""
        return _look(self.places[0])

    @property
    def judged(self) -> bool:
        """Whether the rule applies to it."""
        return self.places[0]["judged"]

    @property
    def values(self) -> list[float]:
        """The numbers at the row's places."""
        return [place["value"] for place in self.places if place["value"] is not None]

    @property
    def ends(self) -> tuple[float, float]:
        """The lower and upper ends of all intervals together; infinite if an interval is open."""
        lows, highs = ([place[end] for place in self.places] for end in ("low", "high"))
        return (
            -np.inf if None in lows else min(lows),
            np.inf if None in highs else max(highs),
        )

    def number(self) -> str:
        """Return the number, or the range of the numbers, as text."""
        # a bound has a sign: "≥ 40" for a run that was stopped at its limit of 40
        _, sign = BOUNDS.get(self.places[0]["kind"], ("", ""))  # all places are of one kind
        values = [bound_or_value(place) for place in self.places if place["value"] is not None]
        return sign.replace(">=", "≥").replace("<=", "≤") + self._told(span, values).replace(
            " to ", "–"
        )

    def in_words(self) -> str:
        """Return the number with its interval, and the verdict: "229 [148, 354], holds"."""
        place, several = self.places[0], len(self.places) > 1
        verdict = "not judged" if not self.judged else place["verdict"]
        # "undecided" would suggest that the data had been judged, but there are too few of them
        if self.look == "few":
            verdict = f"too few {place['over'] or 'problems'}"
        interval = "" if several else self._interval()
        lacking = f" ({of_all(place)})" if place["missing"] else ""
        count = f" at {len(self.places)} places" if several else lacking
        return f"{self.number()}{interval}{count}, {verdict}"

    def _interval(self) -> str:
        """Return the interval as text, " [148, 354]", or "" if there is none."""
        low, high = self.places[0]["low"], self.places[0]["high"]
        if self.places[0]["kind"] in ("exact", "too few", *BOUNDS) or None in (low, high):
            return ""
        return f" [{self._told(told, low)}, {self._told(told, high)}]"

    def _told(self, how: Callable[..., str], numbers: Any) -> str:
        """Format numbers with enough digits to distinguish them from the thresholds."""
        return how(numbers, self.unit, thresholds(self.part))


@dataclass(frozen=True)
class Panel:
    """One part of a statement in one reading, and the paper's numbers for it."""

    part: Stored
    reading: Stored
    axis: Axis
    rows: list[Row]
    paper: list[Stored]

    @property
    def rule(self) -> Rule:
        """The rule of the panel's part."""
        return judging.rule_of(self.part)

    def split(self) -> tuple[list[Row], list[Row]]:
        """Return the rows that are shown, with failing rows first, and the rows that are folded."""
        # a place that fails is always shown, even after many other places; places that hold are
        # folded first
        numbered = sorted(
            range(len(self.rows)),
            key=lambda i: (not self.rows[i].judged, self.rows[i].look == "holds", i),
        )
        shown = set(numbered[:MOST])
        return (
            [row for i, row in enumerate(self.rows) if i in shown],
            [row for i, row in enumerate(self.rows) if i not in shown],
        )


def told(value: float | None, unit: str = "", apart_from: Sequence[float] = ()) -> str:
    """Format a number like `words.number`, but with a power of ten if it is very large."""
    # larger numbers would fill the cell of a table with their digits
    if value is None or abs(value) <= 1e12 or not math.isfinite(value):
        return words.number(value, unit, apart_from)
    return f"{value:.2e} {'' if unit == 'share' else unit}".strip()


def span(values: Sequence[float], unit: str = "", apart_from: Sequence[float] = ()) -> str:
    """Format the range of numbers."""
    if values and max(map(abs, values)) > 1e12:
        return " to ".join(dict.fromkeys((told(min(values), unit), told(max(values), unit))))
    return words.span(values, unit, apart_from)


def rule_words(part: Stored, unit: str | None = None) -> str:
    """Return the rule of a part in words."""
    rule = judging.rule_of(part)
    unit = part["unit"] if unit is None else unit
    # a rule with two ends is written as a range; one with a single end needs "at least" or "at
    # most"
    both = math.isfinite(rule.low) and math.isfinite(rule.high)
    return span([rule.low, rule.high], unit) if both else rule.words(unit)


def layout(statement: Stored) -> list[list[Panel]]:
    """Return the panels of each reading: first the primary reading, then readings that disagree."""
    primary = judging.of_name(statement["readings"], statement["primary"])
    # readings that disagree come next, because they show why a statement depends on its reading
    wanted = outcome(primary) if primary else ""
    readings = sorted(
        (r for r in statement["readings"] if r["places"]),
        key=lambda r: (r is not primary, outcome(r) in (wanted, "undecided")),
    )
    axes = {}
    for part in statement["parts"]:
        own = [p for r in readings for p in r["places"] if p["part"] == part["name"]]
        axes[part["name"]] = _axis(part, own, _paper(statement, part))
    return [
        [
            Panel(part, reading, axes[part["name"]], rows, _paper(statement, part))
            for part in statement["parts"]
            if (rows := _rows(part, reading))
        ]
        for reading in readings
    ]


def outcome(reading: Stored) -> str:
    """Return the verdict of a reading; for a stand-in, the verdict that its data would give."""
    return reading["would"] or reading["verdict"]


def _paper(statement: Stored, part: Stored) -> list[Stored]:
    return [paper for paper in statement["paper"] if paper["part"] == part["name"]]


def _rows(part: Stored, reading: Stored) -> list[Row]:
    places = [place for place in reading["places"] if place["part"] == part["name"]]
    # few places are shown one by one; grouping is for statements about hundreds of k
    if len(places) <= MOST:
        return [Row(place["label"], [place], part) for place in places]
    return _runs(places, part)


def _runs(places: list[Stored], part: Stored) -> list[Row]:
    """Group consecutive places of the same verdict and kind whose labels differ in numbers only."""

    def alike(place: Stored) -> tuple[Any, ...]:
        # a row has a single sign before its numbers, so bounds and values never share a row
        bound = place["kind"] if place["kind"] in BOUNDS else ""
        return _look(place), place["judged"], bound, re.sub(r"[\d.,]+", "", place["label"])

    runs = [list(run) for _, run in groupby(places, alike)]
    return [Row(where([place | {"x": 0.0} for place in run]), run, part) for run in runs]


def _look(place: Stored) -> str:
    unknown = place["kind"] == "too few" or place["value"] is None
    return "few" if unknown else place["verdict"]


def _moved(value: float, logarithmic: bool, scale: float) -> float:
    if not logarithmic:
        return value / scale
    return math.log10(value) if value > 0 else -math.inf


def _axis(part: Stored, places: list[Stored], paper: list[Stored]) -> Axis:
    """Return an axis that covers the values, the rule's ends and the paper's numbers.

    Intervals can extend the axis to at most three times the length that these need.
    """
    rule, log = judging.rule_of(part), part["logarithmic"]
    core = [place["value"] for place in places] + [p[e] for p in paper for e in ("low", "high")]
    core = [c for c in (*core, rule.low, rule.high) if c is not None and math.isfinite(c)]
    largest = max(map(abs, core), default=1.0) or 1.0
    # in units of its largest number, because rounding would otherwise move the ticks of tiny or
    # huge numbers; 1e-300 keeps the unit positive
    scale = 10.0 ** max(math.floor(math.log10(largest)), -300)
    scale *= 0.6 if part["unit"] == "s" and largest >= 120 else 1.0  # whole minutes
    places_on_axis = [_moved(c, log, scale) for c in core]
    # a logarithmic axis has no zero; if nothing is left to show, any axis will do
    places_on_axis = [f for f in places_on_axis if math.isfinite(f)] or [0.0]
    low, high = min(places_on_axis), max(places_on_axis)
    # intervals can extend the axis on each side by at most its own length, because one wide
    # interval would squeeze all other rows into a point
    room = max(high - low, 0.2 if log else 0.02 * largest / scale)
    ends = [place[e] for place in places for e in ("low", "high") if place[e] is not None]
    moved = [min(max(_moved(e, log, scale), low - room), high + room) for e in ends]
    low, high = min(low, *moved, high), max(low, *moved, high)
    alone = not log and high == low  # a single number: extend the axis by a fifth on either side
    pad = 0.2 * largest / scale if alone else 0.05 * (high - low + room)
    if log:  # stay within the range of floating-point numbers
        return Axis(max(low - pad, -300.0), min(high + pad, 300.0), log)
    return Axis(low - pad, high + pad, log, scale)


def _round(low: float, high: float, most: int) -> list[float]:
    """Return at most ``most`` round numbers between two ends."""
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999)
    return [step * i for i in range(math.ceil(low / step), math.floor(high / step) + 1)]


def ticks(axis: Axis, unit: str, room: float) -> list[tuple[float, str]]:
    """Return as many ticks, with their labels, as fit into ``room`` characters."""
    # the width of labels is known only once they are written, so try fewer ticks until they fit
    for most in (5, 4, 3, 2):
        values = axis.ticks(most)
        labels = [_tick(value, unit) for value in values]
        # rounding can make two ticks look the same
        if len(set(labels)) < len(labels):
            labels = [f"{value:.7g}" for value in values]
        if sum(map(len, labels)) + 2 * len(labels) <= room:
            break
    return list(zip(values, labels, strict=True))


def _tick(value: float, unit: str) -> str:
    # a tick that is almost zero due to rounding is shown as zero
    if value == 0 or abs(value) < 1e-300:
        return "0"
    if unit in WITH_UNIT or 1e-4 <= abs(value) < 1e6:
        return told(value, unit if unit in WITH_UNIT else "")
    digits, power = f"{value:.2e}".split("e")
    high = str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{float(digits):g} × 10{high}".removeprefix("1 × ")


def drawn(panel: Panel, rows: list[Row], title: str = "") -> Stored:
    """Compute the positions of all elements of a panel in its own pixels, with their texts."""
    longest = max(len(row.label) for row in rows)
    # labels to the left of the rows would leave less than half of the panel for the picture
    above = longest > 14  # long labels are placed above their rows
    # a label of wide letters exceeds the mean width, and would be cut at the edge
    left = 8.0 if above else 1.12 * CHARACTER * longest + 12
    right = WIDTH - CHARACTER * max(len(row.number()) for row in rows) - 10
    top, line = (37 if panel.paper else 19), LINE + (15 if above else 0)

    def x(value: float) -> float:
        return round(left + (right - left) * panel.axis.at(value), 1)

    # the paper's number for one place is drawn in its row; one without a place, across the panel
    def lying(paper: Stored) -> Stored:
        return {"ends": (x(paper["low"]), x(paper["high"])), "place": paper["place"]}

    rule, paper, labels = panel.rule, [lying(p) for p in panel.paper], [row.label for row in rows]
    marks = ticks(panel.axis, panel.part["unit"], (right - left) / CHARACTER)
    # the words are to the right of the paper's rightmost number, where they do not cover it
    beside = max((max(p["ends"]) for p in paper), default=left) + 9
    return {
        "title": title,
        "rule": _text(*_edge_of(rule, x), rule_words(panel.part, _shown(panel.part))),
        "frame": (left, right, top, top + line * len(rows)),
        "region": (x(rule.low), x(rule.high)),
        "edges": [x(end) for end in (rule.low, rule.high) if math.isfinite(end)],
        "ticks": [(x(at), _text(x(at), "middle", label)) for at, label in marks],
        "unit": "" if _shown(panel.part) else panel.part["unit"],
        "paper": [p["ends"] for p in paper if p["place"] not in labels],
        "paper_words": _text(beside, "start", _of_paper(panel)),
        "above": above,
        "rows": [
            _drawn_row(row, panel.axis, x)
            | {"y": top + line * (i + 1) - LINE / 2}
            | {"paper": [p["ends"] for p in paper if p["place"] == row.label]}
            for i, row in enumerate(rows)
        ],
    }


def _drawn_row(row: Row, axis: Axis, x: Callable[[float], float]) -> Stored:
    """Return the positions of a row's numbers and interval, and which ends lie outside the axis."""
    return {
        "is": row,
        "x": [x(value) for value in (min(row.values), max(row.values))] if row.values else [],
        "ends": [x(end) for end in row.ends],
        "open": [not axis.covers(end) for end in row.ends],
    }


def _edge_of(rule: Rule, x: Callable[[float], float]) -> tuple[float, str]:
    """Return the position and alignment of a rule's words, inside its region."""
    if math.isfinite(rule.low) and math.isfinite(rule.high):
        return (x(rule.low) + x(rule.high)) / 2, "middle"
    return (x(rule.low), "start") if math.isfinite(rule.low) else (x(rule.high), "end")


def _text(x: float, anchor: str, text: str) -> tuple[float, str, str]:
    """Return a text, shifted to lie inside its panel."""
    # SVG cannot measure text, but the font's mean width is accurate enough
    width = CHARACTER * len(text)
    share = {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor]
    return max(min(x, WIDTH - (1 - share) * width), share * width), anchor, text


def _of_paper(panel: Panel) -> str:
    numbers = [p[end] for p in panel.paper for end in ("low", "high")]
    return f"paper: {span(numbers, _shown(panel.part))}" if numbers else ""


def _shown(part: Stored) -> str:
    """Return the unit of a part if it is written with each number, otherwise ""."""
    return part["unit"] if part["unit"] in WITH_UNIT else ""


def svg(statement: Stored) -> Markup:
    """Return the pictures of a statement, side by side if there is room."""
    return Markup(render("card.html.j2", **_pictures(statement), only=True))


def _pictures(statement: Stored) -> Stored:
    """Return the values for the template: the panels of shown and of folded readings, by part."""
    readings = layout(statement)
    names = [f"{p[0].reading['name']}: {outcome(p[0].reading)}" for p in readings[BESIDE:] if p]
    return {
        "s": statement,
        "looks": LOOKS,
        "explained": VERDICTS,
        "cut": cut,
        "shown": _by_part(statement, readings[:BESIDE]),
        "folded": _by_part(statement, readings[BESIDE:]),
        "folded_names": cut("; ".join(names), 200),
    }


def _by_part(statement: Stored, readings: list[list[Panel]]) -> list[tuple[Stored, list[Any]]]:
    return [
        (part, [_pictured(statement, p) for panels in readings for p in panels if p.part is part])
        for part in statement["parts"]
    ]


def _pictured(statement: Stored, panel: Panel) -> Stored:
    """Return a panel with pictures of its shown rows, and of the other rows."""
    shown, others = panel.split()
    reading = panel.reading
    names = [statement["id"], reading["name"], panel.part["name"], outcome(reading)]
    title = ", ".join(filter(None, names))
    return {
        "reading": reading,
        "verdict": outcome(reading),
        "picture": drawn(panel, shown, title),
        "count": len(others),
        "others": drawn(panel, others, f"{title}, further rows") if others else None,
    }


def html(statement: Stored, figure: Stored) -> Markup:
    """Return a statement's card as HTML.

    figure : its claims file, with the addresses of the pages.
    """
    values: Stored = {
        "figure": figure,
        "side": SIDES.get(statement["side"], ""),
        "marks": MARKS,
        "rules": [scope_words(part) for part in statement["parts"]],
        "printed": [words.span([p["low"], p["high"]]) for p in statement["paper"]],
        "table": table(statement),
        "causes": causes(statement),
    }
    return Markup(render("card.html.j2", **_pictures(statement), **values))


def cut(text: str, most: int = CELL) -> str:
    """Shorten a text to at most ``most`` characters, at a word boundary."""
    return text if len(text) <= most else f"{text[: most - 4].rsplit(' ', 1)[0]} ..."


def scope_words(part: Stored) -> str:
    """Return the rule of a part, and the places to which it applies, in words."""
    over = part["over"]
    ends = [f"{word} {words.number(over[e])}" for e, word in LIMITS.items() if over[e] is not None]
    inside = f" ({' and '.join(ends)})" if ends else ""
    whole = f"for {'all' if over['all'] else 'one or more'} {over['noun']}{inside}"
    name = f"{part['name']}: " if part["name"] else ""
    return f"{name}{rule_words(part)}, {whole}"


def table(statement: Stored) -> list[tuple[str, str, str, str, str]]:
    """Return the numbers of all places: reading, place, number with interval, count and verdict.

    If a reading has very many places, consecutive ones with the same verdict share a line.
    """
    lines = []
    for panels in layout(statement):
        for panel in panels:
            places = [place for row in panel.rows for place in row.places]
            # a longer table is tiresome to scroll, so places with the same verdict share a line
            few = len(places) <= TABLE
            single = [Row(place["label"], [place], panel.part) for place in places]
            for row in single if few else panel.rows:
                number, _, verdict = row.in_words().rpartition(", ")
                over = f"{row.places[0]['count']} {row.places[0]['over']}".strip()
                over = over if row.places[0]["over"] and len(row.places) == 1 else ""
                label = ", ".join(filter(None, [panel.part["name"], row.label]))
                lines.append((panel.reading["name"], label, number, over, verdict))
    return lines


def text(statement: Stored) -> str:
    """Return the card as a few lines, wrapped to the width of the terminal."""
    marks = f" ({', '.join(statement['marks'])})" if statement["marks"] else ""
    reason = f": {statement['reason']}" if statement["reason"] else ""
    lines = [f"{statement['id']} {statement['verdict']}{marks}{reason}"]
    sentences = [*lines, statement["short"], *causes(statement)]
    indents = ["", *["    "] * len(sentences)]
    return "\n".join(map(_wrapped, sentences, indents))


def causes(statement: Stored) -> list[str]:
    """Return why readings come out as they do, each with the name of its reading."""
    told = [(r["name"], r["because"]) for r in statement["readings"] if r["because"]]
    return [why if name == statement["primary"] else f"{name}: {why}" for name, why in told]


def _wrapped(line: str, indent: str) -> str:
    columns = shutil.get_terminal_size().columns
    return textwrap.fill(line, columns, initial_indent=indent, subsequent_indent=f"{indent}    ")


def bars(statement: Stored, encoding: str | None = None) -> str:
    """Return the rows of each reading as lines, with a small character picture if it has room.

    encoding : encoding of the terminal; if it lacks lines and circles, plain ASCII is used.
    """
    # plain is 0 or 1, because it selects a character of each pair in GLYPHS
    plain, columns = 0, shutil.get_terminal_size().columns
    try:
        # printing a character that the terminal cannot encode would raise an error
        "●■○×─│≥–µ".encode(encoding or sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        plain = 1
    lines = []
    for panels in layout(statement):
        lines += [f"{panels[0].reading['name']}: {outcome(panels[0].reading)}"] if panels else []
        for panel in panels:
            rows, others = panel.split()
            label = max(len(row.label) for row in rows)
            # the numbers are never cut; the picture gets the remaining width
            room = columns - label - max(len(row.in_words()) for row in rows) - len("    ")
            quantity = panel.part["name"] or panel.part["measures"]
            lines.append(_wrapped(f"{quantity}: {rule_words(panel.part)}", "  "))
            lines += [
                f"  {row.label:<{label}} {_bar(panel, row, plain, room)}{row.in_words()}"
                for row in rows
            ]
            lines += [f"  and {len(others)} more rows"] if others else []
    text = "\n".join(lines)
    return text.translate(ASCII).encode("ascii", "replace").decode() if plain else text


def _bar(panel: Panel, row: Row, plain: int, room: int) -> str:
    """Return a row's interval, edges of the rule and number as characters, or "" without room."""
    width = min(room, BAR)
    if width < BAR / 3:
        return ""

    def at(value: float) -> int:
        return round((width - 1) * panel.axis.at(value))

    cells = [" "] * width
    if row.look != "few":
        first, last = map(at, row.ends)
        # in this order, because the rule's edges cross the interval and the number covers both
        cells[first : last + 1] = "─-"[plain] * (last + 1 - first)
    for end in (panel.rule.low, panel.rule.high):
        if math.isfinite(end):
            cells[at(end)] = "│|"[plain]
    for value in (min(row.values), max(row.values)) if row.values else ():
        cells[at(value)] = GLYPHS[row.look][plain]
    return "".join([*cells, " "])


def markdown(statement: Stored) -> str:
    """Return the card as Markdown."""
    marks = f" ({', '.join(statement['marks'])})" if statement["marks"] else ""
    code, name = statement.get("code"), statement["id"]
    link = f"[{name}]({code[0][1]})" if code else name
    lines = [f"### {link}: {statement['verdict']}{marks}", f"> {plain_text(statement['quote'])}"]
    lines += [
        plain_text(text)
        for text in (statement["short"], statement["reason"], *causes(statement))
        if text
    ]
    panels = [panel for panels in layout(statement)[:1] for panel in panels]
    for panel in panels:
        rows, _ = panel.split()
        names = panel.reading["name"], rule_words(panel.part)
        head = f"| {' | '.join(map(plain_text, names))} |\n|---|---|"
        body = [f"| {plain_text(r.label)} | {plain_text(r.in_words())} |" for r in rows[:MOST]]
        lines.append("\n".join([head, *body]))
    return "\n\n".join(lines)


def plain_text(text: str) -> str:
    """Return a text on one line, escaped so that Markdown shows it unchanged."""
    # "$" is escaped too, because GitHub renders text between two "$" as mathematics
    return re.sub(r"([\\`*_\[\]<>|$])", r"\\\1", cut(" ".join(str(text).split())))


def figure(statement: Stored) -> Any:
    """Return the pictures of a statement as a Matplotlib figure, for use in a paper."""
    from matplotlib import pyplot

    from spcabench import style

    readings = layout(statement)[:BESIDE]
    # a part without any place would add an empty row of axes
    parts = [p for p in statement["parts"] if any(q.part is p for r in readings for q in r)]
    tall = [
        1 + 0.2 * max(len(q.split()[0]) for r in readings for q in r if q.part is p) for p in parts
    ]
    with pyplot.rc_context(style.RC):
        picture, axes = pyplot.subplots(
            max(len(parts), 1),
            max(len(readings), 1),
            figsize=(3.3 * max(len(readings), 1), sum(tall) or 1),
            squeeze=False,
            height_ratios=tall or None,
        )
        draw(statement, axes)
    return picture


def draw(statement: Stored, axes: Any) -> None:
    """Draw a statement on a grid of axes: a row for each part, a column for each reading."""
    # not every reading has every part, so axes are switched on only where something is drawn
    for axis in axes.flat:
        axis.set_axis_off()
    rows = {part["name"]: i for i, part in enumerate(statement["parts"])}
    for column, panels in enumerate(layout(statement)[: axes.shape[1]]):
        for panel in panels:
            axis = axes[rows[panel.part["name"]], column]
            axis.set_axis_on()
            name = panel.reading["name"] if panel is panels[0] else panel.part["name"]
            axis.set_title(f"{name}: {outcome(panel.reading)}" if panel is panels[0] else name)
            _draw_panel(panel, axis)


def _draw_panel(panel: Panel, axes: Any) -> None:
    rows, rule, at = panel.split()[0], panel.rule, panel.axis.at
    axes.axvspan(at(rule.low), at(rule.high), color=COLOURS["holds"], alpha=0.1, lw=0)
    for end in filter(math.isfinite, (rule.low, rule.high)):
        axes.axvline(at(end), color="black", ls="--", lw=0.8)
    for paper in panel.paper:
        axes.plot([at(paper["low"]), at(paper["high"])], [-0.8, -0.8], "k-d", ms=4, mfc="white")
    for y, row in enumerate(rows):
        if row.values:
            _draw_row(row, y, axes, at)
    axes.set_yticks(range(len(rows)), [row.label for row in rows])
    marks = ticks(panel.axis, panel.part["unit"], 30)
    axes.set_xticks([at(value) for value, _ in marks], [label for _, label in marks])
    # the y axis points down, so that the first row is on top as on the page, below the paper's
    # numbers
    axes.set(xlim=(0, 1), ylim=(len(rows) - 0.4, -1.2 if panel.paper else -0.6))
    axes.set_xlabel("" if panel.part["unit"] in WITH_UNIT else panel.part["unit"])
    axes.grid(False, axis="y")


def _draw_row(row: Row, y: int, axes: Any, at: Callable[[float], float]) -> None:
    colour, alpha = COLOURS[row.look], 1.0 if row.judged else 0.45
    if row.look != "few":
        axes.plot(list(map(at, row.ends)), [y, y], "-", color=colour, alpha=alpha)
    face = "white" if row.look == "undecided" else colour
    ends = [at(value) for value in dict.fromkeys((min(row.values), max(row.values)))]
    looks = {"marker": SHAPES[row.look], "mfc": face, "mec": colour, "ms": 5, "alpha": alpha}
    axes.plot(ends, [y] * len(ends), lw=4, color=colour, solid_capstyle="butt", **looks)
