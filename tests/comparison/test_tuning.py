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
GRID = {"shift": [2, 3], "other": [2, 1]}
def solve(problem, *, k, shift: int = 0, other: int = 1):
    order = np.argsort(-problem.covariance.diagonal())[4 * abs(shift - 3):][:k]
    x = np.zeros(problem.n)
    x[order] = k ** -0.5
    yield x
"""


def test_the_best_setting_is_chosen(tmp_path, monkeypatch):
    # one problem of two cardinalities is enough to choose
    monkeypatch.setitem(suite.SUITES, "quick", [i for i in suite.ITEMS if i.name == "spiked 40"])
    file = tmp_path / "mine.py"
    file.write_text(SOLVER)
    entrant = tuning.tuned(Entrant.of(str(file), "quick", settings="tuned"), tmp_path / "tuning")
    assert entrant.own_settings == {"shift": 3, "other": 2}  # the first of equal ones


def test_a_grid_has_lists_of_values_with_at_most_a_hundred_settings():
    entrant = Entrant.of("tpower", "quick")
    tuning._check(entrant, {"a": [*range(20)], "b": [*range(5)]})
    for wrong in ({"a": [*range(101)]}, {"k": [1, 2]}, {"a": 3}, {"a": []}):
        with pytest.raises(InputError, match="GRID"):
            tuning._check(entrant, wrong)


@pytest.mark.parametrize("name", ["k", "time_limit", "seed"])
@pytest.mark.parametrize("kind", ["paper", "tuned"])
def test_a_file_cannot_set_what_the_comparison_sets(tmp_path, kind, name):
    file = tmp_path / "mine.py"
    file.write_text(SOLVER.replace("STOP =", f"{kind.upper()} = {{{name!r}: 5}}\nSTOP ="))
    entrant = Entrant.of(str(file), "quick", settings=kind)
    with pytest.raises(InputError, match=f"{kind.upper()}: '{name}' is set by the comparison"):
        [*plans.runs(entrant)]
    assert [*plans.runs(replace(entrant, settings="default"))]


def test_the_problems_are_none_of_the_suites():
    reported = [(i.dataset, i.parameters) for items in suite.SUITES.values() for i in items]
    runs = list(tuning._runs(Entrant.of("tpower", "standard")))
    assert runs and "bootstrap" not in [run.dataset for run in runs]
    assert not any((run.dataset, run.parameters) in reported for run in runs)
