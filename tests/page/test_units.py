"""Times and counts are shown in readable units."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcabench.page.math_html import compact
from spcabench.showing.words import duration

SECONDS = {"µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}
TIMES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


@given(st.floats(1e-6, 5e4))
def test_a_time_is_told_to_three_digits_and_not_above_a_thousand(seconds):
    number, unit = duration(seconds).split()
    assert float(number) * SECONDS[unit] == pytest.approx(seconds, rel=5.1e-3)
    assert "e" not in number and 1 <= float(number) < 1000


@given(st.floats(1, 9e14))
def test_a_count_is_told_to_three_digits(count):
    number, _, unit = compact(count).partition(" ")
    assert float(number) * TIMES[unit] == pytest.approx(count, rel=5.1e-3)
    assert "e" not in number and 1 <= float(number) < 1000
