"""The matrix layer for symmetric matrices as iterates: eigendecompositions and products.

The ledger is charged 9 n^3 flops for an eigendecomposition of order n, and p q r flops for a
(p x q)(q x r) product, as in `spcabench.problem.data` and `spcabench.problem.covariance`.
"""

import contextlib
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations

import numpy as np
import scipy.linalg
import scipy.sparse.linalg
from scipy.linalg import lapack

from spcabench.flops import charge, eigh_cost
from spcabench.vectors import TIE, Array, Indices, Vector, expect_shape, first_largest, one_sided

SMALL_WEIGHT = 1e-12  # eigenvalues with a smaller softmax weight are ignored
# above this fraction of the eigenvalues, a full decomposition is faster (d'Aspremont's code)
FULL_SHARE = 0.1
PART_SHARE = 0.08  # above this fraction of the eigenpairs, LAPACK computes all of them as fast


def _order(A: Array) -> int:
    """Return n for A (n, n); reject anything else, such as a stack of matrices."""
    expect_shape(A, len(A), len(A))
    return len(A)


@lru_cache(maxsize=256)
def _workspace(routine: str, n: int) -> dict[str, int]:
    """Return the sizes of the work arrays that LAPACK asks for."""
    work, iwork, _ = getattr(lapack, f"{routine}_lwork")(n, lower=1)
    return {"lwork": int(work), "liwork": int(iwork)}


def _decomposed(A: Array, count: int | None = None) -> tuple[Vector, Array]:
    """Return all eigenpairs of a symmetric A (n, n), or the ``count`` largest, in increasing order.

    `scipy.linalg.eigh` does the same, but spends more time on its arguments than LAPACK does on a
    matrix of order 20. Raises LinAlgError if LAPACK fails.
    """
    n = len(A)
    if count is None:
        w, V, info = lapack.dsyevd(A, lower=1, **_workspace("dsyevd", n))
    else:
        part = dict(range="I", il=max(n - count, 0) + 1, iu=n)
        w, V, found, _, info = lapack.dsyevr(A, lower=1, **part, **_workspace("dsyevr", n))
        w, V = w[:found], V[:, :found]
    if info != 0:
        raise np.linalg.LinAlgError(f"LAPACK found no eigenpairs of order {n} (info = {info})")
    return w, V


def eigen(A: Array) -> tuple[Vector, Vector]:
    """Return the eigenvalues (n,), in increasing order, and eigenvectors (n, n) of a symmetric A.

    The cost is 9 n^3 flops.
    """
    charge(eigh_cost(_order(A)))
    return _decomposed(A)


def eigenvalues(A: Array) -> Vector:
    """Return the eigenvalues (n,) of a symmetric A, in increasing order, in 9 n^3 flops."""
    charge(eigh_cost(_order(A)))
    w: Vector = scipy.linalg.eigh(A, eigvals_only=True, driver="evd", check_finite=False)
    return w


def leading_pairs(B: Array, count: int) -> tuple[Vector, Vector]:
    """Return the ``count`` largest eigenvalues of a symmetric B and unit eigenvectors as columns.

    Eigenvalues are in decreasing order. The cost is 9 n^3 flops.
    """
    w, V = tied_pairs(B, count)
    return w[:count], settled(w, V, count)


def tied_pairs(B: Array, count: int) -> tuple[Vector, Array]:
    """Return the ``count`` leading eigenpairs, and all eigenpairs whose eigenvalues tie with them.

    The basis of the eigenspace of a multiple eigenvalue is arbitrary; see `settled`. The cost is
    9 n^3 flops, or twice that if the last of the ``count`` eigenvalues ties with the next one.
    """
    k, B = _order(B), np.asarray_chkfinite(B)
    charge(eigh_cost(k))
    w = V = np.zeros((0, 0))
    with contextlib.suppress(np.linalg.LinAlgError):  # one extra pair reveals a tie
        w, V = _decomposed(B, count + 1)
    # LAPACK's dsyevr fails or finds too few pairs if all eigenvalues are equal up to rounding
    too_few = len(w) < min(count + 1, k)
    if too_few or (count < k and w[-count] - w[-count - 1] <= TIE * np.abs(w).max()):
        charge(eigh_cost(k))
        w, V = _decomposed(B)
    w, V = w[::-1], np.asarray(V)[:, ::-1]
    slack = TIE * np.abs(w).max()
    needed = max(count, int((w >= w[min(count, k) - 1] - slack).sum()))
    return w[:needed], V[:, :needed]


