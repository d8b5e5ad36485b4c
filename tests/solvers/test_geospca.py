"""GeoSPCA visits supports in the order of the binary problem with cuts, and its bound holds."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import spcabench
from solvers.geospca import by_total_variance


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_all_supports_come_once_in_the_order_of_their_totals(seed, k):
    variances = np.random.default_rng(seed).integers(1, 5, size=7).astype(float)  # with ties
    listed = [(tuple(sorted(W)), total) for W, total in by_total_variance(variances, k)]
    assert {W for W, _ in listed} == {*combinations(range(7), k)} and len(listed) == comb(7, k)
    totals = [total for _, total in listed]
    assert totals == sorted(totals, reverse=True)
    assert np.allclose(totals, [variances[list(W)].sum() for W, _ in listed])


@pytest.mark.parametrize("supports", [3, 10_000])
def test_its_bound_holds_and_is_met_after_all_supports(supports):
    problem = spcabench.load("pitprops")
    optimum = spcabench.solve(problem, "brute_force", k=5).variance
    answer = spcabench.solve(problem, "geospca", k=5, settings={"supports": supports})
    assert answer.variance <= optimum * (1 + 1e-9) and answer.claim.bound >= optimum * (1 - 1e-9)
    assert supports < 10_000 or answer.variance == pytest.approx(answer.claim.bound)


@pytest.mark.parametrize("q", [1, 2])
@pytest.mark.parametrize("eta", [0.0, 0.4, 0.6])
def test_it_stops_at_a_support_that_its_components_explain_up_to_eta(eta, q):
    problem = spcabench.load("pitprops")
    S, best = problem.given_as("covariance").matrix.S, 0.0
    for W, total in by_total_variance(S.diagonal(), 4):
        if total <= best:
            break
        value = np.linalg.eigvalsh(S[np.ix_(W, W)])[-q:].sum()
        best = max(best, value)
        if total - value <= eta * total:
            break
    answer = spcabench.solve(problem, "geospca", k=4, settings={"eta": eta, "components": q})
    assert np.trace(answer.Z.T @ S @ answer.Z) == pytest.approx(best)
