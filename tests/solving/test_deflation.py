"""Properties of each deflation (Mackey 2009), for a covariance and for data."""

import numpy as np
import pytest

from spcabench import Problem, api
from spcabench.solving.deflate import DEFLATIONS
from tests import problems

X = np.random.default_rng(4).standard_normal((9, 7))
FORMS = {
    "covariance": Problem.from_covariance(X.T @ X),
    "data": Problem.from_data(X, center=False, divisor="1"),
}
S = X.T @ X
forms = pytest.mark.parametrize("form", FORMS)
SOLVER = next(s for s in problems.SOLVERS if problems.traits(s).exact)


def _sigmas(components):
    """Return Sigma before each component."""
    covariances = [result.problem.covariance for result in components]
    return [np.column_stack([Sigma @ e for e in np.eye(Sigma.n)]) for Sigma in covariances]


@forms
@pytest.mark.parametrize(
    ("deflation", "alpha"),
    [*((name, 1.0) for name in DEFLATIONS), ("hotelling", 0.2), ("hotelling", 0.0)],
)
def test_each_deflation_is_that_of_its_definition(form, deflation, alpha):
    components = api.solve(
        FORMS[form], SOLVER, n_components=4, k=3, deflation=deflation, alpha=alpha
    )
    removed = np.zeros((7, 0))
    sigmas = _sigmas(components)
    for result, before, after in zip(components, sigmas[:-1], sigmas[1:], strict=False):
        x = result.x
        removed = np.column_stack([removed, x])
        P, Q = np.eye(7) - np.outer(x, x), np.linalg.qr(removed)[0]
        rest = np.eye(7) - np.outer(Q[:, -1], Q[:, -1])
        keep = (x == 0).astype(float)
        expected = {
            "hotelling": before - alpha * (x @ before @ x) * np.outer(x, x),
            "projection": P @ before @ P,
            "orthogonal_projection": rest @ before @ rest,
            "schur": before - before @ np.outer(x, x) @ before / (x @ before @ x),
            "drop_features": before * np.outer(keep, keep),
        }[deflation]
        assert np.allclose(after, expected, atol=1e-11)
        assert result.variance == pytest.approx(x @ before @ x)
        if deflation in ("projection", "orthogonal_projection", "schur"):
            assert np.linalg.norm(after @ x) < 1e-12 * np.linalg.norm(S)
            assert np.linalg.eigvalsh(after)[0] > -1e-12 * np.linalg.norm(S)
        assert components[-1].problem.indefinite == (deflation == "hotelling")
    assert len(components) == (3 if deflation == "drop_features" else 4)
    if alpha == 1.0:  # the components are independent
        scores, basis = X @ components.Z, np.linalg.qr(components.Z)[0]
        added = np.diag(np.linalg.qr(scores, mode="r")) ** 2
        assert np.allclose(components.adjusted_variances, added, rtol=1e-8)
        assert np.allclose(components.variances, (scores**2).sum(axis=0))
        assert components.projected_variance == pytest.approx(np.trace(basis.T @ S @ basis))


RECTANGULAR = [s for s in problems.SOLVERS if problems.traits(s).rectangular]


@pytest.mark.parametrize("alpha", [1.0, 0.2])
@pytest.mark.parametrize("solver", RECTANGULAR)
def test_rectangular_deflation_removes_a_share_of_the_singular_pair(solver, alpha):
    """It works in one copy, which no result sees."""
    problem = Problem.from_data(X, center=False, divisor="1")
    count = 12 if problems.traits(solver).accepts == "data" and alpha < 1.0 else 2
    components = api.solve(
        problem, solver, n_components=count, k=3, deflation="hotelling", alpha=alpha
    )
    R = X.copy()  # up to more components than the rank, 7
    for r in components:
        assert np.allclose(r.problem.data.dense(), R, atol=1e-12) and not r.problem.indefinite
        assert r.singular_value == pytest.approx(r.u @ R @ r.x)
        assert r.variance == pytest.approx(((R @ r.x) ** 2).sum())
        assert r.bound >= problems.optimum(R.T @ R, 3) * (1 - 1e-12)
        R -= alpha * r.singular_value * np.outer(r.u, r.x)
    assert len(components) == count and np.array_equal(problem.data.X, X)
    assert all(r.problem.data.X is problem.data.X for r in components)


@pytest.mark.parametrize("deflation", DEFLATIONS)
@pytest.mark.parametrize("solver", ["tpower", "grqi"])
def test_components_end_where_nothing_is_left(solver, deflation):
    rank_one = Problem.from_data(np.outer(X[:, 0], [1.0, 2.0, 0.0]), center=False)
    components = api.solve(rank_one, solver, n_components=3, k=2, deflation=deflation)
    assert components[0].variance == pytest.approx(problems.explicit(rank_one).trace(), rel=1e-4)
    assert components.projected_variance == pytest.approx(components[0].variance, rel=1e-4)
    assert len(components) <= (3 if deflation == "hotelling" else 2)


@pytest.mark.parametrize("as_given", [list, np.array, iter])
def test_each_component_has_its_own_cardinality_however_they_are_given(as_given):
    k, seen = as_given([5, 3, 2]), []
    components = api.several(
        FORMS["data"], "tpower", 3, k=k, progress=lambda r: seen.append(r.cardinality)
    )
    assert [result.cardinality for result in components] == seen == [5, 3, 2]
    assert components.measures.projected <= components.joint_bound
