"""Cards of artificial statements: sentences that they must always or must never contain."""

import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import asdict
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcabench.claims import (
    Measured,
    PaperNumber,
    Part,
    Rule,
    at_least,
    claim,
    every,
    exact,
    judging,
    summary,
    within,
)
from spcabench.page import card

ROWS = {"data": ["made up"], "rows": 1, "notes": [], "stand_in": False, "simulated": False}
VILE = ("[/b]", "<script>alert(1)</script>", "$x^2$", "a & b", '"quoted"', "|pipe|", "% of it")
PUBLISHED = Path(__file__).parents[2] / "results" / "published" / "claims.json"
LETTERS = 13  # pixels of the letters of a card
NUMBER = re.compile(r"-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?")


def Place(label, measured, x=np.nan, part=""):
    """Return a place as plain data."""
    return judging.plain({"label": label, "x": x, "part": part} | asdict(measured))


def judged(readings, parts=(), rule=None, **fields):
    """Judge a statement with these readings: name -> places."""
    about = dict(measures="a ratio", unit="", primary=next(iter(readings), ""), why="it is named")
    about |= dict(rule=rule or at_least(10), also=parts)
    written = claim("K3", "section 4", "the paper's words", rows=list, **about | fields)
    of = [ROWS | {"name": n, "because": "", "places": p} for n, p in readings.items()]
    return judging.judged(written.described() | {"readings": of})


def texts(markup):
    """Return the text of each cell, item, heading and paragraph."""
    tags = {"p", "td", "th", "dd", "dt", "summary", "h3", "text", "title"}
    root = ElementTree.fromstring(f"<div>{markup}</div>")
    return [(e.tag, "".join(e.itertext()).strip()) for e in root.iter() if e.tag in tags]


def descriptions(markup):
    """Return the text alternatives of the pictures; fail if they are not well-formed XML."""
    root = ElementTree.fromstring(f"<div>{markup}</div>")
    return [
        (svg.get("aria-label"), svg.findtext("desc")) for svg in root.iter("svg") if svg.get("role")
    ]


def shown_rows(markup):
    """Return how many rows each unfolded picture has."""
    root = ElementTree.fromstring(f"<div>{markup}</div>")
    folded = {svg for fold in root.iter("details") for svg in fold.iter("svg")}
    pictures = [svg for svg in root.iter("svg") if svg.get("role") and svg not in folded]
    return [sum((g.get("class") or "").startswith("row") for g in p.iter("g")) for p in pictures]


finite = st.floats(-1e9, 1e9).filter(lambda v: v == 0 or abs(v) > 1e-9)
positive = st.floats(-12, 12).map(lambda power: 10.0**power)
kinds = st.sampled_from(["exact", "mean", "too few", "at least", "at most", "geometric mean"])
labels = st.sampled_from([*VILE, "k = 5", "p = 200", "a place with a rather long name"])


@st.composite
def statements(draw):
    log = draw(st.booleans())
    values = st.one_of(positive, st.just(np.nan)) if log else st.one_of(finite, st.just(np.nan))
    ends = sorted(draw(positive if log else finite.filter(bool)) for _ in range(2))
    rule = Rule(*draw(st.sampled_from([(ends[0], np.inf), (-np.inf, ends[1]), tuple(ends)])))
    readings = {}
    for name in draw(st.lists(st.sampled_from(VILE), min_size=1, max_size=5, unique=True)):
        count = draw(st.integers(1, 30))
        readings[name] = [
            Place(
                draw(labels) if count < 4 else f"k = {k}",
                Measured(draw(values), draw(kinds), draw(st.floats(0, 3)), 4, "problems"),
                float(k),
            )
            for k in range(count)
        ]
    low = draw(st.sampled_from([-np.inf, 2.0]))
    paper = [PaperNumber(*ends)] if draw(st.booleans()) else []
    return judged(
        readings, rule=rule, unit=draw(st.sampled_from(["", "times", "s", "B", "share", "%"])),
        at=every("k", low=low), paper=paper,
    )  # fmt: skip


@given(statements())
def test_whatever_was_measured_a_card_is_whole(statement):
    markup = card.html(statement, {"short": "fig2", "numbers": "rows.html"})
    for tag, text in texts(markup):
        assert len(text) <= card.CELL, (tag, text)
    assert all(count <= card.MOST for count in shown_rows(card.svg(statement)))
    for line in card.markdown(statement).splitlines():
        assert all(len(c) <= 2 * card.CELL for c in re.split(r"(?<!\\)\|", line))
    assert card.bars(statement, "ascii").isascii()
    assert card.text(statement).startswith("K3")


@given(statements())
def test_numbers_of_the_text_alternative_are_those_of_the_places(statement):
    units = {part["unit"] for part in statement["parts"]}
    known = [
        p[e] for r in statement["readings"] for p in r["places"] for e in ("value", "low", "high")
    ]
    ends = summary.thresholds(statement["parts"][0])
    known += ends
    known += [p[e] for p in statement["paper"] for e in ("low", "high")]
    allowed = {
        number
        for value in known
        if value is not None
        for unit in units
        for of in (unit, "")
        for apart_from in (ends, [])
        for number in NUMBER.findall(card.told(value, of, apart_from))
    }
    names = "|".join(
        map(
            re.escape,
            sorted({*VILE, "p = 200", *(f"k = {k}" for k in range(30))}, key=len, reverse=True),
        )
    )
    for _, description in descriptions(card.svg(statement)):
        message = re.sub(r"k = \d+ to \d+| at \d+ places", "", description)
        message = re.sub(names, "", message)
        numbers = [number.lstrip("-") for number in NUMBER.findall(message)]
        assert set(numbers) <= {number.lstrip("-") for number in allowed}, description


