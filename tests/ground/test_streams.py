"""Control characters in a stranger's text are always shown as codes."""

import numpy as np
import pytest

from spcabench import Problem, files, solve
from spcabench.cli import solvers
from spcabench.errors import InputError
from spcabench.page.render import render

ESCAPE = "\x1b[2Jgone\x07\x9b1m\u202eevil\r"


@pytest.fixture
def nothing_moves():
    def check(text):
        assert "gone" in text and not files.CONTROL.search(text)

    return check


def test_lines_tabs_and_letters_stay():
    assert files.plain("a\tb\nü Σ ≤ 漢 ‐") == "a\tb\nü Σ ≤ 漢 ‐"
    assert files.plain("\x1b\x9b\u202e\r") == r"\x1b\x9b\u202e\r"
    assert files.plain("\ud800") == r"\ud800"


def test_what_a_solver_says_moves_no_cursor(tmp_path, capsys, nothing_moves):
    """This covers its reasons in a check, its docstring and its name."""
    file = tmp_path / "mine.py"
    file.write_text(f"raise ValueError({ESCAPE!r})\n")
    with pytest.raises(Exception):  # noqa: B017
        solvers.check(str(file), time=60.0)
    nothing_moves(capsys.readouterr().out)


def test_names_of_variables_and_problems_move_no_cursor(nothing_moves):
    X = np.random.default_rng(0).standard_normal((9, 4))
    problem = Problem.from_data(X, ESCAPE, features=[ESCAPE, "b", "c", "d"])
    nothing_moves(repr(problem))
    answer = solve(problem, k=4)
    nothing_moves(str(answer))
    nothing_moves(answer._repr_html_())


def test_a_page_shows_codes(nothing_moves):
    row = dict.fromkeys(("solver", "status", "reason"), ESCAPE) | {"count": 1}
    template = "{{ row.reason }}{{ row.solver | safe }}"
    from spcabench.page import render as module

    text = module._environment(None).from_string(template).render(row=row)
    nothing_moves(text)
    assert callable(render)


def test_an_error_shows_codes(spcabench, tmp_path, nothing_moves):
    completed = spcabench("check", tmp_path / f"{ESCAPE.replace('/', '')}.py")
    nothing_moves(completed.stderr)


def test_every_command_prints_through_one_function():
    """`print` itself would show a stranger's text unchanged."""
    import ast
    from pathlib import Path

    import spcabench.cli

    for file in Path(spcabench.cli.__file__).parent.glob("*.py"):
        calls = [n.func for n in ast.walk(ast.parse(file.read_text())) if isinstance(n, ast.Call)]
        assert "print" not in {getattr(function, "id", "") for function in calls}, file.name
    assert issubclass(InputError, ValueError)
