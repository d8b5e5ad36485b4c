"""The iteration of solvers/tpower.py without the harness, whose timing costs more than a step.

It is used for hundreds of runs on permuted and resampled data.
"""

from collections.abc import Sequence

import numpy as np

from spcabench.problem.problem import Problem
from spcabench.vectors import Vector, one_sided, project

STEPS, STILL = 200, 1e-6  # maximum; x has converged if no entry changes by more


def answer(
    problem: Problem, k: int, nonnegative: bool = False, starts: Sequence[Vector] = ()
) -> tuple[float, Vector]:
    """Return the variance and the vector (n,) of the best truncated power iteration.

    It starts at the variable of largest variance, at the leading eigenvector, and at ``starts``.
    """
    Sigma = problem.covariance
    largest = np.zeros(problem.n)
    largest[Sigma.largest_variance()] = 1.0
    leading = problem.cached("leading eigenvector", lambda: Sigma.leading()[1])
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