def settled(w: Vector, V: Array, count: int) -> Array:
    """Return ``count`` eigenvectors (n, count) from V that do not depend on rounding errors.

    The columns of V (n, .) are eigenvectors in order of decreasing w. The largest entry of each
    returned eigenvector is positive. If eigenvalues tie (see `spcabench.vectors`), any basis of
    their eigenspace consists of eigenvectors, and rounding errors determine which basis a library
    returns. The basis returned here has the largest possible entries: its first vector is the unit
    vector of the eigenspace with the largest entry, at the lowest index among ties. The next vector
    is chosen in the same way from the orthogonal complement of the first, and so on.
    """
    V = np.array(V)
    start, slack = 0, TIE * np.abs(w).max(initial=0.0)
    while start < min(count, len(w)):
        tied = int((w[start] - w[start:] <= slack).sum())
        V[:, start : start + tied] = _largest_entries(V[:, start : start + tied])
        start += tied
    return V[:, :count]


def last_vector(w: Vector, V: Array) -> Vector:
    """Return the `settled` eigenvector (n,) of the largest eigenvalue, from a result of `eigen`."""
    tied = int((w >= w[-1] - TIE * np.abs(w).max()).sum())
    return _largest_entries(V[:, -tied:])[:, 0]


def _largest_entries(V: Array) -> Array:
    """Return the orthonormal basis of the span of V that has the largest entries.

    The columns of V are orthonormal. Among the unit vectors orthogonal to the preceding basis
    vectors, each basis vector has the largest entry, and this entry is positive.
    """
    if V.shape[1] == 1:
        v = V[:, 0]
        return V if v[first_largest(np.abs(v))] >= 0.0 else -V
    residual, basis = V, np.empty_like(V)
    for j in range(V.shape[1]):
        squares = np.einsum("ij,ij->i", residual, residual)
        i = first_largest(squares)
        basis[:, j] = residual @ residual[i] / np.sqrt(squares[i])
        residual = residual - np.outer(basis[:, j], residual[i]) / np.sqrt(squares[i])
    return basis


def largest_eigenvalue(A: Array) -> float:
    """Return the largest eigenvalue of a symmetric A (n, n) in 9 n^3 flops."""
    return float(leading_pairs(A, 1)[0][0])


def part_eigen(A: Array, width: float, guess: int) -> tuple[Vector, Vector]:
    """Return at least the eigenpairs of A (n, n) with eigenvalues within ``width`` of the largest.

    LAPACK reduces A to a tridiagonal matrix and computes its ``guess`` largest pairs. If more pairs
    lie within the width, or if the guess is too large to save time, `eigen` computes all pairs.
    Either computation costs 9 n^3 flops. Eigenvalues are returned in increasing order.
    """
    n = _order(A)
    if guess <= PART_SHARE * n:
        charge(eigh_cost(n))
        with contextlib.suppress(np.linalg.LinAlgError):
            w, V = _decomposed(A, guess)
            if len(w) == guess and w[0] < w[-1] - width:
                return w, V
    return eigen(A)


def top_eigen(A: Array, width: float) -> tuple[Vector, Vector]:
    """Return at least the eigenpairs of A (n, n) with eigenvalues within ``width`` of the largest.

    The Lanczos method computes a few pairs, and doubles their number until it is sufficient. Each
    product costs n^2 flops. If more than a tenth of all pairs are needed, `eigen` computes all
    pairs. Eigenvalues are returned in increasing order.
    """
    n = _order(A)
    count = 4
    while count <= FULL_SHARE * n:
        operator = scipy.sparse.linalg.LinearOperator(
            (n, n), matvec=lambda x: _product(A, x), dtype=np.float64
        )
        try:
            w, V = scipy.sparse.linalg.eigsh(operator, k=count, which="LA", v0=np.ones(n), tol=0)
        except scipy.sparse.linalg.ArpackNoConvergence:
            break
        order = np.argsort(w)
        w, V = w[order], V[:, order]
        if w[0] < w[-1] - width:
            return w, V
        count *= 2
    return eigen(A)


