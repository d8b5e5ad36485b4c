"""What statisticians ask of a solver: held-out variance, and supports that are stable.

The functions are those of a `Task`: ``(problem, *, seed, ...) -> numbers``.
"""

from itertools import combinations
from statistics import fmean

import numpy as np

from spcabench import api
from spcabench.problem.problem import Problem

HALVES, RESAMPLES = 5, 10


def held_out(problem, *, seed, name, k, **settings):
    """How much of the largest variance of held-out samples is along x, found on the others.

    Means of 5 halves.

    ``optimism`` : the variance of the half that x was found on, over the same of the other half,
    less 1.
    """
    X, rng = problem.data.dense(), np.random.default_rng([seed, 1])
    shares, optimism = [], []
    for _ in range(HALVES):
        order = rng.permutation(len(X))
        train, test = (of_samples(X[half]) for half in np.array_split(order, 2))
        x = api.solve(train, name, k=k, refit=True, **settings).x
        top = test.covariance.leading()[0]
        shares.append(test.variance(x) / top)
        optimism.append(train.variance(x) / test.variance(x) - 1.0)
    return {"share": fmean(shares), "optimism": fmean(optimism)}


def stability(problem, *, seed, name, k, **settings):
    """Mean overlap |S and T| / |S or T| of the supports of 10 bootstrap samples, pair by pair."""
    X, rng = problem.data.dense(), np.random.default_rng([seed, 2])
    supports = []
    for _ in range(RESAMPLES):
        sample = of_samples(X[rng.integers(len(X), size=len(X))])
        supports.append(set(api.solve(sample, name, k=k, **settings).support.tolist()))
    return {"overlap": fmean(len(S & T) / max(len(S | T), 1) for S, T in combinations(supports, 2))}


def of_samples(X):
    """The covariance of some samples (m, n)."""
    return Problem.from_data(X, "samples", divide_by_m=True)


def f1(support, true):
    """The harmonic mean of precision and recall of a support."""
    return 2.0 * len(set(support) & set(true)) / max(len(support) + len(true), 1)
