"""Properties of each deflation (Mackey 2009), for a covariance and for data."""

import numpy as np
import pandas as pd
import pytest

from spcabench import Problem, api
from spcabench.cli import terminal
from spcabench.errors import InputError
from spcabench.selecting.chance import Chance
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


def _components(form, count=3, **settings):
    return api.solve(FORMS[form], SOLVER, n_components=count, k=3, **settings)


def _sigmas(components):
    """Return Sigma before each component."""
    return [
        problems.explicit(r.problem) if r.problem.form == "covariance" else _formed(r.problem)
        for r in components
    ]


def _formed(problem):
    return np.column_stack([problem.covariance @ e for e in np.eye(problem.n)])


@forms
@pytest.mark.parametrize("deflation", ["projection", "schur", "orthogonal_projection"])
def test_projections_annihilate_and_stay_semidefinite(form, deflation):
    components = _components(form, deflation=deflation)
    for before, after in zip(components, _sigmas(components)[1:], strict=False):
        assert np.linalg.norm(after @ before.x) < 1e-12 * np.linalg.norm(S)
        assert np.linalg.eigvalsh(after)[0] > -1e-12 * np.linalg.norm(S)


@forms
@pytest.mark.parametrize(
    ("deflation", "alpha"),
    [*((name, 1.0) for name in DEFLATIONS), ("hotelling", 0.2), ("hotelling", 0.0)],
)
def test_each_deflation_is_that_of_its_definition(form, deflation, alpha):
    components = _components(form, deflation=deflation, alpha=alpha, count=2)
    before, after = _sigmas(components)
    x, P = components[0].x, np.eye(7) - np.outer(components[0].x, components[0].x)
    keep = (x == 0).astype(float)
    expected = {
        "hotelling": before - alpha * (x @ before @ x) * np.outer(x, x),
        "projection": P @ before @ P,
        "orthogonal_projection": P @ before @ P,
        "schur": before - before @ np.outer(x, x) @ before / (x @ before @ x),
        "drop_features": before * np.outer(keep, keep),
    }[deflation]
    assert np.allclose(after, expected, atol=1e-11), deflation


@forms
@pytest.mark.parametrize("deflation", DEFLATIONS)
def test_joint_variances_are_those_of_a_qr_decomposition(form, deflation):
    components = _components(form, deflation=deflation)
    R = np.linalg.qr(X @ components.Z, mode="r")
    assert np.allclose(components.adjusted_variances, np.diag(R) ** 2, rtol=1e-8)
    assert components.adjusted_variances.sum() <= components.variances.sum() * (1 + 1e-12)
    assert components.adjusted_variances.sum() <= np.trace(S)
    basis = np.linalg.qr(components.Z)[0]
    assert components.projected_variance == pytest.approx(np.trace(basis.T @ S @ basis))
    assert len(components) == 3
    assert components.Z.shape == (7, 3)


RECTANGULAR = [s for s in problems.SOLVERS if problems.traits(s).rectangular]
ON_DATA = [s for s in RECTANGULAR if problems.traits(s).accepts == "data"]


@pytest.mark.parametrize("alpha", [1.0, 0.2])
@pytest.mark.parametrize("solver", RECTANGULAR)
def test_rectangular_deflation_removes_a_share_of_the_singular_pair(solver, alpha):
    components = api.solve(
        FORMS["data"], solver, n_components=2, k=3, deflation="hotelling", alpha=alpha
    )
    u, v, after = components[0].u, components[0].x, components[1].problem.data.dense()
    assert np.allclose(after, X - alpha * (u @ X @ v) * np.outer(u, v), atol=1e-12)
    assert not components[1].problem.indefinite


@pytest.mark.parametrize("solver", ON_DATA)
def test_partial_deflation_works_in_one_copy_that_no_result_sees(solver):
    problem = Problem.from_data(X, center=False, divisor="1")
    components = api.solve(problem, solver, n_components=12, k=3, deflation="hotelling", alpha=0.2)
    R = X.copy()  # more components than the rank, 7
    for r in components:
        assert r.singular_value == pytest.approx(r.u @ R @ r.x)
        assert r.variance == pytest.approx(((R @ r.x) ** 2).sum())
        assert r.bound >= problems.optimum(R.T @ R, 3) * (1 - 1e-12)
        R -= 0.2 * r.singular_value * np.outer(r.u, r.x)
    assert np.array_equal(problem.data.X, X)
    assert all(r.problem.data.X is problem.data.X for r in components)


@pytest.mark.parametrize("deflation", DEFLATIONS)
@pytest.mark.parametrize("solver", ["tpower", "grqi"])
def test_components_end_where_nothing_is_left(solver, deflation):
    rank_one = Problem.from_data(np.outer(X[:, 0], [1.0, 2.0, 0.0]), center=False)
    components = api.solve(rank_one, solver, n_components=3, k=2, deflation=deflation)
    assert components[0].variance == pytest.approx(problems.explicit(rank_one).trace(), rel=1e-4)
    assert components.projected_variance == pytest.approx(components[0].variance, rel=1e-4)


@pytest.mark.parametrize(
    ("deflation", "idle"), [("projection", [1]), ("schur", []), ("orthogonal_projection", [1])]
)
def test_components_that_add_nothing_are_named(deflation, idle):
    """For data of rank one, a second component explains the same as the first."""
    X = np.outer(np.random.default_rng(0).standard_normal(20), [1.0, 2.0, 2.0, 0.0, 1.0])
    components = api.solve(
        Problem.from_data(X), "branch_and_bound", n_components=2, k=2, deflation=deflation
    )
    assert components.idle == idle
    message = " ".join(terminal.notes(components.problem, components, Chance()))
    assert ("explains nothing beyond" in message) == bool(idle)


@pytest.mark.parametrize("as_given", [list, tuple, np.array, pd.Series, iter])
def test_each_component_has_its_own_cardinality_however_they_are_given(as_given):
    S = np.cov(np.random.default_rng(0).standard_normal((40, 9)).T)
    problem = Problem.from_covariance(S)
    components = api.solve(problem, "tpower", n_components=3, k=as_given([5, 3, 2]))
    assert [result.cardinality for result in components] == [5, 3, 2]
    assert components.measures.projected <= components.joint_bound
    with pytest.raises(InputError, match="k: 2 cardinalities for 3 components; specify one"):
        api.solve(problem, "tpower", n_components=3, k=as_given([5, 3]))
