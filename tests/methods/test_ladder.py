"""The search by the dual bound that asks for higher values first."""

import numpy as np
import pytest

from spcabench.methods.exact_search import dual_search, ladder
from spcabench.methods.exact_search.dual_search import DualSearch
from spcabench.methods.exact_search.ladder import Ladder
from tests import problems


def _searched(kind, seed, n, k, budget, nonnegative=False, tolerance=1e-9):
    """A search of a Gaussian covariance from a poor value, and its bounds as they came."""
    X = np.random.default_rng(seed).standard_normal((n, n))
    S = X.T @ X

    def value(W):
        B = S[np.ix_(W, W)]
        return problems.copositive(B) if nonnegative else np.linalg.eigvalsh(B)[-1]

    best = value(np.arange(k))

    def best_with(W):
        nonlocal best
        assert len(W) <= k
        best = max(best, value(W))
        return best

    search, bounds = kind(S, k, best, best_with, nonnegative, budget), []
    for _ in search.run(tolerance):
        bounds.append(search.bound)
    return S, search, [*bounds, search.bound]


@pytest.fixture
def goals(monkeypatch):
    """The values that were asked for; the search yields often and has no head start."""
    calls = []

    class Asked(DualSearch):
        def __init__(self, S, k, t, *others):
            calls.append(t)
            super().__init__(S, k, t, *others)

    monkeypatch.setattr(ladder, "DualSearch", Asked)
    monkeypatch.setattr(ladder, "HEAD_START", 1.0)
    monkeypatch.setattr(dual_search, "UNSEEN", 0.0)
    monkeypatch.setattr(dual_search, "ROOT", 25)
    return calls


@pytest.mark.parametrize("nonnegative", [False, True])
@pytest.mark.parametrize("seed", problems.some(3, range(12)))
def test_higher_values_are_excluded_first_and_the_optimum_is_proven(seed, nonnegative, goals):
    S, search, bounds = _searched(Ladder, seed, 12, 5, 1e10, nonnegative)
    best = problems.optimum(S, 5, nonnegative)
    assert min(bounds) >= best * (1 - 1e-9)
    assert bounds == sorted(bounds, reverse=True)
    if not nonnegative:
        assert search.bound == pytest.approx(best, rel=3e-9)
    assert all(np.isfinite(goals))


def test_each_higher_value_is_closer_than_the_last(goals):
    best = problems.optimum(_searched(Ladder, 0, 12, 5, 1e10, True)[0], 5, True)
    assert len(goals) > 3  # of the search, and of some higher values
    assert goals[1:] == sorted(goals[1:], reverse=True)
    assert goals[-1] > best


@problems.WHOLE
def test_without_a_proof_the_bound_is_smaller_than_that_of_the_search_alone(monkeypatch):
    monkeypatch.setattr(ladder, "HEAD_START", 3e8)
    alone, higher = (_searched(kind, 0, 100, 25, 2e9)[1] for kind in (DualSearch, Ladder))
    assert higher.bound < alone.bound
    assert higher.left <= 0.0


def test_the_budget_is_one_for_all_its_searches(goals):
    search = _searched(Ladder, 1, 30, 10, 1e9)[1]
    assert search.spent + search.left == pytest.approx(1e9)
