"""The files about papers: their order, and error messages for wrong ones."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from spcabench import registry
from spcabench.errors import InputError
from spcabench.page import papers
from spcabench.showing import style

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