def _product(A: Array, x: Vector) -> Vector:
    charge(A.size)
    return A @ x.ravel()


def product(A: Array, B: Array) -> Array:
    """Return A B for arrays A (p, q) and B (q,) or (q, r) in p q r flops."""
    expect_shape(A, None, None)
    expect_shape(B, A.shape[1], *(None,) * (B.ndim > 1))
    charge(A.size * (B.shape[1] if B.ndim > 1 else 1))
    return np.asarray(A @ B)


def frobenius(A: Array) -> float:
    """Return the Frobenius norm of an array in one flop per entry."""
    charge(A.size)
    return float(np.linalg.norm(A))


def rebuilt(V: Array, weights: Vector) -> Array:
    """Return V diag(weights) V' (n, n) in n^2 flops per column with a nonnegligible weight."""
    sizeable = np.abs(weights) > SMALL_WEIGHT * np.abs(weights).max()
    V = V[:, sizeable]
    expect_shape(V, None, None)
    charge(V.shape[0] ** 2 * V.shape[1])
    X: Array = (V * weights[sizeable]) @ V.T
    return X


def nearest_density(X: Array) -> Array:
    """Return a symmetric PSD matrix of trace one near X (n, n) in 10 n^3 flops."""
    charge(eigh_cost(_order(X)))
    w, V = np.linalg.eigh((X + X.T) / 2)
    w = np.maximum(w, 0.0)
    if not w.any():
        w[-1] = 1.0
    return rebuilt(V, w / w.sum())


def block_eigenvalues(S: Array, W: Indices) -> Array:
    """Return the largest eigenvalue of each block S[W_i, W_i] (b,), for the rows W_i of W (b, k).

    Each block costs 9 k^3 flops.
    """
    expect_shape(W, None, None)
    charge(len(W) * eigh_cost(W.shape[1]))
    return np.asarray(np.linalg.eigvalsh(S[W[:, :, None], W[:, None, :]])[:, -1], dtype=np.float64)


def principal_blocks(
    S: Array, k: int, nonnegative: bool = False, batch: int = 4096
) -> Iterator[tuple[Indices, Vector, Vector]]:
    """Yield all k-subsets W of the variables of S (n, n) in batches, each subset with a vector x.

    A batch consists of W (b, k), unit vectors x (b, k) and values x'S[W, W]x (b,). Each vector is
    the leading eigenvector of its block or, with ``nonnegative``, the one-sided part of this
    eigenvector. Each subset costs 9 k^3 flops.
    """
    subsets = combinations(range(len(S)), k)
    while chunk := [s for _, s in zip(range(batch), subsets, strict=False)]:
        W = np.array(chunk)
        charge(len(W) * eigh_cost(k))
        blocks = S[W[:, :, None], W[:, None, :]]
        w, V = np.linalg.eigh(blocks)
        x, values = V[:, :, -1], w[:, -1]
        if nonnegative:
            x = one_sided(x)
            values = np.einsum("bi,bij,bj->b", x, blocks, x)
        yield W, x, values


def adjusted_variances(G: Array) -> Vector:
    """Return the variance (r,) that each loading adds to the preceding loadings.

    G : Z'Sigma Z (r, r) for loadings Z.
    """
    return np.diag(_cholesky(G)) ** 2


def _cholesky(G: Array) -> Vector:
    """Return the lower Cholesky factor of a PSD matrix; columns of zero pivots are zero."""
    L = np.zeros_like(G)
    for j in range(len(G)):
        pivot = G[j, j] - L[j, :j] @ L[j, :j]
        if pivot > 1e-14 * G[j, j]:
            L[j, j] = np.sqrt(pivot)
            L[j + 1 :, j] = (G[j + 1 :, j] - L[j + 1 :, :j] @ L[j, :j]) / L[j, j]
    return L
