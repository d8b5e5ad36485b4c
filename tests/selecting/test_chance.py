"""The permutation test, and how often a variable is selected in halves of the samples."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import spcabench as suite
from docs.tables.choosing_k import draw
from spcabench import api
from spcabench.errors import InputError
from spcabench.problem.problem import Problem
from spcabench.selecting import chance, truncated_power
from spcabench.selecting.permutation_test import _p_value
from spcabench.selecting.samples import Samples
from spcabench.selecting.truncated_power import batches

NOISE = np.random.default_rng(0).standard_normal((60, 20))
PLANTED = draw(5, 4, 0, m=100, n=20)


@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("as_given", [np.asarray, sp.csc_array])
def test_permuted_columns_keep_their_entries_and_lose_their_order(as_given, center):
    X = NOISE * (np.abs(NOISE) > 1.3)
    X[:, 0] = np.arange(1, 61)  # a full column
    problem = Problem.from_data(as_given(X), center=center, scale=True)
    permuted = Samples(problem).permuted(np.random.default_rng(1)).given_as("data").data.dense()
    given = problem.data.dense()
    assert np.allclose(np.sort(permuted, axis=0), np.sort(given, axis=0), atol=1e-12)
    assert (np.abs(permuted - given) > 1e-9).any(axis=0).all()


def test_a_full_column_of_a_sparse_table_takes_every_order():
    samples = Samples(Problem.from_data(sp.csc_array([[1.0], [2.0], [3.0]]), center=False))
    rng = np.random.default_rng(0)
    orders = {tuple(samples.permuted(rng).data.X.toarray().ravel()) for _ in range(200)}
    assert len(orders) == 6


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_each_table_is_as_likely_as_any_other_to_be_extreme(seed, cardinalities):
    """With each table in turn as the data, the p-values are 1/B, 2/B, ..., 1."""
    variances = np.random.default_rng(seed).standard_normal((20, cardinalities)) + 10.0
    ranks = [_p_value(np.roll(variances, i, axis=0)) for i in range(20)]
    assert np.allclose(np.sort(ranks), np.arange(1, 21) / 20)


def test_a_planted_component_is_more_than_chance_and_noise_is_not():
    planted = suite.permutation_test(PLANTED, range(1, 11))
    assert planted.p_value == 0.01 and planted.significant
    # of a hundred tables of noise five are rejected on average; three of three never should be
    noise = [
        suite.permutation_test(np.roll(NOISE, seed, axis=1)[seed:], 5, random_state=seed).p_value
        for seed in range(3)
    ]
    assert max(noise) > 0.05


@pytest.mark.parametrize("nonnegative", [False, True])
def test_scale_order_and_sign_of_the_columns_do_not_matter(nonnegative):
    test = suite.permutation_test(PLANTED, 5, permutations=19, nonnegative=nonnegative)
    larger = suite.permutation_test(1e3 * PLANTED, 5, permutations=19, nonnegative=nonnegative)
    assert np.allclose(larger.permuted, 1e6 * test.permuted)
    assert larger.p_value == test.p_value


def test_a_planted_support_is_chosen_and_noise_is_not():
    answer = suite.solve(PLANTED, k=5)
    often, halves = suite.inclusion(answer)
    assert halves == 50 and often.sum() == pytest.approx(5.0)
    assert often[:5].min() > 0.95 and set(answer.support) == {0, 1, 2, 3, 4}
    often, _ = suite.inclusion(suite.solve(NOISE[:30], k=5))
    assert often.max() < 0.95


def test_stability_takes_its_time_and_not_more(monkeypatch):
    answer = suite.solve(PLANTED, k=5)
    monkeypatch.setattr(chance, "SHORT", 1e-9)
    answers = [replace(answer, cost=replace(answer.cost, wall_time=0.0))]
    note = "no stability: 10 halves of the samples take longer than the answer did"
    assert chance.beside(answer.problem, answers, null=False).notes[0].startswith(note)
    assert suite.inclusion(answer, seconds=60.0)[1] == 50
    with pytest.raises(InputError, match="longer than the answer"):
        suite.inclusion(answer, seconds=1e-9)


@pytest.mark.parametrize("n", [9, truncated_power.SMALL, truncated_power.SMALL + 6])
@pytest.mark.parametrize("as_given", [np.asarray, sp.csc_array])
def test_runs_together_are_those_of_the_solver_one_by_one(as_given, n):
    rng = np.random.default_rng(n)
    problems = [Problem.from_data(as_given(rng.standard_normal((20, n)))) for _ in range(3)]
    ks, start = [1, 3, n], rng.standard_normal(n)
    found = [truncated_power.answers(b, ks, False, [start]) for b in batches(problems, n)]
    values, vectors = (np.concatenate(part) for part in zip(*found, strict=True))
    for problem, value, X in zip(problems, values, vectors, strict=True):
        _, V = np.linalg.eigh(problem.given_as("covariance").matrix.S)
        starts = (np.eye(n)[problem.covariance.diagonal().argmax()], V[:, -1], start)
        for k, v, x in zip(ks, value, X, strict=True):
            runs = [suite.solve(problem, "tpower", k=k, settings={"start": s}) for s in starts]
            assert v == pytest.approx(max(run.variance for run in runs), rel=1e-5)
            assert v == pytest.approx(problem.variance(x)) and (x != 0.0).sum() == k
            assert np.linalg.norm(x) == pytest.approx(1.0)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("deflation", ["projection", "hotelling"])
def test_every_component_is_judged_or_a_note_says_why_not(sparse, deflation, monkeypatch):
    problem = api.as_problem(sp.csr_array(PLANTED) if sparse else PLANTED)
    found = api.solve(problem, "tpower", n_components=2, k=5, deflation=deflation)
    seen = chance.beside(problem, found, null=True, stability=True)
    assert len(seen.tests) == len(seen.frequencies) == 2
    judged = [test is not None for test in seen.tests]
    assert judged[0] and (judged[1] or seen.notes)
    assert judged[1] == (not sparse and deflation == "projection")
    assert len(seen.notes) <= 1 and not "".join(seen.notes).endswith(": ")
    drawn = iter((50, 30))
    monkeypatch.setattr(chance, "inclusion", lambda *_, **__: (np.zeros(20), next(drawn)))
    assert chance.beside(problem, found, null=False, stability=True).halves == 30
    full = api.solve(problem, "tpower", n_components=1, k=problem.n)
    assert chance.beside(problem, full, null=False, stability=True).frequencies == [None]


def test_what_has_no_samples_is_told_so():
    problem = suite.load("pitprops")
    found = api.solve(problem, "tpower", n_components=1, k=5)
    assert "is a covariance" in chance.beside(problem, found, null=True).notes[0]
    assert not chance.beside(problem, found).notes  # nothing was requested
    few = api.as_problem(NOISE[:7])
    assert (
        "has 7 samples"
        in chance.beside(few, api.solve(few, "tpower", n_components=1, k=5)).notes[0]
    )
    with pytest.raises(InputError, match="no samples"):
        suite.permutation_test(problem, 5)


def test_the_statistic_is_the_largest_over_the_cardinalities():
    """The data have the smallest variance at one cardinality, and by far the largest at another."""
    variances = np.column_stack([np.arange(10.0, 30.0), np.full(20, 50.0)])
    variances[0, 1] = 90.0
    assert _p_value(variances) == 1 / 20
    variances[0, 1] = 49.0  # small at both
    assert _p_value(variances) == 1.0