@pytest.mark.parametrize("columns", [30, 60, 100])
def test_a_card_is_as_wide_as_the_terminal_and_loses_no_number(columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    readings = {"as run": [Place("1-2 %", exact(9.9996), 1.0), Place("2-5 %", exact(12.5), 2.0)]}
    statement = judged(readings, measures="flops of the first / flops of the second")
    lines = f"{card.text(statement)}\n{card.bars(statement)}".splitlines()
    assert max(map(len, lines)) <= columns
    assert any("9.9996, fails" in line for line in lines)
    assert any("●" in line for line in lines) == (columns > 30)


def test_a_long_series_is_told_in_runs():
    places = [
        Place(f"k = {k}", Measured(5.0 if k < 5 else 10.0 + k), float(k)) for k in range(1, 362)
    ]
    statement = judged({"ours": places})
    assert shown_rows(card.svg(statement)) == [2]
    description = descriptions(card.svg(statement))[0][1]
    assert "k = 1 to 4: 5 at 4 places, fails" in description
    assert "k = 5 to 361: 15–371 at 357 places, holds" in description


def test_what_fails_is_never_folded():
    values = [20.0, 5.0] * 20
    places = [Place(f"k = {k}", Measured(v + k / 100), float(k)) for k, v in enumerate(values)]
    panel = card.layout(judged({"ours": places}))[0][0]
    shown, folded = panel.split()
    assert [row.look for row in shown] == ["fails"] * card.MOST
    assert len(shown) + len(folded) == 40


def test_every_verdict_and_mark_is_shown_and_explained():
    judgement = judged({"ours": [Place("n", Measured(20.0))]})
    for verdict, mark in product(card.VERDICTS, card.MARKS):
        statement = judgement | {"verdict": verdict, "marks": [mark]}
        markup = card.html(statement, {})
        assert card.VERDICTS[verdict].replace("'", "&#39;") in markup
        assert card.MARKS[mark].replace("'", "&#39;") in markup
        assert card.text(statement).startswith(f"K3 {verdict} ({mark})")
        assert verdict in card.markdown(statement)


@pytest.mark.parametrize("name", VILE)
def test_names_are_shown_as_they_are_written(name):
    statement = judged({name: [Place(name, Measured(20.0))]}) | {"cause": name, "quote": name}
    root = ElementTree.fromstring(f"<div>{card.html(statement, {})}</div>")
    assert not list(root.iter("script"))
    assert name in [text.text for text in root.iter("text")]
    assert "<script>" not in re.sub(r"\\<", "", card.markdown(statement))


def test_shapes_tell_verdicts_apart_without_colour():
    kinds = {"a": Measured(20.0), "b": Measured(5.0), "c": Measured(10.0, "mean", 1.0, 4)}
    statement = judged(
        {"ours": [Place(k, m) for k, m in {**kinds, "d": Measured(9.0, "too few")}.items()]}
    )
    groups = re.findall(r'<g class="row (\w[\w ]*)">(.*?)</g>', str(card.svg(statement)), re.S)
    shapes = {look: re.sub(r"[\d.]+|<title>.*?</title>", "", body) for look, body in groups}
    assert list(shapes) == ["holds", "fails", "undecided", "few"]
    assert len(set(shapes.values())) == 4


def test_a_bound_is_drawn_open_on_its_side():
    places = [Place("n", Measured(20.0, "at least", 0.1, 4, "problems"))]
    panel = card.layout(judged({"ours": places}))[0][0]
    assert card.drawn(panel, panel.rows)["rows"][0]["open"] == [False, True]
    assert panel.rows[0].number().startswith("≥ ")


def test_other_parts_have_an_axis_of_their_own():
    parts = [Part("time", "the longer time", "s", within(1, 10))]
    places = [Place("n", Measured(20.0)), Place("n", Measured(3.0), part="time")]
    statement = judged({"ours": places}, parts)
    assert [d[0] for d in descriptions(card.svg(statement))] == [
        "K3, ours, holds",
        "K3, ours, time, holds",
    ]
    assert "at most" not in card.scope_words(statement["parts"][1])


def test_a_statement_without_runs_has_a_card():
    statement = judged({}, pending="the paper-scale runs")
    markup = card.html(statement, {})
    assert "pending" in markup and not descriptions(card.svg(statement))
    assert card.text(statement) and card.markdown(statement) and card.bars(statement) == ""


def test_a_card_is_drawn_with_matplotlib():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    places = [Place("a", Measured(20.0)), Place("b", Measured(np.nan, "too few", 0.0, 0))]
    statement = judged({"ours": places, "other": places[:1]}, paper=[PaperNumber(10, 100)])
    figure = card.figure(statement)
    assert len(figure.axes) == 2
    figure.draw_without_rendering()
    pyplot.close(figure)


def test_no_label_of_a_published_card_is_cut():
    """Measured with a wide font, a label of a row fits between the edge and the picture."""
    fonts = pytest.importorskip("matplotlib.font_manager")
    from matplotlib.textpath import TextPath

    font = fonts.FontProperties(family="DejaVu Sans")
    statements = json.loads(PUBLISHED.read_text())["statements"]
    panels = [p for s in statements for panels in card.layout(s) for p in panels if p.rows]
    for panel in panels:
        picture = card.drawn(panel, panel.rows)
        room = card.WIDTH if picture["above"] else picture["frame"][0] - 8
        for label in {row.label[:46].replace("$", r"\$") for row in panel.rows}:
            assert TextPath((0, 0), label, size=LETTERS, prop=font).get_extents().x1 <= room, label
