"""Compiled kernels agree with their plain twins; their flops, and the time to compile them."""

import inspect

import numpy as np
import pytest

from spcabench import Problem, api, flops, registry
from spcabench.flops import LEDGER
from spcabench.methods import block_ascent
from tests.twins import twin


def _state(seed, n):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n + 2, n))
    S = X.T @ X / n
    lam = float(rng.uniform(0.02, 0.6)) * S.diagonal().max()
    return block_ascent.scaled(S, lam, S.diagonal().max())[:2]


@pytest.mark.parametrize("start", ["identity", "diagonal"])
@pytest.mark.parametrize("seed", range(12))
def test_the_kernel_is_its_twin(start, seed):
    n = 2 + seed % 8
    S, lam = _state(seed, n)
    beta = 1e-2 / n
    plain = twin(block_ascent.sweep)
    starts = {"diagonal": lambda: block_ascent.diagonal_start(S, lam, beta)}
    X, V = starts.get(start, lambda: block_ascent.identity_start(S, lam))()
    for _ in range(4):
        Y, W = X.copy(), V.copy()
        with flops.counting() as ledger:
            trace = block_ascent.sweep(S, X, V, lam, beta, 30, 1e-9)
            work = ledger.flops
            assert ledger.compiled == work
        expected, twin_trace = plain(S, Y, W, lam, beta, 30, 1e-9)
        assert work == expected
        assert trace == pytest.approx(twin_trace, rel=1e-10)
        assert np.allclose(X, Y, rtol=1e-7, atol=1e-10)
        assert np.allclose(V, W, rtol=1e-7, atol=1e-10)


def _objective(S, X, lam, beta):
    sign, logdet = np.linalg.slogdet(X)
    assert sign > 0
    return np.vdot(S, X) - lam * np.abs(X).sum() - np.trace(X) ** 2 / 2 + beta * logdet


@pytest.mark.parametrize("seed", range(20))
def test_sweeps_increase_the_objective_and_keep_X_definite(seed):
    n = 2 + seed % 9
    S, lam = _state(seed, n)
    beta = 1e-2 / n
    X, V = block_ascent.identity_start(S, lam)
    reached = -np.inf
    for _ in range(10):
        trace = block_ascent.sweep(S, X, V, lam, beta, 1000, 1e-10)
        assert trace == pytest.approx(np.trace(X))
        assert np.linalg.eigvalsh(X)[0] > 0
        now = _objective(S, X, lam, beta)
        assert now >= reached - 1e-7 * abs(now)
        reached = now


def test_at_the_end_the_box_qp_gives_the_dual():
    S, lam = _state(3, 8)
    n, beta = len(S), 1e-3 / 8
    X, V = block_ascent.identity_start(S, lam)
    for _ in range(200):
        trace = block_ascent.sweep(S, X, V, lam, beta, 1000, 1e-12)
    M = trace * np.eye(n) - beta * np.linalg.inv(X)  # Sigma + U of the optimum
    off = ~np.eye(n, dtype=bool)
    assert np.abs((V - M)[off]).max() < 1e-3
    assert (np.abs(V - S)[off] <= lam * (1 + 1e-12)).all()


@pytest.mark.parametrize("seed", range(10))
def test_the_diagonal_start_is_the_best_diagonal(seed):
    S, lam = _state(seed, 7)
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


def test_compilation_is_on_no_clock(monkeypatch):
    compiled = flops.compiled("Tuple((i8, f8))(f8[:,::1])")(lambda A: (7, A[0, 0]))
    assert twin(compiled)(np.ones((2, 2))) == (7, 1.0)
    before = LEDGER.compile_seconds
    with flops.counting() as ledger:
        assert compiled(np.asfortranarray(np.arange(4.0).reshape(2, 2) + 1.0)) == 1.0
        assert (ledger.flops, ledger.compiled) == (7, 7)
    assert LEDGER.compile_seconds > before
    after = LEDGER.compile_seconds
    compiled(np.ones((3, 3)))
    assert LEDGER.compile_seconds == after
    anew = flops.compiled(SIGNATURE)(inspect.unwrap(block_ascent.sweep))
    monkeypatch.setattr(registry.module("solver", "bca"), "sweep", anew)
    result = api.solve(Problem.from_covariance(np.eye(3) + 0.5), "bca", settings={"lam": 0.1})
    assert result.cost.compile_time > result.cost.solve_time


SIGNATURE = "Tuple((i8, f8))(f8[:,::1], f8[:,::1], f8[:,::1], f8, f8, i8, f8)"
