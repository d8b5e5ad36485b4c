"""The dual bound of a part of the search; its kernels, derivatives and fixings."""

from collections import deque
from itertools import combinations

import numpy as np
import pytest

from spcabench.methods import joint_bound, quasi_newton
from spcabench.methods.exact_search import dual_kernels
from spcabench.methods.exact_search.dual_bound import Dual
from spcabench.methods.exact_search.dual_certificate import Shape, dual_value
from spcabench.methods.exact_search.dual_part import Restricted
from spcabench.methods.exact_search.schur import Complement
from tests import problems

SIGNS = pytest.mark.parametrize("nonnegative", [False, True])


def blocks(seed):
    """Return two equal blocks or a matrix of rank one, both with ties."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 5))
    if seed % 2:
        v = rng.integers(-2, 3, 2 * n) + 0.0
        v[0] = 1.0
        return np.outer(v, v)
    B = rng.standard_normal((n + 1, n))
    return np.kron(np.eye(2), B.T @ B)


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
@pytest.mark.parametrize("seed", problems.some(4, range(8)))
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
@pytest.mark.parametrize("seed", problems.some(4, range(8)))
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
@pytest.mark.parametrize("seed", problems.some(2, range(4)))
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
            before = len(part.F), len(part.W)
            count = part.fix()
            taken, left = len(part.F) - before[0], len(part.W)
            assert taken >= 0 and count == before[1] - left >= taken
            assert part.bound >= max(better.values()) * (1 - 1e-9)
            fixed, open_ = set(part.F.tolist()), set(part.F.tolist() + part.W.tolist())
            # the level exceeds t if F by itself might reach t
            assert all(fixed <= set(W) <= open_ for W, x in better.items() if x >= part.level)
            if not part.decided and part.missing > 0.0:
                deque(part.steps(), maxlen=0)
        assert len(part.W) < n or part.bound <= 1.0


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
