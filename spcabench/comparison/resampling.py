"""Held-out variance and stability of supports, which statisticians ask for.

What a solver finds and what it is worth are two functions of a `Run`: the grader calls the second.
"""

from itertools import combinations
from statistics import fmean

import numpy as np

from spcabench import api
from spcabench.problem.problem import Problem
from spcabench.vectors import embed

HALVES, RESAMPLES = 5, 10


def held_out(problem, *, seed, name, k, **settings):
    """The loadings that are found on five halves of the samples: indices and values of each."""
    loadings = []
    for train, _ in halves(problem, seed):
        result = api.solve(train, name, k=k, refit=True, **settings)
        loadings.append([result.support.tolist(), result.x[result.support].tolist()])
    return {"found": loadings}


def share_held_out(problem, numbers, *, seed, name, k, **settings):
    """How much of the largest variance of held-out samples is along x, found on the others.

    Means of 5 halves.

    ``optimism`` : the variance of the half that x was found on, over the same of the other half,
    less 1.
    """
    shares, optimism = [], []
    for (train, test), (W, values) in zip(halves(problem, seed), numbers["found"], strict=True):
        x = feasible(W, values, problem.n, k)
        shares.append(test.variance(x) / test.covariance.leading()[0])
        optimism.append(train.variance(x) / test.variance(x) - 1.0)
    return {"share": fmean(shares), "optimism": fmean(optimism)}


def halves(problem, seed):
    """Five times the samples in two halves, each as a problem."""
    X, rng = problem.data.dense(), np.random.default_rng([seed, 1])
    for _ in range(HALVES):
        order = rng.permutation(len(X))
        yield tuple(of_samples(X[half]) for half in np.array_split(order, 2))


def feasible(W, values, n, k):
    """The vector x (n,) of its nonzeros. Raises ValueError for one that is no answer at k."""
    x = embed(np.array(values, dtype=float), np.array(W, dtype=np.intp), n)
    if not abs(x @ x - 1.0) <= 1e-6 or np.count_nonzero(x) > k:
        raise ValueError(f"a vector of norm {np.sqrt(x @ x):.6g} with {len(W)} nonzeros")
    return x


def stability(problem, *, seed, name, k, **settings):
    """The supports that are found on ten bootstrap samples."""
    X, rng = problem.data.dense(), np.random.default_rng([seed, 2])
    samples = (of_samples(X[rng.integers(len(X), size=len(X))]) for _ in range(RESAMPLES))
    return {"found": [api.solve(s, name, k=k, **settings).support.tolist() for s in samples]}


def overlap(problem, numbers, *, seed, name, k, **settings):
    """Mean overlap |S and T| / |S or T| of the supports of bootstrap samples, pair by pair."""
    supports = [{*map(int, S)} for S in numbers["found"]]
    if len(supports) != RESAMPLES or any(len(S) > k for S in supports):
        raise ValueError("supports that are no answers at k")
    return {"overlap": fmean(len(S & T) / max(len(S | T), 1) for S, T in combinations(supports, 2))}


def of_samples(X):
    """The covariance of some samples (m, n)."""
    return Problem.from_data(X, "samples", divisor="m")


def f1(support, true):
    """The harmonic mean of precision and recall of a support."""
    return 2.0 * len(set(support) & set(true)) / max(len(support) + len(true), 1)


MEASURES = ((held_out, share_held_out), (stability, overlap))
