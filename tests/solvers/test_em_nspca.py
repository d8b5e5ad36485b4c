"""EM and NSPCA: their steps, their optima and their memory use."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spcabench import Problem, api, registry
from spcabench.methods import coordinate_ascent
from spcabench.solving.call import Limits
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


@pytest.mark.parametrize("seed", problems.some(2, range(3)))
def test_restarts_in_one_batch_are_restarts_one_by_one(seed):
    problem, k = problems.problem("spiked covariance", seed)
    W = em.unit_columns(np.random.default_rng(seed).standard_normal((problem.n, 5)))

    def sparse(W, restart, k=k):
        return em.unit_columns(em.thresholded(W, k))

    together, alone = W.copy(), W.copy()
    list(em.ascend(problem.covariance, together, sparse, 1e-6, 200))
    for j in range(5):
        list(em.ascend(problem.covariance, alone[:, j : j + 1], sparse, 1e-6, 200))
    assert np.allclose(together, alone, atol=1e-12)


@pytest.mark.parametrize("nonnegative", [False, True])
@pytest.mark.parametrize("seed", problems.some(2, range(4)))
def test_more_restarts_and_the_renormalisation_lose_nothing(nonnegative, seed):
    problem, k = problems.problem("gaussian covariance", seed)
    few, many = (
        api.solve(
            problem,
            "em",
            k=k,
            nonnegative=nonnegative,
            limits=Limits(history=True),
            settings={"restarts": r},
        )
        for r in (1, 12)
    )
    assert many.variance >= few.variance * (1 - 1e-6)
    for result in (few, many):
        last = [entry for entry in result.history if entry["phase"] == "renormalisation"]
        ends = [entry["variance"] for entry in last]
        assert all(b >= a * (1 - 1e-12) for a, b in pairwise(ends))


def test_without_a_penalty_the_pit_props_reach_their_nonnegative_optimum():
    problem = api.load("pitprops")
    best = problems.copositive(problem.matrix.S)
    assert api.solve(problem, "nspca", settings={"beta": 0.0}).variance == pytest.approx(
        best, rel=1e-6
    )
    em_answer = api.solve(problem, "em", k=13, nonnegative=True)
    assert em_answer.variance == pytest.approx(best, rel=1e-6)


def test_a_start_of_either_sign_finds_the_component_of_a_positive_matrix():
    """If Sigma = aa' with a > 0, then Sigma w is negative for half of the starts w."""
    a = np.arange(1.0, 9.0)
    problem = Problem.from_covariance(np.outer(a, a))
    for seed in range(6):
        found = api.solve(
            problem, "em", k=3, nonnegative=True, random_state=seed, settings={"restarts": 1}
        )
        assert found.variance == pytest.approx(a[-3:] @ a[-3:])


def test_only_starts_of_both_signs_reach_several_local_optima_in_high_dimensions():
    """Six groups of 100 variables, each with its own factor, have six local optima."""
    rng = np.random.default_rng(0)
    factors, loadings = rng.standard_normal((30, 6)), rng.exponential(size=(6, 100))
    X = np.hstack([np.outer(f, w) for f, w in zip(factors.T, loadings, strict=True)])
    problem = Problem.from_data(X + 0.3 * rng.standard_normal(X.shape))

    def values(starts):
        common = dict(k=10, nonnegative=True, settings=dict(restarts=1, starts=starts))
        found = [api.solve(problem, "em", random_state=seed, **common) for seed in range(6)]
        return [result.variance for result in found]

    assert np.ptp(values("absolute")) < 1e-9
    assert np.ptp(values("signed")) > 1.0


def test_the_start_of_the_scale_may_be_no_eigenvector():
    """With negative equicorrelation the diagonal is in the null space and tells nothing of
    lambda.
    """
    S = np.eye(6) * 1.2 - 0.2
    Sigma = Problem.from_covariance(S).covariance
    assert coordinate_ascent.leading_value(Sigma, S.diagonal()) == pytest.approx(1.2)
    for k in range(1, 7):
        result = api.solve(Problem.from_covariance(S), "nspca", k=k)
        assert result.good
        assert result.variance == pytest.approx(1.0)  # negative correlations: one variable is best
