"""Intervals have the stated coverage, and more replicates do not make false statements hold."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcabench.claims.intervals import (
    FEWEST,
    Measured,
    exact,
    geometric_mean,
    mean,
    share,
    slope,
)
from tests.problems import some

COUNTS = some(2, (3, 5, 6, 10))  # problems
TRIALS = 400
LEAST = 0.92  # of the intervals that are to cover the truth, at a level of 95 %
SPREADS = (0.02, 0.3, 0.8)  # of log ratios over problems, as in the published rows
NUMBERS = st.lists(st.floats(0.01, 1e6), min_size=3, max_size=30)


def covered(measure, tables, truth):
    """Return the fraction of the tables whose interval contains the true value."""
    ends = np.array([measure(table).interval() for table in tables])
    return np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1]))


def tables(values):
    """Yield one table per trial of values (trials, problems, draws); each problem has several
    draws.
    """
    _, problems, draws = values.shape
    seed = np.repeat(np.arange(problems), draws)
    return [pd.DataFrame({"value": trial.ravel(), "seed": seed}) for trial in values]


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("spread", SPREADS)
def test_ratios_over_problems_are_covered(count, spread):
    rng = np.random.default_rng([count, int(100 * spread)])
    values = np.exp(np.log(5.0) + spread * rng.standard_normal((TRIALS, count, 1)))
    coverage = covered(lambda t: geometric_mean(t, "value", over="seed"), tables(values), 5.0)
    assert coverage >= LEAST


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("within", [0.1, 1.0])
def test_pooled_designs_are_covered(count, within):
    """Each problem has its own effect and six cardinalities or rounds."""
    rng = np.random.default_rng([count, int(10 * within)])
    effect = 0.5 * rng.standard_normal((TRIALS, count, 1))
    values = np.exp(effect + within * rng.standard_normal((TRIALS, count, 6)))
    coverage = covered(lambda t: geometric_mean(t, "value", over="seed"), tables(values), 1.0)
    assert coverage >= LEAST


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("skewed", [False, True])
def test_differences_over_problems_are_covered(count, skewed):
    rng = np.random.default_rng([count, skewed])
    size = (TRIALS, count, 1)
    values = rng.gamma(8.0, 0.5, size) if skewed else 4.0 + rng.standard_normal(size)
    coverage = covered(lambda t: mean(t, "value", over="seed"), tables(values), 4.0)
    assert coverage >= LEAST


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("truth", [0.05, 0.3, 0.5, 0.9])
def test_shares_of_yes_and_no_are_covered(count, truth):
    rng = np.random.default_rng([count, int(100 * truth)])
    values = rng.random((TRIALS, count, 1)) < truth
    assert covered(lambda t: share(t, "value", over="seed"), tables(values), truth) >= LEAST


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(("a", "b"), [(5, 5), (2, 2), (9, 3), (1, 4)])
def test_shares_of_several_draws_a_problem_are_covered(count, a, b):
    rng = np.random.default_rng([count, a, b])
    of_problem = rng.beta(a, b, size=(TRIALS, count, 1))
    values = rng.random((TRIALS, count, 12)) < of_problem
    assert covered(lambda t: share(t, "value", over="seed"), tables(values), a / (a + b)) >= LEAST


@pytest.mark.parametrize("count", [*COUNTS, 50])
def test_shares_are_covered_if_all_draws_of_a_problem_agree(count, truth=0.9):
    rng = np.random.default_rng(count)
    values = np.repeat(rng.random((TRIALS, count, 1)) < truth, 20, axis=2)
    assert covered(lambda t: share(t, "value", over="seed"), tables(values), truth) >= LEAST


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(("a", "b"), [(0.9, 0.1), (1.94, 0.06)])
def test_shares_of_problems_that_differ_much_are_covered(count, a, b):
    rng = np.random.default_rng([count, int(100 * a), int(100 * b)])
    values = rng.random((TRIALS, count, 20)) < rng.beta(a, b, size=(TRIALS, count, 1))
    assert covered(lambda t: share(t, "value", over="seed"), tables(values), a / (a + b)) >= LEAST


@pytest.mark.parametrize(
    "count", some(2, (3, 5, 6))
)  # with 10 the value 12 has often not been seen
def test_counts_that_often_agree_are_covered(count):
    rng = np.random.default_rng(count)
    values = rng.choice([6.0, 7.0], (TRIALS, count, 1), p=[0.8, 0.2])
    assert covered(lambda t: mean(t, "value", over="seed"), tables(values), 6.2) >= LEAST


@given(st.floats(0.01, 1e6), st.integers(FEWEST, 30), st.floats(0, 1e-12))
def test_equal_values_decide_nothing(value, count, rounding):
    values = value * (1 + rounding * np.arange(count))
    table = pd.DataFrame({"value": values, "seed": range(count)})
    for measure in (mean, geometric_mean):
        measured = measure(table, "value", over="seed")
        assert measured.without_spread and measured.interval() == (-np.inf, np.inf)


@given(NUMBERS)
def test_an_interval_brackets_its_value_and_grows_with_the_level(values):
    table = pd.DataFrame({"value": values, "seed": range(len(values))})
    for measure in (mean, geometric_mean):
        measured = measure(table, "value", over="seed")
        low, high = measured.interval()
        wide_low, wide_high = measured.interval(0.99)
        slack = 1e-9 * max(values)
        assert min(values) - slack <= measured.value <= max(values) + slack
        assert wide_low - slack <= low <= measured.value + slack
        assert measured.value - slack <= high <= wide_high + slack


@given(NUMBERS, st.integers(2, 5))
def test_values_of_one_replicate_never_pass_for_more(values, times):
    single = pd.DataFrame({"value": values, "seed": range(len(values))})
    again = pd.concat([single] * times, ignore_index=True)
    for measure in (mean, geometric_mean):
        measured, repeated = (measure(table, "value", over="seed") for table in (single, again))
        assert repeated.count == measured.count == len(values)
        assert repeated.interval() == pytest.approx(measured.interval(), rel=1e-6, abs=1e-6)


@given(NUMBERS, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_no_interval(values, random):
    ordered = pd.DataFrame({"value": values, "seed": range(len(values))})
    places = list(range(len(values)))
    random.shuffle(places)
    measured, other = (mean(t, "value", over="seed") for t in (ordered, ordered.iloc[places]))
    assert measured.interval() == pytest.approx(other.interval())


@pytest.mark.parametrize("measure", [mean, geometric_mean, share])
def test_fewer_than_three_replicates_decide_nothing(measure):
    for count in range(FEWEST):
        table = pd.DataFrame({"value": [0.5] * 4 * count, "seed": [*range(count)] * 4})
        measured = measure(table, "value", over="seed")
        assert measured.kind == "too few" and measured.interval() == (-np.inf, np.inf)


@pytest.mark.parametrize("unusable", [np.nan, np.inf, 0.0, -5.0])
@pytest.mark.parametrize(("count", "lost"), [(20, 2), (20, 3), (10, 7), (4, 1), (3, 3)])
def test_a_replicate_without_a_usable_value_is_counted(unusable, count, lost):
    values = [0.9, 0.92, 0.91, *[0.9] * (count - 3)]
    table = pd.DataFrame({"value": values[lost:] + [unusable] * lost, "seed": range(count)})
    measures = [geometric_mean] if unusable in (0, -5) else [geometric_mean, mean, share]
    for measure in measures:
        measured = measure(table, "value", over="seed")
        assert (measured.count, measured.missing) == (count - lost, lost)
        if lost > 0.1 * count:
            assert measured.interval() == (-np.inf, np.inf)


def test_a_replicate_with_one_unusable_value_is_missing():
    table = pd.DataFrame({"value": [1.0, 2, 3, 4, 5, np.nan], "seed": [0, 0, 1, 1, 2, 2]})
    assert (mean(table, "value", "seed").count, mean(table, "value", "seed").missing) == (2, 1)


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
    table = pd.DataFrame({"value": [2.0, 3, 4], "seed": range(3), "missed": missed})
    measured = geometric_mean(table, "value", over="seed", missed="missed")
    assert measured.kind == kind
    assert np.isfinite(measured.interval()).tolist() == known


def test_an_exact_number_has_no_interval():
    assert exact(3).interval() == exact(3).interval(0.999) == (3.0, 3.0)
    assert Measured(np.nan).interval() == (-np.inf, np.inf)


@pytest.mark.parametrize(("hits", "count"), [(0, 3), (3, 3), (5, 10)])
def test_a_share_is_that_of_clopper_and_pearson(hits, count):
    from scipy.stats import binomtest

    table = pd.DataFrame({"value": [True] * hits + [False] * (count - hits), "seed": range(count)})
    expected = binomtest(hits, count).proportion_ci(method="exact")
    assert share(table, "value", over="seed").interval() == pytest.approx(tuple(expected))


def test_problems_that_agree_have_an_interval_of_some_width():
    table = pd.DataFrame({"value": [True] * 30, "seed": [*range(6)] * 5})
    low, high = share(table, "value", over="seed").interval()
    assert 0.5 < low < 1.0 and high == 1.0


def test_a_slope_is_the_exponent():
    x = pd.Series([1.0, 2, 4, 8])
    assert slope(x, 3 * x**1.7) == pytest.approx(1.7)
