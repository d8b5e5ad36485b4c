"""Two orthonormal sparse loadings: the proven optimum is feasible and nothing exceeds it."""

import numpy as np
import pytest

from spcabench.errors import InputError
from spcabench.methods.orthonormal_pair import orthonormal_pair


def covariance(seed, n=6):
    A = np.random.default_rng(seed).standard_normal((2 * n, n))
    return A.T @ A / len(A)


def refined(S, x, y, R, T):
    """Optimise orthonormal loadings on two supports in turn, each given the other."""
    for _ in range(30):
        for this, other, W in ((0, 1, R), (1, 0, T)):
            pair = [x, y]
            rest = pair[other][list(W)]
            basis = np.linalg.svd(rest[None, :])[2][1 if np.linalg.norm(rest) > 1e-12 else 0 :].T
            pair[this] = np.zeros(len(S))
            vectors = np.linalg.eigh(basis.T @ S[np.ix_(W, W)] @ basis)[1]
            pair[this][list(W)] = basis @ vectors[:, -1]
            x, y = pair
    return float(x @ S @ x + y @ S @ y)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_the_optimum_is_feasible_and_nothing_found_is_above_it(seed, k):
    S, rng = covariance(seed), np.random.default_rng(seed)
    pair, order = orthonormal_pair(S, k), rng.permutation(len(S))
    assert np.allclose(pair.Z.T @ pair.Z, np.eye(2), atol=1e-9)
    assert (np.count_nonzero(np.abs(pair.Z) > 1e-12, axis=0) <= k).all()
    assert pair.value == pytest.approx(np.trace(pair.Z.T @ S @ pair.Z))
    assert pair.value <= pair.bound <= pair.value * (1.0 + 1e-6)
    permuted = orthonormal_pair(S[np.ix_(order, order)], k)
    assert permuted.value == pytest.approx(pair.value, rel=1e-6)
    for _ in range(60):
        R, T = (tuple(sorted(rng.choice(len(S), k, replace=False))) for _ in range(2))
        y = np.zeros(len(S))
        y[list(T)] = rng.standard_normal(k)
        y /= np.linalg.norm(y)
        assert refined(S, y, y, R, T) <= pair.bound * (1.0 + 1e-9)


@pytest.mark.parametrize(("n", "k"), [(17, 8), (5, 1), (5, 6)])
def test_what_it_cannot_do_is_refused(n, k):
    with pytest.raises(InputError, match="n, k"):
        orthonormal_pair(np.eye(n), k)
