"""Every product of the matrix layer agrees with explicit dense matrices."""

from dataclasses import replace
from math import comb

import numpy as np
import pytest
import scipy.sparse as sp

from spcabench import Problem, api
from spcabench.errors import InputError
from spcabench.flops import counting
from spcabench.problem import covariance, data
from spcabench.problem.covariance import Covariance, Gram
from spcabench.problem.data import Block, Data
from spcabench.problem.spectral import (
    adjusted_variances,
    largest_eigenvalue,
    last_vector,
    leading_pairs,
    nearest_density,
    principal_blocks,
    product,
    rebuilt,
    settled,
)
from tests import problems

TALL, WIDE = (13, 7), (4, 9)


def _holed(shape, seed=0):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(shape) < 0.6, rng.standard_normal(shape) + 0.5, 0.0)


def _low_rank(shape, rank):
    rng = np.random.default_rng(rank)
    return rng.standard_normal((shape[0], rank)), rng.standard_normal((shape[1], rank))


def _kinds(shape):
    """Yield a name, a `Data` matrix and the same matrix as an explicit array."""
    X, scale = _holed(shape), np.linspace(0.5, 2.0, shape[1])
    for name, stored in (("dense", np.asfortranarray(X)), ("sparse", sp.csc_array(X))):
        for rank in (0, 2):
            U, V = _low_rank(shape, rank)
            yield f"{name} rank {rank}", Data(stored, None, U, V), X - U @ V.T
            yield f"{name} rank {rank} scaled", Data(stored, scale, U, V), X * scale - U @ V.T


CASES = [
    pytest.param(A, M, id=f"{name} {shape}")
    for shape in (TALL, WIDE)
    for name, A, M in _kinds(shape)
]
matrices = pytest.mark.parametrize(("A", "M"), CASES)


def _vectors(n):
    """Yield a dense vector, a sparse one, one with a single entry, and zero."""
    z = np.random.default_rng(n).standard_normal(n)
    for keep in (n, 3, 1, 0):
        yield np.where(np.arange(n) < keep, z, 0.0)[::-1].copy()


def _close(a, b):
    return np.allclose(a, b, rtol=1e-11, atol=1e-11)


def _parallel(x, y):
    norms = np.linalg.norm(x) * np.linalg.norm(y)
    return abs(abs(x @ y) - norms) < 1e-9 * norms


@matrices
def test_products_and_parts_are_those_of_the_explicit_matrix(A, M):
    m, n = M.shape
    assert A.shape == (m, n)
    assert all(_close(A @ z, M @ z) for z in _vectors(n))
    assert all(_close(A.T @ y, M.T @ y) for y in _vectors(m))
    Y = np.random.default_rng(1).standard_normal((m, 2))
    assert _close(A.transposed_products(Y), M.T @ Y)
    Z = np.column_stack(list(_vectors(n)))
    assert _close(A.products(Z), M @ Z)
    W = np.array([1, 3, 6])
    assert _close(A.dense(), M)
    assert _close(A.columns(W).dense(), M[:, W])
    assert _close(A.column(2), M[:, 2])
    assert _close(A[np.array([0, 2]), W].R, M[np.ix_([0, 2], W)])
    assert _close(A.gram(), M.T @ M)
    assert _close(A.sample_products(), M @ M.T)
    columns, rows = np.linalg.norm(M, axis=0), np.linalg.norm(M, axis=1)
    assert _close(A.squared_norms(), columns**2)
    assert _close(A.largest_column(), M[:, columns.argmax()] / columns.max())
    assert _close(A.largest_row(), M[rows.argmax()] / rows.max())


def _sigmas():
    for case in CASES:
        A, M = case.values
        Q = np.random.default_rng(9).standard_normal((M.shape[1], 2))
        for w in (np.zeros(0), np.array([0.3, -0.2])):
            r = len(w)
            S = M.T @ M - (Q[:, :r] * w) @ Q[:, :r].T
            yield pytest.param(Gram(A, Q[:, :r], w), S, id=f"{case.id} less {r}")
    S = _holed((12, 8)).T @ _holed((12, 8))
    yield pytest.param(Covariance(S), S, id="covariance")


