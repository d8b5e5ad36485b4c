"""Upper bounds on max x'Sx over unit x (n,) with at most k nonzeros, for every k = 1..n at once:
arrays (n,).

None wins everywhere. All hold for any symmetric S, and are deterministic. Gershgorin is He et al.'s
and Moghaddam's; the dual is that of d'Aspremont, El Ghaoui, Jordan, Lanckriet (2007) at a point
that needs no solver; the net is Asteris, Papailiopoulos and Dimakis's (2014) with cells in place of
samples, so that it cannot fail.
"""

from itertools import product

import numpy as np

from spcabench.problem.spectral import largest_eigenvalue
from spcabench.vectors import Array, Vector

THRESHOLDS = 8  # of the dual, from the largest covariance down, each 0.6 of the one before


def falling(S: Array) -> Array:
    """|S| with every row sorted, largest first (n, n): n^2 log n comparisons."""
    return -np.sort(-np.abs(S), axis=1)


def gershgorin(rows: Vector) -> Vector:
    """The largest sum of the k largest |S_ij| of a row; rows from `falling`."""
    return np.asarray(rows.cumsum(axis=1).max(axis=0))


def frobenius(rows: Vector) -> Vector:
    """Norm of the k largest r_i, r_i^2 the sum of the k largest S_ij^2 of row i: no block of k has
    a larger one.
    """
    squares = -np.sort(-(rows**2).cumsum(axis=1), axis=0)
    return np.sqrt(np.einsum("kk->k", squares.cumsum(axis=0)))


def soft_threshold_bounds(S: Array, rows: Vector) -> Vector:
    """The smallest lambda_1(S + U) + the largest sum of k |U_ij| of a row, U = -clip(S, -rho, rho),
    over eight rho.

    x'Sx = x'(S + U)x - x'Ux, and Gershgorin's bound on -U. One eigenvalue, 9 n^3 flops, for each
    rho.
    """
    best = np.full(len(S), np.inf)
    top = float(np.abs(S - np.diag(S.diagonal())).max(initial=0.0))
    for rho in top * 0.6 ** np.arange(THRESHOLDS):
        cut = np.minimum(rows, rho)
        best = np.minimum(best, largest_eigenvalue(S - np.clip(S, -rho, rho)) + gershgorin(cut))
    return best


def cells(d: int, count: int) -> tuple[Vector, float]:
    """Centres (about count, d) of cells that cover the directions +-c of R^d, and the cosine of
    their radius.

    A grid on d faces of the cube [-1, 1]^d: seen from the origin, points on it subtend at most
    their distance.
    """
    side = max(1, round((count / d) ** (1.0 / (d - 1)))) if d > 1 else 1
    grid = (np.arange(side) + 0.5) * 2.0 / side - 1.0
    face = np.array(list(product(grid, repeat=d - 1))).reshape(side ** (d - 1), d - 1)
    centres = np.concatenate([np.insert(face, axis, 1.0, axis=1) for axis in range(d)])
    chord = np.sqrt(d - 1.0) / side
    return centres / np.linalg.norm(centres, axis=1)[:, None], 1.0 - min(chord, 1.4) ** 2 / 2.0


def spannogram(V: Array, rest: float, nonnegative: bool, count: int) -> Array:
    """rest + the optimum of V V', V (n, d), where Sigma - V V' <= rest I: over a net of about count
    cells.

    ||V'x||^2 = max over unit c of (c'V'x)^2, and a c in a cell of radius r around c_0 makes that of
    c_0 at least cos^2 r of it: the best x of every centre, whose value is a sum of the k largest
    squares of V c_0.
    """
    centres, cosine = cells(V.shape[1], count)
    best = np.zeros(len(V))
    for c in centres:
        v = V @ c
        for side in (v, -v) if nonnegative else (np.abs(v),):
            best = np.maximum(best, np.cumsum(np.sort(np.maximum(side, 0.0))[::-1] ** 2))
    return rest + best / cosine**2
