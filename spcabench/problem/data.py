"""The matrix layer for data: A (m, n), dense or sparse, centred and deflated without a copy.

Only the matrix layer charges flops (see `spcabench.flops`). The operator ``@`` detects a k-sparse
vector, and reads and charges only k columns.
"""

from functools import cached_property

import numpy as np
import scipy.sparse as sp
from scipy.linalg import lapack

from spcabench.flops import LEDGER, charge, solve_cost
from spcabench.problem import dense_steps, sparse_gram
from spcabench.vectors import (
    Array,
    Indices,
    Vector,
    expect_indices,
    expect_real,
    expect_shape,
    first_largest,
    normalize,
    protected,
    support,
)

# Above this order, the matrices needed for the largest column of Sigma are too expensive.
SMALL_SIDE = 4096


def bordered_solve(M: Array, b: Vector, corner: float) -> tuple[Vector, float] | None:
    """Solve [[M, b], [b', corner]] [w; nu] = [0; 1] for w (k,) and nu; None if singular.

    If M = mu I - B, where b approximates an eigenvector of B, this is a step of Rayleigh quotient
    iteration: w is parallel to (B - mu I)^-1 b with b'w = 1, and the matrix remains regular if mu
    is a simple eigenvalue.
    """
    k = len(b)
    expect_shape(b, k)
    expect_shape(M, k, k)
    charge(solve_cost(k))
    K = np.empty((k + 1, k + 1), order="F")
    K[:k, :k] = M
    K[:k, k] = b
    K[k, :k] = b
    K[k, k] = corner
    rhs = np.zeros(k + 1)
    rhs[k] = 1.0
    _, _, w, info = lapack.dgesv(K, rhs, overwrite_a=1, overwrite_b=1)
    return (w[:k], w[k]) if info == 0 and np.isfinite(w).all() else None


def is_sparse(Z: Array) -> bool:
    """Whether fewer than half of the entries are nonzero, so products read only the nonzeros."""
    return bool(2 * np.count_nonzero(Z) < Z.size)


def product_with_sparse(X: Array, Z: Array) -> Array:
    """Return X Z (m, r) for arrays X (m, n) and Z (n, r) in m flops per nonzero of Z."""
    if dense_steps.is_plain(X.T) and dense_steps.is_plain(Z.T):
        if max(X.shape) <= dense_steps.SMALL:
            charge(len(X) * int(np.count_nonzero(Z)))
            return X @ Z
        combined: Array = dense_steps.sparse_combinations(X.T, Z.T)
        return combined.T
    # the arrays of a CSR matrix are created directly, because its general constructor is slow
    column, row = np.nonzero(Z.T)
    starts = np.searchsorted(column, np.arange(Z.shape[1] + 1))
    few = sp.csr_array((Z[row, column], row, starts), shape=Z.T.shape)
    charge(X.shape[0] * few.nnz)
    product: Array = (few @ X.T).T
    return product


class Block:
    """A dense block R[I, J] (p, q) of the data, for the sparse singular value decomposition."""

    def __init__(self, R: Array) -> None:
        self.R = R

    def rayleigh_step(self, u: Vector, v: Vector) -> tuple[Vector, Vector]:
        """Perform a Rayleigh quotient step on [[0, R'], [R, 0]] from unit vectors u (p,), v (q,).

        Kuleshov (2013), Algorithm 5. Only the smaller Schur complement, mu I - R R'/mu, is
        factorised, in p^2 q + p^3 + 2 p^2 + 2 p q flops if p <= q.
        """
        R = self.R
        if R.shape[0] > R.shape[1]:
            v, u = Block(R.T).rayleigh_step(v, u)
            return u, v
        p, q = R.shape
        expect_shape(u, p)
        expect_shape(v, q)
        Rv = R @ v
        charge(p * q)
        mu = u @ Rv
        if mu <= 0.0:
            return u, v
        S = R @ R.T
        charge(p * p * q)
        S *= -1.0 / mu**2
        S.ravel(order="K")[:: p + 1] += 1.0
        h = Rv / mu + u
        solution = bordered_solve(S, h, -float(v @ v))
        if solution is None:
            return u, v
        w, nu = solution
        charge(p * q)
        return normalize(w), normalize((R.T @ w) / mu - nu * v)


