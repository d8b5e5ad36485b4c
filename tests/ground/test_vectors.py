"""Operations on vectors agree with their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from spcabench import vectors

# few distinct values make ties, negatives tie with positives
entries = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e6, 1e6, allow_subnormal=False))
vector = hnp.arrays(np.float64, st.integers(1, 12), elements=entries)
whole = hnp.arrays(np.float64, st.integers(1, 12), elements=st.integers(-3, 3).map(float))


def _top(a, k):
    """Return the k largest: all that exceed the k-th largest, then those equal to it, by index."""
    kth = sorted(a)[-k]
    slack = vectors.TIE * max(abs(max(a)), abs(kth))
    above = [i for i in range(len(a)) if a[i] > kth + slack]
    equal = [i for i in range(len(a)) if abs(a[i] - kth) <= slack]
    return sorted(above + equal[: k - len(above)])


@given(vector, st.integers(1, 14))
def test_the_largest_are_the_top_and_the_lowest_indices_among_ties(x, k):
    top = _top(x, min(k, len(x)))
    assert list(vectors.largest_indices(x, k)) == top
    assert [vectors.first_largest(x)] == _top(x, 1)
    kept = _top(np.abs(x), min(k, len(x)))
    p = np.where(np.isin(np.arange(len(x)), kept), x, 0.0) / (np.abs(x).max() or 1.0)
    expected = p / (np.linalg.norm(p) or 1.0)
    assert np.allclose(vectors.project(x, k), expected, rtol=1e-12, atol=1e-300)


@given(whole, st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_rounding_decides_no_tie(a, k, seed):
    b = a * (1.0 + 1e-13 * np.random.default_rng(seed).standard_normal(len(a)))
    stable = np.argsort(-a, kind="stable")
    assert np.array_equal(vectors.falling_order(a), stable)
    assert np.array_equal(vectors.falling_order(b), stable)
    assert np.array_equal(vectors.largest_indices(a, k), vectors.largest_indices(b, k))
    assert vectors.first_largest(a) == vectors.first_largest(b)
    exact = vectors.without_rounding(a / 7.0)
    assert np.array_equal(vectors.without_rounding(a * (1.0 + 1e-15) / 7.0), exact)
    assert np.abs(exact - a / 7.0).max() < 1e-12


def test_ties_are_no_chains():
    chain = 1.0 - 0.7e-9 * np.arange(10)  # each ties with the next, and the first with two only
    order = vectors.falling_order(chain[::-1])
    assert list(vectors.tied_with_largest(chain)) == [0, 1]
    assert list(vectors.largest_indices(chain[::-1], 5)) == [4, 5, 7, 8, 9]
    assert set(order[:2]) == {8, 9} and set(order[2:4]) == {6, 7}


def test_what_comes_next_decides_before_the_index_and_is_asked_for_ties_alone():
    a, calls = np.array([1.0, 3.0, 3.0, 2.0, 3.0 + 1e-12]), []

    def then(J):
        calls.append(list(J))
        return np.array([0.0, 5.0, 7.0, 0.0, 7.0])[J]

    assert vectors.first_largest(a, then) == 2
    assert list(vectors.largest_indices(a, 1, then)) == [2]
    assert list(vectors.largest_indices(a, 2, then)) == [2, 4]
    assert list(vectors.falling_order(a, then)) == [2, 4, 1, 3, 0]
    assert calls == [[1, 2, 4]] * 4
    assert vectors.first_largest(-a, then) == 0
    assert list(vectors.largest_indices(a, 3, then)) == [1, 2, 4]
    assert len(calls) == 4
    ties, third = (lambda J: 0.0 * J), np.array([9.0, 5.0, 7.0, 9.0, 6.0]).take
    assert list(vectors.falling_order(a, ties, third)) == [2, 4, 1, 3, 0]
    assert list(vectors.largest_indices(a, 2, ties, third)) == [2, 4]
    assert vectors.first_largest(a, ties, third) == 2


@pytest.mark.parametrize("bad", [[np.nan, 1.0], [np.inf, 1.0], [-np.inf, -np.inf]])
def test_the_largest_of_what_is_not_finite_is_some_index(bad):
    assert vectors.first_largest(np.array(bad)) in (0, 1)


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1.0, 1e150, 1e300, 5e-324])
def test_a_vector_of_any_scale_is_normalised_and_zero_stays(scale):
    x = np.array([3.0, 0.0, -4.0]) * scale
    unit = vectors.normalize(x)
    assert abs(unit @ unit - 1) < 1e-14 and list(x) == [3.0 * scale, 0.0, -4.0 * scale]
    if scale > 1e-310:
        assert np.allclose(unit, [0.6, 0.0, -0.8], rtol=1e-13)
    for nothing in (np.zeros(2), np.zeros(0)):
        assert np.array_equal(vectors.normalize(nothing), nothing)
    assert not np.isfinite(vectors.normalize(np.array([np.nan, 1.0]))).all()


@given(vector, st.floats(0, 10))
def test_thresholds_are_those_of_their_definition(z, gamma):
    soft = np.array([np.sign(v) * max(abs(v) - gamma, 0.0) for v in z])
    hard = np.array([v if v * v > gamma else 0.0 for v in z])
    assert np.allclose(vectors.soft_threshold(z, gamma), soft, rtol=1e-12, atol=1e-9)
    assert np.array_equal(vectors.hard_threshold(z, gamma), hard)
    assert np.array_equal(vectors.soft_threshold(z, gamma) != 0, np.abs(z) > gamma)


@given(vector)
def test_signs_supports_and_distances(x):
    assert vectors.distance(x, -x) == vectors.distance(x, x) == 0.0
    y, W = x + 1.0, vectors.support(x)
    expected = min(np.linalg.norm(x - y), np.linalg.norm(x + y))
    assert vectors.distance(x, y) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert np.array_equal(vectors.embed(x[W], W, len(x)), x)
    up = vectors.oriented(x)
    assert up.max() == np.abs(x).max() and np.array_equal(abs(up), abs(x))
    assert np.array_equal(vectors.oriented(-up), up) or up.max() == -up.min()
    longest = max(np.linalg.norm(np.maximum(v, 0.0)) for v in (x, -x))
    for v, part in zip((x, -x), vectors.one_sided(np.array([x, -x])), strict=True):
        assert part.min() >= 0.0 and abs(part @ v) == pytest.approx(longest)
        assert np.linalg.norm(part) == pytest.approx(float(longest > 0.0))


@pytest.mark.parametrize(
    ("variances", "index"),
    [
        ([1.0, 10.0], None),  # not more than ten times the smaller one
        ([1.0, 10.1], 1),
        ([0.1, 5.0, 4.5, 0.1, 0.4], None),  # half of the total is not more than half
        ([0.1, 5.0, 4.0, 0.1, 0.4], 1),
        ([3.0], None),
    ],
)
def test_a_dominant_variable_has_most_of_the_variance_and_ten_times_the_median(variances, index):
    assert vectors.dominant(np.array(variances)) == index
