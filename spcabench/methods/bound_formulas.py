"""Upper bounds on max x'Sx over unit x (n,) with at most k nonzeros, for all k at once.

Each bound is an array (n,), for k = 1 to n. The bounds are deterministic and hold for every
symmetric S. None of them is always the best. Gershgorin's bound was used by He et al. and by
Moghaddam et al. The soft-threshold bound is the dual of d'Aspremont, El Ghaoui, Jordan, Lanckriet
(2007), evaluated at points that require no solver. The spannogram uses the net of Asteris,
Papailiopoulos, Dimakis (2014), with cells instead of samples, so the bound always holds, not only
with high probability.
"""

from itertools import product

import numpy as np

from spcabench.problem.spectral import largest_eigenvalue
from spcabench.vectors import Array, Vector

# number of thresholds, from the largest covariance downwards, each 0.6 times the preceding one
THRESHOLDS = 8


def falling(S: Array) -> Array:
    """Return |S| (n, n) with each row in decreasing order; this costs n^2 log n comparisons."""
    return -np.sort(-np.abs(S), axis=1)


def gershgorin(rows: Vector) -> Vector:
    """Return the maximum over the rows of the sum of the k largest |S_ij|; see `falling`."""
    return np.asarray(rows.cumsum(axis=1).max(axis=0))


def frobenius(rows: Vector) -> Vector:
    """Return an upper bound on the Frobenius norm of any k x k principal submatrix.

    It is the norm of the k largest r_i, where r_i^2 is the sum of the k largest S_ij^2 in row i.
    """
    squares = -np.sort(-(rows**2).cumsum(axis=1), axis=0)
    return np.sqrt(squares.cumsum(axis=0).diagonal())


def soft_threshold_bounds(S: Array, rows: Vector) -> Vector:
    """Return the smallest value of lambda_1(S + U) plus Gershgorin's bound on -U, over eight U.

    This is a bound because x'Sx = x'(S + U)x - x'Ux. U is -clip(S, -rho, rho) for eight values of
    rho, each of which costs one eigendecomposition, 9 n^3 flops.
    """
    best = np.full(len(S), np.inf)
    top = float(np.abs(S - np.diag(S.diagonal())).max(initial=0.0))
    for rho in top * 0.6 ** np.arange(THRESHOLDS):
        cut = np.minimum(rows, rho)
        best = np.minimum(best, largest_eigenvalue(S - np.clip(S, -rho, rho)) + gershgorin(cut))
    return best


def cheap(S: Array) -> Vector:
    """Return the smallest of lambda_1 and the bounds that are computed from S alone."""
    rows = falling(S)
    formulas = gershgorin(rows), frobenius(rows), soft_threshold_bounds(S, rows)
    return np.minimum(np.min(formulas, axis=0), largest_eigenvalue(S))


def cells(d: int, count: int) -> tuple[Vector, float]:
    """Return the centres of cells that cover the directions +-c of R^d, and a cosine.

    There are about ``count`` centres, as rows (., d). The cosine is that of the angular radius of
    the cells. The cells form a grid on d faces of the cube [-1, 1]^d, because the angle between two
    points on a face is at most the distance between them.
    """
    side = max(1, round((count / d) ** (1.0 / (d - 1)))) if d > 1 else 1
    grid = (np.arange(side) + 0.5) * 2.0 / side - 1.0
    face = np.array(list(product(grid, repeat=d - 1))).reshape(side ** (d - 1), d - 1)
    centres = np.concatenate([np.insert(face, axis, 1.0, axis=1) for axis in range(d)])
    chord = np.sqrt(d - 1.0) / side
    return centres / np.linalg.norm(centres, axis=1)[:, None], 1.0 - min(chord, 1.4) ** 2 / 2.0


def spannogram(V: Array, tail: float, nonnegative: bool, count: int) -> Array:
    """Bound the optimum for Sigma <= V V' + tail I, V (n, d), with a net of about ``count`` cells.

    ||V'x||^2 is the maximum of (c'V'x)^2 over unit c. For a fixed c, the maximum over x is the sum
    of the k largest squares of the entries of V c. If c lies within the radius r of a centre c_0,
    the maximum at c_0 is at least cos^2 r times the maximum at c. The largest value over all
    centres, divided by cos^2 r, is therefore an upper bound on the optimum for V V'.
    """
    centres, cosine = cells(V.shape[1], count)
    best = np.zeros(len(V))
    for c in centres:
        v = V @ c
        for side in (v, -v) if nonnegative else (np.abs(v),):
            best = np.maximum(best, np.cumsum(np.sort(np.maximum(side, 0.0))[::-1] ** 2))
    return tail + best / cosine**2
