"""Performance profiles, data profiles and other rankings of solvers; numbers, no drawing.

A cost matrix is (pairs of problem and k, solvers), inf where a solver did not get there.
"""

import numpy as np

from spcabench.vectors import Array, Vector

RESAMPLES, COVERAGE = 200, 0.9  # of the bootstrap bands
TIE = 1e-6  # relative; answers that agree to six digits are equal, as on the page


def ratios(cost: Vector) -> Vector:
    """Cost over the least of all solvers on the same pair; inf where no solver got there."""
    best = cost.min(axis=1, keepdims=True, initial=np.inf)
    return np.where(np.isfinite(cost), cost / np.where(np.isfinite(best), best, 1.0), np.inf)


def reached(cost: Vector, grid: Vector) -> Array:
    """Share of the pairs that a solver settles within each cost of the grid.

    (solvers, points), never falling.

    Of ratios this is the performance profile of Dolan and More (2002); of costs in units of one
    product with Sigma, the data profile of More and Wild (2009).
    """
    if not len(cost):
        return np.zeros((cost.shape[1], len(grid)))
    ordered = np.sort(cost, axis=0)
    return np.array([np.searchsorted(column, grid, side="right") for column in ordered.T]) / len(
        cost
    )


def band(cost: Vector, groups: Vector, grid: Vector) -> tuple[Vector, Vector]:
    """Lower and upper end of a 90 % bootstrap band of `reached`.

    Problems are drawn, each with all its cardinalities.
    """
    rng = np.random.default_rng(0)  # the same page from the same rows
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
    """Geometric mean of values + shift, less the shift; nan of nothing."""
    values = values[np.isfinite(values)]
    if not len(values):
        return float("nan")
    if not shift:
        return float(np.exp(np.log(values).mean()))
    return float(shift * np.expm1(np.log1p(values / shift).mean()))  # of zeros it is zero


def wins(value: Vector) -> Array:
    """Share of the pairs on which one solver's value is above another's: (solvers, solvers).

    A failure is below every value.
    """
    worth = np.where(np.isfinite(value), value, -np.inf)
    margin = TIE * np.abs(np.where(np.isfinite(value), value, 0.0))
    above = worth[:, :, None] - margin[:, :, None] > worth[:, None, :]
    return above.mean(axis=0) if len(value) else np.zeros((value.shape[1],) * 2)
