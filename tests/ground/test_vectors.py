"""Operations on vectors agree with their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from spcabench import vectors
from spcabench.steps import nonnegative_ascent, nonnegative_loading

# few distinct values make ties, negatives tie with positives
entries = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e6, 1e6, allow_subnormal=False))
vector = hnp.arrays(np.float64, st.integers(1, 12), elements=entries)


def _top(a, k):
    """Return the k largest: all that exceed the k-th largest, then those equal to it, by index."""
    kth = sorted(a)[-k]
    slack = vectors.TIE * max(abs(max(a)), abs(kth))
    above = [i for i in range(len(a)) if a[i] > kth + slack]
    equal = [i for i in range(len(a)) if abs(a[i] - kth) <= slack]
    return sorted(above + equal[: k - len(above)])


def _project(x, k):
    """Return P_k by its definition."""
    p = np.zeros(len(x))
    top = _top(np.abs(x), k)
    p[top] = x[top]
    norm = np.linalg.norm(p)
    return p / norm if norm else p


@given(vector, st.integers(1, 12))
def test_project_keeps_the_largest_with_stable_ties(x, k):
    p = vectors.project(x, min(k, len(x)))
    assert np.allclose(p, _project(x, min(k, len(x))), rtol=1e-12, atol=0)
    assert np.count_nonzero(p) <= k


@given(vector, st.integers(1, 12))
def test_largest_is_the_top_and_the_lowest_indices_among_ties(x, k):
    k = min(k, len(x))
    assert list(vectors.largest_indices(x, k)) == _top(x, k)
    assert vectors.first_largest(x) == _top(x, 1)[0]


whole = hnp.arrays(np.float64, st.integers(1, 12), elements=st.integers(-3, 3).map(float))


@given(whole, st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_rounding_decides_no_tie(a, k, seed):
    k, rng = min(k, len(a)), np.random.default_rng(seed)
    b = a * (1.0 + 1e-13 * rng.standard_normal(len(a)))
    assert np.array_equal(vectors.largest_indices(a, k), vectors.largest_indices(b, k))
    assert vectors.first_largest(a) == vectors.first_largest(b)
    assert np.array_equal(vectors.falling_order(a), vectors.falling_order(b))


@given(whole)
def test_falling_order_is_the_stable_sort_where_entries_tie_exactly(a):
    assert np.array_equal(vectors.falling_order(a), np.argsort(-a, kind="stable"))


def test_ties_are_no_chains():
    chain = 1.0 - 0.7e-9 * np.arange(10)  # each ties with the next, and the first with two only
    order = vectors.falling_order(chain[::-1])
    assert list(vectors.tied_with_largest(chain)) == [0, 1]
    assert list(vectors.largest_indices(chain[::-1], 5)) == [4, 5, 7, 8, 9]
    assert set(order[:2]) == {8, 9}
    assert set(order[2:4]) == {6, 7}


def test_what_comes_next_decides_before_the_index_and_is_asked_for_ties_alone():
    a, calls = np.array([1.0, 3.0, 3.0, 2.0, 3.0]), []

    def then(J):
        calls.append(list(J))
        return np.array([0.0, 5.0, 7.0, 0.0, 7.0])[J]

    assert vectors.first_largest(a, then) == 2
    assert list(vectors.largest_indices(a, 1, then)) == [2]
    assert list(vectors.largest_indices(a, 2, then)) == [2, 4]
    assert calls == [[1, 2, 4]] * 3
    assert vectors.first_largest(-a, then) == 0
    assert list(vectors.largest_indices(a, 3, then)) == [1, 2, 4]
    assert len(calls) == 3


def test_what_comes_next_orders_equal_entries():
    a = np.array([1.0, 3.0, 3.0, 2.0, 3.0 + 1e-12])
    then = np.array([9.0, 5.0, 7.0, 9.0, 6.0])
    assert list(vectors.falling_order(a, then.take)) == [2, 4, 1, 3, 0]
    assert list(vectors.falling_order(a, lambda J: 0.0 * J, then.take)) == [2, 4, 1, 3, 0]
    assert list(vectors.largest_indices(a, 2, lambda J: 0.0 * J, then.take)) == [2, 4]
    assert vectors.first_largest(a, lambda J: 0.0 * J, then.take) == 2


def test_without_rounding_rounding_is_gone():
    a = np.random.default_rng(0).uniform(-1.0, 1.0, 100)
    rounded = vectors.without_rounding(a)
    assert np.abs(rounded - a).max() < 1e-12
    assert np.array_equal(vectors.without_rounding(a * (1.0 + 1e-16)), rounded)


@pytest.mark.parametrize("bad", [[np.nan, 1.0], [np.inf, 1.0], [-np.inf, -np.inf]])
def test_the_largest_of_what_is_not_finite_is_some_index(bad):
    assert vectors.first_largest(np.array(bad)) in (0, 1)


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e-150, 1.0, 1e150, 1e200, 1e300, 5e-324])
def test_normalize_at_extreme_scales(scale):
    x = np.array([3.0, 0.0, -4.0]) * scale
    unit = vectors.normalize(x)
    assert abs(unit @ unit - 1) < 1e-14
    if scale > 1e-310:
        assert np.allclose(unit, [0.6, 0.0, -0.8], rtol=1e-13)


def test_normalize_leaves_zero_and_its_argument():
    x = np.array([0.0, 2.0])
    vectors.normalize(x)
    assert list(x) == [0.0, 2.0]
    assert list(vectors.normalize(np.zeros(2))) == [0.0, 0.0]
    assert vectors.normalize(np.zeros(0)).shape == (0,)
    assert not np.isfinite(vectors.normalize(np.array([np.nan, 1.0]))).all()


@given(vector, st.floats(0, 10))
def test_thresholds_are_those_of_their_definition(z, gamma):
    soft = np.array([np.sign(v) * max(abs(v) - gamma, 0.0) for v in z])
    hard = np.array([v if v * v > gamma else 0.0 for v in z])
    assert np.allclose(vectors.soft_threshold(z, gamma), soft, rtol=1e-12, atol=1e-9)
    assert np.array_equal(vectors.hard_threshold(z, gamma), hard)
    assert np.array_equal(vectors.soft_threshold(z, gamma) != 0, np.abs(z) > gamma)


@given(vector)
def test_distance_ignores_the_sign(x):
    assert vectors.distance(x, -x) == vectors.distance(x, x) == 0.0
    y = x + 1.0
    expected = min(np.linalg.norm(x - y), np.linalg.norm(x + y))
    assert vectors.distance(x, y) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(vector)
def test_embed_undoes_the_restriction_to_the_support(x):
    W = vectors.support(x)
    assert np.array_equal(vectors.embed(x[W], W, len(x)), x)


def test_the_ascent_ends_at_a_fixed_point_also_where_sigma_is_indefinite():
    rng = np.random.default_rng(2)
    for _ in range(50):
        M = rng.standard_normal((5, 5))
        M = M + M.T
        start = vectors.normalize(rng.random(5))
        value, x = nonnegative_ascent(lambda v, M=M: M @ v, start)
        assert value >= start @ M @ start - 1e-12
        assert value == pytest.approx(x @ M @ x)
        P = M @ M
        value, x = nonnegative_ascent(lambda v, P=P: P @ v, start)
        assert np.abs(vectors.normalize(np.maximum(P @ x, 0.0)) - x).max() < 1e-4
        better, y = nonnegative_loading(P, start)
        v = np.abs(np.linalg.eigh(P)[1][:, -1])
        assert better == pytest.approx(max(value, nonnegative_ascent(lambda v, P=P: P @ v, v)[0]))
        assert better == pytest.approx(y @ P @ y) and y.min() >= 0.0
