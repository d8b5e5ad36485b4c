"""The files about papers, and what all figures have in common."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from spcabench import registry
from spcabench.errors import InputError
from spcabench.page import claims_file, draw, papers, verify
from spcabench.solving.status import GOOD

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Add another folder of figures."""
    package = import_module(registry.PACKAGES["figure"])
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    return tmp_path


@pytest.mark.parametrize("text", ["authors = [", 'authors = ["A"]\njournal = "B"', "year = 2001"])
def test_a_file_that_is_wrong_is_named(folder, text):
    (folder / "trial2001.toml").write_text(text)
    with pytest.raises(InputError, match=r"trial2001\.toml"):
        papers.paper("trial2001")


def test_the_paper_of_the_documents_is_one(folder):
    text = (ROOT / "docs" / "new_figure.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", text, re.S)
    (folder / "author2025.toml").write_text(example)
    assert papers.paper("author2025").name == "Author, Friend (2025)"


def _places(statement, data):
    """Return the numbers of a statement at each place of each reading."""
    readings = statement.judge(data)["readings"]
    keys = ("part", "label", "value", "spread", "count")
    return {(r["name"], *(p[key] for key in keys)) for r in readings for p in r["places"]}


def test_a_statement_needs_no_rows_but_its_own():
    name = "he2010_fig2"
    module = registry.module("figure", name)
    rows, data = draw._loaded(module, verify.rows_of(ROOT / "results" / "published", name))
    good = rows[rows.status.isin(GOOD)]
    for statement in claims_file.statements(module):
        names = " ".join(row for _, table in statement.tables(data) for row in table.row)
        alone = module.data(good[good.row.isin(names.split())].reset_index(drop=True))
        assert _places(statement, data) == _places(statement, alone)
