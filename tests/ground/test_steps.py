"""Steps that solvers share: each has the property that defines it."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spcabench import steps
from spcabench.problem import dense_steps
from spcabench.problem.covariance import Covariance
from spcabench.vectors import normalize

seeds = given(st.integers(0, 2**32 - 1), st.integers(1, 8))


def semidefinite(seed, n):
    """Return a covariance (n, n), sometimes singular, and the generator that drew it."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((int(rng.integers(1, n + 2)), n))
    return X.T @ X, rng


@pytest.mark.parametrize("small", [0, 128])  # by compiled steps, or by NumPy
@seeds
def test_signs_grow_by_the_columns_that_add_most_to_the_quadratic_form(small, seed, n):
    """Norms of columns decide ties of the first step, and indices all others."""
    X = np.random.default_rng(seed).integers(-2, 3, (6, n)).astype(float)
    S = X.T @ X if seed % 3 else semidefinite(seed, n)[0]
    S = S if seed % 5 else np.diag(S.diagonal())  # no sign is determined
    counts = [1] * n if seed % 2 else [n - n // 2, n // 2][: 1 + (n > 1)]
    x, tied = np.zeros(n), (S**2).sum(axis=0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dense_steps, "SMALL", small)
        for count, (signs, J) in zip(
            counts, steps.greedy_signs(Covariance(S), counts, S.diagonal()), strict=True
        ):
            g, new = S @ x, J[len(J) - count :]
            score = S.diagonal() + 2.0 * np.abs(g)
            best = [j for j in np.lexsort([-tied, -score]) if x[j] == 0.0][:count]
            assert {*new} == {*best} and (np.diff(score[new]) <= 1e-9).all()
            x[best], tied = np.where(g[best] < 0.0, -1.0, 1.0), np.zeros(n)
            assert np.array_equal(signs, x)
            assert np.array_equal(Covariance(S)[J].B, S[np.ix_(J, J)])


@settings(max_examples=50)
@seeds
def test_both_methods_reach_the_leading_eigenvector_on_the_support_of_the_start(seed, n):
    S, rng = semidefinite(seed, n)
    x = np.where(rng.random(n) < 0.7, rng.standard_normal(n), 0.0) + 0.1 * np.eye(n)[0]
    W = np.flatnonzero(x)
    top = np.linalg.eigvalsh(S[np.ix_(W, W)])[-1]
    (lanczos,) = steps.leading_on(Covariance(S), x, "lanczos", 1e-14)
    assert not lanczos[x == 0.0].any() and np.linalg.norm(lanczos) == pytest.approx(1.0)
    assert lanczos @ S @ lanczos == pytest.approx(top, rel=1e-6)
    power, *_, last = islice(steps.leading_on(Covariance(S), x, "power"), 60)
    assert np.allclose(power[W], normalize(S[np.ix_(W, W)] @ x[W]))
    assert not last[x == 0.0].any() and power @ S @ power - 1e-9 <= last @ S @ last <= top + 1e-9


@seeds
def test_the_nonnegative_ascent_rises_to_a_fixed_point_also_where_sigma_is_indefinite(seed, n):
    P, rng = semidefinite(seed, n)
    M, start = P - rng.random() * P.trace() * np.eye(n), normalize(rng.random(n))
    value, x = steps.nonnegative_ascent(lambda v: M @ v, start)
    assert value >= start @ M @ start - 1e-12 and value == pytest.approx(x @ M @ x)
    value, x = steps.nonnegative_ascent(lambda v: P @ v, start)
    assert np.linalg.norm(x) == pytest.approx(1.0) and x.min() >= 0.0
    assert np.abs(normalize(np.maximum(P @ x, 0.0)) - x).max() < 1e-3
    better, y = steps.nonnegative_loading(P, start)
    v = np.abs(np.linalg.eigh(P)[1][:, -1])
    other = steps.nonnegative_ascent(lambda u: P @ u, v)[0]
    assert better == pytest.approx(max(value, other), rel=1e-6)
    assert better == pytest.approx(y @ P @ y) and y.min() >= 0.0


@pytest.mark.parametrize("passes", [1, 3, 500])
def test_an_ascent_of_several_vectors_is_that_of_each_one(passes):
    S, rng = semidefinite(3, 6)
    start, tol = steps.unit_columns(rng.standard_normal((6, 4))), 1e-6

    def constrained(product, columns):
        assert product.shape == (6, len(columns))
        return steps.unit_columns(product)

    W = start.copy()
    yielded = [w.copy() for w in steps.ascend(Covariance(S), W, constrained, tol, passes)]
    lengths = []
    for w, end in zip(start.T, W.T, strict=True):
        before, now, length = -np.inf, 0.0, 0
        while length < passes and abs(now - before) > tol * now:
            before, now, length = now, w @ S @ w, length + 1
            w = normalize(S @ w)
        lengths.append(length)
        assert np.allclose(w, end)
    assert len(yielded) == max(lengths)
    assert yielded[0] @ S @ yielded[0] <= yielded[-1] @ S @ yielded[-1] * (1.0 + 1e-9)


@settings(max_examples=50)
@seeds
def test_rotations_and_frames_are_those_of_their_definitions(seed, r):
    rng = np.random.default_rng(seed)
    n = r + int(rng.integers(1, 4))
    G = rng.standard_normal((n, r))
    A = steps.polar(G)  # among frames, it has the largest inner product with G
    assert np.allclose(A.T @ A, np.eye(r))
    assert np.vdot(G, A) == pytest.approx(np.linalg.svd(G, compute_uv=False).sum())
    D = steps.stiefel_gradient(G, A)
    assert np.allclose(D, G - A @ G.T @ A)
    Q = steps.varimax(A)
    T = A.T @ Q
    assert np.allclose(T.T @ T, np.eye(r)) and np.allclose(A @ T, Q)
    assert (Q**2).var(axis=0).sum() >= (A**2).var(axis=0).sum() - 1e-12
    units = steps.unit_columns(np.column_stack([G, np.zeros(n)]))
    assert np.allclose(np.linalg.norm(units, axis=0), [1.0] * r + [0.0])


def test_varimax_finds_the_rotation_that_leaves_one_entry_in_a_row():
    simple = np.kron(np.eye(3), np.array([[0.6], [0.8]]))
    rotated = simple @ np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0]
    assert np.allclose(np.sort(np.abs(steps.varimax(rotated)), axis=1)[:, :2], 0.0, atol=1e-5)
    assert np.allclose(steps.varimax(simple), simple)  # a maximum stays, with its signs


def test_components_without_variance_are_zero():
    X = np.random.default_rng(0).standard_normal((2, 5))
    w, V = steps.principal_components(Covariance(X.T @ X), 4)
    assert np.allclose((V * w) @ V.T, X.T @ X) and np.count_nonzero(w) == 2
    assert not V[:, 2:].any()
    assert not any(part.any() for part in steps.principal_components(Covariance(-np.eye(3)), 2))
