"""Bounds on the largest eigenvalue of large data hold for whatever data, centred and deflated."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import svds

from spcabench import Problem, api
from spcabench.methods import large_eigenvalue
from spcabench.methods.large_eigenvalue import eigenvalue_bound, probable_bound, without_projections
from spcabench.problem import covariance, data
from spcabench.solving import bounds, joint_bounds
from spcabench.solving.formulations import Formulation
from tests import problems


@pytest.fixture
def large(monkeypatch):
    """Data of more than 20 samples and variables count as large."""
    for module in (covariance, data):
        monkeypatch.setattr(module, "SMALL_SIDE", 20)
    monkeypatch.setattr(bounds, "SMALL_SIDE", 20)
    monkeypatch.setattr(large_eigenvalue, "EXACT", 5)


def _sparse(seed, shape=(60, 40), density=0.1):
    rng = np.random.default_rng(seed)
    X = sp.random_array(shape, density=density, format="csc", rng=rng)
    return X * rng.uniform(-1.0, 3.0, shape[1])


def hidden(seed, n=300, nonzeros=10):
    """Return data whose leading right singular vector is e_j.

    j is the variable with the smallest entry in a vector that everybody can draw.
    """
    rng = np.random.default_rng(seed)
    rows, columns = rng.integers(n, size=(2, nonzeros * n))
    values = rng.standard_normal(nonzeros * n)
    X = sp.csc_array((values, (rows, columns)), shape=(n, n)).tolil()
    top = svds(X.tocsc(), k=1, return_singular_vectors=False)[0]
    j = int(np.argmin(np.abs(np.random.default_rng(0).standard_normal(n))))
    X[:, [j]] = 0.0
    X[[0], :] = 0.0
    X[0, j] = 1.01 * top
    return X.tocsc(), j


@pytest.mark.parametrize("seed", problems.some(2, range(4)))
def test_no_bound_is_below_a_component_that_lanczos_method_misses(seed, large):
    X, j = hidden(seed)
    problem = Problem.from_data(X, center=False)
    result = api.solve(problem, "tpower", k=1)
    assert result.support.tolist() == [j]
    assert result.variance <= result.bound
    assert result.variance <= bounds.leading_eigenvalue(problem) * (1 + 1e-12)
    for k in (1, 5, 300):
        assert min(bounds.upper_bounds(problem, k).values()) >= result.variance
        assert bounds.bound_whp(problem, k) >= result.variance


@pytest.mark.parametrize("deflation", ["projection", "schur", "hotelling", "drop_features"])
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("form", ["sparse", "data"])
@pytest.mark.parametrize("seed", problems.some(1, range(2)))
def test_no_bound_is_below_the_largest_eigenvalue(seed, form, center, deflation, large):
    X = _sparse(seed)
    problem = Problem.from_data(X if form == "sparse" else X.toarray(), center=center)
    for result in api.solve(problem, "tpower", n_components=3, k=4, deflation=deflation):
        part = result.problem
        S = problems.explicit(part)
        top = np.linalg.eigvalsh(S)[-1]
        assert bounds.largest_eigenvalue_bound(part) >= top * (1 - 1e-12)
        assert bounds.upper_bound(part, part.n) >= top
        assert bounds.bound_whp(part, part.n) >= top * (1 - 1e-12)
        assert bounds.leading_eigenvalue(part) == pytest.approx(top)
        assert result.variance <= result.bound
        assert result.variance <= result.bound_whp <= result.bound
    both = np.linalg.eigvalsh(problems.explicit(problem))[-2:].sum()
    assert joint_bounds.joint_bound(problem, Formulation.COMMON, 2, problem.n)[0] >= both


@pytest.mark.parametrize("seed", range(3))
def test_centring_and_deflations_by_projection_are_recognised(seed):
    problem = Problem.from_data(_sparse(seed))
    for deflation in ("projection", "orthogonal_projection", "schur", "drop_features"):
        *_, last = api.solve(problem, "tpower", n_components=3, k=4, deflation=deflation)
        Y, extra = without_projections(last.problem.data)
        assert Y.rank == 0 and extra <= 1e-10 * np.sqrt(eigenvalue_bound(Y))
    x = np.ones(problem.n)
    other = data.Data(problem.data.X, problem.data.scale, np.ones((60, 1)), x[:, None])
    assert without_projections(other)[1] > 0.0
    assert eigenvalue_bound(other) >= np.linalg.norm(other.dense(), 2) ** 2 * (1 - 1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_the_bound_is_attained_for_nonnegative_data(seed):
    X = abs(_sparse(seed))
    A = Problem.from_data(X, center=False).data
    exact = np.linalg.norm(A.dense(), 2) ** 2
    assert exact * (1 - 1e-12) <= eigenvalue_bound(A) <= 1.05 * exact


def test_columns_without_entries_and_scales_apart_leave_the_bound_finite():
    X = np.zeros((30, 5))
    X[:3, 0], X[4, 1], X[5, 2] = 1e-30, 1.0, 1e30
    A = Problem.from_data(sp.csc_array(X), center=False, divisor="1").data
    assert 1e60 * (1 - 1e-12) <= eigenvalue_bound(A) <= 1e60 * (1 + 1e-12)


@pytest.mark.parametrize("shape", [(60, 40), (40, 60), (200, 200)])
def test_the_probable_bound_is_near_the_largest_eigenvalue(shape):
    for seed in range(4):
        A = Problem.from_data(_sparse(seed, shape)).data
        exact = np.linalg.norm(A.dense(), 2) ** 2
        bound = probable_bound(A, np.random.default_rng(seed))
        assert exact * (1 - 1e-12) <= bound <= 1.0102 * exact
    flat = Problem.from_data(np.eye(50), center=False, divisor="1").data
    assert 1.0 - 1e-12 <= probable_bound(flat, np.random.default_rng(0)) <= 1.0102
