"""Performance profiles and data profiles of solvers.

A cost matrix has shape (pairs, solvers), where a pair is a problem and a cardinality. An entry is
inf if the solver failed on the pair.
"""

import numpy as np

from spcabench.vectors import Array, Vector

RESAMPLES, COVERAGE = 200, 0.9  # number of resamples and coverage of bootstrap bands
TIE = 1e-6  # answers that differ by at most this fraction are equal: six digits, as on the page


def ratios(cost: Vector) -> Vector:
    """Return the costs divided by the smallest cost on the same pair; inf for failures."""
    best = cost.min(axis=1, keepdims=True, initial=np.inf)
    return np.where(np.isfinite(cost), cost / np.where(np.isfinite(best), best, 1.0), np.inf)


def reached(cost: Vector, grid: Vector) -> Array:
    """Return the fraction of pairs that each solver completes within each cost of a grid.

    The shape is (solvers, points). For cost ratios, the result is the performance profile of Dolan
    and More (2002). For costs in units of a product with Sigma, it is the data profile of More and
    Wild (2009).
    """
    if not len(cost):
        return np.zeros((cost.shape[1], len(grid)))
    ordered = np.sort(cost, axis=0)
    return np.array([np.searchsorted(column, grid, side="right") for column in ordered.T]) / len(
        cost
    )


def band(cost: Vector, groups: Vector, grid: Vector) -> tuple[Vector, Vector]:
    """Return the lower and upper limit of a 90 % bootstrap band of `reached`.

    Problems are resampled, each with all its cardinalities.
    """
    rng = np.random.default_rng(0)  # a fixed seed, because equal rows must produce the same page
    names = np.unique(groups)
    places = {name: np.flatnonzero(groups == name) for name in names}
    draws = []
    for _ in range(RESAMPLES):
        chosen = rng.choice(names, len(names))
        draws.append(reached(cost[np.concatenate([places[name] for name in chosen])], grid))
    edge = (1.0 - COVERAGE) / 2.0
    low, high = np.quantile(draws, [edge, 1.0 - edge], axis=0)
    return low, high


def shifted_mean(values: Vector, shift: float) -> float:
    """Return the geometric mean of values + shift, minus the shift; NaN if there are no values."""
    values = values[np.isfinite(values)]
    if not len(values):
        return float("nan")
    return float(shift * np.expm1(np.log1p(values / shift).mean()))  # zero if all values are zero
