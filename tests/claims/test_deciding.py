"""The default explanation of a failed statement."""

import json
from pathlib import Path

import pandas as pd
import pytest

from spcabench.claims import Place, Reading, Statement, at_least, deciding, within
from spcabench.claims.intervals import Measured

PUBLISHED = Path(__file__).parents[2] / "results/published/claims.json"


@pytest.mark.parametrize(
    ("measured", "rule"),
    [
        (Measured(1.5, "geometric mean", 0.3, 3), at_least(1)),
        (Measured(4.0, "mean", 1.0, 6), within(-5, 5)),
        (Measured(0.4, "geometric mean", 0.1, 4), within(0.5, 2)),
    ],
)
def test_so_many_replicates_decide_and_one_fewer_does_not(measured, rule):
    count = deciding.replicates(measured, rule)
    sides = []
    for replicates in (count - 1, count):
        spread = measured.spread * (measured.count / replicates) ** 0.5
        larger = Measured(measured.value, measured.kind, spread, replicates)
        sides.append(rule.side(*larger.interval()))
    assert sides[0] == "across"
    assert sides[1] != "across"


@pytest.mark.parametrize(
    "measured", [Measured(1.0), Measured(1.0, "too few", 0.0, 2), Measured(1.0, "mean", 0.0, 3)]
)
def test_what_has_no_spread_has_no_such_count(measured):
    assert deciding.replicates(measured, at_least(2)) == 0


def test_a_mean_at_the_threshold_takes_more_than_is_counted():
    assert deciding.replicates(Measured(1.0, "mean", 0.1, 3), at_least(1)) > deciding.MOST


@pytest.mark.parametrize("places", [[], [Place("n = 9", Measured(float("nan"), "mean", 0.0, 0))]])
def test_a_card_without_any_number_does_not_call_the_cause_unknown(places):
    """The statement already says that no run gave an answer."""
    statement = Statement(
        "X1",
        where="here",
        quote="a is at least b",
        kind="comparison",
        measures="a / b",
        unit="times",
        rule=at_least(1),
        primary="raw",
        why="the only one",
    )
    rows = pd.DataFrame({"stand_in": [False], "problem": ["gaussian"], "parameters": ["{}"]})
    statement.measured(lambda _: [Reading("raw", places, rows)])
    judged = statement.judge(rows)
    assert (judged["short"], judged["cause"]) == ("No run gave an answer.", "")


def test_every_published_statement_says_why_with_a_number_or_that_it_is_open():
    statements = json.loads(PUBLISHED.read_text())["statements"]
    silent = [
        s["id"]
        for s in statements
        if deciding.asks_why(s)
        and s["cause"] != deciding.OPEN
        and not any(character.isdigit() for character in s["cause"])
    ]
    assert silent == []
