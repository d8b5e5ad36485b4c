"""Local search ends where no swap improves, and proves an optimum only if it is one."""

from itertools import islice, product

import numpy as np
import pytest

from spcabench import Problem, api, flops
from spcabench.methods import local_search
from spcabench.methods.swaps import Columns
from spcabench.problem.covariance import Covariance
from spcabench.steps import nonnegative_loading
from tests import problems
from tests.methods.test_dual import gram, value_of
from tests.problems import FAMILIES


@pytest.mark.parametrize("seed", problems.some(3, range(5)))
def test_swaps_end_where_none_improves(seed, monkeypatch):
    """Every swap is tried: none has a larger eigenvalue, and the first choice is the largest."""
    S = gram(seed, 11)
    search = local_search.Search(Covariance(S), 4, 10**6, np.random.default_rng(seed))
    search.climb(np.arange(4))
    values = [value_of(S, W) for W in swapped(search.W, 11)]
    assert max(values) <= search.value * (1 + 1e-9)
    W, picks = np.arange(4), []
    for few in (0, 44):  # by the kernel, and by NumPy
        monkeypatch.setattr(local_search, "FEW", few)
        picks.append(local_search.best_swap(S[:4].copy(), S.diagonal().copy(), W))
    assert picks[0] == picks[1]
    _, i, j = picks[0]
    assert (i < 0) == (max(value_of(S, each) for each in swapped(W, 11)) <= value_of(S, W))
    assert i < 0 or value_of(S, np.where(W[i] == W, j, W)) > value_of(S, W)


def swapped(W, n):
    """Return all supports that differ from W in one variable."""
    others = np.setdiff1d(np.arange(n), W)
    return [np.where(i == W, j, W) for i in W for j in others]


@pytest.mark.parametrize("k", [1, 4, 12])
def test_power_steps_before_swaps_end_and_ascend(k):
    """The resulting support has k variables, and explains at least as much as the start."""
    S, W = gram(k, 12), np.arange(k)
    R, v = S[:k].copy(), S[0, :k].copy()
    with flops.counting() as ledger:
        value, _ = local_search.power_steps(R, W, v)
        assert ledger.flops == local_search.STEPS * k**2 + 12 * k
    assert value <= np.linalg.eigvalsh(S)[-1] * (1 + 1e-12)
    for matrix, least in ((S, value), (np.zeros((12, 12)), 0.0)):
        search = local_search.Search(Covariance(matrix), k, 0, np.random.default_rng(0))
        better = search._ascended(W)
        assert len(set(better)) == k and value_of(matrix, better) >= least * (1 - 1e-9)


def test_no_support_is_scanned_twice_and_every_search_ends(monkeypatch):
    seen, kernel = [], local_search.best_swap

    def spy(R, d, W):
        seen.append(tuple(np.sort(W)))
        return kernel(R, d, W)

    monkeypatch.setattr(local_search, "best_swap", spy)
    problem = Problem.from_covariance(gram(3, 6))
    result = problems.solve(problem, "local_search", 3, budget=500)
    assert len(seen) == len(set(seen)) <= 20 and result.status == "finished"


def test_a_larger_budget_is_never_worse():
    problem = Problem.from_data(np.random.default_rng(2).standard_normal((30, 40)))
    answers = [problems.solve(problem, "local_search", 9, budget=b) for b in (1, 10, 200)]
    variances = [answer.variance for answer in answers]
    assert variances == sorted(variances)


def test_local_search_ends_early_with_a_proof_and_only_at_an_optimum():
    proofs = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        n, k = 9, int(rng.integers(2, 6))
        S = np.diag(rng.uniform(0.5, 1.0, n))
        S[:k, :k] += rng.uniform(0.5, 3.0)
        S += 0.05 * np.cov(rng.standard_normal((n, 40)))
        result = api.solve(Problem.from_covariance(S), "local_search", k=k)
        best = problems.optimum(S, k)
        if result.status == "proven":
            proofs += 1
            assert result.iterations <= 2 and best <= result.claim.bound
            assert result.variance == pytest.approx(best, rel=2e-9)
        search = local_search.Search(Covariance(S), k, 1, rng)
        search.climb(np.arange(n - k, n))  # from the worst support, one scan: perhaps not the best
        assert not search.is_optimal() or search.value == pytest.approx(best, rel=2e-9)
    assert proofs


@pytest.mark.parametrize("seed", problems.some(4, range(8)))
@pytest.mark.parametrize("family", problems.some(5, FAMILIES))
def test_nonnegative_swaps_gain_what_they_promise_and_end_at_the_optimum_of_small_problems(
    family, seed
):
    S = problems.explicit(problems.problem(family, seed)[0])
    n, k = len(S), min(3, len(S) - 1)
    W = np.arange(k)
    value, y = nonnegative_loading(S[:k, :k], np.ones(k))
    promised = local_search.swap_values(S[:k], S.diagonal(), W, y, value)
    for i, j in product(range(k), range(k, n)):
        swapped = np.append(np.delete(W, i), j)
        best = problems.copositive(S[np.ix_(swapped, swapped)])
        assert promised[i, j] <= best * (1 + 1e-9) + 1e-12
    search = local_search.NonnegativeSearch(Covariance(S), k, 40, np.random.default_rng(0))
    for start in islice(search.starts(), 12):
        search.climb(start)
    assert (search.loading >= 0.0).all() and len(search.W) == k
    x = search.loading
    assert x @ S[np.ix_(search.W, search.W)] @ x == pytest.approx(search.value, rel=1e-12)
    assert search.value == pytest.approx(problems.optimum(S, k, True), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("seed", problems.some(3, range(6)))
def test_no_swap_improves_a_component_of_what_others_leave(seed):
    S, rng, n = gram(seed, 9), np.random.default_rng(seed), 9
    others, weights = rng.standard_normal((n, 2)) / 3.0, rng.uniform(0.1, 2.0, 2)
    left, free = S - (others * weights) @ others.T, rng.permutation(n) < 7
    columns, x, last = Columns(Covariance(S)), np.zeros(n), -np.inf
    for _ in range(2):
        x = columns.component(x, others, weights, 3, free)
        W, value = np.flatnonzero(x), x @ left @ x
        assert np.linalg.norm(x) == pytest.approx(1.0) and free[W].all() and len(W) == 3
        assert value >= last * (1 - 1e-12)
        for each in swapped(W, n):
            assert not free[each].all() or value_of(left, each) <= value * (1 + 1e-9)
        last = value
