"""Certified upper bounds on max x'Sigma x over unit vectors x (n,) with at most k nonzeros.

Each bound holds for every such x, up to the rounding that `ROUNDING` allows for. None is charged to
a solver. Where both sides of the data exceed 4096, lambda_1 is Lanczos' to machine precision, else
LAPACK's.

All but two need all of Sigma or many sorts (`spcabench.solving.bound_formulas`). They are made once
per problem, for every k, and never exceed the bounds of larger k. What is affordable is decided by
counts, never by the clock, so that the same run has the same bound to the last digit:

| source | cost | by default | with ``full`` |
|---|---|---|---|
| lambda_1, k largest variances | one eigenvalue; a sort | always | always |
| Gershgorin, Frobenius | 2 sorts of n^2 entries | n <= 1000 | n <= 5000 |
| soft-threshold dual | 8 eigenvalues of n x n | n <= 1000 | n <= 5000 |
| shifted spannogram, d <= 3 | a sort of n a cell | 10^6 entries, 4 n cells | 2 10^7, 50 n cells |
"""

import numpy as np

from spcabench.methods.lowrank import low_rank
from spcabench.problem.problem import Problem
from spcabench.problem.spectral import largest_eigenvalue
from spcabench.solving import bound_formulas
from spcabench.vectors import Array, Vector

ROUNDING = 1e-9  # relative; far above the backward error of the eigensolvers at these sizes
# variables up to which the n^2 entries are looked at, by default and with ``full``
MOST, FULL_MOST = 1000, 5000
# entries sorted for the spannogram at most, and cells per variable; by default and with ``full``
NET, FULL_NET = (10**6, 4), (2 * 10**7, 50)
RANK = 3  # of the largest spannogram


def leading_eigenvalue(problem: Problem) -> float:
    """Return lambda_1 of Sigma, which bounds every cardinality and is reached at k = n."""
    return problem.cached("lambda_1", lambda: problem.covariance.leading()[0])


def largest_variances(problem: Problem) -> Vector:
    """Return the sums of the k largest variances, for k = 1 to n; they bound where Sigma is PSD."""
    return np.sort(problem.covariance.diagonal())[::-1].cumsum()


def upper_bounds(
    problem: Problem, k: int, nonnegative: bool = False, full: bool = False
) -> dict[str, float]:
    """Return every certified bound at cardinality k, by its source.

    With ``nonnegative`` there are bounds for x >= 0 too. With ``full`` there are all that n <= 5000
    allows, at the cost in the table above.
    """
    made = problem.cached(f"bounds {nonnegative} {full}", lambda: _made(problem, nonnegative, full))
    return {source: float(values[k - 1]) for source, values in made.items()}


def upper_bound(problem: Problem, k: int, nonnegative: bool = False, full: bool = False) -> float:
    """Return the smallest certified bound at cardinality k."""
    return min(upper_bounds(problem, k, nonnegative, full).values())


def _made(problem: Problem, nonnegative: bool, full: bool) -> dict[str, Vector]:
    n = problem.n
    made = {"lambda_1": np.full(n, leading_eigenvalue(problem))}
    if not problem.indefinite:
        made["k largest variances"] = largest_variances(problem)
    if n <= (FULL_MOST if full else MOST):
        S = problem.given_as("covariance").matrix.S  # type: ignore[union-attr]
        made |= _of_matrix(S)
        if nonnegative:  # x'Sx <= x'max(S, 0)x
            S = np.maximum(S, 0.0)
            positive = _of_matrix(S) | {"lambda_1": np.full(n, largest_eigenvalue(S))}
            made |= {
                f"{source} of the positive part": values for source, values in positive.items()
            }
    w, U = problem.covariance.leading_pairs(RANK + 1)
    entries, cells = FULL_NET if full else NET
    count = min(entries // n, cells * n)
    for d in range(1, min(RANK, n) + 1):
        made[f"spannogram, d = {d}"] = bound_formulas.spannogram(
            *low_rank(w, U, d, shift=True), nonnegative, count
        )
    # the optimum of k is at most that of k + 1
    return {
        source: np.minimum.accumulate(values[::-1])[::-1] * (1.0 + ROUNDING)
        for source, values in made.items()
    }


def _of_matrix(S: Array) -> dict[str, Vector]:
    rows = bound_formulas.falling(S)
    return {
        "Gershgorin": bound_formulas.gershgorin(rows),
        "Frobenius": bound_formulas.frobenius(rows),
        "soft threshold": bound_formulas.soft_threshold_bounds(S, rows),
    }
