"""What the matrix layer charges is what its products read.

The matrices have two different sides. A sparse product reads the entries that it uses.
"""

import numpy as np
import pytest
import scipy.sparse as sp

from spcabench import Problem
from spcabench.flops import counting
from spcabench.problem import dense_steps, sparse_gram
from spcabench.problem.covariance import Covariance, Gram
from spcabench.problem.data import Data
from spcabench.vectors import support
from tests.twins import twin

M, N = 13, 7
X = np.where(np.random.default_rng(0).random((M, N)) < 0.6, 1.5, 0.0)
STORED = {"dense": np.asfortranarray(X + 1.0), "sparse": sp.csc_array(X)}
forms = pytest.mark.parametrize("form", STORED)


def charged(product):
    with counting() as ledger:
        product()
        return ledger.flops


@forms
@pytest.mark.parametrize("r", [1, 3, 20])  # below and above both sides
def test_a_product_with_a_dense_factor_reads_every_entry_for_each_column(form, r):
    A = Data(STORED[form])
    assert charged(lambda: A.products(np.ones((N, r)))) == A.stored * r
    assert charged(lambda: A.transposed_products(np.ones((M, r)))) == A.stored * r
    assert charged(lambda: Covariance(np.eye(N)).products(np.ones((N, r)))) == N * N * r
    assert charged(lambda: Gram(A).products(np.ones((N, r)))) == 2 * A.stored * r


@forms
def test_few_rows_of_a_factor_read_only_their_columns(form):
    A, W = Data(STORED[form]), np.array([1, 4])
    Z, stored = np.zeros((N, 4)), A.columns(W).stored
    Z[W] = 1.0
    assert charged(lambda: A.products(Z)) == 4 * stored
    assert charged(lambda: A @ Z[:, 0]) == stored
    assert charged(lambda: A.products(0.0 * Z)) == 0


def test_a_vector_reads_the_columns_or_rows_of_its_nonzeros():
    A, y, z = Data(STORED["dense"]), 1.0 * (np.arange(M) < 3), 1.0 * (np.arange(N) < 2)
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


def sparse_matrix(seed):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((40, 30)) < 0.1, rng.standard_normal((40, 30)) + 1.0, 0.0)
    X[0] += X[0] == 0.0  # no column is empty
    return X


def sparse_vector(rng, k):
    x = np.zeros(30)
    x[rng.choice(30, k, replace=False)] = rng.standard_normal(k)
    return x


@pytest.mark.parametrize("seed", range(4))
def test_the_kernel_is_the_product_and_costs_the_entries_that_it_touches(seed):
    rng, X = np.random.default_rng(seed), sparse_matrix(seed)
    x, stored = sparse_vector(rng, 2), sp.csc_array(X)
    stored.indices, stored.indptr = stored.indices.astype(int), stored.indptr.astype(int)
    problem, W = Problem.from_data(stored, divisor="1"), support(x)
    Sigma, kept = problem.covariance, problem.matrix.X  # with shorter indices
    rows = np.flatnonzero(X[:, W].any(axis=1))
    touched = np.count_nonzero(X[:, W]) + np.count_nonzero(X[rows])
    assert charged(lambda: Sigma @ x) == touched < np.count_nonzero(X)
    assert np.allclose(Sigma @ x, np.cov(X.T) * 39.0 @ x)
    both = kept, kept.tocsr()
    parts = [part for A in both for part in (A.indptr, A.indices, A.data)]
    _, work, product = twin(sparse_gram.few_columns)(*parts, W, x[W], *X.shape)
    assert charged(lambda: sparse_gram.gram_product(*both, W, x[W])) == work == touched
    assert np.allclose(sparse_gram.gram_product(*both, W, x[W]), product, rtol=1e-14)
    assert np.allclose(product, X.T @ (X @ x))


@pytest.mark.parametrize("form", ["covariance", "data", "sparse"])
@pytest.mark.parametrize("k", [1, 14])  # few rows of the factor, or fewer than half of its entries
@pytest.mark.parametrize("small", [0, 128])
def test_columns_in_one_product_cost_what_each_costs_alone(form, k, small, monkeypatch):
    monkeypatch.setattr(dense_steps, "SMALL", small)
    rng = np.random.default_rng(k)
    problem = Problem.from_data(sp.csc_array(sparse_matrix(k))).given_as(form)
    Z = np.array([sparse_vector(rng, k) for _ in range(6)]).T
    A = problem.covariance if form == "covariance" else problem.data
    assert charged(lambda: A.products(Z)) == sum(charged(lambda z=z: A @ z) for z in Z.T)
    assert np.allclose(A.products(Z), np.column_stack([A @ z for z in Z.T]))
