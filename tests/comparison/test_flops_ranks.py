"""Flops of a file from outside the repository rank it above no equally good solver."""

import pytest

from spcabench.comparison.ranking import ranking, standing
from spcabench.page import comparison_tables
from tests.trial import table

KS = (2, 3, 5)


def solver(name, flops, seconds, value=1.0, own=False):
    """Return the rows of a solver, one for each k."""
    common = dict(solver=name, kind="suite", status="finished", item="a", problem="a", sign=False)
    costs = dict(
        flops=flops, setup_flops=0, solve_time=seconds, setup_time=0.0, round_times=[seconds]
    )
    columns = dict(own=own, calibration=1e-3, flags=None, variance_refit=value)
    return [dict(asked=k, **common, **costs, **columns) for k in KS]


def order(*solvers, last="flops"):
    answers = standing(table([row for rows in solvers for row in rows]), {})
    ranks = ranking(answers, last)
    return list(ranks.solver), comparison_tables.lines(ranks, answers, last)


TWIN = solver("twin", 80_000, 0.003, own=True)


@pytest.mark.parametrize("seconds", [0.001, 0.003, 0.005])
def test_fewer_flops_rank_no_file_above_an_equal_solver_of_the_repository(seconds):
    names, text = order(solver("sums", 8_000, seconds), TWIN)
    assert names == ["twin", "sums"] and "≥ 8" in text and "≥ 80" not in text


def test_files_of_equal_quality_are_ordered_by_time():
    names, _ = order(solver("sums", 8_000, 0.005), solver("batched", 90_000, 0.002))
    assert names == ["batched", "sums"]


def test_quality_comes_first():
    assert order(solver("better", 8_000, 0.005, value=1.1), TWIN)[0] == ["better", "twin"]


def test_flops_order_the_solvers_of_the_repository():
    names, _ = order(solver("ours", 8_000, 0.005, own=True), TWIN)
    assert names == ["ours", "twin"]


def test_a_run_that_was_left_out_makes_no_solver_a_strangers():
    partly = [row | {"own": None} if row["asked"] == 5 else row for row in TWIN]
    assert "≥ 80" not in order(partly)[1]


def test_times_that_are_ranked_need_no_such_rule():
    assert order(solver("sums", 8_000, 0.001), TWIN, last="time")[0] == ["sums", "twin"]
