"""Intervals have the stated coverage, and more replicates do not make false statements hold."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from spcabench.claims.intervals import (
    FEWEST,
    Measured,
    exact,
    geometric_mean,
    mean,
    share,
    slope,
)

TRIALS = 300
LEAST = 0.90  # of the intervals: at a level of 95 %, four standard errors less
NUMBERS = st.lists(st.floats(0.01, 1e6), min_size=3, max_size=30)
LEVELS = st.sampled_from([0.9, 0.95, 0.999])


def replicates(values, each=1):
    """Return a table with each value several times, as that of one problem."""
    seeds = np.repeat(range(len(values)), each)
    return pd.DataFrame({"value": np.repeat(values, each), "seed": seeds})


@settings(max_examples=30)
@given(NUMBERS, LEVELS, st.integers(1, 3))
def test_the_interval_of_a_mean_is_students_whatever_the_number_of_values_of_a_problem(
    values, level, each
):
    assume(np.ptp(np.log(values)) > 1e-3)
    for measure, of, back in ((mean, values, float), (geometric_mean, np.log(values), np.exp)):
        found = measure(replicates(values, each), "value", over="seed")
        expected = stats.ttest_1samp(of, 0.0).confidence_interval(level)
        assert (found.count, found.missing) == (len(values), 0)
        assert found.value == pytest.approx(back(np.mean(of)))
        ends = [back(end) for end in expected]
        assert found.interval(level) == pytest.approx(ends, rel=1e-6, abs=1e-6)


@settings(max_examples=30)
@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 2), LEVELS)
def test_a_share_is_that_of_clopper_and_pearson(hits, misses, lost, level):
    assume(hits + misses >= max(FEWEST, 9 * lost))  # a tenth of the problems may be missing
    table = replicates([1.0] * hits + [0.0] * misses + [np.nan] * lost)
    expected = stats.binomtest(hits, hits + misses).proportion_ci(level, method="exact")
    ends = share(table, "value", over="seed").interval(level)
    assert ends == pytest.approx(tuple(expected), abs=1e-12)


@pytest.mark.parametrize(
    ("truth", "draw"),
    [
        # a probability for each problem that has a beta distribution
        (0.97, lambda rng, size: rng.random((*size, 12)) < rng.beta(1.94, 0.06, (*size, 1))),
        # the same answer at all places of a problem
        (0.9, lambda rng, size: np.repeat(rng.random((*size, 1)) < 0.9, 20, axis=2)),
    ],
)
def test_intervals_of_shares_cover_the_truth(truth, draw):
    values = draw(np.random.default_rng(3), (TRIALS, FEWEST))
    seed = np.repeat(range(FEWEST), values.shape[2])
    tables = (pd.DataFrame({"value": trial.ravel(), "seed": seed}) for trial in values)
    ends = np.array([share(table, "value", over="seed").interval() for table in tables])
    assert np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1])) >= LEAST


@settings(max_examples=30)
@given(st.floats(0.01, 1e6), st.integers(FEWEST, 30), st.floats(0, 1e-12))
def test_equal_values_decide_nothing(value, count, rounding):
    table = replicates(value * (1 + rounding * np.arange(count)))
    for measure in (mean, geometric_mean):
        found = measure(table, "value", over="seed")
        assert found.without_spread and found.interval() == (-np.inf, np.inf)


@pytest.mark.parametrize("measure", [mean, geometric_mean, share])
def test_fewer_than_three_replicates_decide_nothing(measure):
    for count in range(FEWEST):
        found = measure(replicates([0.5] * count, each=4), "value", over="seed")
        assert found.kind == "too few" and found.interval() == (-np.inf, np.inf)


@pytest.mark.parametrize("unusable", [np.nan, np.inf, 0.0, -5.0])
def test_a_replicate_with_an_unusable_value_is_counted_and_above_a_tenth_nothing_is_decided(
    unusable,
):
    measures = [geometric_mean] if unusable in (0, -5) else [geometric_mean, mean, share]
    for measure in measures:
        for count, lost in ((20, 2), (20, 3), (10, 7), (4, 1), (3, 3)):
            values = [0.9, 0.92, 0.91, *[0.9] * (count - 3)]
            table = replicates(values, each=2)
            table.loc[table.seed.ge(count - lost) & ~table.seed.duplicated(), "value"] = unusable
            found = measure(table, "value", over="seed")
            assert (found.count, found.missing) == (count - lost, lost)
            assert np.isfinite(found.interval()).all() == (lost <= 0.1 * count)


@pytest.mark.parametrize(
    ("missed", "kind", "known"),
    [
        ([0, 1, 0], "at least", [True, False]),
        ([-1, 0, -1], "at most", [False, True]),
        ([1, -1, 0], "exact", [False, False]),
        ([0, 0, 0], "geometric mean", [True, True]),
    ],
)
def test_a_run_that_hit_its_limit_opens_one_end(missed, kind, known):
    table = replicates([2.0, 3.0, 4.0]).assign(missed=missed)
    found = geometric_mean(table, "value", over="seed", missed="missed")
    assert found.kind == kind
    assert np.isfinite(found.interval()).tolist() == known


def test_an_exact_number_has_no_interval():
    assert exact(3).interval() == exact(3).interval(0.999) == (3.0, 3.0)
    assert Measured(np.nan).interval() == (-np.inf, np.inf)


@settings(max_examples=30)
@given(st.floats(-3, 3))
def test_a_slope_is_the_exponent(power):
    x = pd.Series([1.0, 2, 4, 8])
    assert slope(x, 3 * x**power) == pytest.approx(power)
