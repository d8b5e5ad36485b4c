"""What the figures of Zhang and El Ghaoui compute themselves.

Runs that missed the gap, problems with other cardinalities, stand-in corpora, and long runs.
"""

from types import SimpleNamespace

import pandas as pd
import pytest

from spcabench.figures import zhang2011_fig1
from spcabench.figures._zhang2011 import growth, speedups, timed

GOAL = dict(tol=1e-2, time_limit=60.0)


def _runs(solver, seconds, gap=9e-3, samples=1.0, **columns):
    """Yield the same run on three problems."""
    for seed in (200, 201, 202):
        run = dict(dataset="gaussian", solver=solver, n=100, seed=seed, repeat=0, label="time")
        run |= dict(stand_in=False, problem="gaussian 100 x 100", cpu_time=seconds, row="")
        times = dict(solve_time=seconds, setup_time=0.0, samples=samples)
        yield run | times | dict(relaxation_gap=gap, settings=GOAL) | columns


def _compared(*runs):
    """Return the ratios and the bounds of the comparison of DSPCA with each other method."""
    pairs = speedups(timed(pd.DataFrame([run for part in runs for run in part])))
    return {method: ([*of.ratio], [*of.missed]) for method, of in pairs.groupby("method")}


def test_a_run_that_missed_the_gap_counts_with_its_limit_and_is_a_bound():
    fast, stalled = _runs("bca", 2.0), _runs("bca_continuation", 1.0, gap=2e-2)
    ratios = _compared(_runs("dspca", 61.0, gap=0.3), fast, stalled)
    # neither DSPCA nor the stalled method reached the gap
    assert ratios == {"bca": ([30.5] * 3, [1] * 3)}
    ratios = _compared(_runs("dspca", 2.0), _runs("bca", 1.0, gap=2e-2))
    assert ratios == {"bca": ([2.0 / 60.0] * 3, [-1] * 3)}


def test_a_ratio_is_unknown_where_both_methods_hit_their_limit_on_some_problem():
    rows = pd.DataFrame([*_runs("dspca", 2.0), *_runs("bca", 3.0)])
    missed = (rows.solver.eq("dspca") & rows.seed.eq(200)) | (
        rows.solver.eq("bca") & rows.seed.eq(201)
    )
    rows = timed(rows.assign(relaxation_gap=rows.relaxation_gap.mask(missed, 0.3)))
    judged = zhang2011_fig1.Z1.judge(SimpleNamespace(speedups=speedups(rows)))
    ((place,),) = (reading["places"] for reading in judged["readings"])
    assert place["label"] == "Gaussian, n = 100" and place["value"] is None


def test_rounds_are_reduced_to_their_median_before_problems_are_counted():
    rows = [
        run | dict(repeat=repeat)
        for method, times in (("dspca", (6.0, 8.0, 90.0)), ("bca", (2.0, 2.0, 2.0)))
        for repeat, seconds in enumerate(times)
        for run in _runs(method, seconds)
    ]
    assert _compared(rows) == {"bca": ([4.0] * 3, [0] * 3)}


def test_sweeps_of_a_run_that_missed_the_gap_are_a_lower_bound():
    rows = timed(pd.DataFrame(_runs("bca", 61.0, gap=0.3, iterations=30, flops=1.0)))
    words = pd.DataFrame(columns=["size", "sweeps", "power", "missed", "corpus"])
    data = SimpleNamespace(timed=rows, words=words.assign(stand_in=[], problem=[]))
    (reading,) = zhang2011_fig1.Z4.judge(data)["readings"]
    place = reading["places"][0]
    assert (place["value"], place["kind"]) == (pytest.approx(30.0), "at least")


def test_the_exponent_is_that_of_a_sweep_over_problems():
    rows = [
        run | dict(n=n, iterations=n / 10, flops=n**4)
        for n in (50, 100, 200)
        for run in _runs("bca", 1.0)
    ]
    gaussian, spiked = growth(timed(pd.DataFrame(rows)))
    assert gaussian.value.to_numpy() == pytest.approx(3.0) and gaussian.seed.nunique() == 3
    assert spiked.empty


def test_what_was_not_timed_is_left_out():
    table = pd.DataFrame([*_runs("bca", 2.0), *_runs("bca", 9.0, samples=None)])
    assert set(timed(table).total) == {2.0}


def test_long_runs_replace_those_at_the_limit_once_both_methods_have_one():
    limited = [*_runs("bca", 61.0, gap=0.3), *_runs("dspca", 20.0)]
    long = dict(label="long", settings=GOAL | dict(time_limit=28_800.0), cpu_time=300.0)
    made = {name: next(_runs(name, 500.0)) | long for name in ("bca", "dspca")}
    for runs in ([made["bca"]], [*made.values()]):
        rows = timed(pd.DataFrame([*limited, *runs]))
        assert len(rows) == 6 and set(rows.label) == {"time"}
        assert rows.long.sum() == (2 if len(runs) == 2 else 0)
    results = rows.set_index(["method", "seed"])
    # processor seconds, because the clock also ran while it waited
    assert results.total["bca", 200] == 300.0 and not results.missed["bca", 200]
    assert results.missed["bca", 201] and results.total["bca", 201] == 61.0
