"""A column that is constant up to rounding has no variance, and is part of no component."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler

from spcabench import Problem, api
from spcabench.errors import InputError
from tests import problems


def _shares(seed, totals=1):
    """Return five shares, and their total up to rounding."""
    rng = np.random.default_rng(seed)
    shares = rng.random((100, 5))
    shares /= shares.sum(axis=1, keepdims=True)
    total = shares.sum(axis=1)
    return np.column_stack([shares, *(total * (1.0 + i) for i in range(totals))])


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("seed", problems.some(1, range(10)))
def test_totals_of_shares_are_constant(seed, scale, sparse):
    X = _shares(seed, totals=2)
    problem = Problem.from_data(sp.csc_array(X) if sparse else X, scale=scale)
    variances = problem.covariance.diagonal()
    assert (variances[5:] == 0.0).all() and (variances[:5] > 0.0).all()
    expected = StandardScaler().fit(X)
    np.testing.assert_allclose(problem.mean, expected.mean_, atol=1e-15)
    if scale:
        np.testing.assert_allclose(problem.scale, expected.scale_)
    for solver in ("branch_and_bound", "tpower"):
        result = api.solve(problem, solver, k=7)
        assert not result.x[5:].any() and result.cardinality <= 5


def test_data_in_which_every_column_is_constant_up_to_rounding_are_refused():
    total = _shares(0)[:, 5:]
    with pytest.raises(InputError, match="constant"):
        Problem.from_data(np.hstack([total, 3.0 * total]))
