"""What is said in short: claims of papers, best known answers and published values."""

import json
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest

from spcabench.claims import summary
from spcabench.comparison import best_known
from spcabench.comparison.suite import SUITES
from spcabench.page import certified_page, in_short, papers
from spcabench.showing.words import number
from tests.page.reading import unpacked

PUBLISHED = Path(__file__).parents[2] / "results" / "published"


def test_a_claim_in_short_has_the_numbers_that_decide():
    statements = json.loads((PUBLISHED / "claims.json").read_text())["statements"]
    for paper in papers.in_order({s["paper_key"] for s in statements}):
        mine = {s["id"]: s for s in statements if s["paper_key"] == paper.key}
        told = in_short.sentences(mine.values(), paper.telling)
        for id, text in zip(paper.telling, told, strict=True):
            for reading in summary.first_of_each(mine[id]["readings"]):
                if (mine[id]["verdict"], reading["verdict"]) == ("depends", "open"):
                    continue
                of = [p for p in summary.judged_places(mine[id], reading) if p[1]]
                decide = [p for p in of if reading["verdict"] in {x["verdict"] for x in p[1]}]
                spans = [summary.span_of(*p) for p in decide or of]
                assert [*spans, "no number"][0] in text


def named(cell):
    """Return the text and the address of a cell, which is a pair if it is a link."""
    return (cell, "") if isinstance(cell, str) else cell


def test_every_best_known_answer_has_its_line_and_what_is_published_agrees(tmp_path):
    entries, published = [*best_known.read().values()], certified_page.published()
    proven = {(e.item, e.k): e for e in entries if e.proven and not e.nonnegative}
    every = {(item.name, k) for item in SUITES["certified"] for k in item.ks}
    for answer in published["answers"]:
        pair = answer["instance"], answer["k"]
        assert answer["source"] in published["sources"] and pair[0] in {name for name, _ in every}
        if pair in proven and "value" in answer:
            assert float(answer["value"]) == pytest.approx(proven[pair].value, rel=1e-3)
    for suite in ("certified", "quick"):
        (tmp_path / "compare" / suite).mkdir(parents=True)
        (tmp_path / "compare" / suite / "answers.html").touch()
    certified_page.write(tmp_path, dict(site={}, cite=None))
    lines = {
        (*named(line[0])[0].split("\n"), line[4].split("\n")[0]): line
        for line in unpacked((tmp_path / certified_page.NAME).read_text(encoding="utf-8"))
    }
    assert len(lines) == len(entries)
    kinds = {(i.name, i.nonnegative): i.family for of in SUITES.values() for i in of}
    for e in entries:
        name = e.item + ", x >= 0" * e.nonnegative
        state = "proven" if e.proven else "open"
        line = lines[name, f"{kinds.get((e.item, e.nonnegative), '')}, k={e.k}", state]
        if (e.item, e.k) in every and not e.nonnegative:
            words = urlencode({"problem": e.item, "asked": e.k}, quote_via=quote)
            assert named(line[0])[1] == f"compare/certified/answers.html#answers?{words}"
        assert (line[1], line[2]) == (str(e.k), f"{e.value:.9g}")
        assert line[6] == ", ".join(map(str, e.support))
        assert (f"bound by {e.bound_by}" in line[4]) == bool(e.bound_by)
        assert e.proven or f"gap {number(e.gap, 'share')}" in line[4]
