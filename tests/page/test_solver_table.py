"""The table of all methods: made from the solvers' own files, and as they are."""

import ast
import json
import sys

import pytest

from spcabench import registry
from spcabench.cli import application as command_line
from spcabench.page import solver_table

METHODS = {method.name: method for method in solver_table.methods()}


def test_the_document_has_the_table_as_the_solvers_have_it():
    text = solver_table.DOCUMENT.read_text(encoding="utf-8")
    assert solver_table.with_table(text) == text, "make docs renews it"


def test_every_solver_is_listed_by_year():
    assert set(METHODS) == set(registry.names("solver"))
    assert len(METHODS) >= 40
    years = [method.year for method in METHODS.values() if method.year]
    assert years == sorted(years)


@pytest.mark.parametrize("name", METHODS)
def test_what_is_listed_stands_in_the_file(name):
    method = METHODS[name]
    text = ast.get_docstring(ast.parse(registry.path("solver", name).read_text(encoding="utf-8")))
    flat = " ".join(text.split())
    assert method.paper.rstrip(")") in flat
    assert method.paper.count("(") == method.paper.count(")")
    assert method.year is None or str(method.year) in method.paper
    for words in (method.cost, method.code):
        assert words in flat
    assert method.address == "" or method.address.split("/")[-1].removeprefix("arXiv.") in flat


@pytest.mark.parametrize(
    ("paragraph", "expected"),
    [
        ('A, "B", J 1 (2001), doi:10.1/x.y: more.', ('A, "B", J 1 (2001)', 2001, "10.1/x.y")),
        ("A, arXiv:2007.00596 (2020).", ("A, arXiv:2007.00596 (2020)", 2020, "arXiv.2007.00596")),
        ("Defined here (A 1999, page 2).", ("Defined here (A 1999)", 1999, "")),
        ("Nothing.", ("", None, "")),
    ],
)
def test_papers_are_read(paragraph, expected):
    paper, year, address = solver_table._paper([paragraph])
    assert (paper, year) == expected[:2]
    assert address.endswith(expected[2])


def test_the_command_lists_them(monkeypatch, capsys):
    for words in ([], ["--json"]):
        monkeypatch.setattr(sys, "argv", ["spcabench", "list", "solvers", "--long", *words])
        with pytest.raises(SystemExit) as end:
            command_line.main()
        assert not end.value.code
    lines, _, listed = capsys.readouterr().out.partition("\n[")
    assert {entry["name"] for entry in json.loads(f"[{listed}")} == set(METHODS)
    assert "fps: Fantope projection" in lines
