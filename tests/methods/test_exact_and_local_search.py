"""Exact and local search agree with brute force and with their definitions."""

from collections import deque
from itertools import islice, product

import numpy as np
import pytest

from spcabench import Problem, api, flops
from spcabench.methods import local_search
from spcabench.methods.exact_search import branch_and_bound, candidates, pruning, search_tree
from spcabench.methods.exact_search.branch_and_bound import Exact
from spcabench.methods.exact_search.search_tree import SmallTree, Tree
from spcabench.problem.covariance import Covariance
from spcabench.solving.call import Limits
from spcabench.steps import nonnegative_loading
from tests import problems
from tests.methods.test_dual import gram
from tests.methods.test_dual_search import prove
from tests.problems import FAMILIES
from tests.twins import twin


def _exact(S, K, budget=1e9, psd=True):
    return Exact(S.diagonal().copy(), lambda W: S[np.ix_(W, W)], K, budget, psd, 0)


def _finished(search):
    for _ in search.run():
        pass
    return search


@pytest.mark.parametrize("family", problems.some(5, FAMILIES))
@pytest.mark.parametrize("seed", problems.some(2, range(6)))
def test_every_cardinality_is_brute_force_s_whatever_the_incumbent(family, seed, monkeypatch):
    """With the compiled tree, with that of NumPy, and where the second hands over to the first."""
    S = problems.explicit(problems.problem(family, seed)[0])
    for poor, (used, nodes) in product((False, True), ((0, 0), (10**6, 10**6), (10**6, 3))):
        monkeypatch.setattr(branch_and_bound, "NODES", used)
        monkeypatch.setattr(search_tree, "NODES", nodes)
        prove(S, poor)


