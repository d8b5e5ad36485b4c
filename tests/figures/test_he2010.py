"""What the figures of He, Monteiro and Park (2010) compute themselves."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import spcabench
from spcabench.figures import _he2010
from spcabench.figures._times import times
from spcabench.figures._truth import Truth
from spcabench.solving.call import arguments
from tests import trial


def test_pairs_are_those_whose_cardinalities_differ_by_two_percent_at_most():
    same = _he2010.same_cardinality(pd.Series([100, 100, 1, 1]), pd.Series([98, 97, 1, 2]))
    assert same.tolist() == [True, False, True, False]


def searched(asked, reached, seed=0):
    """Return a timed row of GPower0 that reached another cardinality than the requested one."""
    row = dict(solver="gpower0", form="sparse", group="g", label=str(asked), seed=seed, settings={})
    row |= dict(samples=1, setup_time=0.0, solve_time=1.0, variance=1.0, variance_refit=1.0)
    return row | dict(k=asked, n=1000, cardinality=reached, search_runs=5)


def test_a_cardinality_is_drawn_at_the_median_that_its_searches_reached():
    rows = [searched(25, reached, seed) for seed, reached in enumerate((23, 25, 24))]
    table = _he2010.by_cardinality(trial.table([*rows, searched(5, 5)])).rows
    assert table.x.tolist() == [24.0, 24.0, 24.0, 5.0]
    assert _he2010.missed(table).tolist() == [True, False, True, False]


def test_no_line_crosses_what_a_search_did_not_reach():
    rows = [searched(asked, reached) for asked, reached in ((10, 10), (100, 48), (150, 147))]
    table = _he2010.by_cardinality(trial.table(rows)).rows
    x, y = _he2010.broken(table, table.groupby("x").solve_time.min())
    assert np.isnan(x).tolist() == np.isnan(y).tolist() == [False, False, True, False]
    assert x[~np.isnan(x)].tolist() == [10.0, 48.0, 147.0]


def rounds_of(seconds, problems=1, rounds=1):
    """Return rounds of methods that each take the given time, on several problems."""
    rows = [
        dict(method=name, x=1.0, seed=seed, repeat=r, cardinality=5, total=t, value=t)
        for seed in range(problems)
        for r in range(rounds)
        for name, t in seconds.items()
    ]
    return pd.DataFrame(rows).assign(problem="p", stand_in=False)


@pytest.mark.parametrize("rounds", [1, 9])
def test_problems_decide_about_time_and_rounds_do_not(rounds):
    table = _he2010.ratios(rounds_of(dict(slow=9.0, fast=1.0), 3, rounds), "slow", "fast", "{:g}")
    assert set(table.value) == {9.0} and table.seed.nunique() == 3


def test_a_problem_counts_by_the_median_of_its_rounds():
    data = rounds_of(dict(slow=2.0, fast=1.0), problems=3, rounds=3)
    data.loc[(data["repeat"] == 2) & (data.method == "slow"), "total"] = 1000.0
    assert set(_he2010.ratios(data, "slow", "fast", "{:g}").value) == {2.0}
    alone = _he2010.ratios(data, "slow", "fast", "{:g}", **_he2010.ROUNDS)
    assert set(alone.value) == {2.0, 1000.0}


def test_equal_variances_are_a_tie_and_judged_no_further():
    data = rounds_of(dict(one=1.0, other=1.0 + 1e-9, more=1.01), problems=3)
    assert _he2010.quality(data, "one", "other").empty
    assert _he2010.quality(data, "more", "other").value.tolist() == [1.01] * 3


def test_a_bound_above_twice_the_best_value_is_not_drawn():
    table = pd.DataFrame(dict(k=[1.0, 2.0, 3.0], best=[1.0, 2.0, 2.0], bound=[1.0, 4.0, 4.1]))
    bound = _he2010.useful(Truth(table)).table.bound
    assert bound.isna().tolist() == [False, False, True]


@pytest.mark.parametrize("rounds", [1, 7])
def test_a_curve_of_times_is_the_median_over_problems_however_many_rounds_each_has(rounds):
    fast = [dict(x=1.0, group="g", seed=0, total=2.0 + i) for i in range(rounds)]
    slow = [dict(x=1.0, group="g", seed=seed, total=seed * 10.0) for seed in (1, 2)]
    middle, low, high = times(pd.DataFrame(fast + slow))
    assert (middle[1.0], low[1.0], high[1.0]) == (10.0, 6.0, 15.0)  # of 2, 10 and 20
    middle, low, high = times(pd.DataFrame(fast))
    assert middle[1.0] == 2.0 <= low[1.0] <= high[1.0] <= 1.0 + rounds + (rounds == 1)


def test_whole_runs_in_turns_give_processor_seconds_of_every_turn_at_every_k():
    problem = spcabench.load("random_sparse", m=40, n=40, density=0.3, seed=1)
    seconds = _he2010.in_turns(problem, seed=1, name="mcol", ks=[4, 8])
    assert {k: len(each) for k, each in seconds.items()} == dict.fromkeys(
        ("4", "8"), _he2010.ALIKE_ROUNDS
    )


def test_variances_are_of_converged_second_phases_and_of_a_refit():
    problem = spcabench.load("random_sparse", m=40, n=40, density=0.3, seed=1)
    found = _he2010.variances(problem, seed=1, k=8)
    for solver in _he2010.OURS:
        alone = spcabench.solve(problem, solver, k=found["cardinality"], random_state=1)
        assert found[solver] == alone.variance
    gpower = spcabench.solve(
        problem, "gpower0", k=8, random_state=1, refit=True, **arguments(_he2010.GPOWER)
    )
    assert np.isclose(found["gpower0"], gpower.variance, rtol=1e-3)


@pytest.mark.parametrize("load", [1.0, 4.0])
def test_seconds_of_a_busy_machine_do_not_decide(load):
    seconds = dict(gpower0=[2.0] * 3, scol=[1.0] * 3, mcol=[1.0] * 3, cardinality=20)
    common = dict(label="alike", dataset="random_sparse", settings=dict(k=20), load=load)
    common |= dict(stand_in=False, problem="p", form="sparse")
    rows = trial.table(
        [common | dict(seed=seed, extra=seconds, n=100, parameters={}) for seed in range(3)]
    )
    rounds = _he2010.trials(rows)
    busy = load > _he2010.QUIET
    assert {method.endswith(_he2010.BUSY) for method in rounds.method} == {busy}
    tables = [*_he2010.speeds(rounds.assign(x=20.0), "scol")]
    assert [set(table.value) for table in tables] == [{2.0}] * (not busy)


def test_a_loss_is_of_equal_cardinality_and_exact_if_the_methods_are_the_same():
    common = dict(repeat=0, stand_in=False, problem="p")
    sizes = [("scol", 100.0, seed, 100, 1.0) for seed in range(4)]
    shares = ((100, 0.97), (100, 0.96), (100, 0.95), (140, 0.5))
    sizes += [("mcol", 100.0, seed, k, share) for seed, (k, share) in enumerate(shares)]
    # c = 1 if s is at most ten
    sizes += [(method, 10.0, seed, 10, 1.0) for method in ("scol", "mcol") for seed in range(4)]
    rows = pd.DataFrame(sizes, columns=["method", "x", "seed", "cardinality", "value"])
    table = _he2010.losses(SimpleNamespace(rows=rows.assign(**common)))
    found = {
        label: (part.value.mean(), part.seed.count()) for label, part in table.groupby("label")
    }
    assert found == {"k = 10": (0.0, 0), "k = 100": (pytest.approx(4.0), 3)}
