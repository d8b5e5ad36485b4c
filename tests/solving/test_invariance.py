"""What must not change an answer: rounding, hence the order of rows, signs, storage and threads.

Problems with ties are the hard ones, because rounding can decide there. The ordinary suite tries a
few; ``SPCABENCH_TIES=500 pytest -m thorough tests/solving/test_invariance.py`` tries 500 for each
solver.
"""

import os

import numpy as np
import pytest
import scipy.sparse as sp

from spcabench import Problem
from spcabench.solving.run_warnings import Flag
from tests import problems
from tests.problems import HARD, SOLVERS, spread

COUNT = int(os.environ.get("SPCABENCH_TIES", "8"))  # problems of each solver
ACCURACY = 1e-9
STABLE = [s for s in SOLVERS if problems.traits(s).stable]


FAMILIES = ["equal_variances", "duplicates", "integers", "nearly_tied", "scaled_columns", "scaled"]
FAMILIES += ["orthogonal", "exchangeable"]


def _draw(seed):
    """Return data (m, n), n from 4 to 9, and a cardinality."""
    rng = np.random.default_rng([seed, 16])
    m, n = int(rng.integers(5, 16)), int(rng.integers(4, 10))
    X = HARD[FAMILIES[seed % len(FAMILIES)]](rng, m, n)
    if not np.ptp(X, axis=0).any():
        X[0, 0] += 1.0
    return X, int(rng.integers(1, X.shape[1]))


def _close(a, b):
    return a.good == b.good and abs(a.variance - b.variance) <= ACCURACY * abs(a.variance)


@pytest.mark.parametrize(("solver", "seed"), spread(STABLE, range(COUNT)))
def test_rounding_decides_nothing_and_ties_leave_an_answer(solver, seed):
    X, k = _draw(seed)
    answer = problems.solve(Problem.from_data(X), solver, k)
    if answer.good:
        assert not problems.traits(solver).control or answer.cardinality <= k
    else:
        assert "no penalty gave at most" in answer.fault
    order = np.random.default_rng([seed, 17]).permutation(len(X))
    for other in (X[order], -X[::-1], sp.csc_array(X)):  # the same with different rounding
        result = problems.solve(Problem.from_data(other), solver, k)
        assert _close(answer, result), (answer.variance, result.variance)


@pytest.mark.parametrize("solver", ["exact_sdp", "dspca", "gpower0", "gpower1", "pmd", "fps"])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_of_equal_variables_as_many_as_are_asked_for_stay(solver, k):
    """The penalty leaves six variables or one; cutting the six is better than the one."""
    P = Problem.from_covariance(0.5 * np.ones((6, 6)) + 0.5 * np.eye(6))
    result = problems.solve(P, solver, k)
    assert result.variance == pytest.approx(0.5 + 0.5 * k, rel=1e-9)
    assert result.support.tolist() == list(range(k)) and Flag.tied in result.cost.flags
