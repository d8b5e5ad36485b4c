"""Scol-PCA and Mcol-PCA choose s columns, at the cost of one product per loop."""

from math import ceil

import numpy as np
import pytest
import scipy.sparse as sp

import spcabench
from spcabench.solving.deflate import DEFLATIONS
from tests import problems

SHAPES = {"tall": (30, 8), "wide": (8, 30), "square": (15, 15), "rank": (20, 12)}


def matrix(shape, seed):
    rng = np.random.default_rng(seed)
    m, n = SHAPES[shape]
    X = rng.standard_normal((m, n)) * (rng.random((m, n)) < 0.6)
    if shape == "rank":
        X = X[:, :4] @ rng.standard_normal((4, n))
    return X


@pytest.mark.parametrize("solver", ["scol", "mcol"])
@pytest.mark.parametrize("shape", SHAPES)
def test_exactly_s_columns_for_every_s_and_the_leading_eigenvector_on_them(solver, shape):
    X = matrix(shape, 3)
    V = X - X.mean(axis=0)
    problem = spcabench.Problem.from_data(sp.csc_array(X), divisor="1")
    for s in range(1, X.shape[1] + 1):
        result = problems.solve(problem, solver, s, history=True)
        signs = [h for h in result.history if h["phase"] == "columns"][-1]
        assert signs["cardinality"] == s
        loops = s if solver == "scol" else ceil(s / ceil(s / 10))
        assert result.cost.phases["columns"]["iterates"] == loops
        assert solver == "scol" or loops <= 10
        W = result.support
        assert len(W) <= s and not result.cost.search
        leading = np.linalg.eigvalsh(V[:, W].T @ V[:, W])[-1]
        assert result.variance == pytest.approx(leading, rel=1e-6)
        by_power = problems.solve(problem, solver, s, tol=1e-9, second="power")
        assert by_power.variance == pytest.approx(result.variance, rel=1e-4)


def test_one_product_per_loop():
    problem = spcabench.load("random_sparse", m=60, n=90, density=0.3).given_as("covariance")
    for s in (10, 25):
        phases = spcabench.solve(problem, "mcol", k=s).cost.phases["columns"]
        c = ceil(s / 10)
        assert phases["flops"] == (ceil(s / c) - 1) * c * 90


@pytest.mark.parametrize("deflation", DEFLATIONS)
def test_components_of_sparse_data_stay_sparse(deflation):
    problem = spcabench.load("random_sparse", m=40, n=60, density=0.2)
    components, dense = (
        spcabench.solve(form, "mcol", n_components=3, k=8, deflation=deflation)
        for form in (problem, problem.given_as("covariance"))
    )
    np.testing.assert_allclose(components.variances, dense.variances, rtol=1e-7)
    for result in components:
        assert result.problem.form == "sparse"
        A = getattr(result.problem.matrix, "A", result.problem.matrix)
        assert A.X is problem.data.X
