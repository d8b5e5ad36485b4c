"""Held-out variance and stability of supports, as statisticians report them.

Finding an answer and grading it are two functions of a `Run`, and the grader calls the second.
"""

from itertools import combinations
from statistics import fmean

import numpy as np

from spcabench import api
from spcabench.problem.problem import Problem
from spcabench.vectors import embed

HALVES, RESAMPLES = 5, 10


def held_out(problem, *, seed, name, k, **settings):
    """Return the loadings found on five halves of the samples: indices and values of each."""
    loadings = []
    for train, _ in halves(problem, seed):
        result = api.solve(train, name, k=k, refit=True, **settings)
        loadings.append([result.support.tolist(), result.x[result.support].tolist()])
    return {"found": loadings}


def share_held_out(problem, numbers, *, seed, name, k, **settings):
    """Return the share of held-out variance that loadings from the other half explain.

    The shares are relative to the largest variance, and averaged over 5 halves.

    ``optimism`` : the variance of the half on which x was found, over that of the other half,
    minus 1.
    """
    shares, optimism = [], []
    for (train, test), (W, values) in zip(halves(problem, seed), numbers["found"], strict=True):
        x = feasible(W, values, problem.n, k)
        shares.append(test.variance(x) / test.covariance.leading()[0])
        optimism.append(train.variance(x) / test.variance(x) - 1.0)
    return {"share": fmean(shares), "optimism": fmean(optimism)}


def halves(problem, seed):
    """Yield five random splits of the samples into two halves, each as a problem."""
    X, rng = problem.data.dense(), np.random.default_rng([seed, 1])
    for _ in range(HALVES):
        order = rng.permutation(len(X))
        yield tuple(of_samples(X[half]) for half in np.array_split(order, 2))


def feasible(W, values, n, k):
    """Return x (n,) from its nonzeros. Raises ValueError if it is not a valid answer at k."""
    x = embed(np.array(values, dtype=float), np.array(W, dtype=np.intp), n)
    if not abs(x @ x - 1.0) <= 1e-6 or np.count_nonzero(x) > k:
        raise ValueError(f"a vector of norm {np.sqrt(x @ x):.6g} with {len(W)} nonzeros")
    return x


def stability(problem, *, seed, name, k, **settings):
    """Return the supports found on ten bootstrap samples."""
    X, rng = problem.data.dense(), np.random.default_rng([seed, 2])
    samples = (of_samples(X[rng.integers(len(X), size=len(X))]) for _ in range(RESAMPLES))
    return {"found": [api.solve(s, name, k=k, **settings).support.tolist() for s in samples]}


def overlap(problem, numbers, *, seed, name, k, **settings):
    """Return the mean overlap |S and T| / |S or T| of all pairs of bootstrap supports."""
    supports = [{*map(int, S)} for S in numbers["found"]]
    if len(supports) != RESAMPLES or any(len(S) > k for S in supports):
        raise ValueError("supports that are no answers at k")
    return {"overlap": fmean(len(S & T) / max(len(S | T), 1) for S, T in combinations(supports, 2))}


def of_samples(X):
    """Return the covariance of samples (m, n) as a problem."""
    return Problem.from_data(X, "samples", divisor="m")


def f1(support, true):
    """Return the harmonic mean of precision and recall of a support."""
    return 2.0 * len(set(support) & set(true)) / max(len(support) + len(true), 1)


MEASURES = ((held_out, share_held_out), (stability, overlap))
