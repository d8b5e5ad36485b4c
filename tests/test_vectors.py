"""Operations on vectors against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from spcabench import vectors

# few distinct values make ties, negatives tie with positives
entries = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e6, 1e6, allow_subnormal=False))
vector = hnp.arrays(np.float64, st.integers(1, 12), elements=entries)


def _project(x, k):
    """P_k by its definition: a stable sort of -|x| keeps the lowest index among ties."""
    p = np.zeros(len(x))
    kept = sorted(range(len(x)), key=lambda i: (-abs(x[i]), i))[:k]
    p[kept] = x[kept]
    norm = np.linalg.norm(p)
    return p / norm if norm else p


@given(vector, st.integers(1, 12))
def test_project_keeps_the_largest_with_stable_ties(x, k):
    p = vectors.project(x, min(k, len(x)))
    assert np.allclose(p, _project(x, min(k, len(x))), rtol=1e-12, atol=0)
    assert np.count_nonzero(p) <= k


@given(vector, st.integers(1, 12))
def test_largest_is_the_stable_top(x, k):
    k = min(k, len(x))
    assert list(vectors.largest_indices(x, k)) == sorted(
        sorted(range(len(x)), key=lambda i: (-x[i], i))[:k]
    )


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
def test_thresholds(z, gamma):
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
