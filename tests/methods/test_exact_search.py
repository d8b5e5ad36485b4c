"""The exact search agrees with brute force, from good and poor incumbents, by each bound."""

from collections import deque
from itertools import product
from types import ModuleType

import numpy as np
import pytest

from spcabench import Problem, api
from spcabench.methods.exact_search import (
    best_first,
    branch_and_bound,
    candidates,
    dual_part,
    nonnegative_faces,
    pair_part,
    part,
    search_tree,
)
from spcabench.methods.exact_search.best_first import BestFirst
from spcabench.methods.exact_search.branch_and_bound import Exact
from spcabench.methods.exact_search.dual_part import DualPart
from spcabench.methods.exact_search.pair_part import PairPart
from spcabench.methods.exact_search.search_tree import Tree
from tests import problems
from tests.methods.test_dual import SIGNS, blocks, gram, value_of
from tests.problems import FAMILIES

KINDS = pytest.mark.parametrize("kind", [DualPart, PairPart])


def searched(S, K, budget=1e11, nonnegative=False, every=True, start=None):
    """Return a finished search from the incumbents, or from a support ``start``."""

    def block(J, W=None):
        return S[np.ix_(J, J if W is None else W)]

    d = S.diagonal().copy()
    search = Exact(d, block, K, budget, not nonnegative, 0, nonnegative, every)
    if start is None:
        deque(search.incumbents(), maxlen=0)
    else:
        for k in range(1, K + 1):
            search.offer(k, start[:k])
    deque(search.run(), maxlen=0)
    return search


def check(S, search, ks, nonnegative=False, all_proven=True):
    """Compare values and bounds with brute force."""
    for k in ks:
        best = problems.optimum(S, k, nonnegative)
        assert search.bound[k] >= best * (1 - 1e-12) and len(search.support[k]) <= k
        assert search.value[k] <= best * (1 + 1e-9) + 1e-12
        if all_proven or search.proven(k):
            assert search.proven(k)
            assert search.value[k] == pytest.approx(best, rel=4e-9, abs=1e-12)


def prove(S, poor, nonnegative=False):
    """Prove all cardinalities of S from good or poor incumbents; with x >= 0, each on its own."""
    n = len(S)
    start = np.argsort(S.diagonal(), kind="stable") if poor else None
    if nonnegative:
        for k in range(3, min(n, 6) + 1, 2):
            check(S, searched(S, k, 1e10, True, every=False, start=start), [k], True)
    else:
        check(S, searched(S, n, start=start), range(1, n + 1))


ENGINES: dict[
    str, dict[tuple[ModuleType, str], float]
] = {  # constants that leave the proof to some steps of the search
    "the tree": {(search_tree, "UNSEEN"): 0.0},
    "the single-matrix dual": {
        (branch_and_bound, "QUICK"): 0,
        (branch_and_bound, "ROOT"): 0,
        (branch_and_bound, "NARROW"): np.inf,
        (dual_part, "ROOT"): 1,
    },
    "the pair relaxation": {(branch_and_bound, "EARLY"): 0.0, (pair_part, "ROOT"): 1},
    "all": {
        (branch_and_bound, "QUICK"): 1,
        (branch_and_bound, "ROOT"): 1,
        (branch_and_bound, "NARROW"): np.inf,
        (branch_and_bound, "CHECKS"): 1,
    },
}


@pytest.mark.parametrize(("family", "engine"), problems.spread(FAMILIES, [*ENGINES]))
def test_each_step_alone_proves_what_brute_force_finds(family, engine, monkeypatch):
    for (module, name), value in ENGINES[engine].items():
        monkeypatch.setattr(module, name, value)
    S = problems.explicit(problems.problem(family, 0)[0])
    for matrix in (S, blocks(FAMILIES.index(family))):
        for poor, nonnegative in ((True, False), (False, False), (False, True)):
            prove(matrix, poor, nonnegative)


