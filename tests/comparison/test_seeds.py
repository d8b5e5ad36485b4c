"""A randomised solver is ranked by the mean over its seeds, never by its best seed."""

import numpy as np
import pandas as pd
import pytest

from spcabench.comparison import entering, jobs, plans, ranking
from spcabench.comparison.suite import Item
from tests.checking import tricks
from tests.trial import table


def rows_of(solver, values, k=3):
    """Return the rows of one pair: the first seed, then the others; None is a failure."""
    return [
        dict(solver=solver, kind="seed" if seed else "suite", seed=seed, item="a", problem="a")
        | dict(sign=False, asked=k, variance_refit=value, flops=10, setup_flops=0)
        | dict(status="finished" if value else "error", solve_time=1.0, setup_time=0.0)
        | dict(round_times=[1.0])
        for seed, value in enumerate(values)
    ]


def ranked(*solvers):
    rows = table([row for rows in solvers for row in rows])
    return ranking.ranking(ranking.standing(rows, {})).set_index("solver")


def test_the_mean_is_ranked_and_neither_the_best_nor_the_first_seed():
    lucky = ranked(rows_of("random", [1.0, 0.5, 0.5, 0.5, 0.5]), rows_of("steady", [0.9]))
    assert list(lucky.index) == ["random", "steady"]  # it reaches 99.9 % on a fifth
    assert lucky.loc["random", "at 0.999"] == pytest.approx(0.2)
    assert lucky.loc["random", "share"] == pytest.approx(0.6)
    assert lucky.loc["random", ["seeds", "least", "most"]].tolist() == [5, 0.0, 1.0]
    assert lucky.loc["steady", "seeds"] == 1


def test_a_seed_that_fails_counts_zero_and_order_of_rows_does_not_matter():
    rows = rows_of("random", [1.0, None])
    for order in (rows, rows[::-1]):
        (found,) = ranked(order).to_dict("records")
        assert found["share"] == found["at 0.999"] == pytest.approx(0.5)
        assert found["answered"] == found["pairs"] == 1


def test_equal_seeds_change_no_ranking():
    one, five = (ranked(rows_of("a", [0.9] * n), rows_of("b", [1.0])) for n in (1, 5))
    columns = ["at 0.999", "share", "time", "flops", "rank", "group"]
    pd.testing.assert_frame_equal(one[columns], five[columns])


def test_a_seed_that_was_left_out_on_some_pairs_is_a_failure_there():
    items = [Item("a", "gaussian", {}, (3, 5), "gaussian", "ours")]
    rows = table(rows_of("random", [1.0, 1.0]) + rows_of("random", [1.0], k=5)).assign(
        parameters=[{}] * 3
    )
    complete, said = entering.complete(rows, items)
    assert len(complete) == 4 and said[0].count == 1 and "are missing" in said[0].sentence
    assert ranking.standing(complete, {}).set_index("asked").share.tolist() == [1.0, 0.5]


@pytest.mark.parametrize(("solver", "seeds"), [("em", 5), ("tpower", 1)])
def test_solvers_that_take_a_seed_run_with_several_on_the_same_pairs(solver, seeds):
    runs = [r for r in plans.plan(jobs.Job.of(solver, "quick")).groups[""] if not r.skip]
    pairs = {(r.columns["item"], r.columns["asked"]) for r in runs if r.columns["kind"] == "suite"}
    asked = [
        (r.seed, r.columns["item"], r.columns["asked"])
        for r in runs
        if r.columns["kind"] != "recovery"
    ]
    assert sorted(asked) == sorted((seed, *pair) for seed in range(seeds) for pair in pairs)
    assert all(r.timed == (r.seed == 0) for r in runs if r.columns["kind"] != "recovery")


def test_every_seed_of_a_third_party_file_is_timed(tmp_path):
    """Otherwise, the file could compute more for the seeds that are not timed."""
    file = tricks.file_of(tmp_path, "mine", settings=", seed=0")
    runs = [r for r in plans.plan(jobs.Job.of(file, "quick")).groups[""] if not r.skip]
    seeds = [(r.timed, r.seed) for r in runs if r.columns["kind"] != "recovery"]
    assert {*seeds} == {(True, seed) for seed in range(5)}


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize(("later", "mean"), [(4.0, 3.0), (0.1, 1.0)])
def test_the_costs_of_a_third_party_file_are_means_unless_the_first_seed_costs_more(
    own, later, mean
):
    rows = table(rows_of("random", [1.0, 1.0, 1.0])).assign(own=own, solve_time=1.0, flops=1e6)
    rows.loc[rows.kind == jobs.SEED, ["solve_time", "flops"]] *= later
    answers = ranking.standing(rows, {})
    factor = 1.0 if own else mean
    assert answers.time.tolist() == [factor * 1.0]
    assert answers.work.tolist() == [factor * 1e6]


def test_the_flops_of_some_seeds_cannot_be_hidden():
    rows = table(rows_of("random", [1.0, 1.0, 1.0])).assign(own=False, flops=1e6)
    rows.loc[rows.seed == 2, "flops"] = np.nan
    assert ranking.standing(rows, {}).work.isna().all()
