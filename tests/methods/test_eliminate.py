"""Elimination is safe for the l0 problem; its decomposition over components."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spcabench.methods import eliminate
from tests import problems


def _covariance(rng, n):
    X = rng.standard_normal((int(rng.integers(2, 2 * n + 2)), n)) * rng.uniform(0.2, 2.0, n)
    return X.T @ X


def _psi(S, lam):
    """Return max x'Sx - lam ||x||_0 over unit x, by trying every support."""
    return max(problems.optimum(S, k) - lam * k for k in range(1, len(S) + 1))


def test_elimination_is_safe_for_the_l0_problem():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 8))
        S = _covariance(rng, n)
        lam = float(rng.uniform(0.02, 0.95)) * S.diagonal().max()
        W = eliminate.survivors(S.diagonal(), lam)
        assert len(W) >= 1
        left = _psi(S[np.ix_(W, W)], lam)
        assert left == pytest.approx(_psi(S, lam), rel=1e-12, abs=1e-12 * S.max())


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
