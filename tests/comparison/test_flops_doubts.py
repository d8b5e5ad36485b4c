"""Flops rank no file from outside above an equally good solver that the clock favours."""

import pandas as pd
import pytest

from spcabench.comparison import flops_doubts
from spcabench.comparison.ranking import ranking, standing
from spcabench.running import rows as results
from spcabench.solving.run_warnings import Flag
from tests.trial import table

KS = (2, 3, 5)


def solver(name, flops, seconds, value=1.0, **columns):
    """The rows of a solver, one for each k."""
    columns = {"own": False, "calibration": 1e-3, "flags": None} | columns
    common = dict(solver=name, kind="suite", status="finished", item="a", problem="a", sign=False)
    costs = dict(
        flops=flops, setup_flops=0, solve_time=seconds, setup_time=0.0, round_times=[seconds]
    )
    return [dict(asked=k, variance_refit=value, **common, **costs, **columns) for k in KS]


def order(*solvers, last="flops"):
    ranks = ranking(standing(table([row for rows in solvers for row in rows]), {}), last)
    return list(ranks.solver), ranks


TWIN = solver("twin", 80_000, 0.003, own=True)


def test_fewer_flops_in_more_time_rank_nobody_above_an_equal_solver():
    names, ranks = order(solver("sums", 8_000, 0.005), TWIN)
    assert names == ["twin", "sums"]
    ((doubted, sentence),) = flops_doubts.sentences(ranks)
    assert doubted == "sums" and "fewer flops than twin" in sentence and "1.7 times" in sentence


def test_times_are_compared_in_units_of_the_machine():
    slow = solver("sums", 8_000, 0.005, calibration=2e-3)
    assert order(slow, TWIN)[0] == ["sums", "twin"]


@pytest.mark.parametrize("flag", [Flag.entries, Flag.ledger, Flag.patched])
def test_flops_that_may_be_incomplete_rank_nobody_above_an_equal_solver(flag):
    names, ranks = order(solver("reader", 8_000, 0.001, flags=[str(flag)]), TWIN)
    assert names == ["twin", "reader"]
    assert flops_doubts.sentences(ranks) == []  # its flag is the doubt


@pytest.mark.parametrize(
    "honest",
    [
        solver("fast", 8_000, 0.001),
        solver("as_fast", 8_000, 0.0035),
        solver("ours", 8_000, 0.005, own=True),
        solver("better", 8_000, 0.005, value=1.1),
        solver("busy", 8_000, 0.001, flags=[str(Flag.clock)]),
    ],
    ids=lambda rows: rows[0]["solver"],
)
def test_who_is_faster_reviewed_or_better_is_ranked_as_before(honest):
    names, ranks = order(honest, TWIN)
    assert names == [honest[0]["solver"], "twin"] and flops_doubts.sentences(ranks) == []


def test_times_that_are_ranked_need_no_such_rule():
    names, _ = order(solver("sums", 8_000, 0.001), TWIN, last="time")
    assert names == ["sums", "twin"]


def test_no_solver_of_the_repository_would_be_doubted_if_it_were_a_strangers():
    """On the published standard suite; the flops and times of 44 solvers."""
    from spcabench.cli import options

    rows = results.read([options.ROOT / "results/published/compare/standard/rows.parquet"])
    answers = standing(rows, {})
    ours, strangers = (ranking(answers.assign(own=own), "flops") for own in (True, False))
    assert list(ours.solver) == list(strangers.solver)
    assert flops_doubts.sentences(strangers) == []
    assert isinstance(strangers, pd.DataFrame) and len(strangers) > 40
