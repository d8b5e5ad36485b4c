"""The files about papers: their order, and error messages for wrong ones."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from spcabench import registry
from spcabench.errors import InputError
from spcabench.page import papers, render
from spcabench.showing import style

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Add another folder of figures."""
    package = import_module(registry.PACKAGES["figure"])
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    return tmp_path


def test_every_figure_has_a_paper_with_its_words():
    keys = {papers.key_of(name) for name in registry.names("figure")}
    shown = papers.in_order(keys)
    assert all(paper.authors and paper.title and paper.year for paper in shown)


def test_every_file_belongs_to_a_figure():
    keys = {papers.key_of(name) for name in registry.names("figure")}
    assert {file.stem for file in papers._files()} == keys


def test_a_paper_without_a_file_has_its_key_and_comes_last():
    shown = papers.in_order(["unknown1999", "he2010"])
    assert [paper.name for paper in shown] == ["He, Monteiro, Park (2010)", "unknown1999"]
    assert shown[1].reference == ""


def test_papers_at_one_place_are_in_the_order_of_their_keys(folder):
    for key in ("b2001", "a2001"):
        (folder / f"{key}.toml").write_text('authors = ["Somebody"]\nyear = 2001\nplace = 9\n')
    shown = papers.in_order(["b2001", "he2010", "a2001"])
    assert [paper.key for paper in shown] == ["he2010", "a2001", "b2001"]


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


def test_pages_escape_what_they_show_and_documents_do_not(tmp_path):
    for name in ("trial.html.j2", "trial.md.j2"):
        (tmp_path / name).write_text("{{ text }} {{ text|cell }}\n")
    text = "a < b | c"
    assert render.render("trial.html.j2", tmp_path, text=text) == "a &lt; b | c a &lt; b \\| c\n"
    assert render.render("trial.md.j2", tmp_path, text=text) == "a < b | c a < b \\| c\n"


@pytest.mark.parametrize("name", registry.names("figure"))
def test_letters_have_one_size_in_all_figures(name):
    # a page scales a picture that is wider than its column
    assert registry.module("figure", name).SIZE[0] <= style.WIDEST
    assert not re.search(r"(font|label)size=\d", registry.path("figure", name).read_text())
