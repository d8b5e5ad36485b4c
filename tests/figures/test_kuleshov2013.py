"""What the figures of Kuleshov (2013) compute themselves, and the causes they report."""

import numpy as np
import pandas as pd
import pytest

from spcabench import api
from spcabench.claims import banded, exact
from spcabench.figures import _kuleshov2013 as base
from spcabench.figures import _kuleshov2013_causes as causes
from spcabench.figures.kuleshov2013_fig2 import restarts
from spcabench.figures.kuleshov2013_table1 import order
from tests import controls


@pytest.mark.parametrize("k", [1, 4, 12])
def test_the_formula_for_a_given_sigma_is_what_such_a_run_is_charged(k):
    problem = api.load("gaussian", m=20, n=30, seed=3).given_as("covariance")
    result = api.solve(problem, "grqi", k=k)
    formula = base.flops_of_grqi(problem.n, k, result.iterations)
    assert result.iterations > 0 and result.flops == formula


def test_at_the_scale_of_the_paper_every_band_has_three_sparsities():
    _, _, sparsities, *_ = base.sizes("paper")
    table = pd.DataFrame(dict(sparsity=sparsities))
    bands = banded(table, "sparsity", base.WIDE_EDGES, lambda rows: exact(len(rows)))
    assert len(bands) == 8 and min(place.measured.value for place in bands) >= 3
    assert (np.diff(sparsities) > 0).all()


def test_a_search_comes_near_k_no_later_than_to_it():
    problem = api.load("gaussian", m=30, n=30, seed=0)
    searches = restarts(problem, seed=0, penalty="gpower1", ks=[3, 8])
    assert searches["k"] == [3, 8]
    assert all(
        1 <= near <= exact for near, exact in zip(searches["near"], searches["exact"], strict=True)
    )


def both(**columns):
    """Pairs of GPower1 and GRQI."""
    return pd.DataFrame(dict(penalty="gpower1", seed=[0, 1, 2], sparsity=0.005) | columns)


def test_the_growth_of_flops_is_from_the_lowest_to_the_highest_band():
    low, high = both(flops_g=1.0, flops_p=10.0), both(flops_g=2000.0, flops_p=30.0, sparsity=0.18)
    text = causes.grown(pd.concat([low, high]), "gpower1")
    assert "GRQI grow by a factor of 2,000" in text and "GPower1 by 3." in text
    assert text.startswith("From 0-1 % to 15-20 % of nonzeros")
    assert causes.grown(low, "gpower1") == ""


def test_searches_that_miss_are_counted_apart():
    runs = pd.DataFrame(dict(k=[5, 5, 5, 5], cardinality=[5, 5, 5, 4], search_runs=[3, 4, 5, 20]))
    text = causes.long_searches(runs)
    assert "In 25 % of the" in text and "20 runs (median)" in text and "after 4" in text
    assert causes.long_searches(runs[:3]) == ""


def test_answers_that_agree_are_counted():
    pairs = both(variance_refit_g=[1.0, 2.0, 3.0], variance_refit_p=[1.0, 2.0, 3.3])
    text = causes.same_answer(pairs)
    assert "at 2 of 3 sparsities" in text and "by 0 % in the median" in text


def test_differences_of_rounding_are_none():
    pairs = both(variance_g=1.0, variance_p=[1 + 1e-13, 0.9, 1.2])
    assert base.apart(pairs).tolist() == [0.0, -10.0, 20.0]
    assert causes.sides(pairs, "") == (
        "GPower explains less than GRQI in 1 and more in 1 of 3 pairs."
    )


def test_iterations_and_sides_before_and_after_a_refit_are_said():
    text = causes.slower(pd.Series([4, 4, 19]), pd.Series([0.01, 0.01, 0.5]))
    assert "from 4 at a sparsity of 1 % to 19 at 50 %" in text
    pairs = both(variance_g=1.0, variance_p=0.95, variance_refit_g=1.0, variance_refit_p=1.04)
    text = causes.turned(pairs)
    assert "explains 5 % less than GRQI" in text and "after a refit 4 % more" in text
    assert causes.turned(pairs.assign(variance_p=1.01)) == ""


def test_what_a_small_J_loses_and_what_a_solve_costs_are_said():
    small = both(J=[1, 1, 5], variance_refit_g=1.0, variance_refit_p=[1.1, 1.1, 1.02])
    text = causes.refitted(small, "GPower1")
    assert "GPower1 explains 10 % more at J = 1 and 2 % more at J = 5" in text
    pairs = both(cardinality_p=10, flops_p=2400.0)
    assert "takes 0.5 times the flops of a run of GPower1" in causes.one_solve(pairs, "GPower1")


def test_the_order_of_one_seed_needs_three_steps():
    assert order([np.array([0.1, 1e-3, 1e-9])]) == pytest.approx(3.0)
    assert np.isnan(order([np.array([0.1, 1e-3])]))


def test_gpower0_refitted_is_gpower0_as_returned_and_is_listed_once():
    rows = list(controls.of("kuleshov2013_fig3")["K7"](1.0))
    judged = controls.judged("kuleshov2013_fig3", rows, "K7")["readings"]
    same = {reading["name"]: reading["same"] for reading in judged}
    assert "GPower0, refitted" not in same
    assert "GPower0, refitted" in [name for names in same.values() for name in names]


def test_pairs_of_few_nonzeros_do_not_count_as_jumps():
    rows = list(controls.of("kuleshov2013_fig2")["K11"](1))
    few = [row | dict(cardinality=row["cardinality"] // 10) for row in rows]
    assert controls.verdict("kuleshov2013_fig2", rows, "K11") == "holds"
    assert controls.verdict("kuleshov2013_fig2", few, "K11") == "fails"


def test_one_k_at_which_the_variances_agree_makes_no_more_variance():
    rows = list(controls.of("kuleshov2013_fig4")["K8"](1.05))
    tie = [
        row | dict(variance=0.5 * (1 + 1e-9)) if row["cardinality"] == 6 else row for row in rows
    ]
    judged = controls.judged("kuleshov2013_fig4", tie, "K8")
    assert [place["verdict"] for place in judged["readings"][0]["places"]][:2] == ["fails", "holds"]
