"""Block coordinate ascent: its kernel is its plain twin, and no sweep loses; its starts."""

import numpy as np
import pytest

from spcabench import flops
from spcabench.methods import block_ascent
from tests.twins import twin

PLAIN = twin(block_ascent.sweep)
SEEDS = range(12)


def _state(seed):
    """Return a scaled covariance (n, n), n from 2 to 9, a penalty and a barrier weight."""
    n, rng = 2 + seed % 8, np.random.default_rng(seed)
    X = rng.standard_normal((n + 2, n))
    S = X.T @ X / n
    lam = float(rng.uniform(0.02, 0.6)) * S.diagonal().max()
    return *block_ascent.scaled(S, lam, S.diagonal().max())[:2], 1e-2 / n


def _objective(S, X, lam, beta):
    sign, logdet = np.linalg.slogdet(X)
    assert sign > 0
    return np.vdot(S, X) - lam * np.abs(X).sum() - np.trace(X) ** 2 / 2 + beta * logdet


@pytest.mark.parametrize("seed", SEEDS)
def test_sweeps_are_those_of_the_twin_and_increase_the_objective_of_a_definite_matrix(seed):
    S, lam, beta = _state(seed)
    for start in (block_ascent.identity_start(S, lam), block_ascent.diagonal_start(S, lam, beta)):
        (X, V), reached = start, -np.inf
        for _ in range(6):
            Y, W = X.copy(), V.copy()
            with flops.counting() as ledger:
                trace = block_ascent.sweep(S, X, V, lam, beta, 1000, 1e-10)
                work = ledger.flops
                assert ledger.compiled == work
            expected, twin_trace = PLAIN(S, Y, W, lam, beta, 1000, 1e-10)
            assert work == expected and trace == pytest.approx(twin_trace, rel=1e-10)
            assert np.allclose(X, Y, rtol=1e-7, atol=1e-10)
            assert np.allclose(V, W, rtol=1e-7, atol=1e-10)
            assert trace == pytest.approx(np.trace(X)) and np.linalg.eigvalsh(X)[0] > 0.0
            now = _objective(S, X, lam, beta)
            assert now >= reached - 1e-7 * abs(now)
            reached = now


@pytest.mark.parametrize("seed", SEEDS)
def test_the_diagonal_start_is_the_best_diagonal(seed):
    S, lam, _ = _state(seed)
    X, _ = block_ascent.diagonal_start(S, lam, 1e-3)
    d, t = X.diagonal(), np.trace(X)
    assert (d > 0).all()
    assert np.abs(S.diagonal() - lam - t + 1e-3 / d).max() < 1e-9


@pytest.mark.parametrize("c", [-2.0, -1e-9, 0.0, 1e-9, 3.0])
def test_the_root_is_the_positive_one(c):
    for beta in (1e-12, 1e-3, 1.0):
        for R2 in (0.0, 1e-14, 1e-3, 5.0):
            tau = block_ascent.positive_root(c, beta, R2)
            roots = np.roots([1.0, c, -beta, -R2])
            expected = max(roots[np.abs(roots.imag) < 1e-7].real)
            assert tau > 0
            assert tau == pytest.approx(expected, rel=1e-5, abs=1e-9)
