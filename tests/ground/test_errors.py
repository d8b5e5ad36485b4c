"""A user's mistake prints one line, a bug its traceback, and a solver error its line."""

import json
import zlib
from pathlib import Path

import numpy as np
import pytest

from spcabench import Problem, api
from spcabench.errors import InputError, in_one_line, last_frame, using_file
from spcabench.solving.call import Limits
from tests import own_solver

# what a new author gets wrong, and the line that is shown
OWN = {
    "shape": ("x = A @ np.ones(5)\nyield x", "ValueError", "line 13: x = A @ np.ones(5)"),
    "later": ("yield np.eye(problem.n)[0]\nA @ A", "ValueError", "line 14: A @ A"),
    "name": ("yield xx", "NameError: name 'xx'", "line 13: yield xx"),
    "inside": (
        "yield problem.covariance @ np.ones(99)",
        "ValueError",
        "line 13: yield problem.covariance @ np.ones(99)",
    ),
    "wordless": (
        "yield np.eye(problem.n)[0]\nassert k > 99",
        "AssertionError (",
        "line 14: assert k > 99",
    ),
    "exits": ("raise SystemExit\nyield A", "SystemExit", "line 13: raise SystemExit"),
}


@pytest.fixture
def problem():
    return Problem.from_data(np.random.default_rng(0).standard_normal((9, 8)), "nine samples")


def write(folder, body):
    file = folder / "mine.py"
    file.write_text(own_solver.text_of(body))
    return file


@pytest.mark.parametrize("name", OWN)
def test_a_solvers_error_shows_its_last_line(name, tmp_path, problem):
    body, message, line = OWN[name]
    file = write(tmp_path, body)
    with pytest.raises((Exception, SystemExit)) as caught:
        api.solve(problem, str(file), k=2)
    assert last_frame(caught.value, file) == f"mine.py, {line}"
    assert last_frame(caught.value, Path(__file__)).startswith("test_errors.py, line ")
    assert last_frame(caught.value, tmp_path / "other.py") == ""
    error_text = in_one_line(caught.value, file)
    assert error_text.startswith(message) and error_text.endswith(f"(mine.py, {line})")
    assert "\n" not in error_text


def test_a_rule_that_sees_nan_says_so(tmp_path, problem):
    body = "for i in (1, 2):\n    yield Iterate(np.eye(8)[0], extra={'gap': np.nan})"
    result = api.solve(problem, str(write(tmp_path, body)), k=2, limits=Limits(stop="gap"))
    assert result.status == "infeasible"
    assert result.fault == "the number used by the stopping rule is NaN"


def _raise(error):
    raise error


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda file: file.with_name("none").read_text(), "no such file"),
        (lambda file: file.parent.read_text(), "Is a directory"),
        (lambda file: json.loads("{\n,}"), ", line 2: not JSON"),
        (lambda file: b"\xff".decode(), "not utf-8 text"),
        (lambda file: _raise(PermissionError(13, "Permission denied")), "Permission denied"),
        (lambda file: _raise(EOFError("ends early")), "damaged file (ends early)"),
        (lambda file: _raise(zlib.error("bad")), "damaged file (bad)"),
    ],
    ids=["missing", "folder", "json", "text", "permission", "end", "gzip"],
)
def test_what_goes_wrong_with_a_file_names_it(act, message, tmp_path):
    file = tmp_path / "file"
    with pytest.raises(InputError) as caught, using_file(file):
        act(file)
    assert str(caught.value).startswith(str(file)) and message in str(caught.value)
