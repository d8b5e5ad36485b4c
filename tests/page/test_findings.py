"""What is said in short: counts of verdicts, claims of papers, proven and published values."""

import json
import re
from collections import Counter
from pathlib import Path
from urllib.parse import quote, urlencode

from spcabench.claims import summary
from spcabench.comparison import best_known
from spcabench.comparison.suite import SUITES
from spcabench.page import certified_page, findings, in_short, papers
from spcabench.showing.words import number
from tests.page.reading import unpacked

PUBLISHED = Path(__file__).parents[2] / "results" / "published"
STATEMENTS = json.loads((PUBLISHED / "claims.json").read_text())["statements"]


def test_verdicts_are_counted_and_those_that_fail_come_first():
    own = [s for s in STATEMENTS if s["kind"] != "theorem"]
    verdicts = Counter(s["verdict"] for s in own)
    counts = in_short.counts(STATEMENTS)
    assert counts == dict.fromkeys(in_short.WORDS, 0) | verdicts | {
        "judged": len(own), "theorems": len(STATEMENTS) - len(own),
    }  # fmt: skip
    told = in_short.told(
        {"holds": 2, "depends": 1, "open": 0, "fails": 1, "judged": 4, "theorems": 1}
    )
    assert told == "4 statements: 2 hold, 1 depends, 1 fails; 1 theorem checked"
    words = [(s["kind"] == "theorem", s["verdict"]) for s in in_short.ordered(STATEMENTS)]
    assert words == sorted(words, key=lambda w: (w[0], in_short.WORDS.index(w[1])))
    changed = sum(s["changed"] != "" for s in own)
    assert in_short.header(STATEMENTS).startswith(f"{changed} of {len(own)} statements")
    name, *line = findings._counted("all", STATEMENTS)
    assert (name, line[0], line[-1]) == ("all", len(own), counts["theorems"])
    assert line[1:-1] == [verdicts[word] for word in ("holds", "fails", "depends", "open")]
    front = findings.front("home/")
    assert f"Of {len(own)} statements from these papers, {verdicts['holds']} hold" in front
    assert f"home/figures/{findings.COVER}/figure.svg" in front


def test_a_claim_in_short_has_its_verdict_and_the_numbers_of_readings_that_decide():
    for paper in papers.in_order({s["paper_key"] for s in STATEMENTS}):
        mine = {s["id"]: s for s in STATEMENTS if s["paper_key"] == paper.key}
        told = in_short.sentences(mine.values(), paper.telling)
        for id, text in zip(paper.telling, told, strict=True):
            s = mine[id]
            assert text.startswith(f"{id} {s['verdict']}")
            assert (" on other data: " in text) == ("stand-in" in s["marks"])
            names = [r["name"] for r in s["readings"] if f"({r['name']}: " in text]
            first = summary.first_of_each(s["readings"])
            if s["verdict"] == "depends":
                first = [r for r in first if r["verdict"] != "open"]
            assert len(names) == (len(first) > 1), text
            for reading in first:
                of = summary.judged_places(s, reading)
                spans = [summary.span_of(*p) for p in of if p[1]]
                decide = [
                    summary.span_of(*p)
                    for p in of
                    if reading["verdict"] in {x["verdict"] for x in p[1]}
                ]
                assert (decide or spans or ["no number"])[0] in text


def test_numbers_of_the_article_are_those_of_their_reading_and_part():
    numbers = findings.Numbers(STATEMENTS)
    for s in STATEMENTS:
        for reading in s["readings"]:
            of = [(p, places) for p, places in summary.judged_places(s, reading) if places]
            for part, places in of:
                found = numbers.of(s["id"], reading["name"], part["name"])
                assert found["one"] == summary.one(part, places[0])
                assert found["value"] == summary.span_of(part, places[:1])
                assert found["range"] == summary.span_of(part, places)
                exact = [p for p in places if p["kind"] == "exact"]
                if exact == places:
                    most = [p for p in exact if p["value"] == max(x["value"] for x in exact)]
                    assert found["high"] == summary.span_of(part, most[:1])
            if of and reading is s["readings"][0] and of[0][0] is s["parts"][0]:
                assert numbers.of(s["id"]) == numbers.of(s["id"], reading["name"], of[0][0]["name"])
        assert numbers.link(s["id"]).endswith(f"{s['paper_key']}.md): {s['verdict']}")
    ranges = [numbers.of("K18", f"GPower1, {how}")["range"] for how in ("as returned", "refitted")]
    assert re.findall(r" in (\S+ %|\S+ to \S+ %) ", findings.caption(STATEMENTS)) == ranges
    assert not findings.caption([s for s in STATEMENTS if s["id"] != "K18"])


def named(cell):
    """Return the text and the address of a cell, which is a pair if it is a link."""
    return (cell, "") if isinstance(cell, str) else cell


def test_proven_optima_are_counted_and_compared_with_what_is_published(tmp_path):
    entries, published = [*best_known.read().values()], certified_page.published()
    proven = {(e.item, e.k): e for e in entries if e.proven and not e.nonnegative}
    every = {(item.name, k) for item in SUITES["certified"] for k in item.ks}
    listed = {(e.item, e.k) for e in entries if not e.nonnegative}
    counts = [proven.keys() & every, listed & every, [e for e in entries if e.proven], entries]
    found = re.findall(r"(\d+) of (\d+) ", certified_page.proven())
    assert [int(n) for pair in found for n in pair] == [*map(len, counts)]
    far = []
    for answer in published["answers"]:
        pair = answer["instance"], answer["k"]
        assert answer["source"] in published["sources"] and pair[0] in {name for name, _ in every}
        if pair in proven and "value" in answer:
            off = abs(float(answer["value"]) - proven[pair].value)
            assert off < 1e-3 * proven[pair].value
            if off > 10.0 ** -len(answer["value"].partition(".")[2]):
                far.append(f"{pair[0]}, k = {pair[1]}: {answer['value']} published")
    told = certified_page.contradicted()
    assert f" of {len(far)} published" in told and all(words in told for words in far)
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
    (line,) = [x for (name, about, _), x in lines.items() if name == "pitprops" and x[1] == "5"]
    assert "3.40615495 in 3 to 8 s (li)" in line[3] and "3.406 (bertsimas)" in line[3]
    names = [name for name, *_ in lines]
    certified = [name.partition(",")[0] in {i for i, _ in every} for name in names]
    assert certified == sorted(certified, reverse=True)
