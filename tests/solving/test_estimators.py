"""The scikit-learn estimator."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator

from spcabench import SparsePCA, solve
from spcabench.problem.problem import Problem

# its check of the array API needs a switch that SciPy reads once, for all tests of the process
CHECKS = [
    (estimator, check)
    for estimator, check in estimator_checks_generator(SparsePCA())
    if getattr(check, "func", check).__name__ != "check_array_api_input"
]
X = StandardScaler().fit_transform(load_breast_cancer().data) * np.linspace(1.0, 2.0, 30) + 1.0
SCALED = pytest.mark.parametrize("scale", [False, True])


@pytest.mark.filterwarnings("ignore")  # what scikit-learn's checks provoke on purpose
@pytest.mark.parametrize(
    ("estimator", "check"), CHECKS, ids=lambda c: getattr(getattr(c, "func", c), "__name__", "")
)
def test_it_keeps_to_scikit_learns_rules(estimator, check):
    check(estimator)


@SCALED
@pytest.mark.parametrize("deflation", ["projection", "hotelling", "drop_features"])
def test_fitted_attributes_are_those_of_the_solver_and_of_the_scores(deflation, scale):
    pca = SparsePCA(3, cardinality=[0.13, 5, 4], solver="grqi", scale=scale, deflation=deflation)
    scores = pca.fit_transform(X)
    problem = Problem.from_data(X, scale=scale)
    found = solve(problem, "grqi", n_components=3, k=[4, 5, 4], deflation=deflation)
    assert pca.cardinality_ == [4, 5, 4] and pca.n_components_ == 3
    np.testing.assert_array_equal(pca.components_, found.Z.T)
    np.testing.assert_allclose(pca.deflated_variance_, [r.variance for r in found])
    np.testing.assert_allclose(pca.bound_, [r.bound for r in found])
    assert pca.n_iter_ == max(r.iterations for r in found)
    A = (X - X.mean(axis=0)) / (X.std(axis=0) if scale else 1.0)
    np.testing.assert_allclose(scores, A @ found.Z, atol=1e-9)
    R = np.linalg.qr(scores, mode="r")
    np.testing.assert_allclose(pca.singular_values_, np.abs(np.diag(R)))
    np.testing.assert_allclose(pca.explained_variance_, np.diag(R) ** 2 / (len(X) - 1))
    total = A.var(axis=0, ddof=1).sum()
    np.testing.assert_allclose(pca.explained_variance_ratio_, pca.explained_variance_ / total)
    basis = np.linalg.qr(found.Z)[0]
    assert pca.score(X) == pytest.approx(((A @ basis) ** 2).sum() / (A**2).sum())
    assert pca.explained_variance_ratio_.sum() <= pca.score(X) * (1 + 1e-9) <= 1.0 + 1e-9


@SCALED
def test_with_all_features_it_is_pca_and_its_inverse_loses_nothing(scale):
    A = StandardScaler().fit_transform(X) if scale else X
    pca, ours = PCA(3).fit(A), SparsePCA(3, cardinality=1.0, refit=True, scale=scale).fit(X)
    ratios = pca.explained_variance_ratio_
    np.testing.assert_allclose(ours.explained_variance_ratio_, ratios, rtol=1e-5)
    np.testing.assert_allclose(ours.score(X), ratios.sum(), rtol=1e-8)
    assert not hasattr(SparsePCA(bound=False).fit(X), "bound_")
    few = SparsePCA(3, cardinality=4, scale=scale).fit(X)
    scores = few.transform(X[:9])
    np.testing.assert_allclose(few.transform(few.inverse_transform(scores)), scores)
    full = SparsePCA(None, cardinality=6, scale=scale, bound=False).fit(X[:, :6])
    assert full.n_components_ == 6
    np.testing.assert_allclose(full.inverse_transform(full.transform(X[:9, :6])), X[:9, :6])


@SCALED
def test_sparse_input_gives_the_same(scale):
    digits = load_digits().data[:400]
    stored = sp.csr_array(digits)
    dense, sparse = (
        SparsePCA(2, cardinality=9, scale=scale, solver="tpower", bound=False).fit(D)
        for D in (digits, stored)
    )
    np.testing.assert_allclose(sparse.mean_, dense.mean_)
    np.testing.assert_allclose(sparse.scale_, dense.scale_)
    np.testing.assert_allclose(sparse.transform(stored), sparse.transform(digits), atol=1e-9)
    assert sparse.score(stored) == pytest.approx(sparse.score(digits), rel=1e-9)


def test_sparse_input_is_never_made_dense():
    places = np.random.default_rng(0).integers(3_000, size=(2, 10_000))
    counts = sp.coo_array((np.ones(10_000), places), (3_000, 3_000)).tocsr()
    tracemalloc.start()
    pca = SparsePCA(2, cardinality=10, scale=True, solver="tpower", bound=False).fit(counts)
    pca.score(counts)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 3_000 * 3_000 / 2


def test_fewer_components_than_requested_and_idle_ones_are_told():
    rank_one = np.outer(np.random.default_rng(0).standard_normal(20), [1.0, 2.0, 2.0, 0.0, 1.0])
    with pytest.warns(RuntimeWarning, match="1 of 2 components add nothing"):
        assert SparsePCA(2, cardinality=2).fit(rank_one).n_components_ == 2
    with pytest.warns(RuntimeWarning, match="3 requested, but only 1 found"):
        SparsePCA(3, cardinality=2, deflation="schur").fit(rank_one)
    assert SparsePCA(None, cardinality=2, deflation="schur").fit(rank_one).n_components_ == 1
