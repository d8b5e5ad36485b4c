"""Forest tables of artificial statements: properties that hold whatever was measured."""

import json
import math
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from spcabench.claims import PaperNumber, Part, Rule, at_least, claim, every, judging
from spcabench.claims import within as between
from spcabench.claims.intervals import Measured
from spcabench.page import forest
from spcabench.page.render import _environment, render

VILE = ("[/b]", "<script>alert(1)</script>", "$x^2$", "a & b", '"quoted"', "|pipe|", "% of it")
PUBLISHED = Path(__file__).parents[2] / "results" / "published" / "claims.json"


def place(label, value, x=None, part="", **measured):
    """Return a measured place, before it is judged."""
    number = asdict(Measured(value, **measured))
    return judging.plain({"label": label, "x": x, "part": part} | number)


def judged(readings, rule=None, **options):
    """Judge a statement with these readings, a mapping from their names to places."""
    options = dict(measures="a ratio", unit="times") | options
    asked = claim(
        "K3", "section 4", options.pop("quote", "the paper's words"), rows=lambda data: [],
        rule=rule or at_least(10), **options,
    )  # fmt: skip
    about = dict(stand_in=False, simulated=False, data=["made up"], rows=1, notes=[], because="")
    stored = [about | {"name": name, "places": places} for name, places in readings.items()]
    return judging.judged(asked.described() | {"readings": stored})


def html(statement, tmp_path):
    """Return the HTML of a statement; fail if it is not well-formed."""
    page = """{% from "forest.html.j2" import forest %}{{ forest(blocks, statement) }}"""
    (tmp_path / "page.html.j2").write_text(page)
    markup = render("page.html.j2", tmp_path, blocks=forest.blocks(statement), statement=statement)
    return ElementTree.fromstring(f"<div>{markup}</div>")


def markdown(statement):
    """Return the Markdown of a statement."""
    module: Any = _environment(None).get_template("forest.md.j2").module
    return str(module.card(forest.blocks(statement), None))


def tables(statement):
    """Return the tables of the first reading."""
    return next((b["tables"] for b in forest.blocks(statement) if b.get("tables")), [])


numbers = st.floats(-9, 9).map(lambda power: 10.0**power)
kinds = st.sampled_from(["exact", "mean", "too few", "at least", "at most", "geometric mean"])


@st.composite
def statements(draw):
    """Draw a judged statement with up to 70 places and several readings."""
    value = st.one_of(numbers, st.just(np.nan))
    ends = sorted(draw(numbers) for _ in range(2))
    if ends[0] == ends[1]:
        ends[1] *= 2
    rule = Rule(*draw(st.sampled_from([(ends[0], np.inf), (-np.inf, ends[1]), tuple(ends)])))
    readings = {}
    for name in draw(st.lists(st.sampled_from(VILE), min_size=1, max_size=4, unique=True)):
        readings[name] = [
            place(
                f"{draw(st.sampled_from(VILE))} k = {k}", draw(value), float(k), kind=draw(kinds),
                spread=draw(st.floats(0, 3)), count=4, over="problems",
            )
            for k in range(draw(st.integers(1, 70)))
        ]  # fmt: skip
    low = draw(st.sampled_from([-np.inf, 2.0]))
    return judged(
        readings, rule, unit=draw(st.sampled_from(["", "times", "s", "B", "share", "%"])),
        at=every("k", low=low), paper=[PaperNumber(*ends)] if draw(st.booleans()) else [],
    )  # fmt: skip


def verdict_of(place):
    few = place["kind"] == "too few" or place["value"] is None
    return "not judged" if not place["judged"] else "too few" if few else place["verdict"]


def shown_rows(table, places):
    """Yield each row of a table with its places: one, or all those with its verdict."""
    single = table["folded"] if len(places) > forest.MOST else table["rows"]
    for row, place in zip(single, places if single else (), strict=True):
        assert row["label"] == place["label"]
        yield row, [place]
    for row in table["rows"] if len(places) > forest.MOST else ():
        mine = [place for place in places if verdict_of(place) == row["verdict"]]
        count = re.search(r" at (\d+) places$", row["number"])
        assert len(mine) == (int(count[1]) if count else 1)
        yield row, mine


