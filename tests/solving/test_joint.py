"""Solvers that find several components at once: the rules they follow, and what they find."""

import numpy as np
import pytest

from spcabench import Problem, api, registry
from spcabench.checking import conformance, contract
from tests import problems

JOINT = [s for s in problems.SOLVERS if problems.traits(s).components == "joint"]
FORMULATIONS = ["penalised", "orthonormal", "disjoint", "common"]
TRIAL = '''"""A trial solver, 2026."""

import numpy as np

from spcabench.iterate import Iterate, Traits

TRAITS = Traits(control="cardinality", components="joint", formulation="{formulation}")
EXAMPLE = dict(k=3)


def solve(problem, *, k{settings}):
    x = np.eye(problem.n)[0]
    Z = np.zeros((problem.n, 2))
    {body}
    yield Iterate(x, Z=Z)
'''
# the columns of Z, and the formulations that they obey at k = 2
OBEYED = {
    "Z[[0, 1, 2, 3], [0, 0, 1, 1]] = 0.6, 0.8, 0.6, 0.8": {"orthonormal", "disjoint"},
    "Z[:2] = [[0.6, 0.8], [0.8, -0.6]]": {"orthonormal", "common"},
    "Z[[0, 1, 1, 2], [0, 0, 1, 1]] = 0.6, 0.8, 0.6, 0.8": set(),
    "Z[:3] = 3**-0.5; Z[2] *= -1.0": set(),
    "Z[:2] = [[1.0, 0.0], [0.0, 2.0]]": set(),
    "Z[0, 0] = 1.0": {"orthonormal", "disjoint", "common"},
    "Z[0] = np.nan": set(),
    "Z = np.eye(2)": set(),
}


def _trial(folder, formulation, body, settings=", components=1"):
    file = folder / "trial.py"
    file.write_text(TRIAL.format(formulation=formulation, body=body, settings=settings))
    return registry.module("solver", str(file))


@pytest.mark.parametrize("formulation", FORMULATIONS[1:])
@pytest.mark.parametrize("body", OBEYED)
def test_components_are_infeasible_exactly_where_they_break_their_formulation(
    body, formulation, tmp_path
):
    solver = _trial(tmp_path, formulation, body)
    problem = Problem.from_covariance(np.eye(6) + 1.0)
    run = api.solve(problem, solver, k=2, settings={"components": 2})
    components = api.solve(problem, solver, n_components=2, k=2, deflation="joint")
    obeyed = formulation in OBEYED[body]
    assert run.good == obeyed and bool(run.fault) != obeyed
    statuses = {"zero" if not r.x.any() else r.status for r in components}
    assert statuses <= ({"finished", "zero"} if obeyed else {"infeasible", "zero"})


@pytest.mark.parametrize("solver", JOINT)
def test_every_joint_solver_finds_components_as_it_states(solver):
    name = "finds components as stated"
    outcome = conformance.outcome(name, contract.PROMISES[name], solver)
    assert outcome.verdict == "holds", outcome.sentence


def test_a_run_ends_when_all_components_stand_still(tmp_path):
    body = "for step in range(9):\n        Z = np.zeros((problem.n, 2))\n"
    body += "        Z[0, 0] = Z[min(1 + step, 4), 1] = 1.0\n        yield Iterate(x, Z=Z)"
    solver = _trial(tmp_path, "disjoint", body)
    result = api.solve(
        Problem.from_covariance(np.eye(6) + 1.0), solver, k=1, settings={"components": 2}
    )
    assert (result.status, result.iterations) == ("converged", 4)
    assert result.Z[4, 1] == 1.0
