"""A file in the folder of solvers is a solver."""

import numpy as np
import pytest

import spcabench
from spcabench import registry
from spcabench.errors import InputError
from tests import own_solver


def test_dropped_into_the_folder(add_file):
    problem = spcabench.Problem.from_data(np.random.default_rng(0).standard_normal((9, 6)))
    add_file("solver", "dropped_trial", own_solver.text_of(own_solver.HONEST))
    assert "dropped_trial" in registry.names("solver")
    assert spcabench.list_solvers()["dropped_trial"] == "A solver of a test"
    assert spcabench.solve(problem, "dropped_trial", k=2).good
    with pytest.raises(InputError, match="did you mean 'dropped_trial'"):
        spcabench.solve(problem, "droped_trial", k=2)
