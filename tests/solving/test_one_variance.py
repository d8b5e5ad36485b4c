"""The same data have the same variance everywhere: scikit-learn's, with divisor m - 1."""

import json
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

import spcabench as suite

X = np.random.default_rng(0).standard_normal((30, 6)) * [1, 2, 3, 4, 5, 6] + 1.0


@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("k", [2, 6])
def test_array_estimator_and_file_give_one_variance(scale, k, tmp_path, spcabench):
    file = tmp_path / "x.csv"
    np.savetxt(file, X, delimiter=",", header="a,b,c,d,e,f", comments="")
    words = ["solve", file, "-k", k, "--json", *(["--scale"] if scale else [])]
    typed = json.loads(spcabench(*words).stdout)["components"][0]
    given = StandardScaler().fit_transform(X) if scale else X
    result = suite.solve(given, k=k)
    fitted = suite.SparsePCA(1, cardinality=k, scale=scale).fit(X)
    assert typed["variance"] == pytest.approx(result.variance)
    assert fitted.deflated_variance_[0] == pytest.approx(result.variance)
    assert typed["bound"] == pytest.approx(result.bound) == pytest.approx(fitted.bound_[0])
    assert suite.solve(sp.csr_array(given), k=k).variance == pytest.approx(result.variance)
    if k == 6:
        assert result.variance == pytest.approx(PCA().fit(given).explained_variance_[0])


def test_the_unit_of_the_papers_has_a_name():
    result = suite.solve(X, k=3)
    assert result.problem.divisor == 29
    by_paper = suite.Problem.from_data(X, divisor="1")
    assert by_paper.divisor == 1
    assert result.sum_of_squares == pytest.approx(by_paper.variance(result.x))
    centred = X - X.mean(axis=0)
    assert result.sum_of_squares == pytest.approx(np.sum((centred @ result.x) ** 2))


def test_a_covariance_is_unchanged():
    S = np.cov(X.T)
    result = suite.solve(suite.Problem.from_covariance(S), k=3)
    assert result.variance == pytest.approx(suite.solve(X, k=3).variance)
    assert result.sum_of_squares == result.variance


def test_the_earlier_name_of_the_divisor_warns():
    with pytest.warns(FutureWarning, match="divisor='m'"):
        problem = suite.Problem.from_data(X, divide_by_m=True)
    assert problem.divisor == 30
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        suite.Problem.from_data(X, divisor="m")