@pytest.mark.parametrize("family", problems.some(4, FAMILIES))
@pytest.mark.parametrize("seed", problems.some(1, range(3)))
def test_variables_that_are_too_many_for_the_search_stay_in_its_bound(family, seed, monkeypatch):
    S = problems.explicit(problems.problem(family, seed)[0])
    n = len(S)
    monkeypatch.setattr(branch_and_bound, "QUICK", seed % 2)
    for most, entries, nonnegative in product(
        (n - 1, n // 2, 2), (1e9, n * (n - 2)), (False, True)
    ):
        for module in (branch_and_bound, candidates):
            monkeypatch.setattr(module, "MOST", most)
        monkeypatch.setattr(candidates, "ENTRIES", entries)
        monkeypatch.setattr(branch_and_bound, "LARGE", most)
        K = n // 2 + 1
        search = searched(S, K, 1e8, nonnegative, every=False)
        check(S, search, range(1, K + 1), nonnegative, all_proven=False)


def test_many_variables_are_screened_by_their_variances():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 2000)) * np.where(np.arange(2000) % 200, 1.0, 4.0)
    result = api.solve(Problem.from_data(X), "branch_and_bound", k=3)
    assert result.extra["bound_3"] == pytest.approx(result.variance, rel=1e-8)
    assert (result.support % 200 == 0).all()


