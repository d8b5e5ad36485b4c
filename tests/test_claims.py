"""The words of the verdicts, and their intervals."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcabench.claims import Statement, bands, by_band, decided, every, interval, slope, some

NUMBERS = st.lists(st.floats(0.01, 1e6), min_size=1, max_size=30)


@given(NUMBERS, st.floats(0.01, 1e6))
def test_interval_brackets_its_median_and_its_verdicts_exclude_each_other(values, threshold):
    found = interval(values)
    assert min(values) <= found.low <= found.median <= found.high <= max(values)
    assert found.median == pytest.approx(np.median(values))
    pair = {found.at_least(threshold), found.at_most(threshold)}
    assert pair != {"holds"} or found.low == found.high == threshold
    assert pair != {"fails"}


def test_no_values_decide_nothing():
    empty = interval([np.nan])
    assert empty.count == 0
    assert empty.at_least(0) == empty.at_most(0) == "undecided"
    assert every([]) == some([]) == "undecided"


def test_the_order_of_the_values_changes_no_interval():
    values = np.random.default_rng(3).standard_normal(9)
    assert interval(values) == interval(values[::-1]) == interval(np.sort(values))


def test_a_threshold_inside_the_interval_is_undecided():
    found = interval(np.arange(1.0, 20.0))
    assert found.low < 10 < found.high
    assert found.at_least(10) == found.at_most(10) == "undecided"


@pytest.mark.parametrize(
    ("verdicts", "all_of_them", "most", "one"),
    [
        (["holds", "holds"], "holds", "holds", "holds"),
        (["holds", "fails"], "fails", "undecided", "holds"),
        (["holds", "undecided"], "undecided", "undecided", "holds"),
        (["holds"] * 4 + ["fails"], "fails", "holds", "holds"),
        (["fails", "fails"], "fails", "fails", "fails"),
        (["fails", "undecided"], "fails", "undecided", "undecided"),
    ],
)
def test_ranges(verdicts, all_of_them, most, one):
    assert every(verdicts) == all_of_them
    assert some(verdicts) == one
    if most != "undecided":
        assert every(verdicts, 0.8) == most


def test_decided():
    assert [decided(c) for c in (True, False, None)] == ["holds", "fails", "undecided"]


def test_bands_are_half_open_and_ordered():
    sparsity = pd.Series([0.2, 0.05, 0.0499, 0.001, 0.3])
    assert bands(sparsity).tolist()[1:4] == ["5-10 %", "2-5 %", "0-1 %"]
    assert bands(sparsity).isna().tolist() == [True, False, False, False, True]
    assert list(by_band(sparsity, sparsity)) == ["0-1 %", "2-5 %", "5-10 %"]


def test_slope_is_the_exponent():
    x = np.array([1.0, 2.0, 5.0, 9.0])
    assert slope(x, 3 * x**2.5) == pytest.approx(2.5)


def test_a_stand_in_decides_nothing_but_keeps_its_number():
    claim = Statement("X1", "q", "w", "t", "h").judged("holds", "ratio 12").on_stand_in()
    assert claim.verdict == "undecided"
    assert "ratio 12" in claim.measured and "would hold" in claim.measured
