"""What the figures of Zhang and El Ghaoui compute themselves.

Runs that missed the gap, long runs, coherence of words, and the example of elimination.
"""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from spcabench import api
from spcabench.figures import _zhang2011_safe as safe
from spcabench.figures import zhang2011_fig2
from spcabench.figures._zhang2011 import speedups, tight, timed, to_a_gap
from spcabench.figures._zhang2011_text import npmi, npmi_rank

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


def test_rounds_are_reduced_to_their_median_before_problems_are_counted():
    rows = [
        run | dict(repeat=repeat)
        for method, times in (("dspca", (6.0, 8.0, 90.0)), ("bca", (2.0, 2.0, 2.0)))
        for repeat, seconds in enumerate(times)
        for run in _runs(method, seconds)
    ]
    assert _compared(rows) == {"bca": ([4.0] * 3, [0] * 3)}


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


@pytest.mark.parametrize(("missed", "bound"), [((0, 0), 0), ((1, 0), 1), ((0, 1), -1)])
def test_a_tighter_gap_compares_seconds_and_marks_bounds(missed, bound):
    extra = {"seconds dspca": 6.0, "seconds bca": 2.0, "seconds bca loose": 1.0}
    extra |= {"missed dspca": missed[0], "missed bca": missed[1], "missed bca loose": missed[1]}
    table = tight(pd.DataFrame([dict(label="tight", n=50, extra=extra), dict(label="time")]))
    assert table.ratio.tolist() == [3.0, 6.0] and table.missed.tolist() == [bound] * 2


@pytest.mark.parametrize("lam", [1.0, 3.0])
def test_no_method_misses_a_gap_on_a_small_problem(lam):
    problem = api.load("gaussian", m=10, n=10, seed=200).given_as("covariance")
    found = to_a_gap(problem, seed=0, lam=lam, tol=1e-3)
    for method in ("dspca", "bca", "bca loose"):
        assert found[f"seconds {method}"] > 0.0 and found[f"missed {method}"] == 0.0


def test_a_fit_tells_an_exponential_from_a_power_law():
    ranks = np.arange(1.0, 3001.0)
    for variances, best in ((np.exp(-ranks / 300), 0), (ranks**-1.5, 1)):
        fits = zhang2011_fig2.fits(variances)
        assert fits[best] == pytest.approx(1.0) and fits[1 - best] < 0.95


def test_words_that_occur_together_are_coherent_and_independent_words_are_not():
    together = np.kron(np.eye(2), np.ones((2, 2)))
    P = 0.25 + 0.25 * together  # words 0 and 1 always occur together, also 2 and 3
    assert [npmi(P, W) for W in ([0, 1], [0, 2])] == pytest.approx([1.0, 0.0])
    assert npmi(P, [0, 1, 2]) == pytest.approx(1 / 3) and npmi(P * together, [0, 2]) == -1.0
    # sixty words of equal frequency, of which only the first four occur together
    P = np.full((60, 60), 0.01)
    P[:4, :4] = 0.08
    np.fill_diagonal(P, 0.1)
    presence = SimpleNamespace(matrix=SimpleNamespace(S=P), features=[*map(str, range(60))])
    coherence, rank = npmi_rank(presence, [*"0123"], seed=0)
    assert coherence == pytest.approx(np.log(8) / -np.log(0.08)) and rank == 1.0
    assert npmi_rank(presence, ["9", "19", "29"], seed=0)[1] < 0.5


def test_elimination_keeps_the_optimum_of_the_l0_problem_and_lowers_the_relaxation():
    S = np.array([[10.0, 3.0], [3.0, 1.0]])  # the example of Z9b, lambda = 2
    assert safe._penalised(S, 2.0) == safe._penalised(S[:1, :1], 2.0) == 8.0
    value, bound = safe._relaxation(S, 2.0)
    assert value == pytest.approx(bound, abs=1e-6) and value == pytest.approx(8.11, abs=0.005)
    assert safe._relaxation(S[:1, :1], 2.0) == pytest.approx((8.0, 8.0), abs=1e-6)
    assert safe._strongest(S, np.array([False, True])) == 3.0
    extra = dict(removed=1, l0=[8.0, 8.0], l1=[value, bound, 8.0, 8.0], unit=10.0)
    (row,) = safe.instances(pd.DataFrame([dict(label="instance", extra=extra)])).itertuples()
    assert (row.removed, row.change) == (1, 0.0) and row.fall == pytest.approx(0.011, abs=5e-4)
