"""Leading eigenpairs with a proof equal LAPACK's, or are refused if one was missed."""

import numpy as np
import pytest
import scipy.sparse as sp

from spcabench import Problem
from spcabench.methods import proven_pairs as methods
from spcabench.methods.proven_pairs import proven_pairs
from spcabench.solving import bounds

SEEDS = pytest.mark.parametrize("seed", range(3))


def _matrix(seed, m=60, n=90):
    A = np.random.default_rng(seed).standard_normal((m, n)) * np.linspace(1.0, 3.0, n)
    return A @ A.T


@SEEDS
def test_they_are_the_leading_ones(seed):
    K = _matrix(seed)
    w, P = proven_pairs(np.array(K, order="CF"[seed % 2]), 4)
    np.testing.assert_allclose(w, np.linalg.eigvalsh(K)[::-1][:4], rtol=1e-12)
    np.testing.assert_allclose(K @ P, P * w, atol=1e-10 * w[0])
    np.testing.assert_allclose(P.T @ P, np.eye(4), atol=1e-12)


@SEEDS
def test_a_pair_that_was_missed_is_noticed(seed, monkeypatch):
    """Lanczos' method never leaves the span of its start, which here excludes the best vector."""
    K = _matrix(seed)
    w, P = np.linalg.eigh(K)
    missed = [P[:, [-2, -3, -4, -5, -6]], w[[-2, -3, -4, -5, -6]]]
    rising = (missed[1][::-1], missed[0][:, ::-1])
    monkeypatch.setattr(methods.scipy.sparse.linalg, "eigsh", lambda *_, **__: rising)
    assert proven_pairs(K.copy(), 4) is None


@pytest.mark.parametrize("place", range(3))
def test_no_pairs_where_two_of_them_tie_or_the_last_one_with_the_next(place):
    Q = np.linalg.qr(np.random.default_rng(place).standard_normal((34, 34)))[0]
    for gap in (1e-10, 1e-7):
        w = np.array([5.0, 4.0, 3.0, 2.0, *np.linspace(1.0, 0.5, 30)])
        w[place + 1] = w[place] * (1.0 - gap)
        assert (proven_pairs((Q * w) @ Q.T, 3) is None) == (gap < 1e-9)
    assert proven_pairs(np.diag(np.eye(30)[0]), 3) is None  # of rank one


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_bounds_of_wide_data_are_those_of_all_eigenvalues(seed, sparse, monkeypatch):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.3, (40, 70)) * rng.uniform(0.5, 3.0, 70)
    X = sp.csr_array(X) if sparse else X
    plain = bounds.upper_bounds(Problem.from_data(X, center=True), 5)
    monkeypatch.setattr(bounds, "LARGEST_MATRIX", 30)
    upper = bounds.upper_bounds(Problem.from_data(X, center=True), 5)
    for source, value in upper.items():
        assert value == pytest.approx(plain[source], rel=1e-9)
