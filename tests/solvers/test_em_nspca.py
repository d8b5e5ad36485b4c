"""EM and NSPCA: their steps, their optima and the starts that reach them."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spcabench import Problem, api, registry
from spcabench.methods import coordinate_ascent
from tests import problems

em = registry.module("solver", "em")


@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_the_m_step_solves_its_problem(n, k, seed):
    """The thresholded vector is nearest to w* among all with k nonzeros and the same l1 norm."""
    rng = np.random.default_rng(seed)
    w = rng.standard_normal((n, 1))
    entries = em.thresholded(w, k)[:, 0]
    assert np.count_nonzero(entries) == min(k, n)
    for _ in range(20):
        other = rng.standard_normal(n)
        other *= np.abs(entries).sum() / np.abs(other).sum()
        assert np.sum((entries - w[:, 0]) ** 2) <= np.sum((other - w[:, 0]) ** 2) + 1e-12


def test_ties_leave_an_entry():
    W = np.array([[2.0, 1.0], [-2.0, 1.0], [1.0, 1.0]])
    assert em.thresholded(W, 1).tolist() == [[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]]  # the first one


@pytest.mark.parametrize("nonnegative", [False, True])
@pytest.mark.parametrize("seed", problems.some(2, range(4)))
def test_more_restarts_and_the_renormalisation_lose_nothing(nonnegative, seed):
    problem, k = problems.problem("gaussian covariance", seed)
    few, many = (
        problems.solve(problem, "em", k, nonnegative=nonnegative, history=True, restarts=r)
        for r in (1, 12)
    )
    assert many.variance >= few.variance * (1 - 1e-6)
    for result in (few, many):
        last = [entry for entry in result.history if entry["phase"] == "renormalisation"]
        ends = [entry["variance"] for entry in last]
        assert all(b >= a * (1 - 1e-12) for a, b in pairwise(ends))


def test_without_a_penalty_the_pit_props_reach_their_nonnegative_optimum():
    problem = api.load("pitprops")
    best = pytest.approx(problems.copositive(problem.matrix.S), rel=1e-6)
    assert api.solve(problem, "nspca", settings={"beta": 0.0}).variance == best
    assert api.solve(problem, "em", k=13, nonnegative=True).variance == best


def test_a_start_of_either_sign_finds_the_component_of_a_positive_matrix():
    """If Sigma = aa' with a > 0, then Sigma w is negative for half of the starts w."""
    a = np.arange(1.0, 9.0)
    problem = Problem.from_covariance(np.outer(a, a))
    for seed in range(6):
        found = problems.solve(problem, "em", 3, nonnegative=True, seed=seed, restarts=1)
        assert found.variance == pytest.approx(a[-3:] @ a[-3:])


def test_only_starts_of_both_signs_reach_several_local_optima_in_high_dimensions():
    """Six groups of 100 variables, each with its own factor, have six local optima."""
    rng = np.random.default_rng(0)
    factors, loadings = rng.standard_normal((30, 6)), rng.exponential(size=(6, 100))
    X = np.repeat(factors, 100, axis=1) * loadings.ravel()
    problem = Problem.from_data(X + 0.3 * rng.standard_normal(X.shape))
    for starts, few in (("absolute", True), ("signed", False)):
        options = dict(nonnegative=True, restarts=1, starts=starts)
        found = [problems.solve(problem, "em", 10, seed=seed, **options) for seed in range(6)]
        spread = np.ptp([result.variance for result in found])
        assert spread < 1e-9 if few else spread > 1.0


def test_the_start_of_the_scale_may_be_no_eigenvector():
    """With negative equicorrelation the diagonal is in the null space and tells nothing of
    lambda.
    """
    S = np.eye(6) * 1.2 - 0.2
    problem = Problem.from_covariance(S)
    leading = coordinate_ascent.leading_value(problem.covariance, S.diagonal())
    assert leading == pytest.approx(1.2)
    for k in range(1, 7):  # negative correlations: one variable is best
        assert api.solve(problem, "nspca", k=k).variance == pytest.approx(1.0)