def test_the_best_support_of_a_large_problem_can_have_small_variances():
    """Its variables are not among those of largest variance, from which local search chooses."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 1300))
    X[:, 1200:1210] = 0.9 * rng.standard_normal((60, 1)) + 0.1 * X[:, 1200:1210]
    problem = Problem.from_data(X)
    result = problems.solve(problem, "branch_and_bound", 10, budget=1e8)
    planted = np.zeros(1300)
    planted[1200:1210] = 1.0
    assert result.variance >= problem.variance(planted / np.sqrt(10.0))


def test_a_large_block_is_computed_once(monkeypatch):
    monkeypatch.setattr(candidates, "MOST", 25)
    X, rng, computed = gram(0, 30), np.random.default_rng(0), []

    def covariance(J, W=None):
        computed.append(len(J))
        return X[np.ix_(J, J if W is None else W)]

    blocks = candidates.Blocks(covariance)
    for size in (20, 18, 3, 20, 22, 15, 9, 22, 20, 26, 4):
        W = rng.permutation(25 if size < 26 else 30)[:size]
        assert np.array_equal(blocks(W), X[np.ix_(W, W)])
    assert sum(size >= 15 for size in computed) <= 4


@KINDS
@SIGNS
@pytest.mark.parametrize("seed", problems.some(2, range(4)))
def test_an_interrupted_search_has_a_bound(seed, nonnegative, kind, monkeypatch):
    monkeypatch.setattr(part, "UNSEEN", 0.0)
    S = problems.explicit(problems.problem("gaussian data", seed)[0])
    k = max(1, len(S) // 2)
    best, found = problems.optimum(S, k, nonnegative), []

    def best_with(W):
        assert len(W) <= k
        found.append(value_of(S, W, nonnegative))
        return max(found)

    search = BestFirst(kind, S, k, best_with(np.arange(k)), best_with, nonnegative, 1e10)
    bounds = [search.bound for _ in search.run(1e-9)] + [search.bound]
    assert max(found) <= best * (1 + 1e-9)
    assert min(bounds) >= best * (1 - 1e-9)
    assert bounds == sorted(bounds, reverse=True)
    if not nonnegative:
        assert search.bound == pytest.approx(best, rel=3e-9)


@KINDS
def test_a_search_of_many_small_parts_yields_regularly(kind, monkeypatch):
    S, k = gram(0, 60), 15
    often = 50 * kind.cost(len(S))
    for module in (part, best_first):
        monkeypatch.setattr(module, "UNSEEN", often)
    t = value_of(S, np.arange(k), False)
    search = BestFirst(kind, S, k, t, lambda W: value_of(S, W, False), False, 12 * often)
    spent = [search.spent for _ in search.run(1e-9)] + [search.spent]
    assert search.parts > 3
    assert np.diff(spent).max() <= 2 * often


@KINDS
@SIGNS
@pytest.mark.parametrize("share", [1.003, 1.02, 1.2])
@pytest.mark.parametrize("seed", [26, *problems.some(1, range(3))])  # 26: a part without variables
def test_a_value_that_nothing_reaches_is_excluded(seed, share, nonnegative, kind, monkeypatch):
    """This includes parts with no variables left, or too many; no support has more than k."""
    for module in (dual_part, pair_part):
        monkeypatch.setattr(module, "ROOT", 1)
        monkeypatch.setattr(module, "GAIN", 1e9)
    S = gram(seed, 12)
    for k in (2, 4):
        t = share * problems.optimum(S, k, nonnegative)

        def best_with(W, t=t, k=k):
            assert 0 < len(W) <= k
            return t

        search = BestFirst(kind, S, k, t, best_with, nonnegative, 1e10)
        deque(search.run(1e-9), maxlen=0)
        assert search.bound == pytest.approx(t, rel=3e-9)


def test_the_budget_and_the_time_end_a_search():
    problem = Problem.from_data(np.random.default_rng(0).standard_normal((60, 60)), divisor="1")
    S, k = problems.explicit(problem), 20
    least = 30 * PairPart.cost(60)  # some steps are not divided
    local = api.solve(problem, "local_search", k=k)
    bounds = []
    for budget in (1e7, 1e8, 3e8):
        search = searched(S, k, budget, every=False)
        assert search.left >= -max(0.2 * budget, least)
        result = problems.solve(problem, "branch_and_bound", k, budget=budget)
        assert result.status == "work_limit"
        assert 0.9 * local.variance <= result.variance < result.bound <= result.claimed_bound
        assert result.claim.bound == pytest.approx(search.bound[k], rel=1e-12)
        bounds.append(result.claim.bound)
    assert bounds == sorted(bounds, reverse=True) and bounds[0] > bounds[-1]
    stopped = problems.solve(problem, "branch_and_bound", k, time_limit=0.1)
    assert stopped.status in ("time_limit", "work_limit")
    cut = problems.solve(problem, "branch_and_bound", k, max_iterations=2)
    assert cut.variance >= 0.9 * local.variance


def test_a_search_says_that_it_did_not_begin(monkeypatch):
    monkeypatch.setattr(branch_and_bound, "LARGE", 30)
    for module in (branch_and_bound, candidates):
        monkeypatch.setattr(module, "MOST", 30)
    problem = Problem.from_data(np.random.default_rng(0).standard_normal((100, 100)))
    wide = problems.solve(problem, "branch_and_bound", 10, budget=1e5)
    assert wide.status == "not_attempted" and wide.good and wide.extra["nodes"] == 0.0


@pytest.mark.parametrize("seed", problems.some(6, range(20)))
def test_the_bound_by_faces_is_the_optimum_of_few_variables(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    X = rng.integers(-2, 3, (n, n)).astype(float) if seed % 2 else rng.standard_normal((n, n))
    B, k = X.T @ X + 1e-3 * np.eye(n), int(rng.integers(1, n + 1))
    best = problems.optimum(B, k, True)
    exceeded = []

    def found(places):
        exceeded.append(places)
        return problems.copositive(B[np.ix_(places, places)])

    bounds = list(nonnegative_faces.nonnegative_bounds(B, k, 0.5 * best, found))
    assert bounds[-1] == pytest.approx(best, rel=1e-9)
    assert len(bounds) <= 2**n and min(bounds) >= best * (1 - 1e-12)
    assert all(0 < len(places) <= k for places in exceeded)
    *_, above = nonnegative_faces.nonnegative_bounds(B, k, 1.1 * best, found)
    assert above == 1.1 * best
    monkeypatch.setattr(nonnegative_faces, "MOST", 3)  # the faces left over stay in the bound
    *_, above = nonnegative_faces.nonnegative_bounds(B, k, 0.0, lambda places: 0.0)
    assert above >= best * (1 - 1e-12)


@pytest.mark.parametrize("seed", problems.some(3, range(8)))
def test_a_tree_finds_a_support_or_excludes_all(seed):
    S = gram(seed, 10)
    for k in (2, 3, 5):
        opt = np.array([0.0, *(problems.optimum(S, j) for j in range(1, k))])
        best = problems.optimum(S, k)
        tree = Tree(S, k, opt, 0.8 * best, seed % 2 > 0)
        for found in tree.run():
            assert len(found) <= k and value_of(S, found) >= tree.t * (1 - 1e-12)
            tree.t = value_of(S, found) * (1 + 1e-9)
            assert tree.bound(opt[k - 1]) >= best
        assert tree.t == pytest.approx(best) and tree.bound(opt[k - 1]) == 0.0
