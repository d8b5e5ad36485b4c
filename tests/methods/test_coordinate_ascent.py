"""Coordinate ascent for nonnegative loadings: each entry is set to its best value."""

import numpy as np
import pytest

from spcabench.methods import coordinate_ascent
from spcabench.steps import unit_columns
from tests import problems
from tests.twins import twin


@pytest.mark.parametrize("alpha", [0.5, 3.0])
def test_an_entry_is_set_to_its_best_value(alpha):
    largest_root, gain = (twin(f) for f in (coordinate_ascent.largest_root, coordinate_ascent.gain))
    grid = np.linspace(0.0, 12.0, 4001)
    rng = np.random.default_rng(1)
    for c2, c1 in rng.normal(0.0, 3.0, (200, 2)):
        root = largest_root(c2, c1, alpha)
        best = max(gain(max(root, 0.0), c2, c1, alpha), 0.0)
        assert best >= gain(grid, c2, c1, alpha).max() - 1e-12
        assert best <= gain(grid, c2, c1, alpha).max() + 1e-3


def _F(S, U, alpha, beta):
    apart = np.eye(U.shape[1]) - U.T @ U
    return np.trace(U.T @ S @ U) / 2 - alpha * (apart**2).sum() / 4 - beta * U.sum()


@pytest.mark.parametrize("form", [True, False], ids=["covariance", "data"])
@pytest.mark.parametrize("q", [1, 3])
@pytest.mark.parametrize("seed", problems.some(1, range(2)))
def test_sweeps_climb_to_a_point_at_which_every_entry_is_the_best(q, form, seed):
    X, _ = problems.draw("gaussian", seed)
    S = X.T @ X
    R, a = np.ascontiguousarray(S if form else X.T), S.diagonal().copy()
    order, alpha, beta = np.argsort(a, kind="stable"), 2.0 * np.trace(S), 0.02 * np.trace(S)
    U = unit_columns(np.abs(np.random.default_rng(seed).standard_normal((len(S), q))))
    Y = coordinate_ascent.product(R, U)
    before = _F(S, U, alpha, beta)
    for _ in range(5):
        F, _ = coordinate_ascent.sweeps(R, form, a, order, U, Y, alpha, beta, 1e-9)
        assert np.allclose(Y, U.T @ R, atol=1e-9 * np.abs(S).max())
        assert before - 1e-12 * abs(F) <= F == pytest.approx(_F(S, U, alpha, beta))
        assert U.min() >= 0.0
        before = F
    for r, s in np.ndindex(U.shape):
        for u in (0.0, 0.5 * U[r, s], U[r, s] + 0.05, 1.0):
            V = U.copy()
            V[r, s] = u
            assert _F(S, V, alpha, beta) <= before + 1e-6 * abs(before)
