"""The dual bound is never below the optimum for any U; its kernels, derivatives and fixings."""

from collections import deque
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spcabench import flops
from spcabench.methods import joint_bound, quasi_newton
from spcabench.methods.exact_search import dual_bound, dual_kernels
from spcabench.methods.exact_search.dual_bound import Dual
from spcabench.methods.exact_search.dual_certificate import Shape, dual_value, symmetric_part
from spcabench.methods.exact_search.dual_part import Restricted
from spcabench.methods.exact_search.schur import Complement
from tests import problems
from tests.problems import FAMILIES
from tests.twins import twin

SIGNS = pytest.mark.parametrize("nonnegative", [False, True])


def blocks(seed):
    """Return two equal blocks or a matrix of rank one, both with ties, and a cardinality."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 5))
    if seed % 2:
        v = rng.integers(-2, 3, 2 * n) + 0.0
        v[0] = 1.0
        return np.outer(v, v), int(rng.integers(1, 2 * n + 1))
    B = rng.standard_normal((n + 1, n))
    return np.kron(np.eye(2), B.T @ B), int(rng.integers(1, 2 * n + 1))


def _optima(S, nonnegative):
    return [problems.optimum(S, k, nonnegative) for k in range(1, len(S) + 1)]


def _random(rng, S):
    """Return an asymmetric matrix of random scale that may be sparse or close to S."""
    U = rng.standard_normal(S.shape) * np.abs(S).max() * 10.0 ** rng.integers(-3, 2)
    U *= rng.random(S.shape) < rng.choice([0.3, 1.0])
    return U + rng.integers(0, 2) * S


def check_bounds(S, seed, nonnegative):
    rng = np.random.default_rng(seed)
    for k, best in enumerate(_optima(S, nonnegative), 1):
        for U in (_random(rng, S), np.zeros_like(S), S):
            assert dual_value(S, U, Shape.single(k), nonnegative) >= best
        if k < len(S):
            part = dual_bound.start(S / best, Shape.single(k), nonnegative)
            for _ in range(3):
                part.descend(1.0)
            result = dual_value(S, best * part.certificate, Shape.single(k), nonnegative)
            assert result >= best
            assert result == pytest.approx(best * part.value, rel=1e-9)


@SIGNS
@pytest.mark.parametrize("seed", problems.some(1, range(3)))
@pytest.mark.parametrize("family", problems.some(5, FAMILIES))
def test_no_matrix_certifies_less_than_the_optimum(family, seed, nonnegative):
    check_bounds(problems.explicit(problems.problem(family, seed)[0]), seed, nonnegative)


def test_a_matrix_that_is_not_symmetric_has_the_eigenvalues_of_its_symmetric_part():
    """LAPACK reads only one triangle: the eigenvalues of S - U itself once gave too small a
    bound.
    """
    S = problems.explicit(problems.problem("gaussian covariance", 1005)[0])
    check_bounds(S, 1005, True)
    for k in range(1, len(S)):
        for twist in (-1.0, 1.0):
            U = S + twist * np.triu(S, 1)
            bound = Dual(S, Shape.single(k), False).bound(U)
            assert bound.value >= problems.optimum(S, k)
            certificate = U - bound.a * np.eye(len(S))
            assert dual_value(S, certificate, Shape.single(k)) == pytest.approx(
                bound.value, rel=1e-9
            )


@SIGNS
@given(
    half=st.integers(1, 6).flatmap(lambda n: arrays(float, (n, n), elements=st.integers(-3, 3))),
    data=st.data(),
)
def test_no_matrix_of_any_kind_certifies_less(half, data, nonnegative):
    """Integers and low rank give ties; S need not be positive semidefinite."""
    n, S = len(half), half + half.T
    U = data.draw(arrays(float, (n, n), elements=st.integers(-6, 6))) / 2.0
    for k, best in enumerate(_optima(S, nonnegative), 1):
        assert dual_value(S, U, Shape.single(k), nonnegative) >= best
        if k < n:
            assert Dual(S, Shape.single(k), nonnegative).bound(U).value >= best - 1e-9


def test_a_free_matrix_bounds_more_closely_than_a_symmetric_one():
    """The minimum for the same problem gets worse if its matrix is made symmetric."""
    S = gram(3, 12)
    best = problems.optimum(S, 4)
    part = dual_bound.start(S / best, Shape.single(4), False)
    for _ in range(12):
        part.descend(1.0)
    free, symmetric = (
        dual_value(S / best, U, Shape.single(4)) - 1.0
        for U in (part.certificate, symmetric_part(part.certificate))
    )
    assert free < symmetric


@SIGNS
@pytest.mark.parametrize("seed", problems.some(4, range(8)))
def test_nor_with_ties_blocks_and_rank_one(seed, nonnegative):
    check_bounds(blocks(seed)[0], seed, nonnegative)


def gram(seed, n):
    A = np.random.default_rng(seed).standard_normal((n, n))
    return A.T @ A


def value_of(S, W, nonnegative=False):
    """Return the largest value of a support."""
    B = S[np.ix_(W, W)]
    return problems.copositive(B) if nonnegative else np.linalg.eigvalsh(B)[-1]


def optimum_with(S, k, F, nonnegative):
    """Return the largest value of a support of k variables that contains F."""
    rest = np.setdiff1d(np.arange(len(S)), F)
    supports = [np.array([*F, *T], dtype=int) for T in combinations(rest, k - len(F))]
    return max(value_of(S, W, nonnegative) for W in supports)


@SIGNS
@pytest.mark.parametrize("seed", problems.some(4, range(12)))
def test_the_complement_asks_the_same_question(seed, nonnegative):
    """F and T reach t if and only if lambda_1(E[T, T]) does, or possibly if x >= 0."""
    rng = np.random.default_rng(seed)
    S = gram(seed, 7) if seed % 3 else rng.integers(-2, 3, (7, 7)) + 0.0
    S = S + S.T
    F, W = np.array([1, 4]), np.array([0, 2, 3, 5, 6])
    complement = Complement(S, F, W, nonnegative)
    for T in combinations(range(5), 2):
        value = value_of(S, [*F, *W[list(T)]], nonnegative)
        t = max(value, complement.largest + 1e-3)
        for at, reaches in ((t * (1 - 1e-6), value >= t), (t * (1 + 1e-6) + 1e-9, False)):
            if at <= complement.largest:
                continue
            E = complement.at(at)[np.ix_(T, T)]
            top = np.linalg.eigvalsh(E)[-1] + complement.slack(at)
            assert not reaches or top >= at
            assert nonnegative or reaches or top < at
        higher = complement.at(2 * t) - complement.at(t)
        assert np.linalg.eigvalsh(higher)[-1] <= 1e-9


@SIGNS
@pytest.mark.parametrize("seed", problems.some(4, range(12)))
def test_the_bound_of_a_part_is_above_all_its_supports(seed, nonnegative):
    """Some variables are fixed; t is below, at or above the best value; both halves are checked."""
    rng = np.random.default_rng(seed)
    n, k = 8, 5
    S = gram(seed, n)
    F = rng.permutation(n)[: seed % 4]
    W = np.setdiff1d(np.arange(n), F)
    best = optimum_with(S, k, F, nonnegative)
    for t in (0.9 * best, best * (1 + 1e-9), 1.1 * best):
        part = Restricted(S, k, nonnegative, F, W, t)
        for _ in range(4):
            deque(part.steps(), maxlen=0)
        assert part.bound >= best * (1 - 1e-9)
        if part.missing <= 0.0:
            continue
        halves = part.halves()
        j = int(halves[0][1].F[-1])
        less = np.delete(np.arange(n), j)
        without = optimum_with(S[np.ix_(less, less)], k, F - (j < F), nonnegative)
        forced = optimum_with(S, k, np.append(F, j), nonnegative)
        for (bound, start), value in zip(halves, (forced, without), strict=True):
            half = Restricted(S, k, nonnegative, start.F, start.W, t, start.seed)
            deque(half.steps(), maxlen=0)
            assert min(bound, half.bound) >= value * (1 - 1e-9)


SHAPES = [Shape.single(5), Shape.common(9, 3, 5), Shape.each(9, 3, 5), Shape.disjoint(9, 2, 3)]


@pytest.mark.parametrize("shape", SHAPES)
@SIGNS
def test_the_derivatives_are_those_of_the_smoothed_bound(nonnegative, shape):
    n, rng = 9, np.random.default_rng(0)
    S = gram(0, n) / 20
    U, D = S * 0.7, Dual(S, shape, nonnegative)
    U += 0.1 * rng.standard_normal((n, n))
    direction = rng.standard_normal((n, n))

    def value(step):
        return D.smooth(U + step * direction, 0.05)[0]

    slope = np.vdot(D.smooth(U, 0.05)[1], direction)
    assert (value(1e-5) - value(-1e-5)) / 2e-5 == pytest.approx(slope, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_the_minimum_is_the_value_of_its_matrix_and_no_smaller_one_is_near(seed, shape):
    S, rng = gram(seed, 9), np.random.default_rng(seed)
    value, U = joint_bound.minimised(S, shape)
    assert value == pytest.approx(dual_value(S, U, shape), rel=1e-9)
    for V in U + 0.03 * rng.standard_normal((20, 9, 9)):
        assert value <= dual_value(S, V, shape) * (1.0 + 1e-4)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_narrow_smoothing_is_the_bound_with_the_best_a(shape):
    S = gram(5, 9) / 20
    for level in (0.3, 0.05, 0.0):
        D, U = Dual(S, shape, False), np.clip(S, -level, level)
        exact = D.bound(U).value
        for width in (1e-2, 1e-4):
            assert D.smooth(U, width)[0] == pytest.approx(exact, abs=8 * shape.times * width)
        for a in np.linspace(-3.0, 3.0, 61):
            assert exact <= dual_value(S, U - a * np.eye(9), shape) * (1 + 1e-7)


@SIGNS
@pytest.mark.parametrize("seed", problems.some(2, range(6)))
def test_what_is_fixed_is_in_no_better_support_or_in_all(seed, nonnegative):
    """This holds at any point of the minimisation, with t at the optimum, which never ties, or
    just below.
    """
    n, k = 9, 4
    S = gram(seed, n)
    values = {W: value_of(S, W, nonnegative) for W in combinations(range(n), k)}
    for share in (1.0, 0.97):
        t = share * max(values.values())
        better = {W: x / t for W, x in values.items() if x >= t}
        part = Restricted(S / t, k, nonnegative, np.arange(0), np.arange(n), 1.0)
        for _ in range(8):
            if part.decided or part.missing <= 0.0:
                break
            having, without = part.low.probes()
            if not len(part.F):
                for j, most, least in zip(part.W, having, without, strict=True):
                    for W, x in better.items():
                        assert x <= (most if j in W else least) * (1 + 1e-9)
            part.fix()
            assert part.bound >= max(better.values()) * (1 - 1e-9)
            fixed, open_ = set(part.F.tolist()), set(part.F.tolist() + part.W.tolist())
            # the level exceeds t if F by itself might reach t
            assert all(fixed <= set(W) <= open_ for W, x in better.items() if x >= part.level)
            if not part.decided and part.missing > 0.0:
                deque(part.steps(), maxlen=0)


@SIGNS
@pytest.mark.parametrize("share", [1.001, 1.02, 1.06])
@pytest.mark.parametrize("seed", problems.some(2, range(6)))
def test_a_part_in_which_too_many_variables_are_needed_is_empty(seed, share, nonnegative):
    """A value above the optimum needs many variables, and no support has them all."""
    n, k = 12, 5
    S = gram(seed, n)
    t = share * optimum_with(S, k, np.arange(0), nonnegative)
    part = Restricted(S / t, k, nonnegative, np.arange(0), np.arange(n), 1.0)
    for _ in range(40):
        part.fix()
        assert len(part.F) <= k
        assert len(part.support) <= k
        if part.decided or part.bound <= 1.0:
            break
        deque(part.steps(), maxlen=0)


@SIGNS
@pytest.mark.parametrize("seed", problems.some(2, range(4)))
def test_the_kernels_are_their_twins(seed, nonnegative):
    n, s = 9, 4
    U = gram(seed, n) / 10
    beta, T = np.zeros((2, n)), np.empty((2, n, n))
    norms = dual_kernels.smooth_norms(U, s - 1, 0.01, nonnegative, beta[0], T[0])
    plain = twin(dual_kernels.smooth_norms)
    work, expected = plain(U, s - 1, 0.01, nonnegative, beta[1], T[1])
    assert work == n * n
    for one, other in ((norms, expected), beta, T):
        assert np.allclose(one, other, rtol=1e-9, atol=1e-12)
    # the thresholds share s - 1 among the others of each row, or are zero
    assert (np.abs(T[0].sum(axis=1) - (s - 1)) < 1e-8).all() or nonnegative
    d = U.diagonal().copy()
    for size in (s, n):
        for kernel, case in (
            (dual_kernels.balance, (d, norms + 1e-9, size, 1.0, 0.02, 0.1, 0.0)),
            (dual_kernels.largest_sum, (d, size, 0.02)),
        ):
            with flops.counting() as ledger:
                compiled = kernel(*case)
                assert ledger.flops == ledger.compiled == n
            for one, other in zip(compiled, twin(kernel)(*case)[1:], strict=True):
                assert np.allclose(one, other, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("kept", [1, 3, 7])
def test_the_threshold_shares_what_is_kept(kept):
    for seed in range(20):
        q = np.random.default_rng(seed).random(8) ** (1 + seed % 3)
        for start in (0.0, 0.5, 9.0):
            beta = dual_kernels.threshold(q, kept, 0.1, start)
            assert beta >= 0.0
            total = np.clip((q - beta) / 0.1, 0, 1).sum()
            assert total == pytest.approx(kept) or (beta == 0.0 and total < kept)


def test_the_descent_solves_a_quadratic():
    H = gram(0, 12) + np.eye(12)
    target = np.arange(12.0)
    descent = quasi_newton.Descent(np.zeros(12))
    descent.begin(lambda z: (0.5 * (z - target) @ H @ (z - target), H @ (z - target)))
    values = [descent.f]
    while descent.step(1.0 / H.diagonal()) and len(values) < 100:
        values.append(descent.f)
    assert values == sorted(values, reverse=True)
    assert np.allclose(descent.z, target, atol=1e-5)
