"""Certified upper bounds are never below the optimum, monotone in k, and reproducible exactly."""

from itertools import combinations

import numpy as np
import pytest

from spcabench import Problem, api
from spcabench.methods import bound_formulas
from spcabench.solving import bounds, joint_bounds
from spcabench.solving.formulations import Formulation
from tests import problems
from tests.problems import FAMILIES


@pytest.mark.parametrize("nonnegative", [False, True])
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", problems.some(1, range(2)))
def test_no_bound_is_below_the_optimum(family, nonnegative, seed):
    problem, _ = problems.problem(family, seed)
    S = problems.explicit(problem)
    for full in (False, True) if seed == 0 else (False,):
        for k in range(1, problem.n + 1):
            best = problems.optimum(S, k, nonnegative)
            upper = bounds.upper_bounds(problem, k, nonnegative, full)
            assert min(upper.values()) >= best, min(upper, key=upper.get)
            if nonnegative:
                assert bounds.upper_bound(problem, k, True) <= bounds.upper_bound(problem, k) * (
                    1 + 1e-12
                )


@pytest.mark.parametrize("form", ["data", "covariance"])
@pytest.mark.parametrize("seed", problems.some(1, range(2)))
def test_no_bound_is_below_the_optimum_of_an_indefinite_matrix(form, seed):
    problem, k = problems.problem(f"gaussian {form}", seed)
    last = api.solve(problem, "grqi", n_components=3, k=k, deflation="hotelling")[-1].problem
    assert last.indefinite
    for size in range(1, problem.n + 1):
        for nonnegative in (False, True):
            best = problems.optimum(problems.explicit(last), size, nonnegative)
            assert bounds.upper_bound(last, size, nonnegative) >= best - 1e-9 * abs(best)


def test_bounds_rise_with_k_and_repeat_to_the_last_digit():
    X = np.random.default_rng(0).standard_normal((30, 25))
    first, again = (Problem.from_data(X) for _ in range(2))
    upper = [bounds.upper_bounds(first, k) for k in range(1, 26)]
    assert upper == [bounds.upper_bounds(again, k) for k in range(1, 26)]
    for source in upper[0]:
        values = [f[source] for f in upper]
        assert values == sorted(values)


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_the_cells_cover_all_directions(d):
    centres, cosine = bound_formulas.cells(d, 60)
    c = np.random.default_rng(d).standard_normal((5000, d))
    c /= np.linalg.norm(c, axis=1)[:, None]
    assert np.allclose(np.linalg.norm(centres, axis=1), 1.0)
    assert np.abs(c @ centres.T).max(axis=1).min() >= cosine


@pytest.mark.parametrize("n", problems.some(1, [4, 8]))
@pytest.mark.parametrize("below", [0.0, 1e-13, 1e-10, 6e-9])
def test_no_bound_is_below_the_value_where_sigma_is_hardly_indefinite(n, below):
    S = np.ones((n, n)) - n * below * (np.eye(n) - 1.0 / n)  # lambda_n = -n below
    problem = Problem.from_covariance(S)
    assert problem.indefinite == (n * n * below > 5e-10)
    for k in range(1, n + 1):
        best = max(np.linalg.eigvalsh(S[np.ix_(T, T)])[-1] for T in combinations(range(n), k))
        assert bounds.upper_bound(problem, k, full=True) >= best
        answer = api.solve(problem, "branch_and_bound", k=k)
        assert answer.variance <= answer.bound and answer.variance == pytest.approx(best, rel=1e-9)
    for deflation in ("projection", "schur"):  # what is left is as indefinite
        for result in api.solve(problem, "tpower", n_components=2, k=2, deflation=deflation):
            assert result.problem.indefinite == problem.indefinite
            assert result.variance <= result.bound
    both = np.linalg.eigvalsh(S)[-2:].sum()
    assert joint_bounds.joint_bound(problem, Formulation.COMMON, 2, n)[0] >= both
