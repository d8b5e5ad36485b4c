"""The page of the best known answers: each has its line, and published values agree."""

from urllib.parse import quote, urlencode

import pytest

from spcabench.comparison import best_known
from spcabench.comparison.suite import SUITES
from spcabench.page import certified_page
from spcabench.showing.words import number
from tests.page.reading import unpacked


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
