"""Truncated power iteration without the harness, which takes longer to time a step than to run it.

The iteration is that of solvers/tpower.py. It is run hundreds of times on permuted and resampled
data. Therefore, runs on the same data take their steps together, so that the data are read only
once. If there are few variables, runs on different data do so too.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from spcabench.problem.problem import Problem
from spcabench.steps import lanczos
from spcabench.vectors import TIE, Array, Vector, normalize, one_sided, project

NEAR = 1e-3  # the Lanczos method stops at this relative increase
# if there are more samples than variables, Sigma is formed for at most this many variables
LARGEST_FORMED = 2000
SMALL = 64  # up to this number of variables, runs on different data take their steps together
# iteration limit; x has converged if no entry changes by more than the tolerance, which leaves its
# variance within a relative error of 1e-6
STEPS, STILL = 200, 1e-4


def batches(problems: Iterable[Problem], n: int) -> Iterator[Iterable[Problem]]:
    """Divide problems of n variables into those whose runs take their steps together."""
    if n <= SMALL:
        yield problems
    else:
        yield from ([problem] for problem in problems)


def answers(
    problems: Iterable[Problem],
    ks: Sequence[int],
    nonnegative: bool = False,
    starts: Sequence[Vector] = (),
) -> tuple[Array, Array]:
    """Return the variances (T, K) and the vectors (T, K, n) of T problems for K cardinalities.

    Each is the best of several runs of truncated power iteration. The starts are the variable of
    largest variance, a vector near the leading eigenvector, and ``starts``.
    """
    formed = [_formed(problem) for problem in problems]
    first = np.array([[*_starts(problem), *starts] for problem in formed])  # (T, starts, n)
    first = one_sided(first) if nonnegative else first
    multiply, count = _multiplier(formed), first.shape[1]
    sizes = np.repeat(ks, count)
    X = _projected(np.tile(first, (1, len(ks), 1)), sizes)  # (T, runs, n)
    moving = np.arange(len(sizes))
    for _ in range(STEPS):
        product = multiply(X[:, moving])
        new = _projected(np.maximum(product, 0.0) if nonnegative else product, sizes[moving])
        changes = np.abs(new - X[:, moving]).max(axis=(0, 2))
        X[:, moving] = new
        moving = moving[changes > STILL]
        if not len(moving):
            break
    values = (X * multiply(X)).sum(axis=2).reshape(len(X), len(ks), count)
    best = values.argmax(axis=2)[..., None]
    vectors = np.take_along_axis(X.reshape(*values.shape, -1), best[..., None], axis=2)
    return np.take_along_axis(values, best, axis=2)[..., 0], vectors[:, :, 0]


def _formed(problem: Problem) -> Problem:
    """Return the problem in the form in which products are fastest."""
    # a product with Sigma takes n^2 flops, and one with the data 2 m n
    if problem.n <= SMALL or problem.n < min(problem.m or 0, LARGEST_FORMED):
        return problem.given_as("covariance")
    return problem


def _multiplier(problems: Sequence[Problem]) -> Callable[[Array], Array]:
    """Return a function that multiplies the vectors X (T, runs, n) by the Sigma of each problem."""
    if problems[0].n <= SMALL:
        S = np.array([problem.matrix.S for problem in problems])  # type: ignore[union-attr]
        return lambda X: X @ S
    return lambda X: np.array([_products(p, x) for p, x in zip(problems, X, strict=True)])


def _products(problem: Problem, X: Array) -> Array:
    """Return Sigma x for each row x of X (runs, n)."""
    if problem.form == "sparse":  # a product with a single sparse vector reads few rows of the data
        return np.array([problem.covariance @ x for x in X])
    return problem.covariance.products(X.T).T


def _projected(X: Array, sizes: Array) -> Array:
    """Project each vector of X (T, runs, n) to its size (runs,), as `vectors.project` does."""
    size, most, n = np.abs(X), int(sizes.max()), X.shape[2]
    top = np.sort(np.partition(size, n - most, axis=2)[..., n - most :], axis=2)
    smallest = top[:, np.arange(len(sizes)), most - sizes]  # (T, runs), of the entries to keep
    kept = size >= (smallest - TIE * top[..., -1])[..., None]
    projected = np.where(kept, X, 0.0)
    norms = np.sqrt((projected * projected).sum(axis=2, keepdims=True))
    projected /= np.where(norms > 0.0, norms, 1.0)
    for t, run in np.argwhere(kept.sum(axis=2) != sizes):  # ties
        projected[t, run] = project(X[t, run], sizes[run])
    return projected


def _starts(problem: Problem) -> tuple[Vector, Vector]:
    """Return the unit vector of the variable of largest variance, and a vector of large variance.

    With thousands of samples and variables, an exact eigenvector would take most of the time. The
    Lanczos method starts with the signs of a column of Sigma, so the result does not depend on the
    signs or the order of the variables.
    """
    Sigma, largest = problem.covariance, np.zeros(problem.n)
    largest[Sigma.largest_variance()] = 1.0
    if problem.n <= SMALL:
        return largest, Sigma.leading()[1]
    signs = np.where(Sigma @ largest < 0.0, -1.0, 1.0)
    start = normalize(signs * np.sqrt(Sigma.diagonal().clip(0.0)))
    return largest, lanczos(Sigma.__matmul__, start, NEAR)
