"""Forest tables of artificial statements: properties that hold whatever was measured."""

import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcabench.claims import PaperNumber, Part, Rule, at_least, claim, every, judging
from spcabench.claims import within as between
from spcabench.claims.intervals import Measured
from spcabench.page import forest, forest_text
from spcabench.page.render import _environment, render

VILE = ("[/b]", "<script>alert(1)</script>", "$x^2$", "a & b", '"quoted"', "|pipe|", "% of it")
PUBLISHED = Path(__file__).parents[2] / "results" / "published" / "claims.json"
PAGE = """{% from "forest.html.j2" import forest %}{{ forest(blocks, statement) }}"""


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
    (tmp_path / "page.html.j2").write_text(PAGE)
    markup = render("page.html.j2", tmp_path, blocks=forest.blocks(statement), statement=statement)
    return ElementTree.fromstring(f"<div>{markup}</div>")


def markdown(statement):
    """Return the Markdown of a statement."""
    module: Any = _environment(None).get_template("forest.md.j2").module
    return str(module.card(forest.blocks(statement), None))


def tables(statement):
    """Return the tables of the first reading."""
    return next((b["tables"] for b in forest.blocks(statement) if b.get("tables")), [])


def texts(value):
    """Return all texts of the blocks."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value
    return (
        [] if not isinstance(value, list | tuple | dict) else [t for p in parts for t in texts(p)]
    )


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


@given(statements())
def test_no_text_is_long_and_every_place_has_its_number_once(statement):
    blocks = forest.blocks(statement)
    assert all(len(text) <= forest.CELL for text in texts(blocks))
    (first, *_) = statement["readings"]
    (table,) = tables(statement)
    assert table["count"] == len(first["places"])
    if len(first["places"]) <= forest.LISTED:
        single = table["folded"] or table["rows"]
        assert [row["label"] for row in single] == [p["label"] for p in first["places"]]
    assert len(table["rows"]) <= forest.MOST
    for line in markdown(statement).splitlines():
        assert all(len(c) <= 2 * forest.CELL for c in re.split(r"(?<!\\)\|", line))


@given(statements())
def test_intervals_are_drawn_around_their_numbers_and_inside_the_region_if_they_hold(statement):
    (table,) = tables(statement)
    low, high = table["region"]
    for row in (*table["rows"], *table["folded"]):
        drawn = [*row["ends"][:1], *row["points"], *row["ends"][1:]]
        assert drawn == sorted(drawn) and all(0 <= x <= 100 for x in drawn)
        if row["verdict"] == "holds":
            assert low <= drawn[0] and drawn[-1] <= high, row


@given(statements())
def test_grouped_places_are_counted_once_and_a_failing_one_has_a_row(statement):
    (table,) = tables(statement)
    (first, *_) = statement["readings"]
    if table["count"] > forest.MOST:
        counts = [re.search(r" at (\d+) places$", row["number"]) for row in table["rows"]]
        assert sum(int(found[1]) if found else 1 for found in counts) == table["count"]
    worst = {p["verdict"] for p in first["places"] if p["judged"] and p["kind"] != "too few"}
    assert ("fails" in worst) == ("fails" in {row["verdict"] for row in table["rows"]})


@pytest.mark.parametrize("columns", [30, 60, 100])
def test_a_statement_is_as_wide_as_the_terminal_and_loses_no_number(columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    places = [place("1-2 %", 9.9996, 1.0), place("2-5 %", 12.5, 2.0)]
    statement = judged({"as run": places, "otherwise": places[1:]})
    lines = forest_text.text(statement).splitlines()
    assert max(map(len, lines)) <= columns
    for number in ("9.9996", "12.5", "at least 10 times"):
        assert number in " ".join(" ".join(lines).split())


def test_a_bound_is_drawn_open_on_its_side():
    measured = dict(kind="at least", spread=0.1, count=4, over="problems")
    ((row,),) = (t["rows"] for t in tables(judged({"ours": [place("n", 20.0, **measured)]})))
    assert row["ends"][0] > 0 and row["ends"][1] == 100
    assert row["number"].startswith("at least")


def test_the_papers_number_is_a_row_of_its_part():
    parts = [Part("time", "the longer time", "s", between(1, 10))]
    places = [place("n", 20.0), place("n", 3.0, part="time")]
    statement = judged({"ours": places}, also=parts, paper=[PaperNumber(4, part="time")])
    first, second = tables(statement)
    assert not first["paper"] and second["paper"][0]["number"] == "4 s"


def test_the_first_reading_of_each_verdict_has_its_places():
    readings = {"a": [place("n", 20.0)], "b": [place("n", 30.0)], "c": [place("n", 2.0)]}
    shown = [b["name"] for b in forest.blocks(judged(readings)) if b.get("tables")]
    assert shown == ["a", "c"]


def test_every_published_reading_has_its_verdict(tmp_path):
    for statement in json.loads(PUBLISHED.read_text())["statements"]:
        markup = html(statement, tmp_path)
        shown = [e for e in markup.iter("strong") if "verdict" in e.get("class").split()]
        readings = [r for r in statement["readings"] if r["places"]]
        assert len(shown) == 1 + len(readings), statement["id"]
