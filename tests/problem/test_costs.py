"""What the matrix layer charges is what its products read, on matrices with two different sides."""

import numpy as np
import pytest
import scipy.sparse as sp

from spcabench.flops import counting
from spcabench.problem import data
from spcabench.problem.covariance import Covariance, Gram
from spcabench.problem.data import Data

M, N = 13, 7
X = np.where(np.random.default_rng(0).random((M, N)) < 0.6, 1.5, 0.0)
STORED = {"dense": np.asfortranarray(X + 1.0), "sparse": sp.csc_array(X)}
forms = pytest.mark.parametrize("form", STORED)


def charged(product):
    with counting() as ledger:
        product()
        return ledger.flops


def entries(n, r, count):
    """Return an array (n, r) with some nonzeros, and a nonzero in each row if there are enough."""
    Z = np.zeros((n, r))
    Z[np.arange(count) % n, np.arange(count) // n] = 1.0
    return Z


@forms
@pytest.mark.parametrize("r", [1, 3, 20])  # below and above both sides
def test_a_product_with_a_dense_factor_reads_every_entry_for_each_column(form, r):
    A = Data(STORED[form])
    assert charged(lambda: A.products(np.ones((N, r)))) == A.stored * r
    assert charged(lambda: A.transposed_products(np.ones((M, r)))) == A.stored * r
    assert charged(lambda: Covariance(np.eye(N)).products(np.ones((N, r)))) == N * N * r
    assert charged(lambda: Gram(A).products(np.ones((N, r)))) == 2 * A.stored * r


@pytest.mark.parametrize("shape", [(M, N), (N, M)])
def test_a_product_with_a_sparse_factor_reads_a_column_for_each_nonzero(shape):
    m, n = shape
    dense = np.asfortranarray(np.ones(shape))
    Z = entries(n, 5, n + 2)  # no row is empty, and fewer than half of the entries are nonzero
    assert charged(lambda: Data(dense).products(Z)) == m * (n + 2)
    assert charged(lambda: data.product_with_sparse(np.ones(shape)[:, ::-1], Z)) == m * (n + 2)
    assert charged(lambda: Covariance(np.eye(n)).products(Z)) == n * (n + 2)


@forms
def test_few_rows_of_a_factor_read_only_their_columns(form):
    A, W = Data(STORED[form]), np.array([1, 4])
    Z, stored = np.zeros((N, 4)), A.columns(W).stored
    Z[W] = 1.0
    assert charged(lambda: A.products(Z)) == 4 * stored
    assert charged(lambda: A @ Z[:, 0]) == stored
    assert charged(lambda: A.products(0.0 * Z)) == 0


def test_a_vector_reads_the_columns_or_rows_of_its_nonzeros():
    A, y, z = Data(STORED["dense"]), entries(M, 1, 3)[:, 0], entries(N, 1, 2)[:, 0]
    assert charged(lambda: A @ z) == 2 * M and charged(lambda: A @ (z + 1.0)) == M * N
    assert charged(lambda: A.T @ y) == 3 * N and charged(lambda: A.T @ (y + 1.0)) == M * N
    S = Covariance(np.eye(N))
    assert charged(lambda: S @ z) == 2 * N and charged(lambda: S @ (z + 1.0)) == N * N


@forms
def test_squares_and_products_of_columns_and_rows(form):
    A, J = Data(STORED[form]), np.array([0, 3, 5])
    assert charged(A.gram) == N * A.stored and charged(A.sample_products) == M * A.stored
    assert charged(lambda: A.cross(A.columns(J))) == 3 * A.stored
    assert charged(A.squared_norms) == charged(A.squared_norms) == A.stored
    wide = Data(A.X.T.tocsc() if A.sparse else np.asfortranarray(A.X.T))
    # by products with A if there are fewer columns than samples, and by A A' otherwise
    assert charged(lambda: A.gram_squares(J)) == 3 * (N + A.stored)
    assert charged(lambda: wide.gram_squares(np.arange(M))) == N * (wide.stored + N * M + M)
    assert charged(lambda: Covariance(np.eye(N)).column_squares(J)) == 3 * N


@pytest.mark.parametrize("form", ["dense", "sparse", "covariance"])
def test_a_rayleigh_step_includes_one_quotient(form):
    k, y, W = 4, np.ones(4), np.arange(4)
    Sigma = Covariance(np.eye(N) + 1.0) if form == "covariance" else Gram(Data(STORED[form]))
    block = charged(lambda: Sigma[W].B)  # of data, it is computed first
    step = block + k**3 + 2 * k**2

    def quotient_and_step(rows):
        rows.rayleigh_step(y, 1.1 * rows.quotient(y))

    assert charged(lambda: Sigma[W].rayleigh_step(y)) == step
    assert charged(lambda: Sigma[W].rayleigh_step(y, 0.7)) == step
    assert charged(lambda: quotient_and_step(Sigma[W])) == step
    assert charged(lambda: Sigma[W].quotient(y)) == block + k**2
