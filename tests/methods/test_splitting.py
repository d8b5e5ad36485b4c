"""The scaled Gershgorin dual is never below the optimum; the splitting method that minimises it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spcabench import Problem
from spcabench.methods.exact_search import dual_bound, splitting_kernels
from spcabench.methods.exact_search.dual_bound import Dual
from spcabench.methods.exact_search.dual_certificate import NONE, Certificate, Shape, dual_value
from spcabench.methods.exact_search.splitting import Splitting
from spcabench.solving import bounds
from tests import problems
from tests.methods.test_dual import SIGNS, blocks, gram, optimum_with
from tests.problems import FAMILIES


def check_dual(Sigma, k, nonnegative):
    """Check a minimised matrix; the optimum of Sigma is 1."""
    shape = Shape.single(k)
    part = dual_bound.start(Sigma, shape, nonnegative)
    for _ in range(3):
        part.descend(1.0)
    value = dual_value(Sigma, part.certificate, shape, nonnegative)
    assert 1.0 <= value == pytest.approx(part.value, rel=1e-9)


def check_splitting(Sigma, k, nonnegative, F):
    """Check a minimised certificate for supports that contain F; the best of them has 1."""
    search = Splitting(Sigma, k, nonnegative)
    search.descend()
    for j in F:
        search = Splitting(Sigma, k, nonnegative, search.seed.having(j))
    for _ in range(3):
        bound = search.descend()
        assert bound >= 1.0
        assert bound >= search.bound
    recomputed = search.certificate.bound(Sigma, k, nonnegative, F)
    assert recomputed == pytest.approx(search.bound, rel=1e-12)


def _random(rng, Sigma):
    """Return an asymmetric matrix of random scale that may be sparse or close to Sigma."""
    U = rng.standard_normal(Sigma.shape) * np.abs(Sigma).max() * 10.0 ** rng.integers(-3, 2)
    U *= rng.random(Sigma.shape) < rng.choice([0.3, 1.0])
    return U + rng.integers(0, 2) * Sigma


def check(Sigma, seed, nonnegative):
    """Check random and minimised certificates at all cardinalities, also with fixed variables."""
    n, rng = len(Sigma), np.random.default_rng(seed)
    for k in range(1, n + 1):
        best = problems.optimum(Sigma, k, nonnegative)
        assert dual_value(Sigma, _random(rng, Sigma), Shape.single(k), nonnegative) >= best
        if k < n:
            check_dual(Sigma / best, k, nonnegative)
        for F in (NONE, rng.permutation(n)[: rng.integers(0, k + 1)]):
            best = optimum_with(Sigma, k, F, nonnegative)
            S, W, B = (_random(rng, each) for each in (Sigma, np.abs(Sigma), Sigma))
            assert Certificate(S, W, B.diagonal()).bound(Sigma, k, nonnegative, F) >= best
            if len(F) < k < n and best > 0.0:
                check_splitting(Sigma / best, k, nonnegative, F)


@SIGNS
@pytest.mark.parametrize("seed", problems.some(1, range(2)))
@pytest.mark.parametrize("family", problems.some(4, FAMILIES))
def test_no_certificate_is_below_the_optimum(family, seed, nonnegative):
    check(problems.explicit(problems.problem(family, seed)[0]), seed, nonnegative)
    check(blocks(seed + FAMILIES.index(family)), seed, nonnegative)


@SIGNS
@settings(max_examples=60)
@given(
    half=st.integers(1, 6).flatmap(lambda n: arrays(float, (n, n), elements=st.integers(-3, 3))),
    data=st.data(),
)
def test_no_matrices_of_any_kind_certify_less(half, data, nonnegative):
    """Integers and low rank give ties; Sigma need not be positive semidefinite."""
    n, Sigma = len(half), half + half.T
    S, W = (data.draw(arrays(float, (n, n), elements=st.integers(-6, 6))) / 2.0 for _ in range(2))
    beta = data.draw(arrays(float, n, elements=st.integers(-3, 3)))
    for k in range(1, n + 1):
        best = problems.optimum(Sigma, k, nonnegative)
        shape = Shape.single(k)
        assert dual_value(Sigma, S, shape, nonnegative) >= best
        if k < n:
            bound = Dual(Sigma, shape, nonnegative).bound(S)
            value = dual_value(Sigma, S - bound.a * np.eye(n), shape, nonnegative)
            assert best <= value == pytest.approx(bound.value, rel=1e-9)
        F = np.arange(data.draw(st.integers(0, k)))
        bound = Certificate(S, W, beta).bound(Sigma, k, nonnegative, F)
        assert bound >= optimum_with(Sigma, k, F, nonnegative)


@pytest.mark.parametrize("seed", problems.some(3, range(6)))
def test_it_is_never_looser_than_the_dual_bound_of_a_matrix(seed):
    """The certificate that docs/bounds.md derives from U has no larger bound."""
    rng = np.random.default_rng(seed)
    n, k = 9, int(rng.integers(2, 9))
    Sigma = gram(seed, n)
    U = Sigma * rng.random((n, n)) + 0.1 * rng.standard_normal((n, n))
    off = U**2 * (1.0 - np.eye(n))
    r2 = np.sort(off, axis=1)[:, n - k + 1 :].sum(axis=1)
    d = U.diagonal()
    h = 0.5 * (d + np.sqrt(d * d + r2))
    rho = np.sqrt((U**2 / (4.0 * h[:, None]) + h) / (U.T**2 / (4.0 * h) + h[:, None]))
    S = 0.5 * (U + U.T)
    bound = Certificate(S, np.abs(S) * rho, h).bound(Sigma, k)
    assert bound <= dual_value(Sigma, U, Shape.single(k)) * (1.0 + 1e-9)


@SIGNS
def test_the_relaxation_is_solved(nonnegative):
    """Its value equals the bound, and its X and P satisfy the conditions."""
    n, k = 12, 4
    Sigma = gram(1, n)
    Sigma /= problems.optimum(Sigma, k, nonnegative)
    search = Splitting(Sigma, k, nonnegative)
    for _ in range(60):
        search.descend()
    X, P = search.X, search.P
    assert search.value == pytest.approx(search.bound, abs=2e-4)
    assert search.bound >= 1.0
    assert np.linalg.eigvalsh(X)[0] >= -1e-3
    assert np.trace(X) == pytest.approx(1.0, abs=1e-3)
    assert (X**2 <= P * P.T + 1e-3).all()
    assert P.min() >= -1e-3 and (P - P.diagonal()[:, None]).max() <= 1e-3
    assert np.allclose(P.sum(axis=1), k * P.diagonal(), atol=1e-3)
    assert search.shares.max() <= 1.0 + 1e-3
    assert search.shares.sum() == pytest.approx(k, abs=1e-2)


def test_a_projected_row_is_the_nearest():
    """The rows form a cone, which 1 at the fixed entries and at ``free`` of the others generate."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        n = int(rng.integers(3, 9))
        q = rng.standard_normal(n) * rng.choice([0.1, 1.0]) + rng.choice([-0.5, 0.0, 0.5])
        q[1:] = np.round(q[1:], int(rng.integers(1, 9)))  # some of them tie
        kind = np.zeros(n, dtype=np.int64)
        kind[: rng.integers(1, n - 1)] = 1
        fixed, others = kind.sum(), q[kind == 0]
        free = int(rng.integers(1, len(others) + 1))
        start = rng.choice([0.0, 0.5, 3.0], 2)
        x, nu = splitting_kernels.project_row(
            q, kind, fixed, q[kind > 0].sum(), float(free), *start
        )
        p = np.clip(others - nu, 0.0, x)
        assert x >= 0.0 and p.sum() == pytest.approx(free * x, abs=1e-9)
        # what is removed is orthogonal to the row, and at no acute angle to any generator
        removed = q[kind > 0].sum() - fixed * x
        assert removed * x + (others - p) @ p == pytest.approx(0.0, abs=1e-9)
        assert removed + np.sort(others - p)[-free:].sum() <= 1e-9