sigmas = pytest.mark.parametrize(("Sigma", "S"), list(_sigmas()))


@sigmas
def test_sigma_multiplies_and_leads_as_its_explicit_matrix(Sigma, S):
    n = len(S)
    assert all(_close(Sigma @ x, S @ x) for x in _vectors(n))
    Z, W = np.column_stack(list(_vectors(n))), np.array([1, 3, 6])
    assert all(_close(Sigma.products(Y), S @ Y) for Y in (Z, Z[:, 1:]))
    assert _close(Sigma.block(W[:2], W), S[np.ix_(W[:2], W)])
    assert _close(Sigma.diagonal(), S.diagonal())
    for J in (np.array([1, 4]), np.arange(n)):
        assert _close(Sigma.column_squares(J), (S[:, J] ** 2).sum(axis=0))
    assert Sigma.largest_variance() == S.diagonal().argmax()
    assert _close(Sigma.largest_column(), S[:, np.linalg.norm(S, axis=0).argmax()])
    value, v = Sigma.leading()
    assert value == pytest.approx(np.linalg.eigvalsh(S)[-1])
    assert _close(S @ v, value * v) and v[np.abs(v).argmax()] > 0.0  # one sign of the two
    assert np.linalg.eigvalsh(S)[0] + Sigma.indefinite_by() > -1e-11


@sigmas
def test_a_working_set_has_the_block_and_the_leading_pair_of_its_variables(Sigma, S):
    n = len(S)
    for k in (1, 3, n):  # below and, for wide data, above the number of samples
        W = np.sort(np.random.default_rng(k).permutation(n)[:k])
        B, y = S[np.ix_(W, W)], np.random.default_rng(k).standard_normal(k)
        rows = Sigma[W]
        assert _close(rows.B, B)
        assert _close(rows.power_step(y), S[:, W] @ y)
        assert _close(rows.quotient(y), y @ B @ y / (y @ y))
        value, v = rows.leading()
        assert value == pytest.approx(np.linalg.eigvalsh(B)[-1])
        assert _close(B @ v, value * v)


@sigmas
def test_a_rayleigh_step_solves_the_shifted_system_and_is_regular_at_an_eigenvector(Sigma, S):
    n = len(S)
    for k in (2, n):
        W = np.arange(n)[-k:]
        B, x = S[np.ix_(W, W)], S[W, n - 1] / np.linalg.norm(S[W, n - 1])
        for mu in (None, 0.7 * np.trace(B)):
            y = Sigma[W].rayleigh_step(x, mu)
            shift = x @ B @ x if mu is None else mu
            assert abs(np.linalg.norm(y) - 1) < 1e-12
            assert y @ x > 0
            assert _parallel(y, np.linalg.solve(B - shift * np.eye(k), x))
        v = np.linalg.eigh(B)[1][:, -1]
        assert _close(Sigma[W].rayleigh_step(v), v)


@sigmas
def test_a_copy_has_the_same_arrays_and_no_earlier_values(Sigma, S):
    fresh = {*vars(Sigma.copied())}
    Sigma.diagonal(), Sigma.largest_column()
    copy = Sigma.copied()
    assert {*vars(copy)} == fresh and getattr(copy, "S", 0) is getattr(Sigma, "S", 0)
    assert _close(copy.products(np.eye(len(S))), S)


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (4, 4), (1, 3), (3, 1)])
def test_block_rayleigh_step_is_that_of_the_explicit_matrix(shape):
    p, q = shape
    R = np.random.default_rng(p).standard_normal(shape)
    u, v = (np.linalg.svd(R)[0][:, 0], np.linalg.svd(R)[2][0])
    u, v = (x + 0.3 * np.random.default_rng(1).standard_normal(len(x)) for x in (u, v))
    u, v = u / np.linalg.norm(u), v / np.linalg.norm(v)
    mu = u @ R @ v
    M = np.block([[np.zeros((q, q)), R.T], [R, np.zeros((p, p))]])
    y = np.linalg.solve(M - mu * np.eye(p + q), np.concatenate([v, u]))
    new_u, new_v = Block(R).rayleigh_step(u, v)
    assert _parallel(new_v, y[:q])
    assert _parallel(new_u, y[q:])
    assert (new_u @ y[q:]) * (new_v @ y[:q]) > 0  # one sign for both


