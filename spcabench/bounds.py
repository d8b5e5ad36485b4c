"""Certified upper bounds on max x'Sigma x over unit vectors x (n,) with at most k nonzeros.

Each bound holds for every such x, up to the rounding that `ROUNDING` allows for. None is charged to a solver. Where
both sides of the data exceed 4096, lambda_1 is Lanczos' to machine precision, else LAPACK's.
"""

import numpy as np

from .problem import Problem

ROUNDING = 1e-9  # relative; far above the backward error of the eigensolvers at these sizes


def leading_eigenvalue(problem: Problem) -> float:
    """lambda_1 of Sigma: bounds every cardinality, and is reached at k = n."""
    return problem.cached("lambda_1", lambda: problem.covariance.leading()[0])


def largest_variances(problem: Problem, k: int) -> float:
    """Sum of the k largest diagonal entries: the trace of the best k x k principal block, Sigma being PSD."""
    sums = problem.cached("variances", lambda: np.sort(problem.covariance.diagonal())[::-1].cumsum())
    return float(sums[k - 1])


def upper_bounds(problem: Problem, k: int, nonnegative: bool = False) -> dict[str, float]:
    """Every certified bound at cardinality k, by its source; with ``nonnegative`` those for x >= 0 too."""
    bounds = {"lambda_1": leading_eigenvalue(problem)}
    if not problem.indefinite:
        bounds["k largest variances"] = largest_variances(problem, k)
    return {source: value * (1.0 + ROUNDING) for source, value in bounds.items()}


def upper_bound(problem: Problem, k: int, nonnegative: bool = False) -> float:
    """The smallest certified bound at cardinality k."""
    return min(upper_bounds(problem, k, nonnegative).values())
