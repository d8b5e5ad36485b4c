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
LEAST = 0.905  # of the intervals: at a level of 95 %, four standard errors less
NUMBERS = st.lists(st.floats(0.01, 1e6), min_size=3, max_size=30)


def ratios(spread, within=0.0, draws=1):
    """Draw ratios whose logarithms vary over problems and, within a problem, over its draws."""
    return lambda rng, size: np.exp(
        spread * rng.standard_normal((*size, 1)) + within * rng.standard_normal((*size, draws))
    )


def shares(a, b, draws):
    """Draw yes or no, with a probability for each problem that has a beta distribution."""
    return lambda rng, size: rng.random((*size, draws)) < rng.beta(a, b, (*size, 1))


def agreeing(rng, size):
    """Draw the same yes or no twenty times for each problem."""
    return np.repeat(rng.random((*size, 1)) < 0.9, 20, axis=2)


# measure, true value, and how the values of (trials, problems, draws) are drawn; spreads are those
# of the published rows
DESIGNS = {
    "ratios": (geometric_mean, 1.0, ratios(0.3)),
    "six draws": (geometric_mean, 1.0, ratios(0.5, 1.0, 6)),
    "normal": (mean, 4.0, lambda rng, size: 4.0 + rng.standard_normal((*size, 1))),
    "yes in 0.9": (share, 0.9, lambda rng, size: rng.random((*size, 1)) < 0.9),
    **{
        f"beta {a} {b}": (share, a / (a + b), shares(a, b, 12))
        for a, b in ((5, 5), (1, 4), (1.94, 0.06))
    },
    "all draws of a problem agree": (share, 0.9, agreeing),
}


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("design", DESIGNS)
def test_intervals_cover_the_truth(design, count):
    measure, truth, draw = DESIGNS[design]
    values = draw(np.random.default_rng([count, *design.encode()]), (TRIALS, count))
    seed = np.repeat(range(count), values.shape[2])
    tables = (pd.DataFrame({"value": trial.ravel(), "seed": seed}) for trial in values)
    ends = np.array([measure(table, "value", over="seed").interval() for table in tables])
    assert np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1])) >= LEAST


@given(st.floats(0.01, 1e6), st.integers(FEWEST, 30), st.floats(0, 1e-12))
def test_equal_values_decide_nothing(value, count, rounding):
    values = value * (1 + rounding * np.arange(count))
    table = pd.DataFrame({"value": values, "seed": range(count)})
    for measure in (mean, geometric_mean):
        measured = measure(table, "value", over="seed")
        assert measured.without_spread and measured.interval() == (-np.inf, np.inf)


@given(NUMBERS, st.integers(2, 5))
def test_values_of_one_replicate_never_pass_for_more(values, times):
    single = pd.DataFrame({"value": values, "seed": range(len(values))})
    again = pd.concat([single] * times, ignore_index=True)
    for measure in (mean, geometric_mean):
        measured, repeated = (measure(table, "value", over="seed") for table in (single, again))
        assert repeated.count == measured.count == len(values)
        assert repeated.interval() == pytest.approx(measured.interval(), rel=1e-6, abs=1e-6)


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


def test_a_slope_is_the_exponent():
    x = pd.Series([1.0, 2, 4, 8])
    assert slope(x, 3 * x**1.7) == pytest.approx(1.7)
