"""A user's mistake prints one line, a bug its traceback, and a solver error its line."""

import numpy as np
import pytest

from spcabench import Problem, api
from spcabench.errors import in_one_line, last_frame
from tests import own_solver

PROBLEM = Problem.from_data(np.random.default_rng(0).standard_normal((9, 8)), "nine samples")
# what a new author gets wrong, and the line that is shown
OWN = {
    "yield np.eye(problem.n)[0]\nA @ A": ("ValueError", "line 14: A @ A"),
    "yield np.eye(problem.n)[0]\nassert k > 99": ("AssertionError (", "line 14: assert k > 99"),
    "raise SystemExit\nyield A": ("SystemExit", "line 13: raise SystemExit"),
    "raise ValueError('a' * 99 + 'b' * 99)  # the first line of a comment": (
        f"ValueError: {'a' * 50}...{'b' * 47} (",
        "line 13: raise ValueError('a' * 99 + 'b' * 99)  # the first line o...",
    ),
    "x = (": ("SyntaxError: '(' was never closed", "line 13: x = ("),
}


@pytest.mark.parametrize("body", OWN)
def test_a_solvers_error_shows_its_last_line(body, tmp_path):
    message, line = OWN[body]
    file = tmp_path / "mine.py"
    file.write_text(own_solver.text_of(body))
    with pytest.raises((Exception, SystemExit)) as caught:
        api.solve(PROBLEM, str(file), k=2)
    assert last_frame(caught.value, file) == f"mine.py, {line}"
    assert last_frame(caught.value, tmp_path / "other.py") == ""
    error_text = in_one_line(caught.value, file)
    assert error_text.startswith(message) and error_text.endswith(f"(mine.py, {line})")
    assert "\n" not in error_text
