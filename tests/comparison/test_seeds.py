"""A randomised solver is ranked by the mean over its seeds, never by its best seed."""

import pandas as pd
import pytest

from spcabench.comparison import entrants, plans, ranking
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


@pytest.mark.parametrize(("solver", "seeds"), [("em", 5), ("tpower", 1)])
def test_solvers_that_take_a_seed_run_with_several_on_the_same_pairs(solver, seeds):
    runs = [r for r in plans.runs(entrants.Entrant.of(solver, "quick")) if not r.skip]
    pairs = {(r.columns["item"], r.columns["asked"]) for r in runs if r.columns["kind"] == "suite"}
    asked = [
        (r.seed, r.columns["item"], r.columns["asked"])
        for r in runs
        if r.columns["kind"] != "recovery"
    ]
    assert sorted(asked) == sorted((seed, *pair) for seed in range(seeds) for pair in pairs)
    assert all(r.timed == (r.seed == 0) for r in runs if r.columns["kind"] != "recovery")


def test_the_costs_are_those_of_the_first_seed():
    rows = table(rows_of("random", [1.0, 1.0, 1.0])).assign(flops=1e6)
    rows.loc[rows.kind == entrants.SEED, ["solve_time", "flops"]] *= 4.0
    answers = ranking.standing(rows, {})
    assert answers.time.tolist() == [1.0] and answers.work.tolist() == [1e6]
