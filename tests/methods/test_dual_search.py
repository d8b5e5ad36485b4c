"""Branch and bound on dual bounds agrees with brute force from good and poor incumbents."""

from collections import deque
from types import ModuleType

import numpy as np
import pytest

from spcabench import Problem, api
from spcabench.iterate import Iterate, Traits
from spcabench.methods import quasi_newton
from spcabench.methods.exact_search import (
    branch_and_bound,
    candidates,
    dual_bound,
    dual_search,
    gershgorin_part,
    nonnegative_faces,
    search_tree,
    splitting,
)
from spcabench.methods.exact_search.branch_and_bound import Exact
from spcabench.methods.exact_search.dual_search import DualSearch
from spcabench.methods.exact_search.gershgorin_search import GershgorinSearch
from spcabench.solving.call import Limits
from tests import problems
from tests.problems import FAMILIES

KINDS = pytest.mark.parametrize("kind", [DualSearch, GershgorinSearch])


@pytest.fixture
def no_tree(monkeypatch):
    """Run the exact search without its tree, which leaves everything to the dual bound."""
    monkeypatch.setattr(branch_and_bound, "TRIAL", 0.0)
    monkeypatch.setattr(branch_and_bound, "PROMISING", 0.0)


def prove(S, poor):
    """Prove all cardinalities of S from good or poor incumbents, and compare with brute force."""
    n = len(S)
    search = Exact(S.diagonal().copy(), lambda W: S[np.ix_(W, W)], n, 1e11, True, 0)
    if poor:
        for k in range(1, n + 1):
            search.offer(k, np.argsort(S.diagonal(), kind="stable")[:k])
    else:
        deque(search.incumbents(), maxlen=0)
    deque(search.run(), maxlen=0)
    for k in range(1, n + 1):
        best = problems.optimum(S, k)
        assert search.proven(k) and len(search.support[k]) <= k
        assert search.value[k] == pytest.approx(best, rel=4e-9, abs=1e-12)
        assert search.bound[k] >= best * (1 - 1e-12)


@pytest.mark.usefixtures("no_tree")
@pytest.mark.parametrize("fixing", [0.0, 8e9])  # without the search that fixes, and with it
@pytest.mark.parametrize("poor", [False, True])
@pytest.mark.parametrize("seed", problems.some(2, range(4)))
@pytest.mark.parametrize("family", problems.some(5, FAMILIES))
def test_the_dual_bounds_alone_prove_what_brute_force_finds(
    family, seed, poor, fixing, monkeypatch
):
    monkeypatch.setattr(branch_and_bound, "NARROW", np.inf)
    monkeypatch.setattr(branch_and_bound, "HEAD_START", fixing)
    monkeypatch.setattr(gershgorin_part, "ROOT", 1)
    prove(problems.explicit(problems.problem(family, seed)[0]), poor)


@pytest.mark.parametrize("poor", [False, True])
@pytest.mark.parametrize("seed", problems.some(1, range(4, 6)))
@pytest.mark.parametrize("family", problems.some(5, FAMILIES))
def test_so_do_the_tree_and_the_dual_bounds_together(family, seed, poor, monkeypatch):
    monkeypatch.setattr(branch_and_bound, "TRIAL", 1.0)
    monkeypatch.setattr(search_tree, "CHUNK", 20)
    monkeypatch.setattr(dual_search, "ROOT", 1)
    monkeypatch.setattr(gershgorin_part, "ROOT", 1)
    prove(problems.explicit(problems.problem(family, seed)[0]), poor)


@pytest.mark.parametrize("trial", [0.0, branch_and_bound.TRIAL])  # without the tree, and with it
@pytest.mark.parametrize("seeds", problems.groups(6, 3, few=3))
@pytest.mark.parametrize("family", problems.some(5, FAMILIES))
def test_small_problems_of_nonnegative_loadings_are_proven(family, seeds, trial, monkeypatch):
    monkeypatch.setattr(branch_and_bound, "TRIAL", trial)
    monkeypatch.setattr(branch_and_bound, "PROMISING", 0.5 if trial else 0.0)
    for seed in seeds:
        S = problems.explicit(problems.problem(family, seed)[0])
        for k in range(3, min(len(S), 6) + 1, 2):
            d = S.diagonal().copy()
            search = Exact(d, lambda W, S=S: S[np.ix_(W, W)], k, 1e9, True, 0, True, False)
            deque(search.incumbents(), maxlen=0)
            deque(search.run(), maxlen=0)
            best = problems.optimum(S, k, True)
            assert search.proven(k)
            assert search.value[k] == pytest.approx(best, rel=4e-9, abs=1e-12)
            assert search.bound[k] >= best * (1 - 1e-12)