def _row_squares(X) -> Vector:
    """Return the squared norm of every row (m,) of a sparse X."""
    squares = X.multiply(X).tocoo()
    return np.bincount(squares.row, squares.data, X.shape[0]).astype(np.float64)


class Transpose:
    """The transpose A' of a `Data` matrix A, which only supports ``A.T @ y``."""

    def __init__(self, A: "Data") -> None:
        self.A = A

    def __matmul__(self, y: Vector) -> Vector:
        """Return A'y (n,) for y (m,).

        The cost is m n flops, or n k flops for a k-sparse y. For a sparse A, it is the number of
        stored entries.
        """
        A = self.A
        m, n = A.shape
        expect_shape(y, m)
        W = support(y)
        if A.sparse:
            z = A.X.T @ y
            charge(A.X.nnz)
        elif len(W) < m:
            z = A.X.T[:, W] @ y[W]
            charge(n * len(W))
        else:
            z = A.X.T @ y
            charge(m * n)
        if A.scale is not None:
            z = z * A.scale
        return z - A.V @ (A.U.T @ y) if A.rank else z


class Data:
    """A = X diag(scale) - U V' of shape (m, n), where X is neither copied nor changed.

    X is a Fortran-ordered array or a `scipy.sparse.csc_array`. A sparse X remains sparse, because
    centring and deflation are stored in the low-rank part, U (m, r) and V (n, r).
    """

    def __init__(
        self, X, scale: Vector | None = None, U: Array | None = None, V: Array | None = None
    ) -> None:
        self.X, self.scale = X, scale
        self.shape: tuple[int, int] = X.shape
        self.U: Array = np.zeros((X.shape[0], 0)) if U is None else U
        self.V: Array = np.zeros((X.shape[1], 0)) if V is None else V
        self.rank = self.U.shape[1]
        self.sparse = sp.issparse(X)
        expect_shape(X.data if self.sparse else X, *(None,) * (1 if self.sparse else 2))
        expect_real(self.U, self.V)

    def protect(self) -> None:
        """Replace the arrays by read-only views; nothing is copied."""
        X = self.X
        if self.sparse and X.data.flags.writeable:
            parts = (protected(part) for part in (X.data, X.indices, X.indptr))
            self.X = type(X)(tuple(parts), shape=X.shape, copy=False)
        elif not self.sparse:
            self.X = protected(X)
        self.scale = None if self.scale is None else protected(self.scale)
        self.U, self.V = protected(self.U), protected(self.V)

    @property
    def T(self) -> Transpose:
        """The transpose, for ``A.T @ y``."""
        return Transpose(self)

    @property
    def stored(self) -> int:
        """Number of entries that a product reads: m n, or the stored entries of a sparse X."""
        return self.X.nnz if self.sparse else self.shape[0] * self.shape[1]

    def __matmul__(self, z: Vector) -> Vector:
        """Return A z (m,) for z (n,).

        The cost is m n flops, or m k flops for a k-sparse z. For a sparse A, it is the number of
        stored entries.
        """
        expect_shape(z, self.shape[1])
        W = support(z)
        # if flops are not charged, a full product with a sparse X is faster than extracting columns
        gathered = LEDGER.on or not self.sparse or 2 * len(W) < self.shape[1]
        if len(W) < self.shape[1] and gathered:
            return self.columns(W) @ z[W] if len(W) else np.zeros(self.shape[0])
        y = self.X @ (z if self.scale is None else z * self.scale)
        charge(self.stored)
        return y - self.U @ (self.V.T @ z) if self.rank else y

    def products(self, Z: Array) -> Array:
        """Return A Z (m, r) for Z (n, r) in r flops per stored entry.

        If Z has few nonzero rows, only the corresponding columns of A are read and charged. If
        fewer than half of the entries of Z are nonzero, each column of Z costs as much as a vector.
        """
        expect_shape(Z, self.shape[1], None)
        W = np.flatnonzero(Z.any(axis=1))
        if 2 * len(W) < self.shape[1]:
            return (
                self.columns(W).products(Z[W]) if len(W) else np.zeros((self.shape[0], Z.shape[1]))
            )
        if self.sparse and is_sparse(Z):
            return np.column_stack([self @ z for z in Z.T])
        scaled = Z if self.scale is None else Z * self.scale[:, None]
        if is_sparse(Z):
            Y = product_with_sparse(self.X, scaled)
        else:
            charge(self.stored * Z.shape[1])
            Y = self.X @ scaled
        return Y - self.U @ (self.V.T @ Z) if self.rank else Y

    def columns(self, W: Indices) -> "Data":
        """Return the columns W of A as a matrix of the same kind, free of charge."""
        expect_indices(W)
        X = self.X[:, W] if self.sparse else self.X.T[W].T
        scale = None if self.scale is None else self.scale[W]
        return Data(X, scale, self.U, self.V[W])

    def copied(self) -> "Data":
        """Return the same arrays without values that were computed from them."""
        return Data(self.X, self.scale, self.U, self.V)

    def dense(self) -> Array:
        """Return A as a Fortran-ordered array (m, n), or X itself if A equals a dense X."""
        X = self.X.toarray(order="F") if self.sparse else self.X
        if self.scale is not None:
            X = X * self.scale
        return X - self.U @ self.V.T if self.rank else X

    def __getitem__(self, index: tuple[Indices, Indices]) -> Block:
        """Return the dense block A[I, J]."""
        rows, cols = index
        A = self.columns(cols) if len(cols) < self.shape[1] else self
        R = A.dense()
        return Block(R[rows] if len(rows) < self.shape[0] else R)

    def transposed_products(self, Y: Array) -> Array:
        """Return A'Y (n, q) for Y (m, q) in q flops per stored entry."""
        expect_shape(Y, self.shape[0], None)
        charge(self.stored * Y.shape[1])
        Z = self.X.T @ Y
        if self.scale is not None:
            Z = Z * self.scale[:, None]
        return Z - self.V @ (self.U.T @ Y) if self.rank else Z

    def gram(self) -> Array:
        """Return A'A as an array (n, n) in n flops per stored entry, or m n^2 for a dense A."""
        return self.cross(self)

    def cross(self, B: "Data") -> Array:
        """Return A'B (n, p) for columns B (m, p) of the same data in p flops per stored entry."""
        charge(self.stored * B.shape[1])
        if not self.sparse:
            A = self.dense()
            return A.T @ (A if B is self else B.dense())
        G = (self.X.T @ B.X).toarray()
        if self.scale is not None and B.scale is not None:
            G *= self.scale[:, None] * B.scale
        if self.rank:
            G += self.V @ (self.U.T @ self.U) @ B.V.T - self._UX @ B.V.T - self.V @ B._UX.T
        return G

    def touches_few_rows(self, W: Indices) -> bool:
        """Whether A is sparse and the columns W have fewer stored entries than A has rows."""
        return self.sparse and sparse_gram.is_worthwhile(self.X, W)

    def few_rows_product(self, W: Indices, y: Vector) -> Vector:
        """Return A'A[:, W] y (n,) for y (k,) if the columns W of a sparse A have few nonzero rows.

        The cost is the number of entries in the columns W and in their nonzero rows.
        """
        expect_shape(y, len(W))
        y = y.astype(np.float64, copy=False)  # the only type that the kernel accepts
        scaled = y if self.scale is None else y * self.scale[W]
        z = sparse_gram.gram_product(self.X, self._by_rows, W, scaled)
        if self.scale is not None:
            z *= self.scale
        if not self.rank:
            return z
        B, C = self._low_rank_gram
        return z - B @ (C @ (B[W].T @ y))

    @cached_property
    def _by_rows(self) -> sp.csr_array:
        """The sparse X, stored by rows."""
        return self.X.tocsr()

    @cached_property
    def _low_rank_gram(self) -> tuple[Array, Array]:
        """B (n, 2 r) and C (2 r, 2 r) such that A'A equals the scaled X'X minus B C B'."""
        eye = np.eye(self.rank)
        C = np.block([[0.0 * eye, eye], [eye, -(self.U.T @ self.U)]])
        return np.hstack([self._UX, self.V]), C

    @cached_property
    def _UX(self) -> Array:
        """Scaled X'U (n, r), not charged because the low-rank part costs only o(n^2)."""
        UX = self.X.T @ self.U
        return UX if self.scale is None else (UX.T * self.scale).T

    @cached_property
    def _squares(self) -> Vector:
        X = self.X
        d = (
            np.asarray(X.multiply(X).sum(axis=0)).ravel()
            if self.sparse
            else np.einsum("ij,ij->j", X, X)
        )
        if self.scale is not None:
            d = d * self.scale**2
        if self.rank:
            low_rank = np.einsum("nr,nr->n", self.V @ (self.U.T @ self.U) - 2.0 * self._UX, self.V)
            # set differences to zero if only rounding errors remain after cancellation
            d = np.where(d + low_rank > 1e-14 * d, d + low_rank, 0.0)
        return protected(d)

    def squared_norms(self) -> Vector:
        """Return the squared norm of every column (n,) in one pass over the stored entries."""
        charge(self.stored)
        return self._squares

    def column(self, j: int) -> Vector:
        """Return column j as an array (m,)."""
        return self.columns(np.array([j])).dense()[:, 0]

    def largest_column(self) -> Vector:
        """Return the column with the largest norm, scaled to norm one (m,).

        The norms of the columns of A'A break ties, if they are affordable.
        """
        return normalize(self.column(first_largest(self.squared_norms(), self.gram_squares)))

    def gram_squares(self, J: Indices) -> Vector:
        """Return ||A'a_j||^2 for j in J in m n |J| flops.

        If |J| > m, it is computed as a_j'M a_j with M = A A' in m^2 (n + |J|) + m |J| flops. If
        both m and |J| exceed `SMALL_SIDE`, this is too expensive, and the result is zero.
        """
        m, n = self.shape
        if min(m, len(J)) > SMALL_SIDE:
            return np.zeros(len(J))
        M = self.sample_products() if m < len(J) else None
        squares = np.empty(len(J))
        for i in range(0, len(J), 128):
            batch = J[i : i + 128]
            A_J = self.columns(batch).dense()
            if M is None:
                charge(n * len(batch))
                C = self.transposed_products(A_J)
                squares[i : i + 128] = np.einsum("ij,ij->j", C, C)
            else:
                charge(M.size * len(batch) + A_J.size)
                squares[i : i + 128] = np.einsum("ij,ij->j", A_J, M @ A_J)
        return squares

    def largest_row(self) -> Vector:
        """Return the row with the largest norm, scaled to norm one (n,).

        The order of the rows is arbitrary, so ties must not be broken by an index. They are broken
        by the absolute value of the product with a fixed vector, which ties only for rows that are
        equal or opposite.
        """
        m, n = self.shape
        charge(self.stored)
        X = self.X if self.scale is None else self.X * self.scale
        d = _row_squares(X) if self.sparse else np.einsum("ij,ij->i", X, X)
        if self.rank:
            d = d + np.einsum("mr,mr->m", self.U @ (self.V.T @ self.V) - 2.0 * (X @ self.V), self.U)
        e = np.zeros(m)
        e[first_largest(d, lambda rows: np.abs(self @ np.cos(np.arange(n)))[rows])] = 1.0
        return normalize(self.T @ e)

    def sample_products(self) -> Array:
        """Return A A' as an array (m, m) in m^2 n flops; intended for m <= `SMALL_SIDE`."""
        charge(self.stored * self.shape[0])
        if not self.sparse:
            A = self.dense()
            return A @ A.T
        X = self.X if self.scale is None else self.X * self.scale
        K = (X @ X.T).toarray()
        if self.rank:
            C = (X @ self.V) @ self.U.T
            K += self.U @ (self.V.T @ self.V) @ self.U.T - C - C.T
        return K
