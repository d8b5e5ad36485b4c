"""The best solver within a budget: the value of a run at a given cost, and the table of winners."""

import json

import numpy as np
import pandas as pd
import pytest

from spcabench.comparison import budgets

STEPS = [(0.0005, 10, 6.0), (0.02, 1e6, 9.0)]  # seconds, flops, variance of two iterates


def answer(solver, item, share, time, **changes):
    """Return a row of answers as the table reads it; the best known value is 10."""
    steps = [
        {"seconds": s, "flops": f, "variance": v, "cardinality": 5, "iteration": i}
        for i, (s, f, v) in enumerate(STEPS)
    ]
    fields = dict(item=item, asked=5, family="a kind", solver=solver, answered=True, share=share)
    fields |= dict(best=10.0, work=1e9 * time, time=time, search_time=np.nan, setup_flops=0)
    return fields | {"history": json.dumps(steps), "setup_time": 0.0} | changes


def named(table, group=budgets.ALL):
    (entry,) = [entry for entry in table if entry["group"] == group]
    return [found and (found["solvers"], found["share"]) for found in entry["best"]]


def test_a_stopped_run_has_its_best_iterate_and_one_that_has_ended_its_refit():
    rows = pd.DataFrame([answer("one", "p", 0.95, 0.05)])
    best = named(budgets.best(rows, ["one"], "time"))
    assert best == [(["one"], 0.6), (["one"], 0.6), *[(["one"], 0.95)] * 3]


@pytest.mark.parametrize("measure", ["time", "work"])
def test_the_set_up_is_part_of_the_cost(measure):
    rows = pd.DataFrame([answer("one", "p", 0.95, 0.05, setup_time=0.001, setup_flops=99_991)])
    assert named(budgets.best(rows, ["one"], measure))[:2] == [None, (["one"], 0.6)]


def test_a_search_has_nothing_before_its_end_and_a_failure_nothing_at_all():
    rows = pd.DataFrame(
        [
            answer("searched", "p", 0.95, 0.05, search_time=0.05),
            answer("failed", "p", np.nan, np.nan, answered=False),
        ]
    )
    best = named(budgets.best(rows, ["failed", "searched"], "time"))
    assert best == [None, None, *[(["searched"], 0.95)] * 3]


def test_an_iterate_with_too_many_nonzeros_is_no_answer():
    rows = pd.DataFrame([answer("one", "p", 0.95, 0.05, asked=4)])
    assert named(budgets.best(rows, ["one"], "time"))[:2] == [None, None]


def test_equal_solvers_are_all_named_in_the_order_of_the_ranking():
    names = ["b", "a", "c"]
    rows = pd.DataFrame([answer(s, p, 0.9, 1e-4) for s in "abc" for p in ("p", "q")])
    rows.loc[rows.solver == "c", "share"] = 0.9 - 1e-9
    assert named(budgets.best(rows, names, "time"))[0] == (names, 0.9)


def test_a_missing_answer_counts_zero_and_kinds_are_judged_apart():
    rows = [answer("one", "p", 1.0, 1e-4), answer("two", "p", 0.8, 1e-4)]
    rows += [answer("two", "q", 0.8, 1e-4, family="another")]
    table = budgets.best(pd.DataFrame(rows), ["one", "two"], "time")
    assert named(table)[0] == (["two"], 0.8)
    assert named(table, "a kind")[0] == (["one"], 1.0)
    assert named(table, "another")[0] == (["two"], 0.8)
    assert [entry["pairs"] for entry in table] == [2, 1, 1]


@pytest.mark.parametrize("measure", ["time", "work"])
def test_a_larger_budget_is_never_worse(measure):
    rng = np.random.default_rng(0)
    rows = [
        answer(s, p, share, time)
        for s in "abc"
        for p in "pqr"
        for share, time in [(rng.uniform(0.9, 1.0), 10 ** rng.uniform(-4, 1))]
    ]
    best = named(budgets.best(pd.DataFrame(rows), [*"abc"], measure))
    shares = [share for _, share in filter(None, best)]
    assert shares == sorted(shares)
    assert len(budgets.HEADS[measure]) == len(budgets.BUDGETS[measure]) == len(best)
