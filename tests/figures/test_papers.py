"""The files about papers, and what all figures have in common."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from spcabench import registry
from spcabench.errors import InputError
from spcabench.page import claims_file, draw, papers, verify
from spcabench.showing import style
from spcabench.solving.status import GOOD

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Add another folder of figures."""
    package = import_module(registry.PACKAGES["figure"])
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    return tmp_path


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("authors = [", "trial2001.toml: .* of a paper's file are authors, year, title, venue"),
        ('authors = ["A"]\njournal = "B"', "unexpected keyword argument 'journal'"),
        ("year = 2001", "trial2001.toml: 'authors'"),
    ],
)
def test_a_file_that_is_wrong_is_named(folder, text, reason):
    (folder / "trial2001.toml").write_text(text)
    with pytest.raises(InputError, match=reason):
        papers.paper("trial2001")


def test_the_paper_of_the_documents_is_one(folder):
    text = (ROOT / "docs" / "new_figure.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", text, re.S)
    (folder / "author2025.toml").write_text(example)
    assert papers.paper("author2025").name == "Author, Friend (2025)"


@pytest.mark.parametrize("name", registry.names("figure"))
def test_letters_have_one_size_in_all_figures(name):
    # a page scales a picture that is wider than its column
    assert registry.module("figure", name).SIZE[0] <= style.WIDEST
    assert not re.search(r"(font|label)size=\d", registry.path("figure", name).read_text())


def _places(statement, data):
    """Return the numbers of a statement at each place of each reading."""
    readings = statement.judge(data)["readings"]
    keys = ("part", "label", "value", "spread", "count")
    return {(r["name"], *(p[key] for key in keys)) for r in readings for p in r["places"]}


@pytest.mark.parametrize("name", ["asteris2014_fig5", "he2010_fig2", "kuleshov2013_fig4"])
def test_a_statement_needs_no_rows_but_its_own(name):
    module = registry.module("figure", name)
    rows, data = draw._loaded(module, verify.rows_of(ROOT / "results" / "published", name))
    good = rows[rows.status.isin(GOOD)]
    for statement in claims_file.statements(module):
        names = " ".join(row for _, table in statement.tables(data) for row in table.row)
        alone = module.data(good[good.row.isin(names.split())].reset_index(drop=True))
        assert _places(statement, data) == _places(statement, alone)