@pytest.mark.parametrize("family", problems.some(5, FAMILIES))
@pytest.mark.parametrize("seed", problems.some(1, range(20)))
def test_variables_that_are_too_many_for_the_search_stay_in_its_bound(family, seed, monkeypatch):
    problem, _ = problems.problem(family, seed)
    S, n = problems.explicit(problem), problem.n

    def block(J, W=None):
        return S[np.ix_(J, J if W is None else W)]

    for most, entries in ((n - 1, 1e9), (n - 1, n * (n - 2)), (n // 2, 1e9), (2, 1e9)):
        for module in (branch_and_bound, candidates):
            monkeypatch.setattr(module, "MOST", most)
        monkeypatch.setattr(candidates, "ENTRIES", entries)
        monkeypatch.setattr(branch_and_bound, "DUAL_MOST", most)
        monkeypatch.setattr(branch_and_bound, "FEW", 2)
        monkeypatch.setattr(branch_and_bound, "TRIAL", 1e6 * (seed % 2))
        for nonnegative in (False, True):
            K, d = n // 2 + 1, S.diagonal().copy()
            search = Exact(d, block, K, 1e8, not nonnegative, 0, nonnegative, every=False)
            deque(search.incumbents(), maxlen=0)
            _finished(search)
            for k in range(1, K + 1):
                best = problems.optimum(S, k, nonnegative)
                assert search.bound[k] >= best * (1 - 1e-12)
                if search.proven(k):
                    assert search.value[k] == pytest.approx(best, rel=4e-9, abs=1e-12)


def test_a_search_that_is_not_finished_has_a_bound():
    S = gram(3, 24)
    best = _finished(_exact(S, 8)).value
    short = _exact(S, 8, budget=0.0)
    _finished(short)
    assert not all(short.proven(k) for k in range(1, 9))
    assert (short.bound >= best).all()
    assert (short.value <= best * (1 + 1e-9)).all()


def test_a_search_cut_short_has_an_answer_of_the_cardinality_asked():
    G = np.random.default_rng(3).standard_normal((60, 40))
    problem = Problem.from_covariance(G.T @ G, "cut")
    result = api.solve(problem, "local_search", k=20)
    cut = api.solve(problem, "branch_and_bound", k=20, limits=Limits(max_iterations=2))
    assert cut.cardinality == 20
    assert cut.variance >= 0.9 * result.variance


def test_the_node_matrix_answers_for_its_supports():
    """By Schur complements, S[F + T', F + T'] reaches t if and only if E[T', T'] does."""
    S, t = gram(1, 7), 0.0
    for F in ([0], [2, 5], [1, 3, 6]):
        T = np.setdiff1d(np.arange(7), F)
        for scale in (1.01, 1.3, 2.0):
            t = scale * np.linalg.eigvalsh(S[np.ix_(F, F)])[-1]
            E = S + S[:, F] @ np.linalg.solve(t * np.eye(len(F)) - S[np.ix_(F, F)], S[F])
            for T_ in (T[:2], T[1:4], T):
                W = np.concatenate([F, T_])
                reached = np.linalg.eigvalsh(S[np.ix_(W, W)])[-1] >= t
                assert (np.linalg.eigvalsh(E[np.ix_(T_, T_)])[-1] >= t) == reached


def test_the_tree_of_few_candidates_ends_like_the_compiled_one():
    for seed, k in product(range(8), (2, 3, 5)):
        S = gram(seed, 10)
        opt = np.array([0.0, *(problems.optimum(S, j) for j in range(1, k))])
        t = problems.optimum(S, k) * (0.97 if seed % 2 else 1 + 1e-9)
        small, large = (kind(S, np.arange(10), k, opt, t, True) for kind in (SmallTree, Tree))
        assert small.go() == large.go()
        if seed % 2:
            assert len(small.found) <= k and _top(S, small.found) >= t * (1 - 1e-12)


@pytest.mark.parametrize("share", [0.5, 1.0])
@pytest.mark.parametrize("seed", problems.some(2, range(6)))
def test_the_tree_is_its_twin(share, seed):
    S, k = gram(seed, 9), 3 + seed % 4
    opt = np.array([0.0, *(problems.optimum(S, j) for j in range(1, k))])
    t = problems.optimum(S, k) * (0.97 if seed % 2 else 1 + 1e-9)
    trees = [Tree(S, np.arange(9), k, opt, t, True) for _ in range(2)]
    ends, plain = [], twin(pruning.descend)
    for tree, run in zip(trees, (pruning.descend, plain), strict=True):
        with flops.counting() as ledger:
            out = run(tree.k, opt, t, True, 10**9, 0, tree.stack, tree.reals, tree.ints, tree.place)
            ends.append(out[-3:] if run is plain else out)
            assert ledger.flops == ledger.compiled
    assert tuple(ends[0]) == tuple(ends[1])
    assert ends[0][0] == (pruning.FOUND if seed % 2 else pruning.EXHAUSTED)


@pytest.mark.parametrize("seed", problems.some(3, range(8)))
def test_swaps_end_where_none_improves(seed, monkeypatch):
    """Every swap is tried: none has a larger eigenvalue, and the first choice is the largest."""
    S = gram(seed, 11)
    search = local_search.Search(Covariance(S), 4, 10**6, np.random.default_rng(seed))
    search.climb(np.arange(4))
    values = [_top(S, W) for W in swapped(search.W, 11)]
    assert max(values) <= search.value * (1 + 1e-9)
    W, picks = np.arange(4), []
    for few in (0, 44):  # by the kernel, and by NumPy
        monkeypatch.setattr(local_search, "FEW", few)
        picks.append(local_search.best_swap(S[:4].copy(), S.diagonal().copy(), W))
    assert picks[0] == picks[1]
    _, i, j = picks[0]
    assert (i < 0) == (max(_top(S, each) for each in swapped(W, 11)) <= _top(S, W))
    assert i < 0 or _top(S, np.where(W[i] == W, j, W)) > _top(S, W)


def swapped(W, n):
    """Return all supports that differ from W in one variable."""
    others = np.setdiff1d(np.arange(n), W)
    return [np.where(i == W, j, W) for i in W for j in others]


@pytest.mark.parametrize("seed", problems.some(2, range(6)))
def test_power_steps_before_swaps_end_and_ascend(seed):
    """The resulting support explains at least as much as the start."""
    S, W = gram(seed, 12), np.arange(4)
    R, v = S[:4].copy(), S[0, :4].copy()
    with flops.counting() as ledger:
        value, _ = local_search.power_steps(R, W, v)
        assert ledger.flops == local_search.STEPS * 16 + 48
    assert value <= np.linalg.eigvalsh(S)[-1] * (1 + 1e-12)
    search = local_search.Search(Covariance(S), 4, 0, np.random.default_rng(0))
    better = search._ascended(W)
    assert len(set(better)) == 4 and _top(S, better) >= value * (1 - 1e-9)


@pytest.mark.parametrize(
    ("S", "k"),
    [(gram(1, 6), 1), (gram(1, 6), 6), (np.zeros((5, 5)), 3)],
    ids=["one variable", "all variables", "no variance"],
)
def test_the_ascent_keeps_the_cardinality(S, k):
    search = local_search.Search(Covariance(S), k, 5, np.random.default_rng(0))
    assert len(set(search._ascended(np.arange(k)))) == k


def test_no_support_is_scanned_twice_and_every_search_ends(monkeypatch):
    seen, kernel = [], local_search.best_swap

    def spy(R, d, W):
        seen.append(tuple(np.sort(W)))
        return kernel(R, d, W)

    monkeypatch.setattr(local_search, "best_swap", spy)
    result = api.solve(
        Problem.from_covariance(gram(3, 6)), "local_search", k=3, settings={"budget": 500}
    )
    assert len(seen) == len(set(seen)) <= 20 and result.status == "finished"


def _top(S, W):
    return np.linalg.eigvalsh(S[np.ix_(W, W)])[-1]


def test_a_larger_budget_is_never_worse_and_forms_agree():
    X = np.random.default_rng(2).standard_normal((30, 40))
    problem = Problem.from_data(X)
    variances = [
        api.solve(problem, "local_search", k=9, settings={"budget": b}).variance
        for b in (1, 10, 200)
    ]
    assert variances == sorted(variances)
    same = api.solve(problem.given_as("covariance"), "local_search", k=9, settings={"budget": 200})
    assert same.variance == pytest.approx(variances[-1], rel=1e-9)


@pytest.mark.parametrize("form", ["data", "covariance"])
@pytest.mark.parametrize("seed", problems.some(2, range(5)))
def test_an_indefinite_matrix_and_nonnegative_answers(form, seed):
    problem, k = problems.problem(f"gaussian {form}", seed)
    last = api.solve(problem, "grqi", n_components=3, k=k, deflation="hotelling")[-1].problem
    S = problems.explicit(last)
    result = api.solve(last, "branch_and_bound", k=k)
    assert result.variance == pytest.approx(problems.optimum(S, k), abs=1e-7 * np.abs(S).max())
    positive = api.solve(problem, "branch_and_bound", k=k, nonnegative=True)
    best = problems.optimum(problems.explicit(problem), k, True)
    assert positive.variance <= best * (1 + 1e-9)
    assert positive.extra[f"bound_{k}"] >= best * (1 - 1e-9)


def test_many_variables_are_screened_by_their_variances():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 6000)) * np.where(np.arange(6000) % 600, 1.0, 4.0)
    result = api.solve(Problem.from_data(X), "branch_and_bound", k=3)
    assert result.extra["bound_3"] == pytest.approx(result.variance, rel=1e-8)
    assert (result.support % 600 == 0).all()