def test_principal_blocks_are_all_of_them():
    S = _holed((9, 6)).T @ _holed((9, 6))
    for k, batch in ((1, 4096), (3, 4), (6, 1)):
        blocks = list(principal_blocks(S, k, batch=batch))
        supports, x, values = (np.concatenate(part) for part in zip(*blocks, strict=True))
        assert len({tuple(W) for W in supports}) == len(supports) == comb(6, k)
        assert values.max() == pytest.approx(problems.optimum(S, k))
        for W, x_W, value in zip(supports, x, values, strict=True):
            assert x_W @ S[np.ix_(W, W)] @ x_W == pytest.approx(value)


@pytest.mark.parametrize("family", problems.FAMILIES)
def test_forms_agree_and_are_made_once(family):
    problem, _ = problems.problem(family, 1)
    S = problems.explicit(problem)
    for form in ("covariance", "data", "sparse"):
        other = problem.given_as(form)
        assert other.form == form and other is problem.given_as(form)
        assert _close(problems.explicit(other) / S.max(), S / S.max())


@pytest.mark.parametrize(
    "settings", [{}, {"scale": True}, {"divisor": "m"}, {"scale": True, "divisor": "1"}]
)
@pytest.mark.parametrize("center", [True, False])
def test_preprocessing_is_the_same_for_dense_and_sparse_data(settings, center):
    X = _holed((10, 5))
    X[:, 3] = 0.7  # no variance
    expected = X - X.mean(axis=0) if center else X.copy()
    expected[:, 3] *= not center
    if settings.get("scale"):
        deviation = np.sqrt((expected**2).mean(axis=0))
        expected /= np.where(deviation > 0, deviation, 1.0)
    expected /= np.sqrt({"1": 1, "m": 10, "m - 1": 9}[settings.get("divisor", "m - 1")])
    for form in ("", "csc", "csr", "coo", "bsr", "dia", "dok", "lil"):
        data = sp.csr_array(X).asformat(form) if form else X.copy()
        assert _close(Problem.from_data(data, center=center, **settings).matrix.dense(), expected)
        assert _close(data.toarray() if sp.issparse(data) else data, X)  # not changed


@pytest.mark.parametrize("form", [np.array, sp.csc_array])
@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("seed", problems.some(1, range(10)))
def test_totals_of_shares_are_constant_and_part_of_no_component(seed, scale, form):
    shares = np.random.default_rng(seed).random((100, 5))
    shares /= shares.sum(axis=1, keepdims=True)
    total = shares.sum(axis=1)  # one up to rounding
    problem = Problem.from_data(form(np.column_stack([shares, total, 2.0 * total])), scale=scale)
    variances = problem.covariance.diagonal()
    assert (variances[5:] == 0.0).all() and (variances[:5] > 0.0).all()
    for solver in ("branch_and_bound", "tpower"):
        result = api.solve(problem, solver, k=7)
        assert not result.x[5:].any() and result.cardinality <= 5


def test_leading_pairs_of_what_is_a_multiple_of_the_identity_but_for_rounding():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 13))
        noise = np.where(rng.random((n, n)) < 0.3, 1e-15 * rng.random((n, n)), 0.0)
        S = 4.0 * np.eye(n) + noise + noise.T
        w, V = leading_pairs(S, 3)
        assert w == pytest.approx(4.0)
        assert pytest.approx(np.eye(min(n, 3))) == V.T @ V
        assert largest_eigenvalue(S) == pytest.approx(4.0)
        assert Problem.from_covariance(S).n == n


