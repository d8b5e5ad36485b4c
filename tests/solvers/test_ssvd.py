"""The sparse singular value decomposition: finite J and both starts."""

import numpy as np
import pytest

from spcabench import Problem, registry
from spcabench.vectors import project, support
from tests import problems


def gaussian(seed):
    return Problem.from_data(np.random.default_rng(seed).standard_normal((12, 20)))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k_u", [4, 12])
def test_without_power_steps_the_answer_is_a_singular_pair_of_its_block(seed, k_u):
    drawn = gaussian(seed)
    result = problems.solve(drawn, "ssvd_grqi", 5, max_iterations=40, k_u=k_u, J=2)
    R, u, v = drawn.matrix.dense(), result.u, result.x
    block = R[np.ix_(support(u), support(v))]
    u, v = u[support(u)], v[support(v)]
    value = u @ block @ v
    assert value > 0.0
    assert np.allclose(block @ v, value * u, atol=1e-5)
    assert np.allclose(block.T @ u, value * v, atol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_the_start_may_be_the_largest_column_of_the_covariance(seed):
    drawn = gaussian(seed)
    solve = registry.module("solver", "ssvd_grqi").solve
    S = drawn.given_as("covariance").matrix.S
    column = S[np.argmax((S**2).sum(axis=1))]
    first = next(solve(drawn, k=5, first="covariance"))
    assert np.allclose(first.x, project(column, 5))
    assert first.u @ (drawn.data @ first.x) > 0.0
