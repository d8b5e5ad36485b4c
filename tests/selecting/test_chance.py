"""The permutation test, and how often a variable is selected in halves of the samples."""

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
from spcabench.selecting import chance
from spcabench.selecting.permutation_test import _p_value
from spcabench.selecting.samples import Samples

NOISE = np.random.default_rng(0).standard_normal((60, 20))
PLANTED = draw(5, 4, 0, m=100, n=20)


@pytest.mark.parametrize("as_sparse", [False, True])
def test_permuted_columns_keep_their_entries_and_lose_their_order(as_sparse):
    X = NOISE * (np.abs(NOISE) > 0.8)
    X[:, 0] = np.arange(1, 61)  # a full column
    data = sp.csc_array(X) if as_sparse else X
    samples = Samples(Problem.from_data(data, center=False, divisor="1"))
    permuted = samples.permuted(np.random.default_rng(1)).given_as("data").data.dense()
    assert np.array_equal(np.sort(permuted, axis=0), np.sort(X, axis=0))
    assert (permuted != X).any(axis=0).all()


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


def test_stability_takes_its_time_and_not_more():
    answer = suite.solve(PLANTED, k=5)
    assert suite.inclusion(answer, seconds=60.0)[1] == 50
    with pytest.raises(InputError, match="longer than the answer"):
        suite.inclusion(answer, seconds=1e-9)


def test_components_of_large_sparse_data_do_not_exceed_their_bound():
    X = sp.random_array((4200, 4200), density=0.005, rng=np.random.default_rng(0))
    problem = Problem.from_data(X, divisor="1")
    told = []
    found = api.several(problem, "tpower", 2, k=5, progress=told.append)
    assert [*found] == told
    value = max(np.sum((X @ r.x - (X.mean(axis=0) @ r.x)) ** 2) for r in found)
    assert value <= found[0].bound


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("deflation", ["projection", "hotelling"])
def test_every_component_is_judged_or_a_note_says_why_not(sparse, deflation):
    problem = api.as_problem(sp.csr_array(PLANTED) if sparse else PLANTED)
    found = api.solve(problem, "tpower", n_components=2, k=5, deflation=deflation)
    seen = chance.beside(problem, found, null=True)
    assert len(seen.tests) == len(seen.frequencies) == 2
    judged = [test is not None for test in seen.tests]
    assert judged[0] and (judged[1] or seen.notes)
    assert judged[1] == (not sparse and deflation == "projection")
    assert len(seen.notes) <= 1


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
