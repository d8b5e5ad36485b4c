"""Branch and bound on the dual bound, against brute force, from good and from poor incumbents."""

from collections import deque

import numpy as np
import pytest

from spcabench import Problem, api
from spcabench.methods import branch_and_bound, dual_search, search_tree
from spcabench.methods.branch_and_bound import Exact
from spcabench.methods.dual_search import DualSearch
from tests import problems
from tests.problems import FAMILIES


@pytest.fixture
def no_tree(monkeypatch):
    """The exact search without its tree: all is left to the dual bound."""
    monkeypatch.setattr(branch_and_bound, "TRIAL", 0.0)
    monkeypatch.setattr(branch_and_bound, "PROMISING", 0.0)


def prove(S, poor):
    """All cardinalities of S are proven, from good incumbents or from poor ones: brute force."""
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
        assert search.proven(k)
        assert search.value[k] == pytest.approx(best, rel=4e-9, abs=1e-12)
        assert search.bound[k] >= best * (1 - 1e-12)


@pytest.mark.usefixtures("no_tree")
@pytest.mark.parametrize("poor", [False, True])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("family", FAMILIES)
def test_the_dual_bound_alone_proves_what_brute_force_finds(family, seed, poor):
    prove(problems.explicit(problems.problem(family, seed)[0]), poor)


@pytest.mark.parametrize("poor", [False, True])
@pytest.mark.parametrize("seed", range(4, 6))
@pytest.mark.parametrize("family", FAMILIES)
def test_so_do_the_tree_and_the_dual_bound_in_turns(family, seed, poor, monkeypatch):
    monkeypatch.setattr(branch_and_bound, "TRIAL", 1.0)
    monkeypatch.setattr(search_tree, "CHUNK", 20)
    monkeypatch.setattr(dual_search, "ROOT", 1)
    prove(problems.explicit(problems.problem(family, seed)[0]), poor)


def _blocks(seed):
    """Equal blocks: many optima."""
    B = np.random.default_rng(seed).standard_normal((4, 3))
    return np.kron(np.eye(3), B.T @ B)


@pytest.mark.usefixtures("no_tree")
@pytest.mark.parametrize("seed", range(4))
def test_equal_optima_are_not_fixed_wrongly(seed):
    S = _blocks(seed)
    for k in (2, 3, 5):
        search = Exact(
            S.diagonal().copy(), lambda W: S[np.ix_(W, W)], k, 1e11, True, 0, every=False
        )
        search.offer(k, np.arange(1))
        for _ in search.run():
            pass
        assert search.value[k] == pytest.approx(problems.optimum(S, k), rel=4e-9)
        assert search.proven(k)


@pytest.mark.parametrize("nonnegative", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_an_interrupted_search_has_a_bound(seed, nonnegative, monkeypatch):
    monkeypatch.setattr(dual_search, "UNSEEN", 0.0)
    S = problems.explicit(problems.problem("gaussian data", seed)[0])
    k = max(1, len(S) // 2)
    best = problems.optimum(S, k, nonnegative)
    W = np.arange(k)

    def best_with(found):
        nonlocal W
        if _value(S, found, nonnegative) > _value(S, W, nonnegative):
            W = found
        return _value(S, W, nonnegative)

    search = DualSearch(S, k, best_with(W), best_with, nonnegative, 1e10)
    bounds = []
    for _ in search.run(1e-9):
        bounds.append(search.bound)
        assert _value(S, W, nonnegative) <= best * (1 + 1e-9)
    bounds.append(search.bound)
    assert min(bounds) >= best * (1 - 1e-9)
    assert bounds == sorted(bounds, reverse=True)
    if not nonnegative:
        assert search.bound == pytest.approx(best, rel=3e-9)


def _value(S, W, nonnegative):
    B = S[np.ix_(W, W)]
    return problems.copositive(B) if nonnegative else np.linalg.eigvalsh(B)[-1]


def test_the_budget_and_the_time_end_a_search():
    X = np.random.default_rng(0).standard_normal((60, 60))
    problem = Problem.from_data(X)
    short, longer = (api.solve(problem, "branch_and_bound", k=25, budget=b) for b in (1e9, 4e9))
    for result in (short, longer):
        assert result.status == "finished"
        assert result.variance <= result.claimed
    assert longer.claimed <= short.claimed
    again = api.solve(problem, "branch_and_bound", k=25, budget=1e9)
    assert (again.claimed, again.variance) == (short.claimed, short.variance)
    stopped = api.solve(problem, "branch_and_bound", k=25, time_limit=0.5)
    assert stopped.status == "time_limit"
    assert stopped.variance <= stopped.claimed


def test_the_smaller_cardinalities_have_the_budget_too_where_that_is_asked():
    X = np.random.default_rng(0).standard_normal((30, 30))
    problem = Problem.from_data(X)
    whole = api.solve(problem, "branch_and_bound", k=12, every=True, budget=1e10)
    for j in range(1, 13):
        value, bound = (whole.extra[f"{name}_{j}"] for name in ("value", "bound"))
        assert value <= bound <= value * (1 + 3e-9)
