"""Held-out variance, stability of supports under resampling, and recovery of known supports."""

from itertools import combinations
from statistics import fmean

import numpy as np

from spcabench import api
from spcabench.problem.problem import Problem
from spcabench.solving.call import arguments

HALVES, RESAMPLES = 5, 10


def held_out(problem, *, seed, name, k, **settings):
    """Return the variance that loadings from the first half of each split explain on the second.

    ``share`` is this variance divided by the largest eigenvalue on the second half. ``optimism`` is
    the variance on the first half, which was used to find x, divided by the variance on the second
    half, minus 1. Both values are averaged over five splits.
    """
    shares, optimism = [], []
    for train, test in halves(problem, seed):
        result = api.solve(train, name, k=k, refit=True, **arguments(settings))
        if not result.good:
            return f"no answer on half of the samples: {result.fault or result.status}"
        shares.append(test.variance(result.x) / test.covariance.leading()[0])
        optimism.append(train.variance(result.x) / test.variance(result.x) - 1.0)
    return {"share": fmean(shares), "optimism": fmean(optimism)}


def halves(problem, seed):
    """Yield five random splits of the samples into two halves, each half as a problem."""
    X, rng = problem.data.dense(), np.random.default_rng([seed, 1])
    for _ in range(HALVES):
        order = rng.permutation(len(X))
        yield tuple(of_samples(X[half]) for half in np.array_split(order, 2))


def stability(problem, *, seed, name, k, **settings):
    """Return the overlap |S and T| / |S or T| of the supports found on ten bootstrap samples.

    It is averaged over all pairs of samples; the support of a failure is empty.
    """
    X, rng = problem.data.dense(), np.random.default_rng([seed, 2])
    samples = (of_samples(X[rng.integers(len(X), size=len(X))]) for _ in range(RESAMPLES))
    results = [api.solve(sample, name, k=k, **arguments(settings)) for sample in samples]
    supports = [{*result.support.tolist()} if result.good else set() for result in results]
    return {"overlap": fmean(len(S & T) / max(len(S | T), 1) for S, T in combinations(supports, 2))}


def recovery(problem, *, seed, name, k, **settings):
    """Return the F1 score of the support found on samples of a model with a known support."""
    result = api.solve(problem, name, k=k, **arguments(settings))
    found = result.support.tolist() if result.good else []
    return {"f1": f1(found, problem.provenance["support"])}


def of_samples(X):
    """Return the covariance of samples (m, n) as a problem."""
    return Problem.from_data(X, "samples", divisor="m")


def f1(support, true):
    """Return the F1 score of a support: the harmonic mean of precision and recall."""
    return 2.0 * len(set(support) & set(true)) / max(len(support) + len(true), 1)
