"""What the figures of He, Monteiro and Park (2010) compute themselves."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import spcabench
from spcabench.figures import _he2010, _he2010_pictures
from spcabench.figures._times import times
from spcabench.solving.call import arguments
from tests import trial


def answered(asked, reached, seed=0, **extra):
    """Return a row of `answers` that reached another cardinality than the requested one."""
    row = dict(label=_he2010.ANSWERS, seed=seed, settings=dict(k=asked), n=1000, parameters={})
    return (
        row
        | dict(dataset="random_sparse", stand_in=False, problem="p")
        | dict(extra=dict(cardinality=reached, **extra))
    )


def test_a_cardinality_is_drawn_at_the_median_that_its_searches_reached():
    rows = [answered(25, reached, seed) for seed, reached in enumerate((23, 25, 24))]
    table = _he2010.by_cardinality(trial.table([*rows, answered(5, 5)])).rows
    assert table.x.tolist() == [24.0, 24.0, 24.0, 5.0]
    assert _he2010_pictures.missed(table).tolist() == [True, False, True, False]


def test_no_line_crosses_what_a_search_did_not_reach():
    pairs = ((10, 10), (100, 48), (150, 147))
    rows = [answered(asked, reached, value=1.0) for asked, reached in pairs]
    table = _he2010.by_cardinality(trial.table(rows)).rows
    x, y = _he2010_pictures.broken(table, table.groupby("x").value.min())
    assert np.isnan(x).tolist() == np.isnan(y).tolist() == [False, False, True, False]
    assert x[~np.isnan(x)].tolist() == [10.0, 48.0, 147.0]


def rounds_of(seconds, problems=1, rounds=1):
    """Return rounds of solvers that each take the given time, on several problems."""
    rows = [
        dict(x=1.0, seed=seed, repeat=r, cardinality=5) | seconds
        for seed in range(problems)
        for r in range(rounds)
    ]
    return pd.DataFrame(rows).assign(problem="p", stand_in=False)


@pytest.mark.parametrize("rounds", [1, 9])
def test_problems_decide_about_time_and_rounds_do_not(rounds):
    table = _he2010.ratios(rounds_of(dict(slow=9.0, fast=1.0), 3, rounds), "slow", "fast", "{:g}")
    assert set(table.value) == {9.0} and table.seed.nunique() == 3


def test_a_problem_counts_by_the_median_of_its_rounds():
    data = rounds_of(dict(slow=2.0, fast=1.0), problems=3, rounds=3)
    data.loc[data["repeat"] == 2, "slow"] = 1000.0
    assert set(_he2010.ratios(data, "slow", "fast", "{:g}").value) == {2.0}
    alone = _he2010.ratios(data, "slow", "fast", "{:g}", alone=True)
    assert set(alone.value) == {2.0, 1000.0}


def test_equal_variances_are_a_tie_and_judged_no_further():
    data = rounds_of({"variance gpower0": 1.0, "variance scol": 1.0 + 1e-9, "variance mcol": 1.01})
    assert _he2010.quality(data, "scol").empty
    assert _he2010.quality(data, "mcol").value.tolist() == [1.01]


@pytest.mark.parametrize("rounds", [1, 7])
def test_a_curve_of_times_is_the_median_over_problems_however_many_rounds_each_has(rounds):
    fast = [dict(x=1.0, group="g", seed=0, total=2.0 + i) for i in range(rounds)]
    slow = [dict(x=1.0, group="g", seed=seed, total=seed * 10.0) for seed in (1, 2)]
    middle, low, high = times(pd.DataFrame(fast + slow))
    assert (middle[1.0], low[1.0], high[1.0]) == (10.0, 6.0, 15.0)  # of 2, 10 and 20
    middle, low, high = times(pd.DataFrame(fast))
    assert middle[1.0] == 2.0 <= low[1.0] <= high[1.0] <= 1.0 + rounds + (rounds == 1)


def test_answers_are_those_of_converged_second_phases_and_of_a_refit():
    problem = spcabench.load("random_sparse", m=40, n=40, density=0.3, seed=1)
    found = _he2010.answers(problem, seed=1, k=8)
    assert found == _he2010.answers(problem, seed=1, k=0.2)
    for solver in _he2010.OURS:
        alone = spcabench.solve(problem, solver, k=found["cardinality"], random_state=1)
        assert found[f"variance {solver}"] == alone.variance
        # a looser second phase takes at most as many flops
        assert found[f"flops {solver}"] <= found[f"flops {solver} converged"]
    gpower = spcabench.solve(
        problem, "gpower0", k=8, random_state=1, refit=True, **arguments(_he2010.GPOWER)
    )
    assert np.isclose(found["variance gpower0"], gpower.variance, rtol=1e-3)


def timed_rows(load, **extra):
    seconds = dict(gpower0=[2.0] * 3, scol=[1.0] * 3, mcol=[1.0] * 3, cardinality=20) | extra
    common = answered(20, 20) | dict(label=_he2010.TIMES, load=load, extra=seconds)
    return trial.table([common | dict(seed=seed) for seed in range(3)])


def test_seconds_of_a_busy_machine_do_not_decide():
    assert len(_he2010.rows_of(timed_rows(1.0), lambda rows: rows.n)) == 9
    assert _he2010.rows_of(timed_rows(4.0), lambda rows: []).empty


def test_flops_on_sparse_data_decide_until_there_are_times():
    counted = [answered(20, 20, s, **{"flops gpower0 sparse": 6, "flops mcol": 2}) for s in (0, 1)]
    both = pd.concat([timed_rows(1.0), trial.table(counted)], ignore_index=True)
    tables = [*_he2010.speeds(_he2010.rows_of(both, lambda rows: rows.n), "mcol")]
    assert [set(table.value) for table in tables] == [{2.0}, {3.0}]
    timed = timed_rows(1.0, **{"gpower0 sparse": [5.0] * 3})
    both = pd.concat([timed, trial.table(counted)], ignore_index=True)
    tables = [*_he2010.speeds(_he2010.rows_of(both, lambda rows: rows.n), "mcol")]
    assert [set(table.value) for table in tables] == [{2.0}, {5.0}]


def test_a_loss_is_of_equal_cardinality_and_exact_if_the_methods_are_the_same():
    rows = [(100.0, seed, 100, share) for seed, share in enumerate((0.97, 0.96, 0.95))]
    # c = 1 if s is at most ten
    rows += [(10.0, seed, 10, 1.0) for seed in range(4)]
    rows = pd.DataFrame(rows, columns=["x", "seed", "cardinality", "variance mcol"])
    levels = {f"variance mcol{c}": 1.0 for c in _he2010.SMALLER}
    rows = rows.assign(repeat=0, stand_in=False, problem="p", **{"variance scol": 1.0}, **levels)
    table = _he2010.losses(SimpleNamespace(rows=rows))
    found = {
        label: (part.value.mean(), part.seed.count()) for label, part in table.groupby("label")
    }
    assert found == {"p = 10": (0.0, 0), "p = 100": (pytest.approx(4.0), 3)}
