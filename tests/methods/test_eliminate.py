"""Elimination is safe for the l0 problem but not for the relaxation; its decomposition over
components.
"""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spcabench import Problem, api
from spcabench.methods import eliminate


def _covariance(rng, n):
    X = rng.standard_normal((int(rng.integers(2, 2 * n + 2)), n)) * rng.uniform(0.2, 2.0, n)
    return X.T @ X


def _psi(S, lam):
    """Return max x'Sx - lam ||x||_0 over unit x, by trying every support."""
    n = len(S)
    supports = (W for k in range(1, n + 1) for W in combinations(range(n), k))
    return max(np.linalg.eigvalsh(S[np.ix_(W, W)])[-1] - lam * len(W) for W in supports)


def test_elimination_is_safe_for_the_l0_problem():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 8))
        S = _covariance(rng, n)
        lam = float(rng.uniform(0.02, 0.95)) * S.diagonal().max()
        W = eliminate.survivors(S.diagonal(), lam)
        assert len(W) >= 1
        assert _psi(S[np.ix_(W, W)], lam) == pytest.approx(
            _psi(S, lam), rel=1e-12, abs=1e-12 * S.max()
        )


def test_elimination_is_not_safe_for_the_relaxation():
    a, rho = np.array([1.0, 0.6]), 0.45
    problem = Problem.from_covariance(np.outer(a, a))
    assert list(eliminate.survivors(a**2, rho)) == [0]
    full = api.solve(problem, "exact_sdp", settings={"rho": rho})
    left = api.solve(Problem.from_covariance([[1.0]]), "exact_sdp", settings={"rho": rho})
    assert full.relaxation_value == pytest.approx(0.583, abs=5e-4)
    assert left.relaxation_bound == pytest.approx(0.55)
    assert full.relaxation_value > left.relaxation_bound + 0.03


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 12), st.floats(0.0, 1.2))
def test_components_are_the_coarsest_blocks_without_large_entries_between(seed, n, share):
    S = _covariance(np.random.default_rng(seed), n)
    lam = share * float(np.abs(S).max())
    groups = eliminate.connected_parts(S, lam)
    assert sorted(np.concatenate(groups)) == list(range(n))
    label = np.empty(n, dtype=int)
    for g, W in enumerate(groups):
        label[W] = g
        assert (np.diff(S.diagonal()[W]) <= 0).all()
        reached = {int(W[0])}
        for _ in W:
            reached |= {int(j) for i in reached for j in W if i != j and abs(S[i, j]) > lam}
        assert reached == set(W.tolist())
    between = label[:, None] != label
    assert (np.abs(S[between]) <= lam).all()
    tops = [S[W[0], W[0]] for W in groups]
    assert tops == sorted(tops, reverse=True)
