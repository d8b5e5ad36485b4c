"""The figures of d'Aspremont et al. (2007): their measures on small problems."""

import numpy as np
import pytest

from spcabench import Problem, api
from spcabench.figures import _daspremont2007, daspremont2007_gap
from tests import trial


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


def test_factors_of_pca_are_dense_and_those_of_dspca_are_small():
    rng = np.random.default_rng(0)
    classes = rng.integers(2, size=20)
    # a class shifts three variables, which therefore have the largest variances
    X = rng.standard_normal((20, 8)) + 5.0 * np.outer(classes, [1, 1, 1, 0, 0, 0, 0, 0])
    numbers = _daspremont2007.factors(Problem.from_data(X, labels=[*map(str, classes)]), seed=0)
    assert numbers["pca"]["nonzeros"] == 3 * 8
    assert numbers["dspca"]["nonzeros"] == sum(map(len, numbers["genes"])) <= 3 * _daspremont2007.K
    assert numbers["pca"]["explained"] >= numbers["dspca"]["explained"]
    assert numbers["pca"]["accuracy"] == numbers["dspca"]["accuracy"] == 1.0


def test_only_runs_that_reached_their_gap_count():
    rows = gap_rows(status=["converged", "time_limit"])
    assert daspremont2007_gap.data(rows).reached.iterations.tolist() == [7]


def test_a_loaded_machine_does_not_make_a_solver_impractical():
    rows = gap_rows(solve_time=120.0, setup_time=0.0, cpu_time=30.0)
    assert (daspremont2007_gap.data(rows).sizes.total == 30.0).all()


def gap_rows(**columns):
    """Return two runs of DSPCA at one size, with some columns changed."""
    own = dict(label="size", solver="dspca", settings=dict(rho=1.0, tol=0.1), extra={})
    rows = trial.table([own | dict(iterations=iterations) for iterations in (7, 9)])
    return rows.assign(**columns)
