"""The baselines agree with their definitions."""

from itertools import pairwise

import numpy as np
import pytest

from spcabench import Problem, api
from spcabench.errors import InputError
from spcabench.solving.call import Limits
from spcabench.vectors import project
from tests import problems

BASELINES = ("thresholding", "greedy_forward", "greedy_full", "tpower", "spca_elastic_net")
HEURISTICS = [s for s in BASELINES if s != "thresholding"]


def _problem(seed, n=8):
    X = np.random.default_rng(seed).standard_normal((12, n))
    return Problem.from_covariance(X.T @ X)


def _top(S, W):
    return np.linalg.eigvalsh(S[np.ix_(W, W)])[-1]


@pytest.mark.parametrize("seed", problems.some(4, range(10)))
def test_thresholding_keeps_the_largest_entries_of_the_eigenvector(seed):
    problem = _problem(seed)
    v = np.linalg.eigh(problem.matrix.S)[1][:, -1]
    for k in range(1, 9):
        x = api.solve(problem, "thresholding", k=k).x
        assert abs(x @ project(v, k)) == pytest.approx(1.0)


@pytest.mark.parametrize("seed", problems.some(4, range(10)))
def test_greedy_forward_takes_the_variable_most_correlated_with_the_component(seed):
    problem = _problem(seed)
    S, support = problem.matrix.S, []
    for k in range(1, 9):
        if not support:
            support = [int(np.argmax(S.diagonal()))]
        else:
            W = sorted(support)
            v = np.linalg.eigh(S[np.ix_(W, W)])[1][:, -1]
            scores = {i: (S[i, W] @ v) ** 2 for i in range(8) if i not in support}
            support.append(max(scores, key=scores.get))
        result = api.solve(problem, "greedy_forward", k=k)
        assert sorted(support) == result.support.tolist()
        assert result.variance == pytest.approx(_top(S, sorted(support)))


def _forward(S, k):
    W = [int(np.argmax(S.diagonal()))]
    while len(W) < k:
        W.append(max((i for i in range(len(S)) if i not in W), key=lambda i: _top(S, [*W, i])))
    return _top(S, W)


def _backward(S, k):
    W = list(range(len(S)))
    while len(W) > k:
        W.remove(max(W, key=lambda i: _top(S, [j for j in W if j != i])))
    return _top(S, W)


@pytest.mark.parametrize("seed", problems.some(3, range(8)))
def test_the_full_greedy_search_is_the_better_of_both_passes(seed):
    problem = _problem(seed, 7)
    S = problem.matrix.S
    for k in (1, 2, 4, 7):
        passes = {"forward": _forward(S, k), "backward": _backward(S, k)}
        for name, value in (passes | {"both": max(passes.values())}).items():
            variance = api.solve(problem, "greedy_full", k=k, settings={"passes": name}).variance
            assert variance == pytest.approx(value)


def test_a_pass_of_the_greedy_search_that_there_is_not_is_refused():
    with pytest.raises(InputError, match="'forward', 'backward' or 'both'"):
        api.solve(_problem(0), "greedy_full", k=2, settings={"passes": "sideways"})


@pytest.mark.parametrize("seed", problems.some(4, range(10)))
def test_the_phase_of_greedy_full_is_the_pass_that_found_the_answer(seed):
    problem, variance = _problem(seed), {}
    for name in ("forward", "backward", "both"):
        result = api.solve(
            problem, "greedy_full", k=3, limits=Limits(history=True), settings={"passes": name}
        )
        variance[name], phases = result.variance, [entry["phase"] for entry in result.history]
        if name != "both":
            assert {*phases} == {name}
    assert variance[phases[-1]] == pytest.approx(variance["both"])


@pytest.mark.parametrize("seed", problems.some(4, range(10)))
def test_the_truncated_power_method_never_loses_variance(seed):
    history = api.solve(_problem(seed), "tpower", k=3, limits=Limits(history=True)).history
    variances = [entry["variance"] for entry in history]
    assert all(b >= a * (1 - 1e-12) for a, b in pairwise(variances))
    assert variances[0] == pytest.approx(max(_problem(seed).matrix.S.diagonal()))


@pytest.mark.parametrize("seed", problems.some(2, range(5)))
def test_the_elastic_net_without_sparsity_is_the_principal_component(seed):
    problem = _problem(seed)
    result = api.solve(problem, "spca_elastic_net", k=problem.n)
    assert result.variance == pytest.approx(np.linalg.eigvalsh(problem.matrix.S)[-1], rel=1e-5)
    assert not result.cost.counted


@pytest.mark.parametrize("solver", HEURISTICS)
def test_the_artificial_example_gives_its_first_factor(solver):
    problem = api.load("artificial")
    result = api.solve(problem, solver, k=4, refit=True)
    best = problems.optimum(problem.matrix.S, 4)
    # they start from one variable, or the dense component
    if solver in ("greedy_forward", "spca_elastic_net"):
        assert result.variance > 0.9 * best
    else:
        assert result.variance == pytest.approx(best, rel=1e-6)
        assert result.support.tolist() == [4, 5, 6, 7]