@sigmas
def test_beyond_the_small_sizes_columns_and_pairs_are_as_exact(Sigma, S, monkeypatch):
    for module in (covariance, data):
        monkeypatch.setattr(module, "SMALL_SIDE", 2)
    for matrix in (Sigma, Sigma[np.arange(len(S))]):  # wide data need no matrix (n, n)
        w, V = matrix.leading_pairs(2)
        assert w == pytest.approx(np.linalg.eigvalsh(S)[:-3:-1]) and _close(S @ V, V * w)
    column = Sigma.largest_column()
    assert min(np.abs(column - S[:, j]).max() for j in range(len(S))) < 1e-11
    if isinstance(Sigma, Gram):
        assert _close(column, S[:, S.diagonal().argmax()])


def test_eigenvalues_that_differ_by_rounding_tie_beside_one_of_zero():
    e, root = np.eye(3), np.sqrt(0.5)
    w = np.array([0.0, np.nextafter(4.0, 0.0), 4.0])
    V = np.column_stack([e[2], root * (e[0] + e[1]), root * (e[0] - e[1])])
    assert _close(last_vector(w, V), e[0])
    assert _close(settled(w[::-1], V[:, ::-1], 2), e[:, :2])
    assert _close(leading_pairs(np.diag([4.0 * (1.0 - 1e-13), 4.0, 0.0]), 1)[1][:, 0], e[0])


def test_products_and_added_variances_are_those_of_numpy():
    A, Z = _holed((6, 5)), np.random.default_rng(1).standard_normal((5, 4))
    for B in (Z, Z[:, 0]):
        with counting() as ledger:
            assert _close(product(A, B), A @ B)
            assert ledger.flops == A.shape[0] * B.size
    R = np.linalg.qr(A @ Z, mode="r")
    assert _close(adjusted_variances(Z.T @ A.T @ A @ Z), np.diag(R) ** 2)


def test_a_covariance_that_is_semidefinite_up_to_rounding_has_the_noise_of_it():
    S = np.diag([1.0, 1.0, 0.0])
    S[0, 2] = S[2, 0] = 1e-5  # lambda_1 exceeds the sum of all variances of both by 1e-10
    problem = Problem.from_covariance(S)
    assert not problem.indefinite and problem.noise >= 1e-10


def test_a_matrix_is_rebuilt_from_the_pairs_of_sizeable_weights():
    X = _holed((6, 6))
    w, V = np.linalg.eigh(X + X.T)
    with counting() as ledger:
        assert _close(rebuilt(V, w), X + X.T)
        assert ledger.flops == 6**2 * 6
        assert _close(rebuilt(V, np.where(w > 0.0, w, 0.0)), (V * w.clip(0.0)) @ V.T)
        assert ledger.flops == 6**2 * (6 + (w > 0.0).sum())


def test_the_nearest_density_is_one_and_keeps_what_is_one_already():
    X = _holed((6, 6))
    for Y in (X, X + X.T, X @ X.T):
        Z = nearest_density(Y)
        assert np.trace(Z) == pytest.approx(1.0) and np.linalg.eigvalsh(Z)[0] >= -1e-12
        assert _close(Z, Z.T) and _close(nearest_density(Z), Z)


@pytest.mark.parametrize("smallest", [-0.1, -1e-10, 0.0, 0.5])
def test_data_exist_for_a_covariance_that_is_semidefinite_up_to_rounding(smallest):
    S = np.diag([3.0, smallest, 1.0])
    problem = replace(
        Problem.from_covariance(np.eye(3)), matrix=Covariance(S), indefinite=True, _cache={}
    )
    if smallest < -1e-8:
        with pytest.raises(InputError, match="indefinite"):
            problem.given_as("data")
    else:
        data = problem.given_as("data")
        A = data.data.dense()
        # as many samples as its rank
        assert np.allclose(A.T @ A, S, atol=1e-9) and data.m == 2 + (smallest > 0.0)


def test_a_singular_system_has_no_answer():
    assert data.bordered_solve(np.zeros((2, 2)), np.eye(2)[0], 0.0) is None
