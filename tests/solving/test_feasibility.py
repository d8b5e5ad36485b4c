"""What is feasible: exactly k nonzeros, a norm within rounding of one, and the required sign."""

import numpy as np
import pytest

from spcabench.solving.formulations import Formulation, fault
from spcabench.solving.result import graded
from spcabench.solving.status import Status

N, K = 6, 4
X = np.repeat([0.5, 0.0], [K, N - K])  # a unit vector with K nonzeros


def is_feasible(x, k=K, nonnegative=False):
    return graded(x, Status.FINISHED, k, N, nonnegative)[1] == Status.FINISHED


@pytest.mark.parametrize(
    ("x", "feasible"),
    [
        (X, True),
        (np.roll(X, 1) * [1, -1, 1, 1, 1, 1], True),
        (X * (1.0 + 4e-7), True),
        (X * (1.0 + 6e-7), False),
        (X * (1.0 - 6e-7), False),
        (np.where(X > 0.0, X, 1e-300), False),  # six nonzeros, two of which are tiny
        (np.where(X > 0.0, X, np.nan), False),
        (X[:5], False),
    ],
)
def test_a_result_is_feasible_up_to_rounding(x, feasible):
    assert is_feasible(x) == is_feasible(-x) == feasible


def test_k_nonzeros_are_feasible_and_one_more_is_not():
    assert is_feasible(X, K) and not is_feasible(X, K - 1) and is_feasible(X, None)


def test_the_sign_of_a_nonnegative_answer_is_chosen_and_mixed_signs_are_refused():
    x, status = graded(-X, Status.CONVERGED, K, N, True)
    assert status == Status.CONVERGED and np.array_equal(x, X)
    assert not is_feasible(X * [1, -1, 1, 1, 1, 1], nonnegative=True)


# two loadings of two and three nonzeros; what they need at least, by formulation
DISJOINT = np.array([[0.6, 0.8, 0, 0, 0], [0, 0, 2 / 3, 2 / 3, 1 / 3]]).T
LEAST = {Formulation.DISJOINT: 3, Formulation.ORTHONORMAL: 3, Formulation.COMMON: 5}


@pytest.mark.parametrize(("formulation", "k"), LEAST.items())
def test_loadings_need_as_many_variables_as_their_formulation_counts(formulation, k):
    assert not fault(DISJOINT, formulation, k)
    assert str(k) in fault(DISJOINT, formulation, k - 1)


def test_penalised_loadings_are_counted_together():
    assert not fault(DISJOINT, Formulation.PENALISED, 1, r=5)
    assert fault(DISJOINT, Formulation.PENALISED, 1, r=4) and fault(
        DISJOINT, Formulation.PENALISED, 2
    )
    assert not fault(DISJOINT, Formulation.DISJOINT, 3, r=2)
    assert "at most 1" in fault(DISJOINT, Formulation.DISJOINT, 3, r=1)
