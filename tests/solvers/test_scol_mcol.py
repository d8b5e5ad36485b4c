"""Scol-PCA and Mcol-PCA agree with a naive computation of their definition."""

from math import ceil

import numpy as np
import pytest
import scipy.sparse as sp

import spcabench
from spcabench.solving.call import Limits
from spcabench.solving.deflate import DEFLATIONS
from spcabench.steps import greedy_signs, lanczos

SHAPES = {"tall": (30, 8), "wide": (8, 30), "square": (15, 15), "rank": (20, 12)}


def matrix(shape, seed):
    rng = np.random.default_rng(seed)
    m, n = SHAPES[shape]
    X = rng.standard_normal((m, n)) * (rng.random((m, n)) < 0.6)
    if shape == "rank":
        X = X[:, :4] @ rng.standard_normal((4, n))
    return X


def naive(X, counts):
    """Evaluate equations (4) and (6) of He et al. from scratch for each pick; None at a tie."""
    V = X - X.mean(axis=0)
    n = V.shape[1]
    x, order = np.zeros(n), []
    for count in counts:
        values = {
            (j, a): np.sum((V @ (x + a * np.eye(n)[j])) ** 2)
            for j in range(n)
            if x[j] == 0
            for a in (1, -1)
        }
        best = {j: max(values[j, 1], values[j, -1]) for j in range(n) if x[j] == 0}
        ranked = sorted(best, key=lambda j: -best[j])
        scores = np.array([best[j] for j in ranked])
        if np.any(np.abs(np.diff(scores[: count + 1])) < 1e-9 * scores[0]):
            return None
        new = ranked[:count]
        signs = [1 if values[j, 1] >= values[j, -1] - 1e-9 * scores[0] else -1 for j in new]
        x = x + sum(s * np.eye(n)[j] for s, j in zip(signs, new, strict=True))
        order += new
    return x, order


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("c", [1, 3])
def test_picks_and_signs_are_those_of_the_definition(shape, c):
    compared = 0
    for seed in range(8):
        X = matrix(shape, seed)
        s = min(7, X.shape[1])
        counts = [min(c, s - taken) for taken in range(0, s, c)]
        expected = naive(X, counts)
        if expected is None:
            continue
        compared += 1
        for form in (X, sp.csr_matrix(X)):
            problem = spcabench.Problem.from_data(form)
            for as_form in (problem, problem.given_as("covariance")):
                *_, (x, order) = greedy_signs(as_form.covariance, counts)
                assert order.tolist() == expected[1]
                np.testing.assert_array_equal(x, expected[0])
    assert compared >= 4


@pytest.mark.parametrize("solver", ["scol", "mcol"])
@pytest.mark.parametrize("shape", SHAPES)
def test_exactly_s_columns_for_every_s_and_the_leading_eigenvector_on_them(solver, shape):
    X = matrix(shape, 3)
    V = X - X.mean(axis=0)
    problem = spcabench.Problem.from_data(sp.csc_array(X), divisor="1")
    for s in range(1, X.shape[1] + 1):
        result = spcabench.solve(problem, solver, k=s, limits=Limits(history=True))
        signs = [h for h in result.history if h["phase"] == "columns"][-1]
        assert signs["cardinality"] == s
        loops = s if solver == "scol" else ceil(s / ceil(s / 10))
        assert result.cost.phases["columns"]["iterates"] == loops and (
            solver == "scol" or loops <= 10
        )
        W = result.support
        assert len(W) <= s and not result.cost.search
        leading = np.linalg.eigvalsh(V[:, W].T @ V[:, W])[-1]
        assert result.variance == pytest.approx(leading, rel=1e-6)
        by_power = spcabench.solve(
            problem, solver, k=s, limits=Limits(tol=1e-9), settings={"second": "power"}
        )
        assert by_power.variance == pytest.approx(result.variance, rel=1e-4)


def test_one_product_per_loop():
    problem = spcabench.load("random_sparse", m=60, n=90, density=0.3).given_as("covariance")
    for s in (10, 25):
        phases = spcabench.solve(problem, "mcol", k=s).cost.phases["columns"]
        c = ceil(s / 10)
        assert phases["flops"] == (ceil(s / c) - 1) * c * 90


@pytest.mark.parametrize("k", [1, 2, 5, 40])
def test_lanczos_reaches_the_leading_eigenvector(k):
    rng = np.random.default_rng(k)
    A = rng.standard_normal((k + 3, k))
    S = A.T @ A
    y = np.ones(k) / np.sqrt(k)
    v = lanczos(lambda z: S @ z, y, 1e-12)
    assert v @ S @ v == pytest.approx(np.linalg.eigvalsh(S)[-1], rel=1e-6)
    _, V = np.linalg.eigh(S)
    again = lanczos(lambda z: S @ z, V[:, -1], 1e-12)
    assert abs(again @ V[:, -1]) == pytest.approx(1.0)


@pytest.mark.parametrize("deflation", DEFLATIONS)
def test_components_of_sparse_data_stay_sparse(deflation):
    problem = spcabench.load("random_sparse", m=40, n=60, density=0.2)
    components = spcabench.solve(problem, "mcol", n_components=3, k=8, deflation=deflation)
    covariance = problem.given_as("covariance")
    dense = spcabench.solve(covariance, "mcol", n_components=3, k=8, deflation=deflation)
    np.testing.assert_allclose(components.variances, dense.variances, rtol=1e-7)
    for result in components:
        assert result.problem.form == "sparse"
        A = getattr(result.problem.matrix, "A", result.problem.matrix)
        assert A.X is problem.data.X
