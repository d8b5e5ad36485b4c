"""Leading eigenpairs of a large positive semidefinite matrix, with a proof that none was missed.

The Lanczos method approaches eigenvalues from below and can miss one, so it cannot certify an upper
bound by itself. The pairs found are therefore subtracted from the matrix, and a Cholesky
decomposition proves that no larger eigenvalue remains. This takes a quarter of the flops of a
reduction to tridiagonal form, and most of these flops are in block products.
"""

import numpy as np
import scipy.linalg
import scipy.sparse.linalg

from spcabench.vectors import TIE, Array, Vector

# relative tolerance: all other eigenvalues are proven to exceed the last of them by at most this,
# plus the rounding errors of a Cholesky decomposition of order m, which are at most m^2 EPS
SLACK, EPS = 5e-10, float(np.finfo(np.float64).eps)
EXACT = 1e-12  # residual of the pairs, relative to the largest eigenvalue


def proven_pairs(K: Array, count: int) -> tuple[Vector, Array] | None:
    """Return the ``count`` largest eigenvalues of K (m, m), in descending order, and eigenvectors.

    The eigenvectors (m, .) have norm one. The last eigenvalue is rounded up, so that no remaining
    eigenvalue exceeds it by more than a relative 5e-10. The result is None if this cannot be
    proven, if two eigenvalues tie (rounding would then choose the eigenvectors), or if the Lanczos
    method does not converge. K is overwritten.
    """
    try:
        start = np.sqrt(K.diagonal().clip(0.0))
        w, P = scipy.sparse.linalg.eigsh(K, k=count + 1, v0=start, tol=0)
    except scipy.sparse.linalg.ArpackError:
        return None
    w, P = w[::-1], P[:, ::-1]
    if (w[:-1] - w[1:] <= TIE * w[0]).any():
        return None
    w, P = w[:count], P[:, :count]
    if np.linalg.norm(K @ P - P * w) > EXACT * w[0]:
        return None
    if not _nothing_above(K, w, P):
        return None
    return np.append(w[:-1], w[-1] * (1.0 + len(P) ** 2 * EPS)), P


def _nothing_above(K: Array, w: Vector, P: Array) -> bool:
    """Whether K - P diag(w) P' has no eigenvalue above the last of w; K is overwritten."""
    K -= (P * w) @ P.T
    np.negative(K, out=K)
    np.einsum("ii->i", K)[:] += w[-1] * (1.0 + SLACK)  # a view of the diagonal
    # K equals its transpose, so the one that LAPACK need not copy is used
    ordered = K if K.flags.f_contiguous else K.T
    _, info = scipy.linalg.lapack.dpotrf(ordered, lower=1, overwrite_a=1, clean=0)
    return bool(info == 0)
