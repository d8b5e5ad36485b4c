"""Compiled steps on a covariance agree with NumPy, also in their flops."""

import numpy as np
import pytest

from spcabench import flops
from spcabench.problem import dense_steps
from spcabench.problem.covariance import Covariance
from spcabench.steps import greedy_signs
from tests.twins import twin


def test_combinations_of_few_rows_are_the_product():
    rng = np.random.default_rng(0)
    S, Z = rng.standard_normal((7, 9)), rng.standard_normal((3, 7)) * (rng.random((3, 7)) < 0.4)
    with flops.counting() as ledger:
        product = dense_steps.sparse_combinations(S, Z)
        assert ledger.flops == ledger.compiled == 9 * np.count_nonzero(Z)
    assert np.allclose(product, Z @ S)
    work, plain = twin(dense_steps.sparse_combinations)(S, Z)
    assert work == 9 * np.count_nonzero(Z) and np.allclose(plain, product, rtol=1e-14)


@pytest.mark.parametrize("n", [1, 4, 5, 9])
def test_a_step_of_scol_is_its_twin_and_that_of_numpy(n):
    rng, plain = np.random.default_rng(n), twin(dense_steps.next_column)
    for seed in range(10):
        integers, gaussian = rng.integers(-2, 3, (n + 1, n)), rng.standard_normal((4, n))
        X = integers.astype(float) if seed % 2 else gaussian
        S = X.T @ X
        g, d_free = np.zeros(n), S.diagonal().copy()
        d_free[0] = -np.inf
        other = g.copy(), d_free.copy()
        for _ in range(n - 1):
            with flops.counting() as ledger:
                column = dense_steps.next_column(S, g, d_free, 0, -1.0)
                assert ledger.flops == ledger.compiled == n
            assert column == plain(S, *other, 0, -1.0)[1:]
            assert np.array_equal(g, other[0]) and np.array_equal(d_free, other[1])


def test_kernels_on_a_covariance_take_the_columns_and_the_block_that_numpy_takes(monkeypatch):
    monkeypatch.setattr(dense_steps, "SMALL", 0)
    rng = np.random.default_rng(0)
    for seed in range(40):
        n = int(rng.integers(1, 40))
        X = rng.integers(-2, 3, (6, n)).astype(float) if seed % 2 else rng.standard_normal((6, n))
        S = X.T @ X if seed % 4 else np.diag((X**2).sum(axis=0))  # no sign is determined
        k = int(rng.integers(1, n + 1))
        locked = np.asfortranarray(S)  # not plain: the path of NumPy
        for (x, J), (y, other) in zip(
            greedy_signs(Covariance(S), [1] * k),
            greedy_signs(Covariance(locked), [1] * k),
            strict=True,
        ):
            assert np.array_equal(x, y) and np.array_equal(J, other)
        assert np.array_equal(Covariance(S)[J].B, S[np.ix_(J, J)])
        assert np.array_equal(Covariance(locked)[J].B, S[np.ix_(J, J)])


def test_kernels_take_plain_arrays_alone():
    """Arrays of another class, such as those that count their products, are left to NumPy."""
    S = np.arange(6.0).reshape(2, 3)
    assert dense_steps.is_plain(S)
    for other in (S.T, S[:, ::2], S.view(np.ma.MaskedArray)):
        assert not dense_steps.is_plain(other)