@pytest.mark.parametrize("seed", problems.some(3, range(30)))
def test_local_search_ends_early_with_a_proof_and_only_at_an_optimum(seed):
    rng = np.random.default_rng(seed)
    n, k = 9, int(rng.integers(2, 6))
    S = np.diag(rng.uniform(0.5, 1.0, n))
    S[:k, :k] += rng.uniform(0.5, 3.0)
    S += 0.05 * np.cov(rng.standard_normal((n, 40)))
    result = api.solve(Problem.from_covariance(S), "local_search", k=k)
    best = problems.optimum(S, k)
    if result.status == "proven":
        assert result.variance == pytest.approx(best, rel=2e-9)
        assert best <= result.claim.bound
    search = local_search.Search(Covariance(S), k, 1, rng)
    search.climb(np.arange(n - k, n))  # from the worst support, one scan: perhaps not the best
    assert not search.is_optimal() or search.value == pytest.approx(best, rel=2e-9)


def test_a_spike_is_proven_by_local_search():
    S = np.eye(30) + 4.0 * np.outer(np.arange(30) < 5, np.arange(30) < 5)
    result = api.solve(Problem.from_covariance(S), "local_search", k=5)
    assert result.status == "proven" and result.iterations == 2


@pytest.mark.parametrize("seed", problems.some(6, range(40)))
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
