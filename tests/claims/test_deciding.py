"""The default explanation of a failed statement."""

import json
from pathlib import Path

import pytest

from spcabench.claims import at_least, deciding, within
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
