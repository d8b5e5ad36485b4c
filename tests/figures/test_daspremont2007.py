"""The figures of d'Aspremont et al. (2007): their measures on small problems."""

import numpy as np
import pandas as pd
import pytest

from spcabench import Problem, api
from spcabench.figures import _daspremont2007, daspremont2007_gap
from spcabench.figures.daspremont2007_pitprops import largest_cosine
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


def test_exponents_are_those_of_each_problem():
    about = dict(label="eps", extra={}, stand_in=False, problem="p", status="converged")
    about |= dict(cpu_time=30.0, solve_time=120.0)  # on a loaded machine
    rows = [
        about | dict(solver=solver, seed=seed, settings=dict(tol=eps), iterations=eps**-power)
        for seed in range(3)
        for solver, power in (("dspca", 1.0), ("dspca_subgradient", 2.0 + 0.1 * seed))
        for eps in (0.1, 0.03, 0.01)
    ]
    sizes = [
        about
        | dict(label="size", solver="dspca", seed=seed, n=n, settings=dict(rho=2.0, tol=0.1))
        | dict(relaxation_bound=5.0, flops=n**power * np.log(n) ** 0.5)
        for seed, power, most in ((0, 4.0, 80), (1, 4.2, 80), (2, 9.0, 40))
        for n in (10, 20, 40, 80)
        if n <= most
    ]
    missed = [row | dict(status="time_limit", iterations=1) for row in rows]
    data = daspremont2007_gap.data(trial.table(rows + missed + sizes))
    assert (data.sizes.total == 30.0).all()
    table = pd.concat(daspremont2007_gap.D11.rows(data))
    assert table[table.part == ""].value.to_numpy() == pytest.approx(1.0)
    gain = table[table.part == "gain"].groupby("seed").value.first()
    assert gain.to_numpy() == pytest.approx([1.0, 1.1, 1.2])
    # the third problem lacks the largest size
    powers = daspremont2007_gap.D4.rows(data).groupby("seed").value.first()
    assert powers.to_numpy() == pytest.approx([4.0, 4.2])


def test_the_largest_cosine_is_that_of_two_different_vectors():
    Z = np.array([[2.0, 0.0, 3.0], [0.0, 5.0, -4.0]])
    assert largest_cosine(Z.T @ Z) == pytest.approx(0.8)