@settings(max_examples=50)
@given(statements())
def test_every_place_is_in_a_row_that_is_drawn_to_scale(statement):
    (first, *_), (table,) = statement["readings"], tables(statement)
    (part,), places = statement["parts"], first["places"]
    assert table["count"] == len(places)
    assert len(table["folded"]) == len(places) * (forest.MOST < len(places) <= forest.LISTED)
    assert len(table["rows"]) <= forest.MOST
    rule = (sign * math.inf if end is None else end for sign, end in ends_of(part["rule"]))
    core, wide = [*zip(rule, table["region"], strict=True)], []
    for paper, row in zip(statement["paper"], table["paper"], strict=True):
        core += [(paper["low"], row["points"][0]), (paper["high"], row["points"][-1])]
    covered = 0
    for row, mine in shown_rows(table, places):
        covered += len(mine)
        assert {verdict_of(place) for place in mine} == {row["verdict"]}
        values = [place["value"] for place in mine if place["value"] is not None]
        few = mine[0]["kind"] == "too few" or mine[0]["value"] is None
        assert bool(row["points"]) == bool(values) and bool(row["ends"]) == bool(values and not few)
        if values:
            core += [(min(values), row["points"][0]), (max(values), row["points"][-1])]
        if row["ends"]:
            ends = [[s * math.inf if e is None else e for s, e in ends_of(p)] for p in mine]
            lows, highs = zip(*ends, strict=True)
            wide += zip((min(lows), max(highs)), row["ends"], strict=True)
    assert "&amp;" not in markdown(statement)  # which only HTML needs
    for line in re.findall(r"^\|.*", markdown(statement), re.M):
        assert len(re.findall(r"(?<!\\)\|", line)) == 4, line
    assert covered == len(places) * (1 + bool(table["folded"]))
    assert all(0 < place < 100 for x, place in core if math.isfinite(x))
    check_scale(core, wide, part["logarithmic"])


def ends_of(interval):
    """Return the ends of an interval, each with the sign of the infinity that None means."""
    return (-1, interval["low"]), (1, interval["high"])


def check_scale(core, wide, logarithmic):
    """Assert that positions are those of one axis from 0 to 100; what is outside is at its ends."""

    def moved(x):
        return x if not logarithmic or x == math.inf else math.log10(x) if x > 0 else -math.inf

    drawn = [(moved(x), place) for x, place in (*core, *wide)]
    inside = [(x, place) for x, place in drawn[: len(core)] if math.isfinite(x)]
    (x, p), (y, q) = min(inside), max(inside)
    for at, place in drawn if q - p > 20 else ():  # positions have one decimal
        assert abs(place - min(max(p + (at - x) * (q - p) / (y - x), 0), 100)) < 1
    assert [place for _, place in sorted(drawn)] == sorted(place for _, place in drawn)


def test_a_statement_shows_the_parts_of_the_first_reading_of_each_verdict(tmp_path):
    parts = [Part("time", "the longer time", "s", between(1, 10))]
    places = [place(VILE[1], 20.0), place("n", 3.0, part="time")]
    values = {"a": 20.0, "b": 30.0, "c": 2.0}  # under three readings, of which one fails
    readings = {name: [places[0] | {"value": v}, places[1]] for name, v in values.items()}
    statement = judged(readings, also=parts, paper=[PaperNumber(4, part="time")], quote=VILE[1])
    first, second = tables(statement)
    assert not first["paper"] and second["paper"][0]["number"] == "4 s"
    shown = [b["name"] for b in forest.blocks(statement) if b["kind"] == "reading"]
    assert shown == ["a", "c", "b"]
    assert [bool(b["tables"]) for b in forest.blocks(statement)[1:4]] == [True, True, False]
    assert "".join(html(statement, tmp_path).itertext()).count(VILE[1]) >= 2  # not as an element


def test_every_published_reading_has_its_verdict(tmp_path):
    for statement in json.loads(PUBLISHED.read_text())["statements"]:
        markup = html(statement, tmp_path)
        shown = [e for e in markup.iter("strong") if "verdict" in e.get("class").split()]
        readings = [r for r in statement["readings"] if r["places"]]
        assert len(shown) == 1 + len(readings), statement["id"]
        facts = [name for name, _ in forest.blocks(statement)[-1]["facts"]]
        assert ("Test changed" in facts) == (statement["changed"] != "")
