"""Tidy tables: the place, the replicate and the value of each number, and its statistic."""

import numpy as np
import pandas as pd
import pytest

from spcabench.claims import above, bands, each, noted, numbers, tidy
from tests.claims.made_up import judged

ROWS = pd.DataFrame(dict(n=[20, 10, 20, 10], seed=[0, 0, 1, 1], ratio=[8.0, 1.0, 2.0, 4.0]))
ROWS = ROWS.assign(stand_in=False, problem="made up", sparsity=[0.03, 0.005, 0.04, 0.6])


def places(table, **options):
    """Return the places of a claim on one tidy table."""
    outcome = judged(table, rule=above(1), **options)
    return {p["label"]: p for p in outcome["readings"][0]["places"]}


def test_each_value_of_a_column_is_a_place_in_ascending_order():
    table = each(ROWS, "n", "ratio", "n = {:g}", reading="a")
    assert [*dict.fromkeys(table.label)] == ["n = 10", "n = 20"]
    assert table.groupby("label").value.agg(list).to_dict() == {
        "n = 10": [1.0, 4.0],
        "n = 20": [8.0, 2.0],
    }
    assert table.x.tolist() == [10, 10, 20, 20]


def test_bands_contain_their_lower_edge_and_leave_out_what_is_in_none():
    edges = (0.0, 0.03, 0.04, 0.5)
    table = bands(ROWS, "sparsity", edges, "ratio")
    assert table.label.tolist() == ["0-3 %", "3-4 %", "4-50 %"]
    assert table.value.tolist() == [1.0, 8.0, 2.0] and table.x.tolist() == [0.0, 0.03, 0.04]


@pytest.mark.parametrize(("how", "value"), [("max", 4.0), ("mean", 2.5)])
def test_an_exact_number_is_reduced_from_the_rows_of_its_place(how, value):
    place = places(each(ROWS, "n", "ratio", "{:g}", how, reading="a"))["10"]
    assert (place["kind"], place["value"]) == ("exact", value)
    place = places(numbers(ROWS, {"all": value}, reading="a"))["all"]
    assert (place["kind"], place["value"]) == ("exact", value)


def test_the_unit_chooses_the_statistic():
    rows = pd.concat([ROWS.assign(seed=seed) for seed in range(3)])
    rows = rows.assign(ratio=[0.5, 1.0] * 6, seed=np.repeat(range(3), 4))
    table = tidy(rows, "ratio", "all", reading="a")
    for unit, kind, value in (
        ("times", "geometric mean", np.exp(np.log(0.5) / 2)),
        ("%", "mean", 0.75),
        ("share", "mean share", 0.75),
    ):
        place = places(table, unit=unit)["all"]
        assert place["kind"] == kind and place["value"] == pytest.approx(value)
        assert (place["count"], place["over"]) == (3, "problems")
    assert places(table, unit="times", average="mean")["all"]["kind"] == "mean"


def test_a_replicate_without_a_name_and_rows_without_their_data_are_refused():
    with pytest.raises(ValueError, match="rows without a value of seed"):
        tidy(ROWS.assign(seed=[0, 0, np.nan, 1]), "ratio", "all")
    with pytest.raises(ValueError, match="lack the columns"):
        tidy(ROWS.drop(columns="stand_in"), "ratio", "all")


def test_notes_and_data_belong_to_their_reading():
    first = noted(tidy(ROWS, "ratio", "all", reading="a"), "a note", "")
    second = tidy(ROWS.assign(problem="other", stand_in=True), "n", "all", reading="b")
    a, b = judged(first, second)["readings"]
    assert (a["notes"], b["notes"]) == (["a note"], [])
    assert (a["data"], b["data"]) == (["made up"], ["other"])
    assert (a["stand_in"], b["stand_in"]) == (False, True)
