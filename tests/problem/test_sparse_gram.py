"""The cost of sparse products is the number of entries that they use."""

import numpy as np
import pytest
import scipy.sparse as sp

from spcabench import Problem, api, flops
from spcabench.problem import sparse_gram
from spcabench.vectors import support
from tests.twins import twin


def sparse_matrix(seed, m=40, n=30, density=0.1):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, n)) + 3.0 * (rng.random((m, n)) < 0.3)
    X[rng.random((m, n)) >= density] = 0.0
    X[0] += X[0] == 0.0  # no column is empty
    return X


def charged(product):
    with flops.counting() as ledger:
        image = product()
        return image, ledger.flops


def sparse_vector(rng, n, k):
    x = np.zeros(n)
    x[rng.choice(n, k, replace=False)] = rng.standard_normal(k)
    return x


@pytest.mark.parametrize("seed", range(4))
def test_the_kernel_is_the_product_and_costs_the_entries_that_it_touches(seed):
    rng, X = np.random.default_rng(seed), sparse_matrix(seed)
    x = sparse_vector(rng, 30, 2)
    W, stored = support(x), sp.csc_array(X)
    rows = np.flatnonzero(X[:, W].any(axis=1))
    touched = np.count_nonzero(X[:, W]) + np.count_nonzero(X[rows])
    product, cost = charged(lambda: Problem.from_data(stored, divisor="1").covariance @ x)
    assert cost == touched < np.count_nonzero(X)
    assert np.allclose(product, np.cov(X.T) * 39.0 @ x)
    parts = [(kept.indptr, kept.indices, kept.data) for kept in (stored, stored.tocsr())]
    arrays = [np.ascontiguousarray(array) for part in parts for array in part]
    _, work, expected = twin(sparse_gram.few_columns)(*arrays, W, x[W], *X.shape)
    product, cost = charged(lambda: sparse_gram.gram_product(stored, stored.tocsr(), W, x[W]))
    assert cost == work == touched and np.allclose(product, expected, rtol=1e-14)
    assert np.allclose(product, X.T @ (X @ x))


@pytest.mark.parametrize("seed", range(6))
def test_scol_takes_the_supports_that_whole_products_give(seed, monkeypatch):
    X = sp.csc_array(sparse_matrix(seed, *((60, 40) if seed % 2 else (30, 70))))
    problem = Problem.from_data(X, center=bool(seed % 3), scale=seed % 5 == 0)
    few = api.solve(problem, "scol", k=8)
    monkeypatch.setattr(sparse_gram, "is_worthwhile", lambda X, W: False)
    full = api.solve(problem, "scol", k=8)
    assert np.array_equal(few.support, full.support)
    assert few.variance == pytest.approx(full.variance, rel=1e-9)
    assert few.cost.flops < full.cost.flops


def test_indices_are_short_where_they_suffice():
    X = sp.csc_array(sparse_matrix(0))
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    assert Problem.from_data(X).matrix.X.indices.dtype == np.int32
    assert X.indices.dtype == np.int64


@pytest.mark.parametrize("form", ["covariance", "data", "sparse"])
@pytest.mark.parametrize("k", [1, 14])
def test_columns_in_one_product_cost_what_each_costs_alone(form, k):
    rng = np.random.default_rng(k)
    problem = Problem.from_data(sp.csc_array(sparse_matrix(k))).given_as(form)
    Z = np.column_stack([sparse_vector(rng, 30, k) for _ in range(6)])
    A = problem.covariance if form == "covariance" else problem.data
    alone = [charged(lambda z=z: A @ z) for z in Z.T]
    together, cost = charged(lambda: A.products(Z))
    assert cost == sum(count for _, count in alone)
    assert np.allclose(together, np.column_stack([found for found, _ in alone]))
