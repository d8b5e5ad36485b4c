"""What leads from page to page: the search, and the ranks of a solver."""

from pathlib import Path

import pandas as pd

from spcabench.page import (
    publish,
    results_page,
    search_index,
    solver_page,
)
from spcabench.page.tables import whole
from spcabench.showing.words import duration

PUBLISHED = Path(__file__).parents[2] / "results" / "published"


def test_a_document_is_found_by_its_parts():
    html = '<h1 id="a">One &amp; two</h1><p>new\n words</p><h3 id="b" class="x">Part</h3>'
    html += "x" * 400 + '<h4 id="c">inside</h4>'
    assert [*search_index.parts(html, "d.html")] == [
        ("One & two", "new words", "d.html#a"),
        ("One & two: Part", "x" * 300, "d.html#b"),
    ]


def test_a_comparison_has_its_ranks():
    found = results_page.comparisons_of(PUBLISHED, PUBLISHED / "solvers")
    for comparison in found:
        page = PUBLISHED / "solvers" / comparison["path"]
        assert page.is_file() and page.resolve().parent.name == comparison["name"]
        if not page.with_name("ranking.csv").exists():
            assert not comparison["ranks"]
            continue
        table = pd.read_csv(page.with_name("ranking.csv"))
        good = table[table.answered > 0]
        assert comparison["ranks"] == dict(zip(good.solver, good["rank"], strict=True))
        for row in good.to_dict("records"):
            ((link, *numbers),) = solver_page._rank(row["solver"], comparison)
            assert link == (comparison["name"], f"../{comparison['path']}", "", False, False)
            rank = f"{row['rank']} of {len(good)}"
            assert numbers == [rank, whole(row["at 0.999"]), duration(row["time"])]


def test_given_comparisons_are_published_and_others_written_again(tmp_path, monkeypatch):
    told = []
    monkeypatch.setattr(
        publish.comparison_page, "write", lambda at, published: told.append(at.name)
    )
    monkeypatch.setattr(publish.comparison_page, "publish", lambda *pair: told.append(pair))
    for name in ("old", "new"):
        (tmp_path / name / "pictures").mkdir(parents=True)
        for file in ("rows.parquet", "jobs.json", "index.html"):
            (tmp_path / name / file).touch()
    source = tmp_path / "mine" / "new"
    publish._copy_comparisons([source], tmp_path)
    assert told == ["old", (source, tmp_path / "new")] and not (tmp_path / "new").exists()
    assert {file.name for file in (tmp_path / "old").iterdir()} == {"rows.parquet", "jobs.json"}
