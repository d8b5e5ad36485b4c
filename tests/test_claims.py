"""The words of the verdicts, and their intervals."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcabench.claims import (
    BETTER,
    Condition,
    Interval,
    Statement,
    bands,
    by_band,
    crossing,
    decided,
    every,
    interval,
    over_problems,
    quoted,
    same_cardinality,
    slope,
    some,
)

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


def test_conditions_are_kept_and_change_no_verdict():
    conditions = [Condition("k >= 23", "holds", "slope 0.14"), Condition("k < 5", "fails", "0.9")]
    claim = Statement("X1", "q", "w", "t", "h").judged("fails", "0.3", conditions=conditions)
    assert claim.verdict == "fails" and claim.conditions == tuple(conditions)
    assert str(conditions[0]) == "holds for k >= 23 (slope 0.14; chosen after the first run)"
    assert "after" not in str(Condition("c = s/20", "fails", "6 %", chosen_after=False))


def test_conditions_on_a_stand_in_decide_nothing():
    condition = Condition("k >= 23", "holds", "slope 0.14")
    claim = Statement("X1", "q", "w", "t", "h").judged("fails", "0.3", conditions=[condition])
    (found,) = claim.on_stand_in().conditions
    assert found.verdict == "undecided" and "would hold" in found.measured


@pytest.mark.parametrize(
    ("measured", "outcome"),
    [
        (5.0, ("fails", "")),
        (8.0, ("holds", "")),
        (12.0, ("holds", "")),
        (13.0, ("holds", BETTER)),
    ],
)
def test_a_quoted_number_has_three_outcomes(measured, outcome):
    assert quoted(Interval(measured, measured, measured, 9), 10.0) == outcome


def test_a_quoted_number_inside_the_interval_is_undecided():
    assert quoted(Interval(8.0, 7.0, 20.0, 9), 10.0) == ("undecided", "")


def test_an_interval_over_problems_counts_problems_not_rounds():
    rng = np.random.default_rng(0)
    problems = [level + 1e-3 * rng.random(50) for level in (1.0, 2.0, 3.0)]
    found = over_problems(problems)
    assert found.count == 3 and found.median == pytest.approx(2.0, abs=0.01)
    assert (
        found.low < 1.1 and found.high > 2.9
    )  # 150 rounds of three problems say no more than that
    assert found == over_problems(problems[::-1])
    assert interval(np.concatenate(problems)).low > found.low
    assert over_problems([]).count == over_problems([[np.nan]]).count == 0


def test_a_single_problem_has_the_interval_of_its_rounds():
    rounds = np.random.default_rng(1).random(20)
    found = over_problems([rounds])
    assert found.median == np.median(rounds) and found.count == 1
    assert rounds.min() <= found.low < found.median < found.high <= rounds.max()


def test_a_crossing_is_named_where_both_sides_are_clear():
    def sure(value):
        return Interval(value, 0.9 * value, 1.1 * value, 5)

    ratios = {0.2: sure(0.3), 0.36: sure(0.8), 0.4: sure(1.0), 0.5: sure(1.4)}
    assert crossing(ratios) == "crosses 1 between 0.36 and 0.5"
    assert crossing({0.2: sure(0.3), 0.5: sure(0.5)}) == "below 1 wherever it is clear"
    assert crossing({0.2: sure(1.0)}) == "nowhere clearly on one side of 1"


def test_cardinalities_that_differ_by_more_than_two_percent_are_not_compared():
    same = same_cardinality(pd.Series([100, 100, 1, 1]), pd.Series([98, 97, 1, 2]))
    assert same.tolist() == [True, False, True, False]
