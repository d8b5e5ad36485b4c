"""Solvers that find several components at once: the rules they follow, and what they find."""

import numpy as np
import pytest

from spcabench import Problem, api
from spcabench.checking import conformance, contract
from spcabench.errors import SolverError
from spcabench.iterate import Iterate
from spcabench.solving.formulations import Formulation, fault
from tests import problems

PROBLEM = Problem.from_covariance(np.eye(6) + 1.0)
E, ROOT = np.eye(6), np.sqrt(0.5)
# two loadings, and the formulations that they obey at k = 2
OBEYED = [
    (0.6 * E[:, [0, 2]] + 0.8 * E[:, [1, 3]], {"orthonormal", "disjoint"}),
    (np.vstack([[[0.6, 0.8], [0.8, -0.6]], np.zeros((4, 2))]), {"orthonormal", "common"}),
    (0.6 * E[:, [0, 1]] + 0.8 * E[:, [1, 2]], set()),  # not orthogonal
    (3**-0.5 * (E[:, [0, 0]] + E[:, [1, 1]] - E[:, [2, 2]]), set()),  # three nonzeros
    (E[:, :2] * [1.0, 2.0], set()),
    (E[:, :2] * [1.0, 0.0], {"orthonormal", "disjoint", "common"}),  # the second was not found
    (E[:, :2] * [1.0, 1.0 + 4e-7], {"orthonormal", "disjoint", "common"}),
    (E[:, :2] + 4e-5 * E[:, [1, 2]], {"orthonormal"}),  # orthogonal up to rounding
    (E[:, :2] + 2e-4 * E[:, [1, 2]], set()),
    (np.where(E[:, :2], np.nan, 0.0), set()),
    (np.eye(2), set()),
    (E[:, :2].astype(int), set()),
]


def solver_of(formulation, *loadings):
    """Return the module of a joint solver that yields some loadings."""

    def solve(problem, *, k, components=1):
        for Z in loadings:
            yield Iterate(E[0], Z=Z, bound=3.0)

    traits = dict(control="cardinality", components="joint", formulation=formulation)
    return problems.solver_of(solve, **traits)


@pytest.mark.parametrize("formulation", ["orthonormal", "disjoint", "common"])
@pytest.mark.parametrize(("Z", "formulations"), OBEYED)
def test_components_are_infeasible_exactly_where_they_break_their_formulation(
    Z, formulations, formulation
):
    solver = solver_of(formulation, Z)
    run = api.solve(PROBLEM, solver, k=2, settings={"components": 2})
    obeyed = formulation in formulations
    assert run.good == obeyed and bool(run.fault) != obeyed
    if len(Z) == 6:
        components = api.solve(PROBLEM, solver, n_components=2, k=2, deflation="joint")
        statuses = {"zero" if not r.x.any() else r.status for r in components}
        assert statuses <= ({"finished", "zero"} if obeyed else {"infeasible", "zero"})
        assert components.formulation == formulation and components[1].claim.bound is None


# two loadings of two and three nonzeros; what they need at least, by formulation
DISJOINT = np.array([[0.6, 0.8, 0, 0, 0], [0, 0, 2 / 3, 2 / 3, 1 / 3]]).T
LEAST = {Formulation.DISJOINT: 3, Formulation.ORTHONORMAL: 3, Formulation.COMMON: 5}


def test_loadings_need_as_many_variables_as_their_formulation_counts():
    for formulation, k in LEAST.items():
        assert not fault(DISJOINT, formulation, k)
        assert str(k) in fault(DISJOINT, formulation, k - 1)
    penalised = Formulation.PENALISED  # counts nonzeros together
    assert not fault(DISJOINT, penalised, 1, r=5)
    assert fault(DISJOINT, penalised, 1, r=4) and fault(DISJOINT, penalised, 2)
    assert not fault(DISJOINT, Formulation.DISJOINT, 3, r=2)
    assert "at most 1" in fault(DISJOINT, Formulation.DISJOINT, 3, r=1)


JOINT = [s for s in problems.SOLVERS if problems.traits(s).components == "joint"]


@pytest.mark.parametrize("solver", problems.some(4, JOINT))
def test_every_joint_solver_finds_components_as_it_states(solver):
    name = "finds components as stated"
    outcome = conformance.outcome(name, contract.PROMISES[name], solver)
    assert outcome.verdict == "holds", outcome.sentence


def test_no_components_or_too_many_are_a_solvers_mistake():
    for loadings, message in ((None, "yielded no Z"), (E[:, :3], "yielded 3 components")):
        with pytest.raises(SolverError, match=message):
            api.solve(
                PROBLEM, solver_of("disjoint", loadings), n_components=2, k=2, deflation="joint"
            )
