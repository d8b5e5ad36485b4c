"""The spannogram is exact when it claims to be, and its bounds are never below the optimum."""

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spcabench import Problem, api, flops, registry
from spcabench.methods import epsilon_net, lowrank, spannogram
from tests import problems
from tests.twins import twin

KINDS = ("general", "integer", "equal and zero rows", "repeated eigenvalues")
SAMPLED = registry.module("solver", "spannogram")


def _factor(kind, rng, n, rank):
    """Return V (n, rank) of a random PSD matrix V V'."""
    V = rng.standard_normal((n, rank))
    if kind == "integer":
        V = rng.integers(-1, 2, (n, rank)).astype(float)
        V[0, 0] = 1.0
    if kind == "equal and zero rows":
        V[1] = V[0]
        V[n // 2] = 0.0
    if kind == "repeated eigenvalues":
        scales = np.repeat([2.0, 1.0], rank)[:rank]
        V = np.linalg.qr(rng.standard_normal((n, n)))[0][:, :rank] * scales
    return V


def _problem(kind, seed):
    """Return a problem of at most eight variables, a cardinality and the rank of Sigma."""
    rng = np.random.default_rng([seed, len(kind)])
    n = int(rng.integers(2, 9))
    V = _factor(kind, rng, n, int(rng.integers(1, min(n, 4) + 1)))
    rank = int(np.linalg.matrix_rank(V @ V.T, tol=1e-9))
    return Problem.from_covariance(V @ V.T), int(rng.integers(1, n + 1)), rank


def exact(problem, k, nonnegative, d, **settings):
    settings |= {"nonnegative": nonnegative, "d": d}
    return problems.solve(problem, "spannogram_exact", k, **settings)


def rho(n, k, d, w):
    """Return the fraction of the optimum that Theorem 1 guarantees, for decreasing w."""
    return max(k / (2 * n), 1.0 / (1.0 + 2.0 * n / k * (w[d] if d < n else 0.0) / w[0]))


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seeds", problems.some(1, [*np.arange(40).reshape(4, 10)]))
def test_theorem_1_and_the_bounds_hold_and_at_the_rank_of_sigma_it_is_exact(
    seeds, kind, nonnegative
):
    for seed in seeds:
        problem, k, rank = _problem(kind, seed)
        n, S = problem.n, problem.matrix.S
        w, best = np.linalg.eigvalsh(S)[::-1].clip(0), problems.optimum(S, k, nonnegative)
        for d in {1 + seed % 4, rank}:
            result = exact(problem, k, nonnegative, d)
            assert best <= result.bound and result.variance <= best * (1 + 1e-9)
            if d >= rank:
                assert result.variance == pytest.approx(best, rel=1e-9)
                assert result.bound == pytest.approx(best, rel=1e-8)
            shifted = exact(problem, k, nonnegative, d, shift=True)
            assert best <= shifted.bound <= result.bound * (1 + 1e-9)
            options = dict(nonnegative=nonnegative, d=d, samples="sharp")
            sampled = problems.solve(problem, "spannogram", k, **options)
            assert sampled.bound >= best  # the harness's own: the sampled one is separate
            assert sampled.claim.bound is None
            if nonnegative:
                assert result.variance >= rho(n, k, d, w) * best * (1 - 1e-9)
                r = min(d, rank)
                assert result.extra["candidates"] <= 2**r * comb(n + 1, r)
        raised = Problem.from_covariance(S + 0.7 * np.eye(n))  # rank d plus a multiple of I
        result = exact(raised, k, nonnegative, rank, shift=True)
        assert result.variance == pytest.approx(best + 0.7, rel=1e-9)
        assert result.bound == pytest.approx(best + 0.7, rel=1e-7)


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_the_maximum_on_a_cone_is_feasible_and_not_beaten(seed):
    rng = np.random.default_rng(seed)
    d, rows = int(rng.integers(1, 5)), int(rng.integers(1, 8))
    R = rng.standard_normal((rows, d)) + rng.uniform(0, 2) * np.eye(d)[0]
    value, c, work = spannogram.cone_maximum(R, R.T @ R, 0.0)
    assert work > 0
    plain = twin(spannogram.cone_maximum)(R, R.T @ R, 0.0)  # which reads no row that is not there
    assert (value, work) == (pytest.approx(plain[0]), plain[2]) and np.allclose(c, plain[1])
    C = rng.standard_normal((2000, d))
    C /= np.linalg.norm(C, axis=1, keepdims=True)
    Y = C @ R.T
    feasible = (Y >= 0).all(axis=1)
    assert value >= (Y[feasible] ** 2).sum(axis=1).max(initial=0.0) * (1 - 1e-9)
    if c.any():
        assert np.linalg.norm(c) == pytest.approx(1.0)
        assert (R @ c).min() >= -1e-9
        assert np.sum((R @ c) ** 2) == pytest.approx(value)
        assert not spannogram.cone_maximum(R, R.T @ R, value * (1 + 1e-9))[1].any()


def _scored(V, c, k, signed):
    """Compute `spannogram.scores` for one c by its definition: sort all entries of V c."""
    v = V @ c
    size = np.abs(v) if signed else np.maximum(v, 0.0)
    chosen = np.argsort(-size, kind="stable")[:k]
    chosen = chosen[size[chosen] > 0]
    x = v[chosen] / max(np.linalg.norm(v[chosen]), 1e-300)
    return np.sum((V[chosen].T @ x) ** 2)


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("decay", [0.0, 3.0, 40.0])  # rows alike; of falling norm; many negligible
@pytest.mark.parametrize("n", [1, 31, 32, 33, 200])
def test_the_best_of_a_direction_is_that_of_a_full_sort(n, decay, signed):
    rng = np.random.default_rng([n, int(decay)])
    V = rng.standard_normal((n, 3)) * np.exp(-decay * rng.random((n, 1)))
    V[n // 3 : n // 2] = V[0]  # equal rows
    V[n // 2 : n // 2 + n // 10] = 0.0
    C = rng.standard_normal((8, 3))
    C /= np.linalg.norm(C, axis=1, keepdims=True)
    ks = rng.permutation(np.unique(rng.integers(1, n + 1, 9)))
    scores = spannogram.scores(*spannogram.falling(V), C, ks, signed)
    expected = [[_scored(V, c, k, signed) for k in ks] for c in C]
    assert np.allclose(scores, expected, rtol=1e-12, atol=0)


@pytest.mark.parametrize("signed", [True, False])
def test_the_samples_cost_the_products_of_the_rows_that_matter_and_their_answers(signed):
    V, C = np.random.default_rng(7).standard_normal((2, 20, 3))
    steep = np.repeat(V, 200, axis=0) * np.geomspace(1.0, 1e-6, 4000)[:, None]
    work = []
    for matrix in (V, steep):
        with flops.counting() as ledger:
            spannogram.scores(*spannogram.falling(matrix), C, np.array([5, 1, 10]), signed)
            work.append(ledger.compiled)
    positive = (C @ V.T > 0.0).sum(axis=1)
    entries = np.full(20, 10) if signed else np.minimum(positive, 10)
    assert work[0] == 20 * V.size + 3 * entries.sum()
    assert work[1] <= 0.2 * 20 * steep.size


def test_the_number_of_samples_is_that_of_the_paper_or_the_sharp_one():
    count = epsilon_net.sample_count
    assert [count(n, 3, 0.1, "paper") for n in (361, 12582)] == [5889, 9441]
    assert [count(n, 3, 0.1, "sharp") for n in (361, 12582)] == [112, 180]
    assert count(361, 3, 0.1, 7) == 7
    assert count(100, 1, 0.1, "paper") == 1
    for d in (2, 3, 5):
        for n in (10, 1000):
            assert epsilon_net.failure(d, 0.1, count(n, d, 0.1, "sharp")) <= 1 / n
            assert epsilon_net.failure(d, 0.1, count(n, d, 0.1, "sharp") - 1) > 1 / n


def test_a_random_line_is_as_near_as_computed():
    rng = np.random.default_rng(0)
    for d in (2, 3, 4):
        C = rng.standard_normal((200_000, d))
        assert np.mean(C[:, 0] ** 2 >= 0.8 * (C**2).sum(axis=1)) == pytest.approx(
            epsilon_net.near(d, 0.2), abs=4e-3
        )


def test_the_sampled_promise_is_kept_at_least_as_often_as_claimed():
    reached, bounded, eps, runs = [], [], 0.2, 0
    for seed in range(40):
        problem, k, rank = _problem("general", seed)
        d, best = min(3, rank), problems.optimum(problem.matrix.S, k, True)
        best_of_rank_d = exact(problem, k, True, d)
        w, U = problem.covariance.leading_pairs(d + 1)
        V, _ = lowrank.low_rank(w, U, d)
        for again in range(3):
            settings = dict(d=d, eps=eps, samples="sharp", nonnegative=True, seed=again)
            result = problems.solve(problem, "spannogram", k, **settings)
            of_sampled, of_exact = (
                np.sum((V.T @ answer.x) ** 2) for answer in (result, best_of_rank_d)
            )
            reached.append(of_sampled >= (1 - eps) * of_exact)
            bounded.append(result.bound_whp >= best)
            runs += 1 / problem.n
    assert np.sum(~np.array(reached)) <= runs  # each run fails with probability 1/n at most
    assert np.sum(~np.array(bounded)) <= runs


def test_without_enough_samples_there_is_no_bound_with_probability():
    problem, k = problems.problem("gaussian covariance", 1)
    one, few, enough = (
        problems.solve(problem, "spannogram", k, **settings).claim.bound_whp
        for settings in (dict(d=1), dict(d=2, samples=1), dict(d=2))
    )
    assert few == pytest.approx(one)  # that of rank one, which is exact
    assert few > enough


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("seed", range(2))
def test_a_path_is_what_single_runs_give(nonnegative, seed):
    problem, _ = problems.problem("gaussian data", seed)
    ks = range(1, problem.n + 1)
    for k, x, bound in SAMPLED.path(problem, ks, nonnegative=nonnegative, seed=3):
        one = api.solve(problem, "spannogram", k=k, nonnegative=nonnegative, random_state=3)
        assert one.variance == pytest.approx(problem.variance(x), rel=1e-9)
        assert one.claim.bound_whp == pytest.approx(bound, rel=1e-9)


def test_polishing_never_loses():
    for seed in range(10):
        problem, k = problems.problem("gaussian data", seed)
        plain, polished = (
            problems.solve(problem, "spannogram", k, nonnegative=True, samples=4, polish=p)
            for p in (False, True)
        )
        w, U = problem.covariance.leading_pairs(4)
        V, _ = lowrank.low_rank(w, U, 3)
        assert np.linalg.norm(V.T @ polished.x) >= np.linalg.norm(V.T @ plain.x) * (1 - 1e-12)
        *_, again = lowrank.climb(V, polished.x, k, True)
        norms = [np.linalg.norm(V.T @ x) for x in (again, polished.x)]
        assert norms[0] == pytest.approx(norms[1], rel=1e-9)


def test_the_rank_one_solution_is_the_best():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 7))
        v, k = rng.standard_normal(n), int(rng.integers(1, n + 1))
        for nonnegative in (True, False):
            x = lowrank.rank_one(v, k, nonnegative)
            assert np.count_nonzero(x) <= k
            assert (v @ x) ** 2 == pytest.approx(problems.optimum(np.outer(v, v), k, nonnegative))


@pytest.mark.parametrize("d", [1, 2, 3])
def test_algorithm_1_takes_no_more_flops_than_theorem_1_counts(d):
    for n, k in ((10, 4), (16, 2), (16, 8)):
        problem = api.load("gaussian", m=2 * n, n=n, seed=n)
        result = exact(problem, k, True, d)
        assert 1 <= result.extra["candidates"] <= 2**d * comb(n + 1, d)
        assert 0 < result.cost.flops <= n ** (d + 1) + n**d * k**d
