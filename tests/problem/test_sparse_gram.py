"""The cost of sparse products is the number of entries that they use."""

import numpy as np
import pytest
import scipy.sparse as sp

from spcabench import Problem, api, flops
from spcabench.problem import data, sparse_gram
from spcabench.solving.call import arguments
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


SETTINGS = {
    "centred": {},
    "plain": dict(center=False),
    "scaled": dict(scale=True),
    "divided": dict(divisor="m"),
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("seed", range(5))
def test_a_product_with_few_columns_is_the_dense_one(seed, settings):
    rng = np.random.default_rng(seed)
    X = sparse_matrix(seed)
    problem = Problem.from_data(sp.csc_array(X), **settings)
    S = problem.given_as("covariance").matrix.S
    x = sparse_vector(rng, 30, 2)
    assert problem.data.touches_few_rows(support(x))
    assert np.allclose(problem.covariance @ x, S @ x, atol=1e-10 * np.abs(S).max())
    assert np.allclose(problem.covariance[support(x)].power_step(x[support(x)]), S @ x, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_a_deflated_product_with_few_columns_is_the_dense_one(seed):
    problem = Problem.from_data(sp.csc_array(sparse_matrix(seed)))
    components = api.solve(problem, "scol", n_components=2, k=3, deflation="hotelling")
    assert len(components) == 2
    dense = api.solve(problem.given_as("covariance"), "scol", n_components=2, k=3)
    for sparse_one, dense_one in zip(components, dense, strict=True):
        assert np.array_equal(support(sparse_one.x), support(dense_one.x))


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


@pytest.mark.parametrize("seed", range(100))
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


def test_half_full_columns_are_multiplied_as_dense_ones():
    Z = np.eye(4)[:, :2] + np.eye(4)[:, 2:]
    assert not data.is_sparse(Z) and data.is_sparse(np.eye(4)[:, :2])


@pytest.mark.parametrize("restarts", [1, 7])
def test_restarts_of_em_cost_n_k_each_on_a_covariance(restarts):
    n, k = 20, 4
    S = np.cov(np.random.default_rng(1).standard_normal((50, n)), rowvar=False)
    steps = dict(k=k, restarts=restarts, tol_em=1e-300, seed=2)
    few, many = (
        api.solve(Problem.from_covariance(S), "em", **arguments({**steps, "passes": passes}))
        for passes in (2, 3)
    )
    # one step more in each of the two phases, and all its restarts move
    assert many.cost.flops - few.cost.flops == 2 * restarts * n * k
