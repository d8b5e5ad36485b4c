"""What the file of a solver declares, read without importing it in this process."""

import sys

import pytest

from spcabench.errors import InputError
from spcabench.running import description

FILE = '''"""Trial."""
from spcabench.iterate import Traits
TRAITS = Traits(control="penalty", penalty="gamma", accepts="data")
STOP, PAPER, GRID = "objective", {"eps": 0.1, "tol": 1e-3}, {"eps": [0.1, 0.2]}
LINES


def solve(problem, *, gamma, eps=0.5, start=None, size=int):
    yield problem
'''


def described(folder, lines=""):
    file = folder / "described.py"
    file.write_text(FILE.replace("LINES", lines))
    return description.describe(str(file))


def test_a_description_has_the_traits_the_plain_defaults_and_the_settings(tmp_path):
    found = described(tmp_path)
    assert (found.traits.penalty, found.traits.accepts) == ("gamma", "data")
    assert found.defaults == {"eps": 0.5}
    assert found.settings == {
        "paper": {"eps": 0.1, "tol": 0.001},
        "tuned": {},
        "grid": {"eps": [0.1, 0.2]},
    }
    limits, other = found.limits({}), found.limits(found.settings["paper"])
    assert (limits.stop, limits.tol) == ("objective", found.tol) and other.tol == 1e-3
    assert other.max_iterations == found.max_iterations
    assert "described" not in sys.modules


WRONG = {
    "import time; time.sleep(600)": r"its import: killed after .*\(in described.py, line 5",
    "import sys; sys.exit('no')": "exits the program",
    "1 / 0": r"ZeroDivisionError.*described\.py, line 5",
}


@pytest.mark.parametrize("lines", WRONG)
def test_a_file_that_cannot_be_imported_is_an_error_with_its_line(tmp_path, monkeypatch, lines):
    monkeypatch.setattr(description, "PATIENCE", 1.0 if "sleep" in lines else 60.0)
    with pytest.raises(InputError, match=WRONG[lines]):
        described(tmp_path, lines)
