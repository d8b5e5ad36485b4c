"""Rules and verdicts: regions, scopes, corrected levels, marks and margins."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from spcabench.claims import (
    PaperNumber,
    Part,
    Place,
    Reading,
    Rule,
    Statement,
    about,
    above,
    at_least,
    at_most,
    below,
    every,
    exact,
    geometric_mean,
    judging,
    mean,
    some,
    summary,
    within,
    words,
)

FINITE = st.floats(0.01, 100)
ROWS = pd.DataFrame({"stand_in": [False], "problem": ["made up"]})


def statement(readings, rule, **more):
    """Judge a statement on readings: name -> places, or numbers at n = 0, 1, ..."""
    fields = dict(
        id="X1", where="here", quote="q", kind="comparison", measures="m", unit="times", why="w"
    )
    rows = more.pop("rows", ROWS)
    claim = Statement(**fields | dict(rule=rule, primary=next(iter(readings), "none")) | more)
    claim.measured(
        lambda data: [
            Reading(name, [as_place(x, value) for x, value in enumerate(values)], data)
            for name, values in readings.items()
        ]
    )
    return claim.judge(rows)


def as_place(x, value):
    if isinstance(value, Place):
        return value
    return Place(f"n = {x}", value if hasattr(value, "kind") else exact(value), float(x))


def over(values):
    """Return the mean of values over problems."""
    return mean(pd.DataFrame({"v": values, "seed": range(len(values))}), "v", over="seed")


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


@given(FINITE, FINITE, FINITE, st.floats(0, 0.4))
def test_a_harder_rule_holds_nowhere_where_the_easier_one_fails(a, b, value, share):
    for rule in (at_least(a), at_most(a), Rule(min(a, b), 10 * max(a, b))):
        if rule.moved(share).side(value, value) == "inside":
            assert rule.side(value, value) == "inside"
            assert rule.moved(-share).side(value, value) == "inside"


def test_a_rule_has_a_region_and_a_threshold_which_is_not_zero():
    no_threshold = [(-np.inf, np.inf), (np.inf, np.inf), (np.nan, 5), (1, np.nan)]
    for ends in [(0, 5), (-5, 0), (2, 1), (0, 0), *no_threshold]:
        with pytest.raises(ValueError, match="rule from"):
            Rule(*ends)


def test_a_rule_says_itself():
    assert at_least(10).words("times") == "at least 10 times"
    assert above(0.5).words("share") == "above 50 %"
    assert within(0.5, 2).words("times") == "0.5 to 2 times"
    assert at_most(25).words("s") == "at most 25 s"
    assert about(58).side(43.5, 72.5) == "inside" and about(58).side(43.4, 60) == "across"


def test_every_place_must_hold_and_one_is_enough_for_some():
    assert statement({"a": [12, 15, 11]}, at_least(10), over=every())["verdict"] == "holds"
    assert statement({"a": [12, 9, 11]}, at_least(10), over=every())["verdict"] == "fails"
    assert statement({"a": [2, 9, 11]}, at_least(10), over=some())["verdict"] == "holds"
    assert statement({"a": [2, 9, 3]}, at_least(10), over=some())["verdict"] == "fails"


def test_a_place_outside_the_scope_is_shown_and_not_judged():
    judged = statement({"a": [12, 15, 1]}, at_least(10), over=every(high=2))
    assert judged["verdict"] == "holds"
    assert [p["judged"] for p in judged["readings"][0]["places"]] == [True, True, False]
    judged = statement({"a": [12, 15, 1]}, at_least(10), over=every(high=2, least=3))
    assert judged["verdict"] == "undecided" and "cover" in judged["reason"]


def test_places_that_do_not_cover_the_range_decide_only_what_one_place_can():
    few = dict(over=some(least=3))
    assert statement({"a": [1]}, at_least(10), **few)["verdict"] == "undecided"
    assert statement({"a": [1, 2, 3]}, at_least(10), **few)["verdict"] == "fails"
    assert statement({"a": [11]}, at_least(10), **few)["verdict"] == "holds"
    assert statement({"a": [1]}, at_least(10), over=every(least=3))["verdict"] == "fails"


@pytest.mark.parametrize(
    ("gain", "loss", "verdict"),
    [((20, 1), (9, 1), "fails"), ((20, 1), (1, 9), "holds"), ((20, 30), (9, 1), "holds")],
)
def test_parts_for_which_one_place_is_enough_need_the_same_place(gain, loss, verdict):
    places = [Place(f"J = {x}", exact(value), x) for x, value in enumerate(gain)]
    places += [Place(f"J = {x}", exact(value), x, "loss") for x, value in enumerate(loss)]
    parts = [Part("loss", "loss", "%", at_most(5), some("J"))]
    assert statement({"a": places}, at_least(10), over=some("J"), also=parts)["verdict"] == verdict


def test_one_place_among_many_fails_at_a_corrected_level_only():
    outside = over([9.0, 9.4, 9.2, 9.6, 9.35])  # 95 %: below 10
    assert outside.interval()[1] < 10 < outside.interval(1 - 0.05 / 40)[1]
    alone = statement({"a": [outside]}, at_least(10), over=every())
    among = statement({"a": [outside, *[50.0] * 39]}, at_least(10), over=every())
    assert alone["verdict"] == "fails" and among["verdict"] == "undecided"
    inside = over([10.4, 11.0, 10.6, 10.8, 10.5])
    assert statement({"a": [inside]}, at_least(10), over=some())["verdict"] == "holds"
    among = statement({"a": [inside, *[1.0] * 39]}, at_least(10), over=some())
    assert among["verdict"] == "undecided"


def test_too_few_problems_decide_nothing_unless_another_place_fails():
    few = over([50.0, 60.0])
    judged = statement({"a": [few, 20]}, at_least(10), over=every())
    assert judged["verdict"] == "undecided" and "too few" in judged["reason"]
    assert "too few" in judged["marks"]
    assert statement({"a": [few, 2]}, at_least(10), over=every())["verdict"] == "fails"
    assert "2 problems: too few" in statement({"a": [few]}, at_least(10))["short"]


def test_all_parts_must_hold():
    part = Part("speed", "seconds", "s", at_most(10))
    for seconds, verdict in ((5, "holds"), (50, "fails")):
        places = [Place("n", exact(12)), Place("n", exact(seconds), part="speed")]
        judged = statement({"a": places}, at_least(10), also=[part])
        assert judged["verdict"] == verdict and "speed" in judged["short"]
    assert statement({"a": [Place("n", exact(12))]}, at_least(10), also=[part])["verdict"] == (
        "undecided"
    )


def test_a_stand_in_decides_nothing_but_shapes():
    rows = ROWS.assign(stand_in=True)
    judged = statement({"a": [12]}, at_least(10), rows=rows)
    assert (judged["verdict"], judged["would"]) == ("undecided", "holds")
    assert "stand-in" in judged["marks"]
    shapes = statement({"a": [12]}, at_least(10), rows=rows, any_data=True)
    assert shapes["verdict"] == "holds" and "stand-in" in shapes["marks"]


def test_kinds_and_readings_that_decide_nothing():
    for value, verdict in ((12, "checked"), (1, "violated")):
        assert statement({"a": [value]}, at_least(10), kind="theorem")["verdict"] == verdict
    assert statement({"a": [1]}, at_least(10), calibration=True)["verdict"] == "calibration"
    none = statement({"a": [1]}, at_least(10), primary="b", pending="more runs")
    assert (none["verdict"], none["reason"]) == ("pending", "more runs")
    assert statement({}, at_least(10))["verdict"] == "undecided"


@pytest.mark.parametrize(
    ("values", "rule", "depends"),
    [
        ((12, 15), at_least(10), False),
        ((12, 1), at_least(10), True),
        ((0.1, 9), within(0.5, 2), True),  # both fail, on opposite sides
        ((0.1, 0.2), within(0.5, 2), False),
    ],
)
def test_a_statement_depends_where_a_reading_says_the_opposite(values, rule, depends):
    first, second = values
    judged = statement({"a": [first], "b": [second]}, rule)
    assert ("depends" in judged["marks"]) == depends
    undecided = statement({"c": [over([1.0, 30.0, 9.0])], "a": [first], "b": [second]}, rule)
    assert ("depends" in undecided["marks"]) == depends


@pytest.mark.parametrize(("value", "close"), [(10.5, True), (9.5, True), (12, False), (8, False)])
def test_a_verdict_is_close_if_a_tenth_turns_it(value, close):
    assert ("close" in statement({"a": [value]}, at_least(10))["marks"]) == close


def test_a_number_of_the_paper_that_is_exceeded_by_a_quarter_is_better():
    fields = dict(kind="number", paper=[PaperNumber(10)])
    assert "better" in statement({"a": [13]}, at_least(10), **fields)["marks"]
    assert "better" not in statement({"a": [12]}, at_least(10), **fields)["marks"]


def test_readings_with_the_same_numbers_are_one_line():
    judged = statement({"a": [12], "b": [12], "c": [13]}, at_least(10), primary="b")
    assert [(r["name"], r["same"]) for r in judged["readings"]] == [("a", ["b"]), ("c", [])]
    assert judged["verdict"] == "holds"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (dict(primary="b"), "no reading is called 'b'"),
        (dict(kind="numbr"), "kind 'numbr'"),
        (dict(headline=dict(fails="It has {nope}.")), "headline with nope"),
        (dict(also=[Part("", "seconds", "s", at_most(10))]), "occurs twice"),
        (dict(paper=[PaperNumber(1, part="tpyo")]), "belongs to another part"),
    ],
)
def test_a_misspelt_word_of_the_author_is_refused(wrong, said):
    with pytest.raises(ValueError, match=f"X1: .*{said}"):
        statement({"a": [12]}, at_least(10), **wrong)


def test_a_place_of_a_part_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="places of tpyo"):
        statement({"a": [12, Place("n", exact(1), part="tpyo")]}, at_least(10))


def geometric(values):
    """Return the geometric mean of values over problems."""
    table = pd.DataFrame({"v": values, "seed": range(len(values))})
    return geometric_mean(table, "v", over="seed")


def test_missing_values_are_marked_and_told_and_many_decide_nothing():
    ratios = [0.90, 0.92, 0.91, *[0.9] * 15]
    judged = statement({"a": [geometric([*ratios, np.inf, 0.0])]}, below(1))
    assert judged["verdict"] == "holds" and "missing" in judged["marks"]
    assert "18 of 20" in judged["short"]
    judged = statement({"a": [geometric([0.90, 0.92, 0.91, *[np.nan] * 7])]}, below(1))
    assert (judged["verdict"], judged["reason"]) == ("undecided", "values are missing")
    judged = statement({"a": [20, np.nan]}, at_least(10))
    assert (judged["verdict"], judged["reason"]) == ("undecided", "values are missing")
    judged = statement({"a": [geometric([np.nan] * 10)]}, at_least(10))
    assert judged["reason"] == "values are missing" and "0 of 10 problems" in judged["short"]


def test_equal_values_decide_nothing_unless_they_are_exact():
    judged = statement({"a": [over([3.0] * 5)]}, at_least(2))
    assert judged["verdict"] == "undecided" and "same value" in judged["reason"]
    assert statement({"a": [3.0]}, at_least(2))["verdict"] == "holds"


def censored(value, bound):
    """Return a geometric mean for which one of three runs hit its limit."""
    table = pd.DataFrame({"v": [0.9 * value, value, 1.1 * value], "seed": range(3)})
    return geometric_mean(
        table.assign(late=[True, False, False]), "v", "seed", censored="late", bound=bound
    )


def test_a_bound_is_told_as_a_bound():
    places = [censored(0.3, "at most"), geometric([3.0, 3.1, 3.2]), censored(40.0, "at least")]
    low, high = (words.number(end) for end in (places[0].interval()[1], places[2].interval()[0]))
    headline = dict(fails="Time is {range}.", undecided="Time is {range}.")
    judged = statement({"a": places}, at_least(10), headline=headline)
    assert judged["sentence"] == f"Time is <= {low} to >= {high} times."
    assert f"(>= {high} times)" in judged["short"] and "(<= " in judged["short"]


def test_too_few_problems_are_in_no_range():
    places = [geometric([3.0, 3.1, 3.2]), geometric([5.0, 5.1, 5.2]), geometric([50.0, 60.0])]
    judged = statement({"a": places}, above(0.1), headline=dict(undecided="It is {range}."))
    assert judged["sentence"] == "It is 3.1 to 5.1 times."


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        (["n = 200, 1-2 %", "n = 500, 2-5 %", "n = 2000, 10-15 %"], "n = 200 to 2000, 1-15 %"),
        (["0-2 %", "2-5 %", "5-10 %"], "0-10 %"),
        (["k = 5", "k = 10", "k = 20"], "k = 5 to 20"),
        (["k = 5"], "k = 5"),
        (["1,000 words", "20,000 words"], "1,000 to 20,000 words"),
        (["faces, n = 1", "faces, n = 3", "genes, n = 1"], "faces, n = 1 to 3 and genes, n = 1"),
    ],
)
def test_places_are_told_in_all_their_numbers(labels, told):
    assert summary.where([{"label": label, "x": 1.0} for label in labels]) == told


@pytest.mark.parametrize("name", ["b", "a reading with a name of many words " * 3])
def test_a_reading_that_says_the_opposite_is_named_in_short(name):
    for values, rule in (((12, 1), at_least(10)), ((0.1, 9), within(0.5, 2))):
        judged = statement({"a": [values[0]] * 8, name: [values[1]] * 8}, rule)
        assert name.strip() in judged["short"] and len(judged["short"]) <= 160


def test_two_readings_of_one_name_and_a_statement_that_nothing_measures_are_refused():
    claim = Statement("X1", "w", "q", "number", "m", "", at_least(1), "a", "why")
    with pytest.raises(TypeError, match="X1: no function measures it"):
        claim.judge(ROWS)
    claim.measured(lambda data: [Reading("a", [], data), Reading("a", [], data)])
    with pytest.raises(ValueError, match="X1: two readings have the same name"):
        claim.judge(ROWS)
    claim.measured(lambda data: [Reading("a", [], data.drop(columns="stand_in"))])
    with pytest.raises(ValueError, match="stand_in"):
        claim.judge(ROWS)


@given(st.lists(st.floats(0.5, 50), min_size=1, max_size=6), st.booleans(), st.booleans())
def test_the_margin_is_where_the_verdict_turns(values, least, all_places):
    rule = at_least if least else at_most
    scope = every() if all_places else some()
    margin = statement({"a": values}, rule(7.0), over=scope)["margin"]
    for factor in (0.99, 1.01):
        moved = statement({"a": values}, rule(margin["holds"] * factor), over=scope)
        assert (moved["verdict"] == "holds") == ((factor < 1) == least)


def test_a_statement_of_two_figures_is_judged_on_the_data_of_both():
    first = statement({"a": [Place("faces, k = 1", exact(50), 1.0)]}, at_least(40), over=every())
    second = statement({"a": [Place("genes, k = 1", exact(20), 1.0)]}, at_least(40), over=every())
    both = judging.merged([first, second])
    assert both["verdict"] == "fails"
    assert [p["value"] for p in both["readings"][0]["places"]] == [50, 20]
    assert judging.merged([first, first | {"readings": []}])["verdict"] == "holds"


@given(st.floats(1e-12, 1e15))
def test_numbers_for_people_keep_three_digits(value):
    text = words.plain(value)
    assert float(text.replace(",", "")) == pytest.approx(
        value, rel=5.1e-2 if value < 1e-4 else 6e-3
    )
    assert "e+" not in text


@given(
    st.floats(0.01, 1e4).map(lambda v: float(f"{v:.3g}")),
    st.floats(-1e-3, 1e-3),
    st.sampled_from(["times", "s", "share"]),
)
def test_a_number_beside_a_threshold_never_reads_like_it(threshold, distance, unit):
    value = threshold * (1 + distance)
    assume(abs(distance) > 1e-6)
    assert words.number(value, unit, [threshold]) != words.number(threshold, unit)
    assert words.number(threshold, unit, [threshold]) == words.number(threshold, unit)


def test_units_are_those_of_people():
    assert words.number(10_912.3, "times") == "10,900 times"
    assert words.number(407e-6, "s") == "407 µs" and words.number(8.96e9, "B") == "8.96 GB"
    assert words.number(0.642, "share") == "64.2 %" and words.number(None) == "n/a"
    assert words.span([16, 10_912], "times") == "16 to 10,900 times"
    assert words.span([0.001, 2.5], "s") == "1 ms to 2.5 s"
    assert words.span([np.nan, 2.0], "%") == "2 %"
    assert words.listed(["a", "b", "c"]) == "a, b and c"
