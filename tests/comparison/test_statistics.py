"""Ranks, intervals, profiles, held-out variance and feasibility, against their definitions."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import binom

from spcabench import Problem, api
from spcabench.comparison import profiles, ranking, resampling
from tests.problems import explicit


def answers(reach):
    """Return answers at two cardinalities: solver -> whether it reaches the target, by problem."""
    return pd.DataFrame(
        {"item": f"problem {i}", "asked": k, "solver": solver, "shares": [float(good)]}
        for solver, problems in reach.items()
        for i, good in enumerate(problems)
        for k in (5, 10)
    )


@pytest.mark.parametrize(
    ("problems", "failures", "told"), [(20, 3, False), (20, 4, True), (12, 2, False), (6, 1, True)]
)
def test_a_difference_counts_if_97_5_percent_of_the_draws_have_it(problems, failures, told):
    """None of three failures is among 20 drawn problems with 3.9 %, none of four with 1.2 %.

    Cardinalities of one problem are no further problems. Few problems are counted exactly, so one
    of six decides the order of two solvers on these problems.
    """
    of_both = answers({"a": np.ones(problems), "b": np.arange(problems) >= failures})
    above = ranking.told_apart(ranking._of_pairs(of_both, ranking.HIT))
    assert above.tolist() == [[False, told], [False, False]]


def test_an_interval_of_a_share_has_the_coverage_of_95_percent():
    of_half = answers({"a": np.arange(50) % 2}).assign(share=1.0)
    ends = ranking._intervals(of_half, ["a"])
    found = [ends[f"{ranking.HIT} low"][0], ends[f"{ranking.HIT} high"][0]]
    assert found == pytest.approx(np.array(binom.interval(0.95, 50, 0.5)) / 50)


@given(arrays(float, (5, 3), elements=st.sampled_from([1.0, 2.0, 3.0, np.inf])))
def test_a_profile_is_the_share_of_pairs_at_or_below_each_cost(cost):
    grid = np.array([0.5, 1.0, 2.0, 2.5, 3.0])
    assert np.allclose(profiles.reached(cost, grid).T, [(cost <= c).mean(axis=0) for c in grid])
    ratios = [[c / min(row) if c < np.inf else c for c in row] for row in cost]
    assert np.array_equal(profiles.ratios(cost), ratios)


def test_a_band_holds_90_percent_of_the_resampled_profiles():
    cost, grid = np.arange(1.0, 51.0)[:, None], np.array([25.0])
    low, high = profiles.band(cost, np.arange(50), grid)
    expected = np.array(binom.interval(0.9, 50, 0.5)) / 50
    assert np.allclose([low[0, 0], high[0, 0]], expected, atol=0.021)
    # the values of one problem are drawn together, so two of them are no better known than one
    twice = profiles.band(np.repeat(cost, 2, axis=0), np.repeat(np.arange(50), 2), grid)
    assert np.allclose([low, high], twice)


def test_held_out_variance_is_that_of_the_other_half():
    X = np.random.default_rng(0).standard_normal((24, 12))  # noise has variance by chance alone
    problem, k = Problem.from_data(X), 3
    how = dict(seed=5, name="brute_force", k=k)
    shares, optimism = [], []
    for fitted, rest in resampling.halves(problem, 5):
        W = api.solve(fitted, "brute_force", k=k).support
        S = explicit(rest)
        on_fitted, V = np.linalg.eigh(explicit(fitted)[np.ix_(W, W)])
        value = V[:, -1] @ S[np.ix_(W, W)] @ V[:, -1]
        shares.append(value / np.linalg.eigvalsh(S)[-1])
        optimism.append(on_fitted[-1] / value - 1.0)
    graded = resampling.held_out(problem, **how)
    assert graded == pytest.approx({"share": np.mean(shares), "optimism": np.mean(optimism)})
    assert graded["optimism"] > 0.3


def test_stability_is_the_mean_overlap_of_the_supports(monkeypatch):
    """Two supports overlap by what is in both, divided by what is in either; a failure by 0."""
    supports = [{1, 2}, {2, 3, 4}, {1, 2}, {5}, {1}, {1, 2}, {9}, {2}, {1, 2, 3}, set()]
    found = [SimpleNamespace(good=bool(S), support=np.array([*S])) for S in supports]
    monkeypatch.setattr(resampling.api, "solve", lambda *_, **__: found.pop(0))
    problem = Problem.from_data(np.random.default_rng(0).standard_normal((9, 10)))
    overlap = resampling.stability(problem, seed=0, name="", k=3)["overlap"]
    pairs = [len(a & b) / len(a | b) for i, a in enumerate(supports) for b in supports[:i]]
    assert overlap == pytest.approx(np.mean(pairs)) and not found


def test_halves_are_all_samples_once():
    X = np.diag(np.arange(1.0, 11.0))
    for first, second in resampling.halves(Problem.from_data(X, center=False, divisor="1"), 0):
        used = [explicit(half).diagonal() > 0.0 for half in (first, second)]
        assert (used[0] != used[1]).all() and used[0].sum() == 5
