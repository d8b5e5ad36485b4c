"""Rules are regions of the real line."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from spcabench.claims import Rule, above, at_least, at_most, below, meaning

FINITE = st.floats(0.01, 100)


@given(FINITE, FINITE, FINITE, FINITE, st.booleans())
def test_an_interval_is_on_one_side_of_a_rule_and_its_parts_are_too(a, b, c, d, ends):
    assume(a != b)
    rule = Rule(min(a, b), max(a, b), ends)
    low, high = min(c, d), max(c, d)
    side = rule.side(low, high)
    if side != "across":
        assert {rule.side(low, low), rule.side(high, high)} == {side}
    else:
        assert rule.side(low - 100, high + 100) == "across"


@given(FINITE, FINITE)
def test_at_least_and_at_most_mirror_each_other(threshold, value):
    sides = {"inside": "inside", "below": "above", "above": "below"}
    for lower, upper in ((at_least, at_most), (above, below)):
        side = lower(threshold).side(value, value)
        assert upper(-threshold).side(-value, -value) == sides[side]


def test_a_rule_has_a_region_and_a_threshold():
    no_threshold = [(-np.inf, np.inf), (np.inf, np.inf), (np.nan, 5), (1, np.nan)]
    for ends in [(2, 1), *no_threshold]:
        with pytest.raises(ValueError, match="rule from"):
            Rule(*ends)


@pytest.mark.parametrize(
    ("digits", "inside", "outside"), [("2.35", 2.354, 2.356), ("6", 5.6, 5.4), ("86", 86.4, 86.6)]
)
def test_a_printed_number_is_rounded_to_its_digits(digits, inside, outside):
    rule = meaning.printed(digits)
    assert rule.side(inside, inside) == "inside" != rule.side(outside, outside)
