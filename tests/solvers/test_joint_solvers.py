"""Solvers for several components at once, compared with definitions and brute force."""

from itertools import combinations

import numpy as np
import pytest

from spcabench import Problem, api
from spcabench.registry import module
from spcabench.solving.call import arguments
from spcabench.solving.formulations import fault_of_joint as fault
from spcabench.steps import varimax
from tests import problems
from tests.problems import SOLVERS, traits

# row_sparse


def best_common(S, k, q):
    """Return the largest sum of q eigenvalues of a k x k principal block."""
    return max(
        np.linalg.eigvalsh(S[np.ix_(W, W)])[-q:].sum() for W in combinations(range(len(S)), k)
    )


@pytest.mark.parametrize("q", [1, 2, 3])
@pytest.mark.parametrize("seed", problems.some(3, range(8)))
def test_row_sparse_is_the_optimum_where_the_rank_is_that_of_the_components(seed, q):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((q, 9))
    result = problems.solve(Problem.from_covariance(A.T @ A), "row_sparse", 4, components=q)
    assert result.extra["objective"] == pytest.approx(best_common(A.T @ A, 4, q))


# the formulations


FORMULATIONS = {
    "row_sparse": "common",
    "alternating_deflation": "orthonormal",
    "alternating_disjoint": "disjoint",
}


