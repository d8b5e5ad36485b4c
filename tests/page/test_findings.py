"""What is said in short: the first screens, the papers' claims, and the published values."""

import json
import re
from pathlib import Path

from spcabench.comparison import best_known
from spcabench.comparison.suite import SUITES
from spcabench.page import certified_page, in_short, papers

ROOT = Path(__file__).parents[2]
FIRST = ("README.md", "docs/index.md", "spcabench/page/templates/index.html.j2")


def test_the_first_screens_say_the_same_three_sentences():
    texts = [" ".join((ROOT / file).read_text(encoding="utf-8").split()) for file in FIRST]
    (three,) = re.findall(r"spcabench reproduces .*? on its variance\.", texts[0])
    assert len(re.findall(r"\.( |$)", three)) == 3
    assert all(three in text for text in texts)


def test_a_claim_in_short_has_its_verdict_and_the_numbers_of_readings_that_decide():
    run = json.loads((ROOT / "results" / "published" / "claims.json").read_text())["statements"]
    for paper in papers.in_order({s["paper_key"] for s in run}):
        mine = {s["id"]: s for s in run if s["paper_key"] == paper.key}
        told = in_short.sentences(mine.values(), paper.telling)
        assert told and len(told[0].split()) <= 25, told
        for id, text in zip(paper.telling, told, strict=True):
            assert text.startswith(f"{id} {mine[id]['verdict']}")
            names = [r["name"] for r in mine[id]["readings"] if f"({r['name']}: " in text]
            verdicts = {r["verdict"] for r in mine[id]["readings"]}
            assert len(names) == (mine[id]["verdict"] == "depends" or len(verdicts) > 1), text


def test_every_published_answer_is_of_an_instance_and_near_our_value():
    published = certified_page.published()
    names = {item.name for item in SUITES["certified"]}
    entries = {(e.item, e.k): e for e in best_known.read().values()}
    for answer in published["answers"]:
        assert answer["instance"] in names
        assert answer["source"] in published["sources"]
        entry = entries.get((answer["instance"], answer["k"]))
        if entry and "value" in answer:
            assert abs(float(answer["value"]) - entry.value) < 1e-3 * entry.value
