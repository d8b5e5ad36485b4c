"""Answers compared with brute force: norm, cardinality, sign, variance and bound.

The ordinary suite solves about a hundred small problems; ``SPCABENCH_ANSWERS=5000 pytest
tests/solvers/test_answers.py`` checks 5000 answers.
"""

import os
from itertools import combinations

import numpy as np
import pytest

from spcabench import Problem, api
from tests import problems
from tests.problems import SOLVERS, traits

ANSWERS = int(os.environ.get("SPCABENCH_ANSWERS", "150"))
EXACT = ("branch_and_bound", "brute_force")


def _ties(rng, n):
    B = rng.integers(-1, 2, (n, n)).astype(float)
    return B.T @ B + np.eye(n)


def _rank_one(rng, n):
    v = rng.integers(-2, 3, n).astype(float)
    v[0] = v[0] or 1.0
    return np.outer(v, v)


def _blocks(rng, n):
    S = np.zeros((n, n))
    for W in np.array_split(np.arange(n), 1 + n // 3):
        B = rng.standard_normal((len(W), len(W)))
        S[np.ix_(W, W)] = B.T @ B
    return S


def _equal_blocks(rng, n):
    B = rng.standard_normal((2, 2))
    return np.kron(np.eye(-(-n // 2)), B.T @ B)[:n, :n]


def _negative_correlations(rng, n):
    return (np.eye(n) * (1.0 + 1.0 / max(n - 1, 1)) - 1.0 / max(n - 1, 1)) * rng.choice([1.0, 4.0])


def _mostly_negative(rng, n):
    B = np.abs(rng.standard_normal((n, n)))
    S = np.diag((B + B.T).sum(axis=0)) - (B + B.T)
    return S + np.diag(rng.uniform(0.0, 1.0, n))


def _gaussian(rng, n):
    A = rng.standard_normal((rng.integers(2, 8), n))
    return A.T @ A


FAMILIES = [_ties, _rank_one, _blocks, _equal_blocks, _negative_correlations, _mostly_negative]
FAMILIES += [_gaussian]


def _draw(seed):
    """Return a covariance (n, n), each n from 1 to 6 equally often, and a cardinality."""
    rng = np.random.default_rng([seed, 17])
    n = int(rng.choice([1, 2, 3, 4, 5, 6]))
    S = FAMILIES[seed % len(FAMILIES)](rng, n)
    return S, int(rng.integers(1, n + 1))


def _problem(S, seed):
    """Return the problem of a covariance, given directly or by data with this Gram matrix."""
    if seed // len(FAMILIES) % 2:
        return Problem.from_covariance(S)
    w, V = np.linalg.eigh(S)
    A = np.sqrt(np.maximum(w, 0.0))[:, None] * V.T
    return Problem.from_data(np.vstack([A, np.zeros(len(S))]), center=False, divisor="1")


def _eigenvalues(S, k):
    """Return the largest eigenvalue of every principal k x k block."""
    return [np.linalg.eigvalsh(S[np.ix_(W, W)])[-1] for W in combinations(range(len(S)), k)]


def _wrong(result, S, k, nonnegative, best):
    """Return a list of what is wrong with an answer."""
    x = result.x
    faults = {
        "status": not result.good,
        "shape": x.shape != (len(S),),
        "norm": abs(np.linalg.norm(x) - 1.0) > 1e-9,
        "cardinality": np.count_nonzero(x) > k or result.cardinality != np.count_nonzero(x),
        "sign": nonnegative and x.min() < 0.0,
        "variance": abs(result.variance - x @ S @ x) > 1e-9 * S.max(),
        "above the optimum": result.variance > best * (1.0 + 1e-8) + 1e-12 * S.max(),
        "bound below the optimum": result.bound < best * (1.0 - 1e-9),
        "bound below the value": result.bound < result.variance,
    }
    if result.solver in EXACT and not nonnegative:
        faults["not optimal"] = result.variance < best * (1.0 - 1e-8)
    return [words for words, is_so in faults.items() if is_so]


CASES = [
    (solver, nonnegative)
    for solver in SOLVERS
    for nonnegative in (False, True)
    if traits(solver).control and not (nonnegative and not traits(solver).nonnegative)
]


@pytest.mark.parametrize(("solver", "nonnegative"), CASES)
def test_answers_against_brute_force(solver, nonnegative):
    count = max(1, ANSWERS // len(CASES))
    for seed in range(count):
        S, k = _draw(seed)
        one_sided = nonnegative or traits(solver).nonnegative == "always"
        best = problems.optimum(S, k, nonnegative=one_sided)
        result = api.solve(_problem(S, seed), solver, k=k, nonnegative=nonnegative)
        assert _wrong(result, S, k, one_sided, best) == []


@pytest.mark.parametrize("seed", range(7))
def test_brute_force_is_what_it_says(seed):
    """The yardstick is checked in another way: no random vector exceeds it, and one attains it."""
    S, k = _draw(seed)
    best = problems.optimum(S, k)
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((200, len(S)))
    for x in X:
        x[rng.permutation(len(S))[k:]] = 0.0
    quotients = np.einsum("ri,ij,rj->r", X, S, X) / (X * X).sum(axis=1)
    assert quotients.max() <= best * (1.0 + 1e-12)
    assert best == pytest.approx(max(_eigenvalues(S, k)))
