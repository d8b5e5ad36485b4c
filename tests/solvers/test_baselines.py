"""The baselines agree with their definitions."""

from itertools import pairwise

import numpy as np
import pytest

from spcabench import Problem, api
from spcabench.vectors import project
from tests import problems

SEEDS = pytest.mark.parametrize("seed", problems.some(4, range(10)))


def _problem(seed):
    X = np.random.default_rng(seed).standard_normal((12, 7))
    return Problem.from_covariance(X.T @ X)


def _top(S, W):
    return np.linalg.eigvalsh(S[np.ix_(W, W)])[-1]


@SEEDS
def test_thresholding_keeps_the_largest_entries_of_the_eigenvector(seed):
    problem = _problem(seed)
    v = np.linalg.eigh(problem.matrix.S)[1][:, -1]
    for k in range(1, 8):
        x = api.solve(problem, "thresholding", k=k).x
        assert abs(x @ project(v, k)) == pytest.approx(1.0)


@SEEDS
def test_greedy_forward_takes_the_variable_most_correlated_with_the_component(seed):
    problem = _problem(seed)
    S = problem.matrix.S
    support = [int(np.argmax(S.diagonal()))]
    for k in range(1, 8):
        if k > 1:
            v = np.linalg.eigh(S[np.ix_(support, support)])[1][:, -1]
            scores = {i: (S[i, support] @ v) ** 2 for i in range(7) if i not in support}
            support.append(max(scores, key=scores.get))
        result = api.solve(problem, "greedy_forward", k=k)
        assert sorted(support) == result.support.tolist()
        assert result.variance == pytest.approx(_top(S, support))


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


@SEEDS
def test_the_full_greedy_search_is_the_better_of_both_passes(seed):
    problem = _problem(seed)
    S = problem.matrix.S
    for k in (1, 2, 4, 7):
        passes = {"forward": _forward(S, k), "backward": _backward(S, k)}
        for name, value in (passes | {"both": max(passes.values())}).items():
            answer = problems.solve(problem, "greedy_full", k, passes=name)
            assert answer.variance == pytest.approx(value)


@SEEDS
def test_the_truncated_power_method_never_loses_variance(seed):
    history = problems.solve(_problem(seed), "tpower", 3, history=True).history
    variances = [entry["variance"] for entry in history]
    assert all(b >= a * (1 - 1e-12) for a, b in pairwise(variances))
    assert variances[0] == pytest.approx(max(_problem(seed).matrix.S.diagonal()))
