"""Truncated power iteration without the harness, which takes longer to time a step than to run it.

The iteration is that of solvers/tpower.py, and is run hundreds of times on permuted and resampled
data.
"""

from collections.abc import Sequence

import numpy as np

from spcabench.problem.problem import Problem, cached
from spcabench.steps import lanczos
from spcabench.vectors import Vector, normalize, one_sided, project

NEAR = 1e-4  # the Lanczos method stops at this relative increase
# if there are more samples than variables, Sigma is formed for at most this many variables
LARGEST_FORMED = 2000
# iteration limit; x has converged if no entry changes by more than the tolerance
STEPS, STILL = 200, 1e-6


def answer(
    problem: Problem, k: int, nonnegative: bool = False, starts: Sequence[Vector] = ()
) -> tuple[float, Vector]:
    """Return the variance and the vector (n,) of the best run of truncated power iteration.

    The starts are the variable of largest variance, a vector near the leading eigenvector, and
    ``starts``.
    """
    if problem.n < min(
        problem.m or 0, LARGEST_FORMED
    ):  # a product then takes n^2 flops instead of 2 m n
        problem = problem.given_as("covariance")
    Sigma = problem.covariance
    largest = np.zeros(problem.n)
    largest[Sigma.largest_variance()] = 1.0
    column = Sigma @ largest
    leading = cached(problem, "near the leading eigenvector", lambda: _leading(problem, column))
    answers = []
    for start in (largest, leading, *starts):
        x = project(one_sided(start) if nonnegative else start, k)
        for _ in range(STEPS):
            last, product = x, Sigma @ x
            x = project(np.maximum(product, 0.0) if nonnegative else product, k)
            if np.abs(x - last).max() <= STILL:
                break
        answers.append((problem.variance(x), x))
    return max(answers, key=lambda answer: answer[0])


def _leading(problem: Problem, column: Vector) -> Vector:
    """Return a vector (n,) whose variance is almost the largest possible.

    With thousands of samples and variables, an exact eigenvector would take most of the time. The
    start has the signs of this column of Sigma, so the result does not depend on the signs or the
    order of the variables.
    """
    Sigma = problem.covariance
    start = np.where(column < 0.0, -1.0, 1.0) * np.sqrt(Sigma.diagonal().clip(0.0))
    return lanczos(Sigma.__matmul__, normalize(start), NEAR)
