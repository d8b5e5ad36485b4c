"""Held-out variance, stability of supports under resampling, and recovery of known supports.

A `Run` has one function that computes an answer and another that grades it off the clock.
"""

from itertools import combinations
from statistics import fmean

import numpy as np

from spcabench import api
from spcabench.problem.problem import Problem
from spcabench.solving.call import arguments
from spcabench.vectors import embed

HALVES, RESAMPLES = 5, 10


def held_out(problem, *, seed, name, k, **settings):
    """Return the indices and values of the loadings found on the first half of each split."""
    loadings = []
    for train, _ in halves(problem, seed):
        result = api.solve(train, name, k=k, refit=True, **arguments(settings))
        loadings.append([result.support.tolist(), result.x[result.support].tolist()])
    return {"found": loadings}


def share_held_out(problem, numbers, *, seed, name, k, **settings):
    """Return the variance that the loadings explain on the second half of the samples.

    ``share`` is this variance divided by the largest eigenvalue on the second half. ``optimism`` is
    the variance on the first half, which was used to find x, divided by the variance on the second
    half, minus 1. Both values are averaged over five splits.
    """
    shares, optimism = [], []
    for (train, test), (W, values) in zip(halves(problem, seed), numbers["found"], strict=True):
        x = feasible(W, values, problem.n, k)
        shares.append(test.variance(x) / test.covariance.leading()[0])
        optimism.append(train.variance(x) / test.variance(x) - 1.0)
    return {"share": fmean(shares), "optimism": fmean(optimism)}


def halves(problem, seed):
    """Yield five random splits of the samples into two halves, each half as a problem."""
    X, rng = problem.data.dense(), np.random.default_rng([seed, 1])
    for _ in range(HALVES):
        order = rng.permutation(len(X))
        yield tuple(of_samples(X[half]) for half in np.array_split(order, 2))


def feasible(W, values, n, k):
    """Return x (n,) from its nonzeros; raise ValueError if it is infeasible for k."""
    x = embed(np.array(values, dtype=float), np.array(W, dtype=np.intp), n)
    if not abs(x @ x - 1.0) <= 1e-6 or np.count_nonzero(x) > k:
        raise ValueError(f"infeasible: norm {np.sqrt(x @ x):.6g}, {len(W)} nonzeros")
    return x


def stability(problem, *, seed, name, k, **settings):
    """Return the supports found on ten bootstrap samples."""
    X, rng = problem.data.dense(), np.random.default_rng([seed, 2])
    samples = (of_samples(X[rng.integers(len(X), size=len(X))]) for _ in range(RESAMPLES))
    return {
        "found": [api.solve(s, name, k=k, **arguments(settings)).support.tolist() for s in samples]
    }


def overlap(problem, numbers, *, seed, name, k, **settings):
    """Return the overlap |S and T| / |S or T|, averaged over all pairs of bootstrap supports."""
    supports = [{*map(int, S)} for S in numbers["found"]]
    if len(supports) != RESAMPLES or any(len(S) > k for S in supports):
        raise ValueError(f"expected {RESAMPLES} supports with at most {k} variables")
    return {"overlap": fmean(len(S & T) / max(len(S | T), 1) for S, T in combinations(supports, 2))}


def recovery(problem, *, seed, name, k, **settings):
    """Return the support found on samples of a model with a known support."""
    result = api.solve(problem, name, k=k, **arguments(settings))
    return {"found": result.support.tolist() if result.good else []}


def score(problem, numbers, *, seed, name, k, **settings):
    """Return the F1 score of the support that was found."""
    if len(numbers["found"]) > k:
        raise ValueError(f"expected a support with at most {k} variables")
    return {"f1": f1(numbers["found"], problem.provenance["support"])}


def of_samples(X):
    """Return the covariance of samples (m, n) as a problem."""
    return Problem.from_data(X, "samples", divisor="m")


def f1(support, true):
    """Return the F1 score of a support: the harmonic mean of precision and recall."""
    return 2.0 * len(set(support) & set(true)) / max(len(support) + len(true), 1)


MEASURES = ((held_out, share_held_out), (stability, overlap))
RECOVERY = (recovery, score)