@pytest.mark.parametrize("seed", problems.some(6, range(20)))
def test_the_bound_by_faces_is_the_optimum_of_few_variables(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    X = rng.integers(-2, 3, (n, n)).astype(float) if seed % 2 else rng.standard_normal((n, n))
    B, k = X.T @ X + 1e-3 * np.eye(n), int(rng.integers(1, n + 1))
    best = problems.optimum(B, k, True)
    exceeded = []

    def found(places):
        exceeded.append(places)
        return problems.copositive(B[np.ix_(places, places)])

    bound, nodes = nonnegative_faces.nonnegative_bound(B, k, 0.5 * best, found)
    assert bound == pytest.approx(best, rel=1e-9)
    assert nodes <= 2**n
    assert all(0 < len(places) <= k for places in exceeded)
    above = nonnegative_faces.nonnegative_bound(B, k, 1.1 * best, found)[0]
    assert above == 1.1 * best


def test_many_faces_leave_a_bound(monkeypatch):
    monkeypatch.setattr(nonnegative_faces, "MOST", 3)
    X = np.random.default_rng(0).standard_normal((9, 9))
    B = X.T @ X
    bound, nodes = nonnegative_faces.nonnegative_bound(B, 4, 0.0, lambda places: 0.0)
    assert nodes == 3
    assert bound >= problems.optimum(B, 4, True)


def _blocks(seed):
    """Return equal blocks, which have many optima."""
    B = np.random.default_rng(seed).standard_normal((4, 3))
    return np.kron(np.eye(3), B.T @ B)


@pytest.mark.usefixtures("no_tree")
@pytest.mark.parametrize("seed", problems.some(2, range(4)))
def test_equal_optima_are_not_fixed_wrongly(seed):
    S = _blocks(seed)
    for k in (2, 3, 5):
        d = S.diagonal().copy()
        search = Exact(d, lambda W: S[np.ix_(W, W)], k, 1e11, True, 0, every=False)
        search.offer(k, np.arange(1))
        for _ in search.run():
            pass
        assert search.value[k] == pytest.approx(problems.optimum(S, k), rel=4e-9)
        assert search.proven(k)


@KINDS
@pytest.mark.parametrize("nonnegative", [False, True])
@pytest.mark.parametrize("seed", problems.some(2, range(4)))
def test_an_interrupted_search_has_a_bound(seed, nonnegative, kind, monkeypatch):
    monkeypatch.setattr(dual_search, "UNSEEN", 0.0)
    monkeypatch.setattr(gershgorin_part, "UNSEEN", 0.0)
    S = problems.explicit(problems.problem("gaussian data", seed)[0])
    k = max(1, len(S) // 2)
    best = problems.optimum(S, k, nonnegative)
    W = np.arange(k)

    def best_with(F):
        nonlocal W
        assert len(F) <= k
        if _value(S, F, nonnegative) > _value(S, W, nonnegative):
            W = F
        return _value(S, W, nonnegative)

    search = kind(S, k, best_with(W), best_with, nonnegative, 1e10)
    bounds = []
    for _ in search.run(1e-9):
        bounds.append(search.bound)
        assert _value(S, W, nonnegative) <= best * (1 + 1e-9)
    bounds.append(search.bound)
    assert min(bounds) >= best * (1 - 1e-9)
    assert bounds == sorted(bounds, reverse=True)
    if not nonnegative:
        assert search.bound == pytest.approx(best, rel=3e-9)


@KINDS
def test_a_search_can_be_stopped_after_each_step_of_a_minimisation(kind, monkeypatch):
    """An eigendecomposition of order 1000 takes a fifth of a second, and a bound needs many."""
    monkeypatch.setattr(dual_search, "UNSEEN", 0.0)
    monkeypatch.setattr(gershgorin_part, "UNSEEN", 0.0)
    made, between = 0, []

    def counted(function):
        def call(matrix):
            nonlocal made
            made += 1
            return function(matrix)

        return call

    for name in ("eigen", "eigenvalues"):
        monkeypatch.setattr(dual_bound, name, counted(getattr(dual_bound, name)))
    monkeypatch.setattr(splitting, "eigen", counted(splitting.eigen))
    X = np.random.default_rng(0).standard_normal((40, 40))
    S = X.T @ X
    search = kind(S, 8, 80.0, lambda W: _value(S, W, False), False, 3e9)
    for _ in search.run(1e-9):
        between.append(made)
        made = 0
    assert max(between) <= quasi_newton.TRIALS
    assert np.mean(between) <= 2.0


def _value(S, W, nonnegative):
    B = S[np.ix_(W, W)]
    return problems.copositive(B) if nonnegative else np.linalg.eigvalsh(B)[-1]


def test_the_budget_and_the_time_end_a_search():
    X = np.random.default_rng(0).standard_normal((60, 60))
    problem = Problem.from_data(X)
    short, longer = (
        api.solve(problem, "branch_and_bound", k=25, settings={"budget": b}) for b in (1e8, 4e8)
    )
    for result in (short, longer):
        assert result.status == "work_limit"
        seconds = result.settings["budget"] / 1e9
        spent = f"the search spent its work, that of about {seconds:.3g} s"
        assert result.unproven == f"not proven optimal: {spent}"
        assert result.bound > result.variance and result.unproven.endswith(f"gap {result.gap:.2%}")
        assert result.variance <= result.claim.bound
    assert longer.claim.bound <= short.claim.bound
    again = api.solve(problem, "branch_and_bound", k=25, settings={"budget": 1e8})
    assert (again.claim.bound, again.variance) == (short.claim.bound, short.variance)
    stopped = api.solve(problem, "branch_and_bound", k=25, limits=Limits(time_limit=0.5))
    assert stopped.status == "time_limit"
    assert "the time limit was reached first" in stopped.unproven
    assert stopped.variance <= stopped.claim.bound


def test_a_search_says_that_it_proved_or_that_it_did_not_begin():
    rng = np.random.default_rng(0)
    small = api.solve(Problem.from_data(rng.standard_normal((20, 12))), "branch_and_bound", k=4)
    assert small.status == "proven" and not small.unproven
    assert small.bound <= small.variance * (1 + 3e-9)
    wide = api.solve(
        Problem.from_data(rng.standard_normal((200, candidates.MOST + 100))),
        "branch_and_bound",
        k=10,
        settings={"budget": 1e6},
    )
    assert wide.status == "not_attempted" and wide.good
    count = int(wide.claim.why.split()[0].replace(",", ""))
    assert candidates.MOST < count <= wide.problem.n
    assert wide.extra["nodes"] == 0.0


def test_a_strangers_word_of_a_proof_is_no_proof():
    solver = ModuleType("stranger")

    def solve(problem, *, k):
        x = np.eye(problem.n)[0]
        yield Iterate(x, bound=float(problem.variance(x)), end="proven", why="I say so")

    vars(solver).update(TRAITS=Traits(control="cardinality"), EXAMPLE=dict(k=2), solve=solve)
    result = api.solve(Problem.from_covariance(np.diag([1.0, 2.0, 3.0])), solver, k=2)
    assert result.status != "proven" and not result.claim.why and not result.unproven


def test_the_smaller_cardinalities_have_the_budget_too_where_that_is_asked():
    X = np.random.default_rng(0).standard_normal((30, 30))
    problem = Problem.from_data(X)
    full = api.solve(problem, "branch_and_bound", k=12, settings={"every": True, "budget": 1e10})
    for j in range(1, 13):
        value, bound = (full.extra[f"{name}_{j}"] for name in ("value", "bound"))
        assert value <= bound <= value * (1 + 3e-9)


@KINDS
@pytest.mark.parametrize("nonnegative", [False, True])
@pytest.mark.parametrize("share", [1.003, 1.02, 1.2])
@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("seed", [26, *problems.some(2, range(16))])  # 26: a part without variables
def test_a_value_that_nothing_reaches_is_excluded(seed, k, share, nonnegative, kind, monkeypatch):
    """This includes parts with no variables left, or too many; no support has more than k."""
    monkeypatch.setattr(dual_search, "ROOT", 1)
    monkeypatch.setattr(dual_search, "ROOT_GAIN", 1e9)
    monkeypatch.setattr(dual_search, "GAIN", 1e9)
    monkeypatch.setattr(gershgorin_part, "ROOT", 1)
    monkeypatch.setattr(gershgorin_part, "HOPELESS", -1e9)
    X = np.random.default_rng(seed).standard_normal((12, 12))
    S = X.T @ X
    t = share * problems.optimum(S, k, nonnegative)

    def best_with(W):
        assert 0 < len(W) <= k
        return t

    search = kind(S, k, t, best_with, nonnegative, 1e10)
    deque(search.run(1e-9), maxlen=0)
    assert search.bound == pytest.approx(t, rel=3e-9)
