"""Nonnegativity in the harness: grading, the refit, and bounds that a solver proves."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcabench import Problem, api
from spcabench.errors import CertificateError
from spcabench.iterate import Iterate, Traits
from spcabench.solving.call import Call, arguments
from spcabench.solving.driver import drive
from spcabench.solving.result import graded, refitted
from spcabench.vectors import normalize

S = np.array([[2.0, 1.0, -1.0], [1.0, 2.0, -1.0], [-1.0, -1.0, 3.0]])
PROBLEM = Problem.from_covariance(S)


def _yields(*iterates, nonnegative=True, **traits):
    def solve(problem, *, k, nonnegative=False):
        yield from iterates

    def always(problem, *, k):
        yield from iterates

    module_traits = Traits(control="cardinality", nonnegative=nonnegative, **traits)
    return SimpleNamespace(
        __name__="trial",
        TRAITS=module_traits,
        solve=always if nonnegative == "always" else solve,
        STOP="end",
    )


def _answer(x, **settings):
    return api.solve(PROBLEM, _module(_yields(normalize(np.array(x)))), k=3, **arguments(settings))


def _module(solver):
    module = type(np)("trial")
    vars(module).update(vars(solver))
    return module


def test_signs_are_graded():
    assert _answer([1.0, 1.0, -1.0]).good
    assert _answer([1.0, 1.0, -1.0], nonnegative=True).status == "infeasible"
    assert _answer([1.0, 1.0, -1e-17], nonnegative=True).status == "infeasible"
    turned = _answer([-1.0, -1.0, 0.0], nonnegative=True)
    assert turned.good
    assert np.allclose(turned.x, normalize(np.array([1.0, 1.0, 0.0])))
    assert graded(np.array([0.0, -1.0]), "finished", 1, 2, True)[0].tolist() == [0.0, 1.0]


def test_a_solver_that_gives_nothing_else_is_always_graded_so():
    for nonnegative in (False, True):
        solver = _module(_yields(normalize(np.array([1.0, 1.0, -1.0])), nonnegative="always"))
        result = api.solve(PROBLEM, solver, k=3, nonnegative=nonnegative)
        assert result.nonnegative
        assert result.status == "infeasible"


@given(st.integers(0, 10**6))
def test_the_refit_keeps_the_signs_and_never_loses(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    X = rng.standard_normal((int(rng.integers(1, 10)), n))
    x = normalize(np.where(rng.random(n) < 0.7, rng.random(n), 0.0) + 1e-3 * np.eye(n)[0])
    for problem in (
        Problem.from_covariance(X.T @ X + 1e-9 * np.eye(n)),
        Problem.from_data(np.vstack([X, X]), center=False),
    ):
        y = refitted(problem, x, nonnegative=True)
        assert y.min() >= 0.0
        assert not y[x == 0].any()
        assert np.linalg.norm(y) == pytest.approx(1.0)
        assert problem.variance(y) >= problem.variance(x) * (1 - 1e-12)


def _claiming(own, **bounds):
    solver = _module(_yields(Iterate(np.array([0.0, 0.0, 1.0]), **bounds)))
    result = drive(Call.of(PROBLEM, solver, 1, nonnegative=True))
    assert not result.claim.own  # the solver is not in the repository
    return replace(result, claim=replace(result.claim, own=own))


def test_bounds_that_a_solver_of_the_repository_proves():
    plain = _claiming(True)
    assert plain.bound_whp is None
    assert plain.bound >= 3.0
    assert _claiming(True, bound=3.0).bound == pytest.approx(3.0)
    assert _claiming(True, bound=1e3).bound == plain.bound
    sampled = _claiming(True, bound_whp=3.0)
    assert sampled.bound == plain.bound
    assert sampled.bound_whp == pytest.approx(3.0)
    assert _claiming(True, bound_whp=1e3).bound_whp == plain.bound
    with pytest.raises(CertificateError, match="please report"):
        _claiming(True, bound=2.9)


@pytest.mark.parametrize("bound", [2.9, 3.0])
def test_bounds_that_any_other_solver_claims_count_for_nothing(bound):
    plain, claimed = _claiming(False), _claiming(False, bound=bound, bound_whp=bound)
    assert claimed.bound == plain.bound
    assert claimed.bound_whp is None
    assert claimed.claimed_bound == pytest.approx(bound)
