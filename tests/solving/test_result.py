"""What is feasible, what the harness repairs, and which bounds and proofs of a solver count."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spcabench import Problem, api
from spcabench.errors import CertificateError
from spcabench.iterate import Iterate
from spcabench.solving.call import Call
from spcabench.solving.driver import drive
from spcabench.solving.result import graded, refitted
from spcabench.solving.status import Status
from spcabench.vectors import normalize
from tests import problems

N, K = 6, 4
X = np.repeat([0.5, 0.0], [K, N - K])  # a unit vector with K nonzeros
S = np.array([[2.0, 1.0, -1.0], [1.0, 2.0, -1.0], [-1.0, -1.0, 3.0]])
PROBLEM = Problem.from_covariance(S)


def is_feasible(x, k=K, nonnegative=False):
    return graded(x, Status.FINISHED, k, N, nonnegative)[1] == Status.FINISHED


@pytest.mark.parametrize(
    ("x", "feasible"),
    [
        (X, True),
        (np.roll(X, 1) * [1, -1, 1, 1, 1, 1], True),
        (X * (1.0 + 4e-7), True),
        (X * (1.0 + 6e-7), False),
        (X * (1.0 - 6e-7), False),
        (np.where(X > 0.0, X, 1e-300), False),  # six nonzeros, two of which are tiny
        (np.where(X > 0.0, X, np.nan), False),
        (np.where(X > 0.0, 1e300, 0.0), False),
        (X[:5], False),
    ],
)
def test_a_result_is_feasible_up_to_rounding(x, feasible):
    assert is_feasible(x) == is_feasible(-x) == feasible
    if feasible:
        assert np.linalg.norm(graded(x, Status.FINISHED, K, N)[0]) == pytest.approx(1.0, rel=1e-15)


def test_the_cardinality_and_the_sign_of_an_answer_are_those_required():
    assert is_feasible(X, K) and not is_feasible(X, K - 1) and is_feasible(X, None)
    x, status = graded(-X, Status.CONVERGED, K, N, True)
    assert status == Status.CONVERGED and np.array_equal(x, X)
    assert not is_feasible(X * [1, -1, 1, 1, 1, 1], nonnegative=True)
    assert not is_feasible(np.where(X > 0.0, X, -1e-17), None, nonnegative=True)
    assert graded(0.0 * X, Status.ZERO, K, N)[1] == Status.ZERO


def solver_of(*iterates, nonnegative=True):
    """Return a solver that yields some iterates and then ends."""

    def solve(problem, *, k, nonnegative=False):
        yield from iterates

    return problems.solver_of(solve, control="cardinality", nonnegative=nonnegative)


@pytest.mark.parametrize("nonnegative", [False, True])
def test_a_solver_that_gives_nothing_else_is_always_graded_so(nonnegative):
    mixed = normalize(np.array([1.0, 1.0, -1.0]))
    either, always = (
        api.solve(PROBLEM, solver_of(mixed, nonnegative=trait), k=3, nonnegative=nonnegative)
        for trait in (True, "always")
    )
    assert always.nonnegative and always.status == "infeasible" and "below zero" in always.fault
    assert either.nonnegative == nonnegative and either.good != nonnegative


@settings(max_examples=50)
@given(st.integers(0, 10**6))
def test_the_refit_is_best_on_its_support_and_keeps_the_signs(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    A = rng.standard_normal((int(rng.integers(1, 10)), n))
    x = normalize(np.where(rng.random(n) < 0.7, rng.random(n), 0.0) + 1e-3 * np.eye(n)[0])
    for problem in (
        Problem.from_covariance(A.T @ A + 1e-9 * np.eye(n)),
        Problem.from_data(np.vstack([A, A]), center=False),
    ):
        W = np.flatnonzero(x)
        best = np.linalg.eigvalsh(problems.explicit(problem)[np.ix_(W, W)])[-1]
        for nonnegative in (False, True):
            y = refitted(problem, x, nonnegative)
            assert not y[x == 0].any() and np.linalg.norm(y) == pytest.approx(1.0)
            assert problem.variance(y) >= problem.variance(x) * (1 - 1e-12)
            if nonnegative:
                assert y.min() >= 0.0 and (y @ x >= 0.0)
            else:
                assert problem.variance(y) == pytest.approx(best) and y @ x >= 0.0


def test_variables_without_variance_have_no_loading():
    problem = Problem.from_covariance(np.diag([2.0, 1.0, 0.0]))
    mixed = api.solve(problem, solver_of(np.array([0.6, 0.0, 0.8])), k=2)
    assert mixed.x.tolist() == [1.0, 0.0, 0.0]
    assert api.solve(problem, solver_of(np.eye(3)[2]), k=2).status == "zero"
    left = api.solve(problem, "tpower", n_components=2, k=1, deflation="hotelling")[1].problem
    indefinite = api.solve(left, solver_of(np.array([0.6, 0.0, 0.8])), k=2)
    assert indefinite.x.tolist() == [0.6, 0.0, 0.8]


def stating(own, **bounds):
    """Return the result of a solver that states bounds for its answer, with the variance 3."""
    x = np.array([0.0, 0.0, 1.0])
    result = drive(Call.of(PROBLEM, solver_of(Iterate(x, **bounds)), 1, nonnegative=True))
    assert not result.claim.own  # the solver is not in the repository
    return replace(result, claim=replace(result.claim, own=own))


def test_bounds_of_the_suites_own_solvers_count_and_those_of_others_do_not():
    plain = stating(True)
    assert plain.bound_whp is None and plain.bound >= 3.0 == plain.variance
    assert stating(True, bound=3.0).bound == pytest.approx(3.0)
    assert stating(True, bound=1e3).bound == plain.bound
    sampled = stating(True, bound_whp=3.0)
    assert sampled.bound == plain.bound and sampled.bound_whp == pytest.approx(3.0)
    assert stating(True, bound_whp=1e3).bound_whp == plain.bound
    with pytest.raises(CertificateError, match="please report"):
        stating(True, bound=2.9)
    for bound in (2.9, 3.0):
        claimed = stating(False, bound=bound, bound_whp=bound)
        assert claimed.bound == plain.bound and claimed.bound_whp is None
        assert claimed.claimed_bound == pytest.approx(bound)


def test_a_proof_is_lost_if_the_answer_or_the_bound_changes():
    problem = Problem.from_data(np.random.default_rng(0).standard_normal((9, 7)))
    result = api.solve(problem, "branch_and_bound", k=3)
    assert result.status == Status.PROVEN and not result.unproven
    x = np.eye(7)[np.argmin(problems.explicit(result.problem).diagonal())]
    assert replace(result, x=x).status == Status.FINISHED
    assert "below the bound" in replace(result, x=x).unproven

    def with_claim(**changes):
        return replace(result, claim=replace(result.claim, **changes))

    for changes in ({"bound": None}, {"own": False}, {"bound": 1.1 * result.claim.bound}):
        assert with_claim(**changes).status == Status.FINISHED
    with pytest.raises(CertificateError, match="please report"):
        with_claim(bound=0.9 * result.variance)
    late = replace(with_claim(bound=2.0 * result.variance), status=Status.TIME_LIMIT)
    assert late.unproven == "not proven optimal: the time limit was reached first"
    assert late.gap > 0.0 and late.unproven.endswith(f"first; gap {late.gap:.2%}")


@pytest.mark.parametrize("seed", problems.some(2, range(10)))
def test_an_answer_that_a_path_keeps_is_not_proven_for_the_next_cardinality(seed, monkeypatch):
    problem = Problem.from_data(np.random.default_rng(seed).standard_normal((9, 9)))
    S, answer = problems.explicit(problem), api.answer

    def worse(call, refit):  # beyond k = 2, a poor answer
        result = answer(call, refit)
        return result if call.k <= 2 else replace(result, x=np.eye(9)[0])

    monkeypatch.setattr(api, "answer", worse)
    two, four = api.path(problem, "branch_and_bound", [4, 2, 4])
    assert (two.k, four.k) == (2, 4) and two.status == Status.PROVEN != four.status
    assert four.variance == two.variance == pytest.approx(problems.optimum(S, 2))
