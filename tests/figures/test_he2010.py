"""What the figures of He, Monteiro and Park (2010) compute themselves."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import spcabench
from spcabench.figures import _he2010
from spcabench.solving.call import arguments
from tests import trial


def test_a_cardinality_is_drawn_at_the_median_that_its_searches_reached():
    about = dict(label=_he2010.ANSWERS, dataset="random_sparse", n=1000, parameters={})
    rows = [
        about | dict(seed=seed, settings=dict(k=asked), extra=dict(cardinality=reached))
        for seed, asked, reached in ((0, 25, 23), (1, 25, 25), (2, 25, 24), (0, 5, 5))
    ]
    table = _he2010.by_cardinality(trial.table(rows)).rows
    assert table.x.tolist() == [24.0, 24.0, 24.0, 5.0]


def rounds_of(seconds, problems=1, rounds=1, **parameters):
    """Return rounds of solvers that each take the given time, on several problems."""
    rows = [
        dict(x=1.0, seed=seed, repeat=r, cardinality=5) | seconds
        for seed in range(problems)
        for r in range(rounds)
    ]
    return pd.DataFrame(rows).assign(
        problem="p", stand_in=False, parameters=[parameters] * len(rows)
    )


@pytest.mark.parametrize("rounds", [1, 3])
def test_random_problems_count_by_the_median_of_their_rounds_and_real_data_by_each_round(rounds):
    data = rounds_of(dict(slow=2.0, fast=1.0), 3, rounds, seed=0)
    data.loc[data["repeat"] == 2, "slow"] = 1000.0
    table = _he2010.ratios(data, "slow", "fast", "{:g}")
    assert set(table.value) == {2.0} and table.seed.nunique() == 3
    real = _he2010.ratios(data.assign(parameters=[{}] * len(data)), "slow", "fast", "{:g}")
    assert real.value.max() == data.slow.max() and real.seed.notna().all() == (rounds > 1)


def test_equal_variances_are_a_tie_and_judged_no_further():
    data = rounds_of({"variance gpower0": 1.0, "variance scol": 1.0 + 1e-9, "variance mcol": 1.01})
    assert _he2010.quality(data, "scol").empty
    assert _he2010.quality(data, "mcol").value.tolist() == [1.01]


def test_answers_are_those_of_converged_second_phases_and_of_a_refit():
    problem = spcabench.load("random_sparse", m=40, n=40, density=0.3, seed=1)
    found = _he2010.answers(problem, seed=1, k=8)
    assert found == _he2010.answers(problem, seed=1, k=0.2)
    for solver in _he2010.OURS:
        alone = spcabench.solve(problem, solver, k=found["cardinality"], random_state=1)
        assert found[f"variance {solver}"] == alone.variance
    gpower = spcabench.solve(
        problem, "gpower0", k=8, random_state=1, refit=True, **arguments(_he2010.GPOWER)
    )
    assert np.isclose(found["variance gpower0"], gpower.variance, rtol=1e-3)


def test_a_loss_is_of_equal_cardinality_and_exact_if_the_methods_are_the_same():
    rows = [(100.0, seed, 100, share) for seed, share in enumerate((0.97, 0.96, 0.95))]
    # c = 1 if s is at most ten
    rows += [(10.0, seed, 10, 1.0) for seed in range(4)]
    rows = pd.DataFrame(rows, columns=["x", "seed", "cardinality", "variance mcol"])
    rows = rows.assign(repeat=0, stand_in=False, problem="p", **{"variance scol": 1.0})
    table = _he2010.losses(SimpleNamespace(rows=rows))
    found = {
        label: (part.value.mean(), part.seed.count()) for label, part in table.groupby("label")
    }
    assert found == {"p = 10": (0.0, 0), "p = 100": (pytest.approx(4.0), 3)}
