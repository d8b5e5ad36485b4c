"""The truth line shows what rows prove about the optimum."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from spcabench import api
from spcabench.figures._truth import Truth, certified, dual_bound, split, truth
from spcabench.solving import bounds


def _row(solver, label, k, variance, bound, **more):
    answer = dict(k=k, cardinality=k, variance=variance, variance_refit=variance, bound=bound)
    run = dict(dataset="d", parameters={"seed": 0}, settings={}, extra={}, nonnegative=False)
    rest = dict(setup_time=0.5, solve_time=1.0, problem="p", status="finished")
    return answer | run | rest | dict(solver=solver, label=label) | more


@pytest.fixture
def rows():
    exact = _row("branch_and_bound", "truth", 3, 6.0, 6.0)
    exact["extra"] = {
        f"{name}_{k}": v
        for name, of in dict(value=(3, 5, 6), bound=(3, 5, 6.5), nodes=(0, 1, 9)).items()
        for k, v in enumerate(of, 1)
    }
    local = _row("local_search", "truth", 10, 8.0, 12.0)
    other = _row("grqi", "main", 5, 7.0, 9.0)
    elsewhere = _row("grqi", "main", 2, 99.0, 99.0) | {"parameters": {"seed": 1}}
    loose = _row("gpower0", "main", 4, 6.5, 20.0)
    return pd.DataFrame([exact, local, other, elsewhere, loose])


def test_best_and_bound_rise_with_k_and_hold_their_order(rows):
    table = Truth.of(rows).table.set_index("k")
    assert table.best.tolist() == [3, 5, 6, 6.5, 7, 8]
    assert table.bound.tolist() == [3, 5, 6, 9, 9, 12]
    assert table.proven.tolist() == [True, True, True, False, False, False]


@pytest.mark.parametrize("lambda_1", [np.nan, 20.0])
def test_a_bound_is_not_carried_to_a_larger_cardinality(rows, lambda_1):
    # the optimum for k = 12 can exceed every bound for k = 10
    more = pd.DataFrame([_row("grqi", "main", 12, 12.5, np.nan)])
    known = Truth.of(pd.concat([rows.assign(lambda_1=lambda_1), more], ignore_index=True))
    last = known.table.set_index("k").loc[12]
    assert not last.proven and not last.bound < lambda_1
    assert "nan" not in known.distance(more, "variance", "GRQI")


def test_the_dual_bound_shrinks_the_band(rows):
    answers = list(truth("paper", "gaussian", dict(m=30, n=30, seed=0), 3, [3, 10, 0.5]))
    assert [run.settings["k"] for run in answers if run.function] == [10]
    problem = api.load("gaussian", m=15, n=15, seed=0)
    extra = dual_bound(problem, k=5, seed=0)
    assert extra["dual_bound"] < bounds.upper_bound(problem, 5)
    measured = _row(None, "truth", np.nan, np.nan, np.nan)
    measured["extra"] = {"k": 10, "dual_bound": 8.8}
    table = Truth.of(pd.concat([rows, pd.DataFrame([measured])])).table.set_index("k")
    assert table.bound.tolist() == [3, 5, 6, 8.8, 8.8, 8.8]


def test_a_figure_keeps_its_own_rows_and_prints_the_distance(rows):
    own, known = split(rows[rows.solver != "gpower0"])
    assert not (own.label == "truth").any()
    text = known.distance(own[own.solver == "grqi"], "variance", "GRQI")
    assert text == f"GRQI at most {100 * (1 - 7 / 9):.2f} % below the bound (1 runs)"
    entries = certified(SimpleNamespace(truth=known))
    assert [e["k"] for e in entries] == [1, 2, 3, 5, 10]
    assert np.isfinite([e["best"] for e in entries]).all()


def test_without_the_exact_search_there_is_no_line(rows):
    own, known = split(rows[rows.label != "truth"])
    assert known.table.empty and certified(own) == []
    assert "no run" in known.distance(own, "variance", "GRQI")
    known.draw(None)
