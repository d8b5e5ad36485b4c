"""A solver is a module: a file given by path, a file in the folder, or an object."""

from types import ModuleType

import numpy as np
import pytest

import spcabench
from spcabench import registry
from spcabench.errors import InputError, SolverError
from spcabench.iterate import Iterate, Traits
from spcabench.solving.call import Limits

PROBLEM = spcabench.Problem.from_data(np.random.default_rng(0).standard_normal((9, 6)))
TEXT = '''"""A trial solver."""
from spcabench.iterate import Traits
from spcabench.vectors import project

TRAITS = Traits(control="cardinality", accepts="either")
EXAMPLE = dict(k=3)


def solve(problem, *, k, shift=0.0):
    Sigma = problem.covariance
    x = project(Sigma.largest_column(), k)
    while True:
        yield x
        x = project(Sigma @ x + shift * x, k)
'''


def graded(iterates, k=2, **limits):
    """Return the result of a solver that yields these iterates."""

    def solve(problem, *, k):
        yield from iterates

    module = ModuleType("trial")
    traits = Traits(control="cardinality", accepts="either")
    vars(module).update(TRAITS=traits, EXAMPLE=dict(k=3), solve=solve)
    return spcabench.solve(PROBLEM, module, k=k, limits=Limits(**limits))


def test_a_solver_is_found_by_its_path(tmp_path):
    file = tmp_path / "my_trial.py"
    file.write_text(TEXT)
    result = spcabench.solve(PROBLEM, str(file), k=2, settings={"shift": 1.0})
    assert (result.solver, result.status, result.cardinality) == ("my_trial", "converged", 2)
    assert result.cost.flops == result.iterations * (9 * 2 + 9 * 6)


def test_dropped_into_the_folder(add_file):
    add_file("solver", "dropped_trial", TEXT)
    assert "dropped_trial" in registry.names("solver")
    assert spcabench.list_solvers()["dropped_trial"] == "A trial solver"
    assert spcabench.solve(PROBLEM, "dropped_trial", k=2).good
    with pytest.raises(InputError, match="did you mean 'dropped_trial'"):
        spcabench.solve(PROBLEM, "droped_trial", k=2)


e, NO, NAN = np.eye(6), np.zeros(6), np.full(6, np.nan)
LONG = np.broadcast_to(1.0, (10**12,))


@pytest.mark.parametrize(
    ("iterates", "status"),
    [
        ([np.ones(6)], "infeasible"),  # not of unit norm
        ([NAN], "infeasible"),
        ([np.ones(6) / 6**0.5], "infeasible"),  # more than k nonzeros
        ([NO], "zero"),
        ([e[0]], "finished"),
        ([e[0]] * 9, "converged"),
        ([*e[:3]], "finished"),
        ([e[0], NAN], "infeasible"),
        ([e[0], NO], "zero"),
        ([list(e[0])], "finished"),
        # only the solvers of the suite are believed
        ([Iterate(e[0], bound=0.0, end="proven", why="I say so")], "finished"),
    ],
)
def test_the_harness_grades_what_a_solver_yields(iterates, status):
    result = graded(iterates)
    assert result.status == status
    assert result.good == (status not in ("zero", "infeasible"))


@pytest.mark.parametrize(
    ("iterate", "message"),
    [
        (np.ones(3) / 3**0.5, r"x of shape \(3,\)"),
        (LONG, r"x of shape \(1000000000000,\)"),
        (np.ones((6, 1)), "x of shape"),
        (Iterate(e[0], LONG), "u of shape"),
    ],
)
def test_a_vector_of_another_length_is_refused_before_it_is_copied(iterate, message):
    with pytest.raises(SolverError, match=message):
        graded([iterate])


def test_a_solver_may_reuse_its_buffer():
    def overwritten():
        x = np.zeros(6)
        for i in range(4):
            x[:] = e[i]
            yield x

    result = graded(overwritten(), k=1, history=True, stop="end")
    assert [entry["change"] for entry in result.history[1:]] == [np.inf] * 3
    assert list(result.support) == [3]


@pytest.mark.parametrize(("rule", "tol"), [("objective", 1e-9), ("gap", 1e-4)])
def test_stopping_rules_watch_what_the_solver_says(rule, tol):
    iterates = [
        Iterate(e[i % 2], extra={"objective": 1.0 - 10.0 ** -min(i, 4), "gap": 10.0**-i})
        for i in range(50)
    ]
    result = graded(iterates, k=1, stop=rule, tol=tol)
    assert (result.status, result.iterations) == ("converged", 5)
