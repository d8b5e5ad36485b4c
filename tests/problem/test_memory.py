"""The arrays of a problem are read-only, and shared with nobody."""

import numpy as np
import pytest
import scipy.sparse as sp

from spcabench import Problem, api

X = np.random.default_rng(0).standard_normal((12, 6))
X[np.random.default_rng(1).random((12, 6)) < 0.5] = 0.0
FORMS = {"data": np.asarray, "csc": sp.csc_array, "csr": sp.csr_matrix, "coo": sp.coo_array}


def _arrays(problem):
    """Return every array that a solver can reach."""
    M = problem.matrix
    parts = [problem.covariance.diagonal(), problem.mean, problem.scale]
    for matrix in (M, getattr(M, "A", None)):
        for name in ("S", "X", "U", "V", "scale", "Q", "w"):
            part = getattr(matrix, name, None)
            parts += [part.data, part.indices, part.indptr] if sp.issparse(part) else [part]
    if problem.form != "covariance":
        parts.append((M if hasattr(M, "squared_norms") else M.A).squared_norms())
    return [part for part in parts if isinstance(part, np.ndarray)]


@pytest.mark.parametrize("deflation", [None, "hotelling", "schur", "projection", "drop_features"])
@pytest.mark.parametrize("form", ["covariance", "data", "sparse"])
def test_all_arrays_of_a_problem_are_read_only(form, deflation):
    problem = Problem.from_data(sp.csc_array(X) if form == "sparse" else X).given_as(form)
    if deflation:
        problem = api.solve(problem, "tpower", n_components=2, k=2, deflation=deflation)[-1].problem
    locked = [part for part in _arrays(problem) if not part.flags.owndata or part.base is not None]
    stored = [part for part in locked if part.size]
    assert stored and not any(part.flags.writeable for part in stored)


@pytest.mark.parametrize("form", [*FORMS, "covariance"])
def test_later_changes_of_what_the_user_handed_in_change_nothing(form):
    given, about = X.T @ X if form == "covariance" else FORMS[form](X), {"stand_in": False}
    make = Problem.from_covariance if form == "covariance" else Problem.from_data
    problem, before = make(given, provenance=about), make(given.copy())
    value = api.solve(problem, "tpower", k=2).variance
    (given.data if sp.issparse(given) else given)[...] *= 5.0
    about["stand_in"] = True
    again = api.solve(problem, "tpower", k=2)
    assert again.variance == value and again.bound >= value and not problem.stand_in
    assert api.solve(before, "tpower", k=2).variance == pytest.approx(value)
