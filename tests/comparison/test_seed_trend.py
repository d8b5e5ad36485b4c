"""Later seeds that are better than earlier ones are a doubt."""

import numpy as np
import pandas as pd
import pytest

from spcabench.comparison import seed_trend
from spcabench.page import doubts
from tests.comparison.test_seeds import rows_of
from tests.trial import table

PAIRS, SEEDS = 15, 5


def rows(values, own=False):
    """Return the rows of a solver with values (pairs, seeds)."""
    listed = [row for k, each in enumerate(values) for row in rows_of("mine", list(each), k=k + 2)]
    return table(listed).assign(own=own, given=None)


def test_the_trend_of_independent_seeds_has_mean_zero_and_deviation_one():
    rng = np.random.default_rng(0)
    found = [seed_trend.trend(rows(rng.integers(1, 4, (PAIRS, SEEDS)))) for _ in range(300)]
    assert abs(np.mean(found)) < 0.2 and abs(np.std(found) - 1.0) < 0.15
    assert max(found) < seed_trend.DEVIATIONS + 1.0


def test_the_trend_depends_on_the_order_of_the_values_alone():
    values = np.random.default_rng(1).uniform(1.0, 2.0, (PAIRS, SEEDS))
    trend = seed_trend.trend(rows(values))
    scales = 10.0 ** np.arange(PAIRS)[:, None]
    assert seed_trend.trend(rows(values * scales)) == pytest.approx(trend)
    assert seed_trend.trend(rows(values).sample(frac=1.0, random_state=0)) == pytest.approx(trend)
    assert seed_trend.trend(rows(values[:, ::-1])) == pytest.approx(-trend)


@pytest.mark.parametrize("values", [np.ones((PAIRS, SEEDS)), np.ones((PAIRS, 1)), np.ones((0, 0))])
def test_equal_values_have_no_trend(values):
    assert seed_trend.trend(rows(values) if values.size else rows(np.ones((1, 1)))[:0]) == 0.0


@pytest.mark.parametrize(
    ("improving", "own", "doubted"),
    [(True, False, True), (True, True, False), (False, False, False)],
)
def test_a_file_that_becomes_better_from_seed_to_seed_has_a_doubt(improving, own, doubted):
    gain = [0.0, 0.01, 0.02, 0.02, 0.02] if improving else np.zeros(SEEDS)
    values = np.random.default_rng(2).uniform(0.9, 0.905, (PAIRS, SEEDS)) + gain
    sentences = [doubt["sentence"] for doubt in doubts.of_rows(rows(values, own))]
    assert (doubts.TREND in sentences) == doubted


def test_a_file_beside_a_command_has_a_doubt():
    file = rows(np.ones((1, 1)))
    command = file.assign(solver="command", extra=[{"startup_seconds": 0.1}])
    own = file.assign(solver="tpower", own=True)
    of_all = doubts.of_rows(pd.concat([file, command, own], ignore_index=True))
    found = {(doubt["solver"], doubt["sentence"]) for doubt in of_all}
    assert found == {("mine", doubts.BY_COMMAND), ("command", doubts.COMMAND)}
    assert doubts.of_rows(pd.concat([file, own], ignore_index=True)) == []
