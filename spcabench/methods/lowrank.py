"""The rank-d part V V' of a covariance, V (n, d), and rank-one sparse components.

Asteris, Papailiopoulos, Dimakis, "Nonnegative sparse principal component analysis with provable
guarantees", ICML 2014, section 3.1.
"""

from collections.abc import Iterator

import numpy as np

from spcabench.problem.spectral import product
from spcabench.vectors import TIE, Array, Vector, normalize, project

NEGLIGIBLE = 1e-12  # eigenvalues below this fraction of lambda_1 are treated as zero


def low_rank(w: Vector, U: Array, d: int, shift: bool = False) -> tuple[Vector, float]:
    """Return V (n, r), r <= d, and ``tail`` with Sigma - V V' <= tail I.

    They are computed from the d + 1 leading eigenpairs w, U of Sigma. With ``shift``, V V' is the
    leading part of Sigma - tail I. The bound is then never worse, and it is tight if Sigma is a
    multiple of I plus a matrix of rank d. The signs of the columns of V are chosen so that if
    variables are permuted or change their signs, the rows of V do the same.
    """
    r = max(1, int((w[:d] > NEGLIGIBLE * w[0]).sum()))
    tail = max(float(w[r]), 0.0) if r < len(w) else 0.0
    V = U[:, :r] * np.sqrt(np.maximum(w[:r] - shift * tail, NEGLIGIBLE * abs(w[0])))
    terms = V[:, :1] ** 3 * V
    # a sum that cancels up to rounding errors is treated as positive
    negative = terms.sum(axis=0) < -TIE * np.abs(terms).sum(axis=0)
    return V * np.where(negative, -1.0, 1.0), tail


def rank_one(v: Vector, k: int, nonnegative: bool) -> Vector:
    """Return the k-sparse unit vector x that maximises (v'x)^2.

    x consists of the k largest entries of v in absolute value; with ``nonnegative``, of the k
    largest positive entries of v or of -v.
    """
    if not nonnegative:
        return project(v, k)
    sides = [project(np.maximum(side, 0.0), k) for side in (v, -v)]
    return max(sides, key=lambda x: abs(float(x @ v)))


def climb(V: Array, x: Vector, k: int, nonnegative: bool) -> Iterator[Vector]:
    """Alternate between c = V'x / ||V'x|| and the best x for V c, so that ||V'x|| increases."""
    best, c = -1.0, product(V.T, x)
    while (reached := float(c @ c)) > best * (1.0 + 1e-12):
        yield x
        best, x = reached, rank_one(product(V, normalize(c)), k, nonnegative)
        c = product(V.T, x)
