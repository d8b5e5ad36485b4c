"""A solver is a single file, given by path or put into the folder."""

import numpy as np
import pytest

import spcabench
from spcabench import registry
from spcabench.errors import InputError, SolverError
from spcabench.solving.call import Limits

PROBLEM = spcabench.Problem.from_data(np.random.default_rng(0).standard_normal((9, 6)))
HEAD = '''"""A trial solver."""
from spcabench.iterate import Iterate, Traits
from spcabench.vectors import project

TRAITS = Traits(control="cardinality", accepts="either")
EXAMPLE = dict(k=3)
'''
BODY = """
def solve(problem, *, k, shift=0.0):
    Sigma = problem.covariance
    x = project(Sigma.largest_column(), k)
    while True:
        yield x
        x = project(Sigma @ x + shift * x, k)
"""


def _write(folder, name, body=BODY):
    file = folder / f"{name}.py"
    file.write_text(HEAD + body)
    return str(file)


def test_a_solver_is_found_by_its_path(tmp_path):
    result = spcabench.solve(PROBLEM, _write(tmp_path, "my_trial"), k=2, settings={"shift": 1.0})
    assert result.solver == "my_trial"
    assert result.status == "converged"
    assert result.cardinality == 2
    assert result.cost.flops == result.iterations * (9 * 2 + 9 * 6)


def test_dropped_into_the_folder(add_file):
    add_file("solver", "dropped_trial", HEAD + BODY)
    assert "dropped_trial" in registry.names("solver")
    assert spcabench.list_solvers()["dropped_trial"] == "A trial solver"
    assert spcabench.solve(PROBLEM, "dropped_trial", k=2).good
    with pytest.raises(InputError, match="did you mean 'dropped_trial'"):
        spcabench.solve(PROBLEM, "droped_trial", k=2)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("    yield np.ones(problem.n)\n", "infeasible"),  # not of unit norm
        ("    yield np.eye(problem.n)[0] * np.nan\n", "infeasible"),
        ("    yield np.ones(problem.n) / problem.n ** 0.5\n", "infeasible"),  # more than k nonzeros
        ("    yield np.zeros(problem.n)\n", "zero"),
        ("    yield np.eye(problem.n)[0]\n", "finished"),
        ("    x = np.eye(problem.n)[0]\n    while True:\n        yield x\n", "converged"),
        ("    for i in range(3):\n        yield np.eye(problem.n)[i]\n", "finished"),
        ("    yield np.eye(problem.n)[0]\n    yield np.eye(problem.n)[0] * np.nan\n", "infeasible"),
        ("    yield np.eye(problem.n)[0]\n    yield np.zeros(problem.n)\n", "zero"),
        ("    yield list(np.eye(problem.n)[0])\n", "finished"),
    ],
)
def test_the_harness_grades_what_a_solver_yields(tmp_path, body, status):
    path = _write(
        tmp_path, "graded_trial", "import numpy as np\n\n\ndef solve(problem, *, k):\n" + body
    )
    result = spcabench.solve(PROBLEM, path, k=2)
    assert result.status == status
    assert result.good == (status not in ("zero", "infeasible"))


@pytest.mark.parametrize(
    ("yielded", "message"),
    [
        ("np.ones(3) / 3 ** 0.5", r"x of shape \(3,\)"),
        ("np.broadcast_to(1.0, (10**12,))", r"x of shape \(1000000000000,\)"),
        ("np.ones((problem.n, 1))", "x of shape"),
        ("Iterate(np.eye(problem.n)[0], np.broadcast_to(1.0, (10**12,)))", "u of shape"),
    ],
)
def test_a_vector_of_another_length_is_refused_before_it_is_copied(tmp_path, yielded, message):
    body = "import numpy as np\nfrom spcabench.iterate import Iterate\n\n\n"
    body += f"def solve(problem, *, k):\n    yield {yielded}\n"
    path = _write(tmp_path, "long_trial", body)
    with pytest.raises(SolverError, match=message):
        spcabench.solve(PROBLEM, path, k=2)


def test_a_solver_may_reuse_its_buffer(tmp_path):
    body = """import numpy as np


def solve(problem, *, k):
    x = np.zeros(problem.n)
    for i in range(4):
        x[:] = 0.0
        x[i] = 1.0
        yield x
"""
    result = spcabench.solve(
        PROBLEM,
        _write(tmp_path, "buffer_trial", body),
        k=1,
        limits=Limits(history=True, stop="end"),
    )
    assert [entry["change"] for entry in result.history[1:]] == [np.inf] * 3
    assert list(result.support) == [3]


@pytest.mark.parametrize(("rule", "steps"), [("objective", 5), ("gap", 5)])
def test_stopping_rules_watch_what_the_solver_says(tmp_path, rule, steps):
    body = """import numpy as np


def solve(problem, *, k):
    for i in range(50):
        x = np.eye(problem.n)[i % 2]
        yield Iterate(x, extra={"objective": 1.0 - 10.0 ** -min(i, 4), "gap": 10.0 ** -i})
"""
    path = _write(tmp_path, "rule_trial", body)
    result = spcabench.solve(
        PROBLEM, path, k=1, limits=Limits(stop=rule, tol=1e-4 if rule == "gap" else 1e-9)
    )
    assert (result.status, result.iterations) == ("converged", steps)
