"""An answer that is not feasible is written to no file, and the command exits with an error."""

import numpy as np
import pytest

from spcabench import Problem, api
from spcabench.errors import InputError
from spcabench.solving.status import Status

SOLVER = '''"""A solver with one nonzero too many."""

import numpy as np

from spcabench.iterate import Traits

TRAITS = Traits(control="cardinality")
EXAMPLE = dict(k=2)


def solve(problem, *, k: int):
    yield np.repeat([1.0, 0.0], [k + 1, problem.n - k - 1]) / np.sqrt(k + 1.0)
'''


@pytest.fixture
def files(tmp_path):
    solver, table = tmp_path / "denser.py", tmp_path / "table.csv"
    solver.write_text(SOLVER)
    X = np.random.default_rng(0).standard_normal((20, 5))
    np.savetxt(table, X, delimiter=",", header="a,b,c,d,e", comments="")
    return table, solver


@pytest.mark.parametrize("command", ["solve", "report"])
@pytest.mark.parametrize("components", ["1", "2"])
def test_an_infeasible_answer_is_not_written(files, components, command, tmp_path, spcabench):
    table, solver = files
    out = tmp_path / ("x.html" if command == "report" else "x.csv")
    words = [command, str(table), "--solver", str(solver), "-k", "2", "--components", components]
    run = spcabench(*words, "--out", str(out))
    assert run.returncode == 2 and not out.exists()
    assert "3 nonzeros" in run.stderr and "Traceback" not in run.stderr


def test_a_plot_and_a_path_of_infeasible_answers_are_not_written(files, tmp_path, spcabench):
    table, solver = files
    out = tmp_path / "x.png"
    run = spcabench("solve", str(table), "--solver", str(solver), "-k", "1,2", "--plot", str(out))
    assert run.returncode == 2 and not out.exists()


def test_python_writes_no_infeasible_answer_either(files, tmp_path):
    _, solver = files
    problem = Problem.from_data(np.random.default_rng(0).standard_normal((20, 5)))
    result = api.solve(problem, str(solver), k=2)
    assert result.status == Status.INFEASIBLE
    for answer in (result, api.components(problem, str(solver), 2, k=2)):
        with pytest.raises(InputError, match="3 nonzeros"):
            answer.to_csv(tmp_path / "x.csv")
    assert not (tmp_path / "x.csv").exists()