@SIGNS
def test_a_projected_pair_is_the_nearest(nonnegative):
    rng = np.random.default_rng(0)
    for _ in range(300):
        a, b, c = rng.standard_normal(3)
        A, B, C = splitting_kernels.project_pair(a, b, c, nonnegative)
        assert A >= 0.0 and B >= 0.0 and A * B >= C * C - 1e-12
        assert C >= 0.0 or not nonnegative
        # what is removed makes no right angle smaller: it is orthogonal to the projection
        assert (a - A) * A + (b - B) * B + 2 * (c - C) * C == pytest.approx(0.0, abs=1e-12)
        v = rng.standard_normal(2)
        if nonnegative:
            v = np.abs(v)
        assert (a - A) * v[0] ** 2 + (b - B) * v[1] ** 2 + 2 * (c - C) * v[0] * v[1] <= 1e-12


@SIGNS
def test_the_costly_bound_repeats_and_can_be_checked(nonnegative):
    X = np.random.default_rng(1).standard_normal((40, 30))
    first, again = Problem.from_data(X), Problem.from_data(X)
    one, other = (bounds.dual_bound(p, 6, nonnegative, steps=100) for p in (first, again))
    assert one.value == other.value and 0 < one.steps <= 100
    checked = one.certificate.bound(problems.explicit(first), 6, nonnegative)
    assert checked <= one.value <= checked * (1 + 1e-8)
    assert one.value < bounds.upper_bound(first, 6, nonnegative)
