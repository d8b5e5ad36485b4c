"""Verdicts: places, scopes, corrected levels, parts, stand-ins and marks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcabench.claims import (
    Part,
    at_least,
    at_most,
    claim,
    every,
    judging,
    most,
    often,
    some,
    summary,
)
from tests.claims.made_up import judged, table, verdict


def test_every_place_must_hold_and_one_is_enough_for_some():
    assert verdict(12, 15, 11, at=every()) == "holds"
    assert verdict(12, 9, 11, at=every()) == "fails"
    assert verdict(2, 9, 11, at=some()) == "holds"
    assert verdict(2, 9, 3, at=some()) == "fails"


def test_a_place_outside_the_scope_is_shown_and_not_judged():
    outcome = judged(table([12, 15, 1]), at=every(high=2))
    assert outcome["verdict"] == "holds"
    assert [p["judged"] for p in outcome["readings"][0]["places"]] == [True, True, False]
    assert verdict(12, 15, 1, at=every(high=2, least=3)) == "open"


def test_places_that_do_not_cover_the_range_decide_only_what_one_place_can():
    assert verdict(1, at=some(least=3)) == "open"
    assert verdict(1, 2, 3, at=some(least=3)) == "fails"
    assert verdict(11, at=some(least=3)) == "holds"
    assert verdict(1, at=every(least=3)) == "fails"


def test_most_are_more_than_half_and_often_is_a_quarter():
    assert verdict(12, 15, 1, 2, 11, at=most()) == "holds"
    assert verdict(12, 15, 1, 2, at=most()) == "fails"
    assert verdict(12, [9.0, 11.0, 10.5], 1, at=most()) == "open"
    assert verdict(12, 1, 2, 3, at=often()) == "holds"
    assert verdict(12, 1, 2, 3, 4, at=often()) == "fails"
    assert verdict(12, 15, at=most(least=3)) == verdict(1, 2, at=most(least=3)) == "open"


def test_one_place_among_many_fails_at_a_corrected_level_only():
    outside = [9.0, 9.4, 9.2, 9.6, 9.35]  # 95 %: below 10
    assert verdict(outside, at=every(), unit="%") == "fails"
    assert verdict(outside, *[50.0] * 39, at=every(), unit="%") == "open"
    inside = [10.4, 11.0, 10.6, 10.8, 10.5]
    assert verdict(inside, at=some(), unit="%") == "holds"
    assert verdict(inside, *[1.0] * 39, at=some(), unit="%") == "open"


def test_a_place_that_only_the_corrected_level_leaves_open_gives_its_interval():
    inside = [10.4, 11.0, 10.6, 10.8, 10.5]
    wide = judged(table([inside, *[1.0] * 39]), at=some(), unit="%")
    place = wide["readings"][0]["places"][0]
    assert place["low"] > 10 > place["wide_low"]
    told = summary.one(wide["parts"][0], place)
    for end in ("wide_low", "wide_high"):
        assert f"{place[end]:.3g}" in wide["reason"] and f"{place[end]:.3g}" in told


def test_too_few_problems_decide_nothing_unless_another_place_fails():
    few = [50.0, 60.0]
    outcome = judged(table([few, 20]), at=every())
    assert outcome["verdict"] == "open" and "incomplete" in outcome["marks"]
    assert verdict(few, 2, at=every()) == "fails"


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


def test_without_a_run_a_claim_is_open():
    assert judged(table([]))["reason"] == "no run gave an answer"
    assert judged(table([]))["verdict"] == "open"


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


def test_a_bound_is_told_by_its_known_end_with_its_sign():
    rows = table([[2.0, 3.0, 4.0], [20.0, 30.0, 40.0]])
    for sign, word, end, place in ((1, ">=", "low", 1), (-1, "<=", "high", 0)):
        outcome = judged(rows.assign(missed=sign * (rows.x == place)))
        known = outcome["readings"][0]["places"][place][end]
        assert f"{word} {known:.3g}" in outcome["short"]


def test_a_claim_of_two_figures_is_judged_on_the_data_of_both():
    first, second = (judged(table([value]), at=every()) for value in (50, 2))
    assert (first["verdict"], second["verdict"]) == ("holds", "fails")
    both = judging.merged([first, second])
    assert both["verdict"] == "fails"
    assert [p["value"] for p in both["readings"][0]["places"]] == [50, 2]


def test_readings_that_are_the_same_in_one_figure_stay_apart_in_another():
    same = judged(table([12]), table([12], reading="b"))
    other = judged(table([15]), table([1], reading="b"))
    both = judging.merged([same, other])
    numbers = {r["name"]: [p["value"] for p in r["places"]] for r in both["readings"]}
    assert numbers == {"a": [12, 15], "b": [12, 1]} and both["verdict"] == "depends"


@given(st.lists(st.floats(0.5, 50), min_size=1, max_size=6), st.booleans())
def test_a_verdict_can_be_judged_again_from_what_is_stored(values, all_places):
    outcome = judged(table(values), at=every() if all_places else some())
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
    # 9.9996 is below the threshold, and is not shown as 10
    assert ratios.told([12, 9.9996, 15]) == "9.9996 to 15 times"
