"""The figures of d'Aspremont et al. (2007): their measures on small problems."""

import numpy as np
import pandas as pd
import pytest

from spcabench import api
from spcabench.figures import (
    _daspremont2007,
    daspremont2007_fig1,
    daspremont2007_gap,
    daspremont2007_pitprops,
    daspremont2007_rectangular,
)
from spcabench.solving.status import Status
from tests import controls, trial


def test_eigenvectors_explain_their_eigenvalues():
    problem = api.load("pitprops")
    w = np.linalg.eigvalsh(problem.matrix.S)[::-1]
    measured = _daspremont2007.measured(problem, "pca", (1, 1, 1, 1))
    assert measured["cardinality"] == [13] * 4
    assert measured["explained"] == pytest.approx(np.cumsum(w[:4]) / 13)


@pytest.mark.parametrize("method", ["thresholded", "exact"])
def test_loadings_have_the_cardinalities_asked_for(method):
    measured = _daspremont2007.measured(api.load("artificial"), method, (4, 3))
    assert measured["cardinality"] == [4, 3]
    assert np.linalg.norm(measured["Z"], axis=0) == pytest.approx([1.0, 1.0])
    assert (
        measured["explained"][1]
        <= np.linalg.eigvalsh(api.load("artificial").matrix.S)[-2:].sum() / 2703
    )


def test_the_rectangular_bound_is_above_brute_force():
    measured = daspremont2007_rectangular.pair(api.load("gaussian", m=4, n=5), seed=0, k_u=2, k=3)
    assert (
        measured["pair"]
        <= measured["refit"]
        <= measured["optimum"]
        <= measured["bound"] * (1 + 1e-9)
    )
    assert measured["value"] <= measured["bound"] <= 2 * measured["top"]


def test_the_smoothed_dual_is_within_its_bounds_of_the_dual():
    measured = daspremont2007_gap.smoothing(
        api.load("gaussian", m=6, n=6).given_as("covariance"), seed=0
    )
    assert 0.0 <= measured["least"] <= measured["most"] <= 0.5 + 1e-9


def test_a_component_taken_out_explains_nothing_more():
    measured = daspremont2007_pitprops.decomposition(api.load("pitprops"), seed=0, rho=0.8)
    assert measured["error"] <= 1e-9
    assert measured["left"][-1] < 0.8


def test_only_runs_that_reached_their_gap_count():
    rows = pd.DataFrame({"eps": [0.1, 0.01], "iterations": [7, 9]})
    status = [Status.CONVERGED, Status.TIME_LIMIT]
    assert _daspremont2007.iterations_to(rows.assign(status=status)) == {0.1: 7}


def test_every_size_that_decides_d9_has_enough_problems_at_paper_scale():
    runs = [r for r in daspremont2007_gap.runs("paper") if r.label == "size"]
    of = {"dspca": {}, "SCS": {}, "CLARABEL": {}}
    for run in runs:
        method = run.settings.get("solver", run.solver)
        of[method].setdefault(run.parameters["n"], set()).add(run.seed)
    assert all(len(seeds) >= 3 for method in ("dspca", "SCS") for seeds in of[method].values())
    assert all(len(seeds) >= 3 for n, seeds in of["CLARABEL"].items() if n <= 120)
    # at the quick scale nothing is decided
    assert {r.seed for r in daspremont2007_gap.runs("quick") if r.label == "size"} == {0, 1}


def test_a_loaded_machine_does_not_make_a_solver_impractical():
    rows = trial.table(list(controls.of("daspremont2007_gap")["D9"](2.0)))
    rows["cpu_time"] = rows.solve_time / 4
    assert (daspremont2007_gap.data(rows).total == rows.cpu_time).all()


def test_a_bound_is_drawn_at_the_requested_k_and_not_at_the_one_reached():
    from matplotlib.figure import Figure

    axes = Figure().subplots(1, 2)
    rows = [
        dict(label="by k", solver="dspca", k=k, cardinality=min(k, 7), bound=float(k))
        | dict(lambda_1=10.0, variance_refit=1.0, extra={})
        for k in (6, 7, 8)
    ]
    left = dict(rho=0.4, deflation="schur", left=[1.0, 0.3])
    table = pd.DataFrame([*rows, dict(label="decomposition", extra=left)])
    daspremont2007_pitprops.draw(table, axes)
    (bound,) = (line for line in axes[0].get_lines() if "bound" in line.get_label())
    assert bound.get_xdata().tolist() == [6, 7, 8]


@pytest.mark.parametrize("n", [30, 500])
def test_tables_in_place_of_expression_data_decide_nothing_about_genes(n):
    factors = dict(nonzeros=3 * n, accuracy=1.0)
    row = dict(label="log2", dataset="alon", n=n, extra=dict(pca=factors, dspca=factors))
    rows = pd.DataFrame([row | dict(stand_in=True, problem="alon")])
    for measured in (daspremont2007_fig1._all_genes, daspremont2007_fig1._clusters):
        assert len([*measured(rows)]) == (n == daspremont2007_fig1.GENES)
