"""Verdicts: places, scopes, corrected levels, parts, stand-ins and marks."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spcabench.claims import (
    Part,
    Rule,
    at_least,
    at_most,
    claim,
    every,
    judging,
    most,
    often,
    some,
)
from tests.claims.made_up import judged, script, table, verdict

ACROSS = [9.0, 11.0, 10.5]  # problems whose interval includes the threshold of 10
FEW = [50.0, 60.0]
# 95 % intervals below and above 10, which include it at the level for 40 places
OUTSIDE, INSIDE = [9.0, 9.4, 9.2, 9.6, 9.35], [10.4, 11.0, 10.6, 10.8, 10.5]
AT = [  # scope, numbers at its places, and the verdict of "at least 10"
    (every(), [12, 15, 11], "holds"),
    (every(), [12, 9, 11], "fails"),
    (some(), [2, 9, 11], "holds"),
    (some(), [2, 9, 3], "fails"),
    (every(), [], "open"),
    # a place outside the range is not judged
    (every(high=2), [12, 15, 1], "holds"),
    (every(low=1), [1, 12, 15], "holds"),
    (every(high=2, least=3), [12, 15, 1], "open"),
    # if few places are judged, only what one place can decide is decided
    (some(least=3), [1], "open"),
    (some(least=3), [1, 2, 3], "fails"),
    (some(least=3), [11], "holds"),
    (every(least=3), [1], "fails"),
    (most(least=3), [12, 15], "open"),
    (most(least=3), [1, 2], "open"),
    # more than half, and a quarter
    (most(), [12, 15, 1, 2, 11], "holds"),
    (most(), [12, 15, 1, 2], "fails"),
    (most(), [12, ACROSS, 1], "open"),
    (often(), [12, 1, 2, 3], "holds"),
    (often(), [12, 1, 2, 3, 4], "fails"),
    # too few problems decide nothing unless another place fails
    (every(), [FEW, 20], "open"),
    (every(), [FEW, 2], "fails"),
    # one place among many decides at a corrected level only
    (every(), [OUTSIDE], "fails"),
    (every(), [OUTSIDE, *[50.0] * 39], "open"),
    (some(), [INSIDE], "holds"),
    (some(), [INSIDE, *[1.0] * 39], "open"),
]


@pytest.mark.parametrize(("at", "values", "expected"), AT)
def test_a_verdict_is_that_of_enough_judged_places(at, values, expected):
    assert verdict(*values, at=at, unit="%") == expected


def test_all_parts_must_hold():
    part = Part("speed", "seconds", "s", at_most(10))
    for seconds, expected in ((5, "holds"), (50, "fails")):
        outcome = judged(table([12]), table([seconds], part="speed"), also=[part])
        assert outcome["verdict"] == expected
    assert judged(table([12]), also=[part])["verdict"] == "open"


def test_a_stand_in_decides_nothing_but_shapes():
    rows = table([12], stand_in=True)
    outcome = judged(rows)
    assert (outcome["verdict"], outcome["reason"]) == ("open", "the data are a stand-in")
    assert "stand-in" in outcome["marks"]
    assert judged(rows, any_data=True)["verdict"] == "holds"
    other = table([12], reading="b")
    assert judged(rows.assign(value=1), other)["verdict"] == "open"
    assert judged(rows.assign(value=1), other, any_data=True)["verdict"] == "depends"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((12, 15), "holds"),
        ((1, 2), "fails"),
        ((12, 1), "depends"),
        ((12, [1.0, 30.0, 9.0]), "open"),
        ((1, [1.0, 30.0, 9.0]), "open"),
        ((12, 1, [1.0, 30.0, 9.0]), "depends"),
    ],
)
def test_no_reading_has_priority(values, expected):
    tables = [table([value], reading=name) for name, value in zip("abc", values, strict=False)]
    assert judged(*tables)["verdict"] == judged(*tables[::-1])["verdict"] == expected


def test_readings_with_the_same_numbers_are_one_line():
    tables = [table([value], reading=name) for name, value in zip("abc", (12, 12, 13), strict=True)]
    outcome = judged(*tables)
    assert [(r["name"], r["same"]) for r in outcome["readings"]] == [("a", ["b"]), ("c", [])]
    assert outcome["verdict"] == "holds"


@pytest.mark.parametrize(
    ("missed", "value", "expected"),
    [(1, 40.0, "holds"), (1, 3.0, "open"), (-1, 3.0, "fails"), (-1, 40.0, "open")],
)
def test_a_bound_decides_on_its_own_side_only(missed, value, expected):
    rows = table([[0.9 * value, value, 1.1 * value]], missed=[missed, 0, 0])
    assert judged(rows)["verdict"] == expected


def test_a_claim_of_two_figures_is_judged_on_the_data_of_both_and_readings_stay_apart():
    same = judged(table([12]), table([12], reading="b"))
    other = judged(table([15]), table([1], reading="b"))
    both = judging.merged([same, other])
    numbers = {r["name"]: [p["value"] for p in r["places"]] for r in both["readings"]}
    assert numbers == {"a": [12, 15], "b": [12, 1]} and both["verdict"] == "depends"


VALUES = st.floats(0.5, 50) | st.lists(st.floats(0.5, 50), min_size=1, max_size=4)
SCOPES = st.builds(
    lambda scope, low, high, least: scope(low=low, high=high, least=least),
    *(st.sampled_from([every, most, often, some]), st.integers(0, 2), st.integers(3, 6)),
    st.integers(1, 3),
)
RULES = st.builds(Rule, st.floats(0.5, 20), st.floats(21, 50), st.booleans())


@settings(max_examples=40)
@given(st.lists(st.lists(VALUES, min_size=1, max_size=6), max_size=2), SCOPES, RULES)
def test_a_verdict_is_recomputed_from_what_is_stored_by_the_script_and_by_the_judge(
    readings, at, rule
):
    tables = [table(values, reading=name) for name, values in zip("ab", readings, strict=False)]
    outcome = judged(*tables, at=at, rule=rule)
    assert script.verdict(outcome) == outcome["verdict"]
    assert judging.judged(outcome) == outcome


def test_numbers_of_a_part_that_is_not_there_are_refused():
    with pytest.raises(ValueError, match="tpyo are not its parts"):
        judged(table([12]), table([1], part="tpyo"))


def test_the_numbers_of_a_title_are_those_of_the_judged_places():
    ratios = claim(
        *("X1", "here", "q"),
        rows=lambda data: table(data),
        **dict(measures="m", unit="times"),
        **dict(rule=at_least(10), at=every(high=3)),
    )
    assert ratios.told([12, 15, 3, 99]) == "3 to 15 times"
