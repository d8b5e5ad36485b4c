"""Settings are chosen from a GRID by the quality they give, on problems outside every
comparison.
"""

from dataclasses import replace

import pytest

from spcabench.comparison import plans, suite, tuning
from spcabench.comparison.entrants import Entrant
from spcabench.errors import InputError

# the setting decides how much of the variance is found: the best value is in the middle
SOLVER = """
import numpy as np
from spcabench.iterate import Traits
TRAITS = Traits(control="cardinality", accepts="covariance")
STOP = "end"
GRID = {grid}
def solve(problem, *, k, shift: int = 0, other: int = 1):
    order = np.argsort(-problem.covariance.diagonal())[4 * abs(shift - 3):][:k]
    x = np.zeros(problem.n)
    x[order] = k ** -0.5
    yield x
"""


@pytest.fixture
def tuned(tmp_path, monkeypatch):
    # one problem of two cardinalities is enough to choose
    monkeypatch.setitem(suite.SUITES, "quick", [i for i in suite.ITEMS if i.name == "spiked 40"])

    def choose(grid):
        file = tmp_path / "mine.py"
        file.write_text(SOLVER.replace("{grid}", repr(grid)))
        entrant = Entrant.of(str(file), "quick", settings="tuned")
        return entrant, tuning.tuned(entrant, tmp_path / "tuning")

    return choose


def test_the_best_setting_is_chosen_and_the_page_says_on_what(tuned):
    _, entrant = tuned({"shift": [2, 3], "other": [2, 1]})
    assert entrant.own_settings == {"shift": 3, "other": 2}  # the first of equal ones
    assert "best of 4 settings" in entrant.tuned_on and "fresh spiked 40" in entrant.tuned_on


@pytest.mark.parametrize(
    ("grid", "said"),
    [
        ({"k": [1, 2]}, "'k' is set by the comparison"),
        ({"shift": 3}, "must be a list of values"),
        ({"shfit": [1]}, "did you mean 'shift'"),
    ],
)
def test_what_is_no_grid_is_refused_in_a_line(tuned, grid, said):
    with pytest.raises(InputError, match="GRID.*" + said) as refused:
        tuned(grid)
    assert len(str(refused.value)) <= 200


@pytest.mark.parametrize("name", ["k", "time_limit", "seed"])
@pytest.mark.parametrize("kind", ["paper", "tuned"])
def test_a_file_cannot_set_what_the_comparison_sets(tmp_path, kind, name):
    file = tmp_path / "mine.py"
    file.write_text(SOLVER.replace("GRID = {grid}", f"{kind.upper()} = {{{name!r}: 5}}"))
    entrant = Entrant.of(str(file), "quick", settings=kind)
    with pytest.raises(InputError, match=f"{kind.upper()}: '{name}' is set by the comparison"):
        [*plans.runs(entrant)]
    assert [*plans.runs(replace(entrant, settings="default"))]


def test_a_grid_of_a_hundred_settings_is_taken():
    entrant = Entrant.of("tpower", "quick")
    tuning._check(entrant, {"a": [*range(20)], "b": [*range(5)]})
    with pytest.raises(InputError):
        tuning._check(entrant, {"a": [*range(101)]})


def test_the_problems_are_none_of_the_suites():
    reported = [(i.dataset, i.parameters) for items in suite.SUITES.values() for i in items]
    runs = list(tuning._runs(Entrant.of("tpower", "standard")))
    assert runs and "bootstrap" not in [run.dataset for run in runs]
    assert not any((run.dataset, run.parameters) in reported for run in runs)
