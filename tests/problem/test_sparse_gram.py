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


@pytest.mark.parametrize("seed", range(5))
def test_it_costs_the_entries_that_it_touches(seed):
    rng = np.random.default_rng(seed)
    X = sparse_matrix(seed)
    Sigma = Problem.from_data(sp.csc_array(X)).covariance
    x = sparse_vector(rng, 30, 2)
    W = support(x)
    rows = np.flatnonzero(X[:, W].any(axis=1))
    _, cost = charged(lambda: Sigma @ x)
    assert cost == np.count_nonzero(X[:, W]) + np.count_nonzero(X[rows]) < np.count_nonzero(X)


@pytest.mark.parametrize("seed", range(5))
def test_the_kernel_is_its_twin(seed):
    rng = np.random.default_rng(seed)
    X = sp.csc_array(sparse_matrix(seed))
    W, y = np.array([3, 11]), rng.standard_normal(2)
    by_rows = X.tocsr()
    arrays = [
        np.ascontiguousarray(part)
        for kept in (X, by_rows)
        for part in (kept.indptr, kept.indices, kept.data)
    ]
    _, work, expected = twin(sparse_gram.few_columns)(*arrays, W, y, *X.shape)
    product, cost = charged(lambda: sparse_gram.gram_product(X, by_rows, W, y))
    assert cost == work and np.allclose(product, expected, rtol=1e-14)


@pytest.mark.parametrize("seed", range(20))
def test_scol_takes_the_supports_that_whole_products_give(seed, monkeypatch):
    X = sp.csc_array(sparse_matrix(seed, *((60, 40) if seed % 2 else (30, 70))))
    problem = Problem.from_data(X, center=bool(seed % 3), scale=seed % 5 == 0)
    few = api.solve(problem, "scol", k=8)
    monkeypatch.setattr(sparse_gram, "is_worthwhile", lambda X, W: False)
    full = api.solve(problem, "scol", k=8)
    assert np.array_equal(few.support, full.support)
    assert few.variance == pytest.approx(full.variance, rel=1e-9)
    assert few.cost.flops < full.cost.flops


@pytest.mark.parametrize("k", [1, 4, 11])
def test_indices_are_short_where_they_suffice(k):
    X = sp.csc_array(sparse_matrix(k))
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    assert Problem.from_data(X).matrix.X.indices.dtype == np.int32
    assert X.indices.dtype == np.int64


@pytest.mark.parametrize("form", ["covariance", "data", "sparse"])
@pytest.mark.parametrize("k", [1, 5, 14])
def test_columns_in_one_product_cost_what_each_costs_alone(form, k):
    rng = np.random.default_rng(k)
    problem = Problem.from_data(sp.csc_array(sparse_matrix(k))).given_as(form)
    Z = np.column_stack([sparse_vector(rng, 30, k) for _ in range(6)])
    A = problem.covariance if form == "covariance" else problem.data
    alone = [charged(lambda z=z: A @ z) for z in Z.T]
    together, cost = charged(lambda: A.products(Z))
    assert cost == sum(count for _, count in alone)
    assert np.allclose(together, np.column_stack([found for found, _ in alone]))
