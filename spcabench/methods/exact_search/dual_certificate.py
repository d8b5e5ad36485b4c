"""The check of a dual bound: recomputed from the matrix U alone, however U was found."""

import numpy as np

from spcabench.problem.spectral import eigenvalues
from spcabench.vectors import Array

ROUNDING = 10.0 * float(np.finfo(np.float64).eps)  # of LAPACK's eigenvalues: n times this, relative


def symmetric_part(U: Array) -> Array:
    """(U + U') / 2: LAPACK's eigenvalues of U itself are those of one of its triangles."""
    return 0.5 * (U + U.T)


def dual_value(S: Array, U: Array, k: int, nonnegative: bool = False) -> float:
    """The dual bound: no unit x (n,) with at most k nonzeros has a larger x'Sx, whatever U (n, n).

    It is lambda_1(S - (U + U') / 2) + the sum of the k largest (u_ii + sqrt(u_ii^2 + r_i^2)) / 2,
    where r_i^2 is the sum of the k - 1 largest u_ij^2, j != i. With ``nonnegative`` only positive
    u_ij count in r_i, and the bound is for x >= 0. docs/bounds.md has the proof. All eigenvalues
    are computed: Lanczos' method would give lambda_1 from below. 9 n^3 flops.
    """
    d = U.diagonal()
    squares = (np.maximum(U, 0.0) if nonnegative else U) ** 2
    np.fill_diagonal(squares, 0.0)
    r2 = np.sort(squares, axis=1)[:, ::-1][:, : k - 1].sum(axis=1)
    h = (d + np.sqrt(d * d + r2)) / 2.0
    bound = eigenvalues(S - symmetric_part(U))[-1] + np.sort(h)[::-1][:k].sum()
    return float(bound + ROUNDING * len(S) * (np.linalg.norm(S) + np.linalg.norm(U)))
