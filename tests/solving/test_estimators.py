"""The scikit-learn estimator."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator

from spcabench import SparsePCA, solve
from spcabench.errors import InputError
from spcabench.problem.problem import Problem
from tests.problems import some

# its check of the array API needs a switch that SciPy reads once, for all tests of the process
CHECKS = [
    (estimator, check)
    for estimator, check in estimator_checks_generator(SparsePCA())
    if getattr(check, "func", check).__name__ != "check_array_api_input"
]
X = StandardScaler().fit_transform(load_breast_cancer().data) * np.linspace(1.0, 2.0, 30)


@pytest.mark.filterwarnings("ignore")  # what scikit-learn's checks provoke on purpose
@pytest.mark.parametrize(
    ("estimator", "check"), CHECKS, ids=lambda c: getattr(getattr(c, "func", c), "__name__", "")
)
def test_it_keeps_to_scikit_learns_rules(estimator, check):
    check(estimator)


@pytest.mark.parametrize("scale", [False, True])
def test_components_are_those_of_the_solver(scale):
    pca = SparsePCA(3, cardinality=4, solver="grqi", scale=scale).fit(X)
    first = solve(Problem.from_data(X, scale=scale), "grqi", k=4)
    np.testing.assert_allclose(abs(pca.components_[0] @ first.x), 1.0)
    assert np.count_nonzero(pca.components_, axis=1).max() <= 4
    assert (pca.deflated_variance_ <= pca.bound_ * (1 + 1e-9)).all()
    np.testing.assert_allclose(pca.explained_variance_[0], pca.transform(X)[:, 0].var(ddof=1))
    np.testing.assert_allclose(pca.transform(X).mean(axis=0), 0.0, atol=1e-9)


def test_with_all_features_it_is_pca():
    pca, ours = PCA(3).fit(X), SparsePCA(3, cardinality=1.0, refit=True).fit(X)
    np.testing.assert_allclose(
        ours.explained_variance_ratio_, pca.explained_variance_ratio_, rtol=1e-5
    )
    np.testing.assert_allclose(ours.score(X), pca.explained_variance_ratio_.sum(), rtol=1e-8)


@pytest.mark.parametrize("scale", [False, True])
def test_the_ratios_add_up_to_at_most_the_share_in_the_span(scale):
    for deflation in ("projection", "hotelling", "drop_features"):
        how = dict(deflation=deflation, scale=scale, solver="grqi", bound=False)
        pca = SparsePCA(4, cardinality=6, **how).fit(X)
        assert pca.explained_variance_ratio_.sum() <= pca.score(X) * (1 + 1e-9) <= 1.0 + 1e-9


@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("form", some(1, [sp.csr_array, sp.csc_matrix]))
def test_sparse_input_gives_the_same(form, scale):
    digits = load_digits().data
    dense, sparse = (
        SparsePCA(2, cardinality=9, scale=scale, solver="tpower", bound=False).fit(D)
        for D in (digits, form(digits))
    )
    # scaled, all variances tie at the start
    for name in ("mean_", "scale_" if scale else "components_"):
        np.testing.assert_allclose(
            np.abs(getattr(sparse, name)), np.abs(getattr(dense, name)), atol=1e-8
        )
    np.testing.assert_allclose(sparse.transform(form(digits)), sparse.transform(digits), atol=1e-9)
    assert sparse.score(form(digits)) == pytest.approx(sparse.score(digits), rel=1e-9)


def test_sparse_input_is_never_made_dense():
    rng = np.random.default_rng(0)
    places = rng.integers(5_000, size=(2, 20_000))
    counts = sp.coo_array((np.ones(20_000), places), (5_000, 5_000)).tocsr()
    tracemalloc.start()
    pca = SparsePCA(2, cardinality=10, scale=True, solver="tpower", bound=False).fit(counts)
    pca.score(counts)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 5_000 * 5_000 / 2


def test_in_a_pipeline_and_a_grid_search():
    pipeline = make_pipeline(StandardScaler(), SparsePCA(2))
    search = GridSearchCV(pipeline, {"sparsepca__cardinality": [2, 0.5]}, cv=2).fit(X)
    assert search.best_params_["sparsepca__cardinality"] == 0.5  # more variables explain more
    assert list(search.best_estimator_[-1].get_feature_names_out()) == ["sparsepca0", "sparsepca1"]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("power", range(-300, 301, 60))
def test_any_scale_gives_the_same_or_is_refused(power, scale, form):
    G = np.random.default_rng(0).standard_normal((20, 10))
    Y = form(G * 10.0**power)
    try:
        fitted = SparsePCA(2, scale=scale).fit(Y)
    except InputError as error:
        assert abs(power) >= 60
        assert "multiply all entries by a constant" in str(error)
        return
    expected = SparsePCA(2, scale=scale).fit(G)
    assert fitted.explained_variance_ratio_ == pytest.approx(expected.explained_variance_ratio_)
    assert (fitted.bound_ >= fitted.deflated_variance_).all()