@pytest.mark.parametrize("solver", FORMULATIONS)
@pytest.mark.parametrize("family", problems.some(5, problems.FAMILIES))
@pytest.mark.parametrize("q", [2, 3])
def test_an_answer_keeps_its_formulation_rises_and_is_at_most_the_optimum(q, family, solver):
    problem, _ = problems.problem(family, 1)
    k = min(3, problem.n // q) if solver == "alternating_disjoint" else min(4, problem.n)
    settings = dict(k=k, components=min(q, problem.n))
    result = api.solve(problem, solver, **arguments({**settings, "history": True}))
    assert result.good and not fault(result.Z, problem.n, k, FORMULATIONS[solver])
    S = problems.explicit(problem)
    explained = np.trace(result.Z.T @ S @ result.Z)
    if solver == "alternating_deflation":
        assert explained <= np.linalg.eigvalsh(S)[-q:].sum() * (1 + 1e-4)
        return
    if solver == "row_sparse":
        best = best_common(S, k, q)
    else:
        Z = api.solve(problem, "disjoint_supports", **arguments(settings)).Z
        best = np.trace(Z.T @ S @ Z)
    values = [entry["objective"] for entry in result.history]
    assert (np.diff(values) >= -1e-9 * abs(values[-1])).all()
    assert values[-1] == pytest.approx(explained, rel=1e-9)
    assert explained <= best * (1 + 1e-9)


# sca


@pytest.mark.parametrize("gamma", [0.01, 0.7, 2.0, 5.0, 100.0])
def test_shrinkage_is_a_soft_threshold_to_the_bound(gamma):
    Y = np.random.default_rng(0).standard_normal((8, 3))
    new = module("solver", "sca").shrunk(Y, gamma)
    assert np.abs(new).sum() == pytest.approx(min(gamma, np.abs(Y).sum()))
    left = new != 0.0
    level = (np.abs(Y) - np.abs(new))[left]
    assert np.allclose(level, level.max())
    assert np.abs(Y)[~left].max(initial=0.0) <= level.max() + 1e-8
    assert (np.sign(new)[left] == np.sign(Y)[left]).all()


@pytest.mark.parametrize("seed", problems.some(2, range(6)))
def test_varimax_of_two_columns_is_the_best_rotation(seed):
    rng = np.random.default_rng(seed)
    Y = np.linalg.qr(rng.standard_normal((9, 2)))[0]
    turned = varimax(Y)
    assert np.allclose(turned @ turned.T, Y @ Y.T)
    angles = np.linspace(0.0, np.pi, 2000)
    criterion = [(Y @ [[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) ** 4 for a in angles]
    assert (turned**4).sum() >= max(c.sum() for c in criterion) - 1e-9


# without and with a penalty


@pytest.mark.parametrize("q", [1, 3])
@pytest.mark.parametrize(
    ("solver", "settings"),
    [
        ("sca", {"shrinkage": 0.5 / np.sqrt(13)}),
        ("spca_elastic_net", {"k": 13, "ridge": 0.0}),
        ("amanpg", {"lambda_1": 0.0}),
        ("spca_variable_projection", {"alpha": 0.0}),
    ],
)
def test_without_shrinkage_the_leading_eigenvectors_are_spanned(solver, settings, q):
    problem = api.load("pitprops")
    Z = api.solve(problem, solver, **arguments({**settings, "components": q})).Z
    V = np.linalg.eigh(problem.matrix.S)[1][:, -q:]
    basis = np.linalg.qr(Z)[0]
    assert np.allclose(basis @ basis.T, V @ V.T, atol=1e-4)


@pytest.mark.parametrize("seed", problems.some(1, range(3)))
@pytest.mark.parametrize(
    ("solver", "name", "penalty"),
    [("amanpg", "lambda_1", 4.5), ("spca_variable_projection", "alpha", 0.05)],
)
def test_with_a_penalty_the_variables_of_both_factors_are_found(solver, name, penalty, seed):
    rng = np.random.default_rng(seed)
    F = rng.standard_normal((400, 2)) * [3.0, 2.0]
    X = np.repeat(F, 5, axis=1) + 0.3 * rng.standard_normal((400, 10))
    settings = {name: penalty, "components": 2}
    Z = api.solve(Problem.from_data(X, divisor="m"), solver, **arguments(settings)).Z
    supports = sorted(tuple(np.flatnonzero(z)) for z in Z.T)
    assert supports == [(0, 1, 2, 3, 4), (5, 6, 7, 8, 9)]


# spca_elastic_net


@pytest.mark.parametrize("seed", problems.some(2, range(4)))
def test_each_sparse_regression_of_spca_is_optimal(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((20, 7))
    Gram, Xy = X.T @ X, X.T @ rng.standard_normal(20)
    lambda_1 = 0.5 * np.abs(Xy).max()
    b = module("solver", "spca_elastic_net").elastic_net(Gram, Xy, 7, lambda_1)
    slope = 2.0 * (Gram @ b - Xy)  # of the smooth part; minus it is a subgradient of the penalty
    assert np.allclose(slope[b != 0.0], -lambda_1 * np.sign(b[b != 0.0]))
    assert (np.abs(slope) <= lambda_1 * (1 + 1e-9)).all()


@pytest.mark.parametrize("name", ["alternating_deflation", "alternating_disjoint"])
@pytest.mark.parametrize("S", [np.eye(7), np.diag([3.0, 2.0, 2.0, 1.0, 1.0])], ids=["I", "ties"])
def test_the_unit_of_the_variance_changes_no_loading(name, S):
    one, other = (
        api.solve(Problem.from_covariance(s * S), name, n_components=2, k=3, deflation="joint")
        for s in (1.0, 2.0**40)
    )
    assert all(result.good for result in other)
    np.testing.assert_allclose(one.Z, other.Z, atol=1e-12)


# solvers that are the same as another for one component


@pytest.mark.parametrize("name", [s for s in SOLVERS if traits(s).same_for_one])
@pytest.mark.parametrize("form", ["data", "covariance"])
def test_a_solver_is_what_it_says_for_one_component(name, form):
    for seed in range(3):
        problem, k = problems.problem(f"gaussian {form}", seed)
        result, other = (api.solve(problem, s, k=k) for s in (name, traits(name).same_for_one))
        assert np.allclose(result.x, other.x, rtol=0.0, atol=1e-14)
        assert result.iterations == other.iterations
