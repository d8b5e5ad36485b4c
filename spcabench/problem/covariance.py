"""The matrix layer for covariances: Sigma (n, n) as an array, or as the Gram matrix A'A of data.

Both classes have the same interface: ``Sigma @ x``, ``Sigma[W]`` (the rows of a working set, with
Rayleigh and power steps), ``diagonal``, ``largest_column`` and ``leading``. The Gram class never
creates an n x n array.
"""

from functools import cached_property

import numpy as np
import scipy.sparse.linalg

from spcabench.flops import charge, conversion
from spcabench.problem import dense_steps
from spcabench.problem.data import (
    SMALL_SIDE,
    Data,
    bordered_solve,
    is_sparse,
    product_with_sparse,
)
from spcabench.problem.spectral import largest_eigenvalue, leading_pairs, settled, tied_pairs
from spcabench.problem.working_set import DenseWorkingSet, Symmetric, WorkingSet
from spcabench.vectors import (
    Array,
    Indices,
    Vector,
    expect_indices,
    expect_shape,
    first_largest,
    normalize,
    protected,
    support,
)

NEGLIGIBLE = 1e-12  # eigenvalues below this fraction of the largest are treated as zero


class Covariance(Symmetric):
    """Sigma stored as a symmetric array (n, n)."""

    def __init__(self, S: Array) -> None:
        expect_shape(S, len(S), len(S))
        self.S = S
        self.n = len(S)

    def protect(self) -> None:
        """Replace the array by a read-only view; nothing is copied."""
        self.S = protected(self.S)

    def __matmul__(self, x: Vector) -> Vector:
        """Return Sigma x in n^2 flops, or in n k flops for a k-sparse x."""
        expect_shape(x, self.n)
        W = support(x)
        if len(W) < self.n:
            R = self.S[W]
            charge(R.size)
            return x[W] @ R
        charge(self.n**2)
        return self.S @ x

    def __getitem__(self, W: Indices) -> DenseWorkingSet:
        return DenseWorkingSet(self.S, W)

    def step(self, g: Vector, d_free: Vector, last: int, sign: float) -> tuple[int, float] | None:
        """Perform the step of `dense_steps.next_column` in n flops, if the array allows it."""
        return dense_steps.step(self.S, g, d_free, last, sign)

    def products(self, Z: Array) -> Array:
        """Return Sigma Z (n, r) in n^2 r flops, or in n flops per nonzero of a sparse Z (n, r)."""
        expect_shape(Z, self.n, None)
        if is_sparse(Z):
            return product_with_sparse(self.S.T, Z)  # S is symmetric, and its rows are contiguous
        charge(self.S.size * Z.shape[1])
        return self.S @ Z

    def copied(self) -> "Covariance":
        """Return the same array without values that were computed from it."""
        return Covariance(self.S)

    def diagonal(self) -> Vector:
        """Return the variances of the variables (n,)."""
        return self.S.diagonal()

    def largest_variance(self) -> int:
        """Return the variable with the largest variance; column norms break ties.

        The cost is n flops for each tied variable.
        """
        return first_largest(self.diagonal(), self.column_squares)

    def largest_column(self) -> Vector:
        """Return the column with the largest norm (n,) in n^2 flops; the variance breaks ties."""
        squares = self.column_squares(np.arange(self.n))
        return self.S[first_largest(squares, self.diagonal().take)].copy()

    def column_squares(self, J: Indices) -> Vector:
        """Return ||Sigma e_j||^2 for j in J in n |J| flops."""
        R = self.S if len(J) == self.n else self.S[J]
        charge(R.size)
        return np.einsum("ij,ij->i", R, R)

    def block(self, J: Indices, W: Indices) -> Array:
        """Return Sigma[J, W] by indexing, free of charge."""
        return self.S[np.ix_(J, W)]

    def leading_pairs(self, count: int) -> tuple[Vector, Vector]:
        """Return the leading eigenpairs, as `Symmetric.leading_pairs`, in 9 n^3 flops."""
        return leading_pairs(self.S, count)

    def indefinite_by(self) -> float:
        """Return the smallest sigma >= 0 for which Sigma + sigma I is PSD, in 9 n^3 flops."""
        return max(0.0, largest_eigenvalue(-self.S))


class Gram(Symmetric):
    """Sigma = A'A - Q diag(w) Q' for data A (m, n), without forming Sigma.

    Q (n, r) and w (r,) contain the part removed by Hotelling's deflation. Initially r is zero.
    """

    def __init__(self, A: Data, Q: Array | None = None, w: Vector | None = None) -> None:
        self.A = A
        self.n = A.shape[1]
        self.Q = np.zeros((self.n, 0)) if Q is None else Q
        self.w = np.zeros(0) if w is None else w

    def protect(self) -> None:
        """Replace the arrays by read-only views; nothing is copied."""
        self.A.protect()
        self.Q, self.w = protected(self.Q), protected(self.w)

    def __matmul__(self, x: Vector) -> Vector:
        """Return Sigma x by products with A and A', or by `power_step` if x is sparse."""
        expect_shape(x, self.n)
        W = support(x)
        if len(W) < self.n and (
            not self.A.sparse or 2 * len(W) < self.n or self.A.touches_few_rows(W)
        ):
            return self[W].power_step(x[W])
        return self.A.T @ (self.A @ x) - self.Q @ (self.w * (self.Q.T @ x))

    def __getitem__(self, W: Indices) -> "GramWorkingSet":
        return GramWorkingSet(self, W)

    def step(self, g: Vector, d_free: Vector, last: int, sign: float) -> tuple[int, float] | None:
        """Return None, because each column of Sigma would cost a product."""
        return None

    def copied(self) -> "Gram":
        """Return the same arrays without values that were computed from them."""
        return Gram(self.A.copied(), self.Q, self.w)

    def products(self, Z: Array) -> Array:
        """Return Sigma Z (n, r) for Z (n, r) by products with A and A'."""
        expect_shape(Z, self.n, None)
        Y = self.A.transposed_products(self.A.products(Z))
        return Y - self.Q @ (self.w[:, None] * (self.Q.T @ Z)) if len(self.w) else Y

    def diagonal(self) -> Vector:
        """Return the variances of the variables (n,)."""
        return self.A.squared_norms() - self.Q**2 @ self.w

    def largest_variance(self) -> int:
        """Return the variable with the largest variance; column norms break ties.

        If both m and n exceed `SMALL_SIDE`, column norms are too expensive, and the lowest index
        breaks ties.
        """
        return first_largest(self.diagonal(), self.column_squares)

    def largest_column(self) -> Vector:
        """Return the column of Sigma with the largest norm (n,) in min(m, n) m n flops.

        The variance breaks ties. If both m and n exceed `SMALL_SIDE`, norms are too expensive, and
        the column of the variable with the largest variance is returned.
        """
        e = np.zeros(self.n)
        if min(self.A.shape) > SMALL_SIDE:
            e[self.largest_variance()] = 1.0
        else:
            squares = self.column_squares(np.arange(self.n))
            e[first_largest(squares, lambda J: self.diagonal()[J])] = 1.0
        return self @ e

    def column_squares(self, J: Indices) -> Vector:
        """Return ||Sigma e_j||^2 for j in J at the cost of `Data.gram_squares`.

        The result is zero if this cost is too high.
        """
        squares = self.A.gram_squares(J)
        if len(self.w) and squares.any():
            wQ_J = self.Q[J] * self.w
            cross = np.einsum("jr,jr->j", self.A.columns(J).dense().T @ self._AQ, wQ_J)
            squares += np.einsum("jr,jr->j", wQ_J @ (self.Q.T @ self.Q), wQ_J) - 2.0 * cross
        return squares

    def block(self, J: Indices, W: Indices) -> Array:
        """Return Sigma[J, W] at the cost of `Data.cross`."""
        return self.A.columns(J).cross(self.A.columns(W)) - (self.Q[J] * self.w) @ self.Q[W].T

    @cached_property
    def _AQ(self) -> Array:
        """A Q (m, r), not charged because the low-rank part costs only o(n^2)."""
        with conversion():
            return np.column_stack([self.A @ q for q in self.Q.T])

    @property
    def exact_pairs(self) -> bool:  # type: ignore[override]
        """Whether LAPACK computes the leading eigenpairs."""
        return min(self.A.shape) <= SMALL_SIDE

    def leading_pairs(self, count: int) -> tuple[Vector, Vector]:
        """Return the leading eigenpairs, as `Symmetric.leading_pairs`.

        They are computed from A'A or A A', whichever is smaller, or by the Lanczos method if both
        are large.
        """
        if self.exact_pairs:
            return self[np.arange(self.n)].leading_pairs(count)
        operator = scipy.sparse.linalg.LinearOperator(
            (self.n, self.n), matvec=self.__matmul__, dtype=np.float64
        )
        w, V = scipy.sparse.linalg.eigsh(
            operator, k=count, v0=np.sqrt(self.diagonal().clip(0)), tol=0
        )
        return w[::-1], V[:, ::-1]

    def indefinite_by(self) -> float:
        """Return the trace of the deflated part, a sigma >= 0 for which Sigma + sigma I is PSD."""
        return float(np.abs(self.w) @ (self.Q**2).sum(axis=0))


class GramWorkingSet(WorkingSet):
    """Rows W of a Gram matrix, computed from the columns A_W (m, k) of the data.

    A k x k matrix is factorised, or an m x m matrix if that is smaller. A working set of more
    variables than samples would otherwise cost k^3, although its block has rank at most m.
    """

    def __init__(self, Sigma: Gram, W: Indices) -> None:
        expect_indices(W)
        self.Sigma, self.W = Sigma, W
        self.Q = Sigma.Q[W]
        self.wide = len(W) > Sigma.A.shape[0] + len(Sigma.w)

    @cached_property
    def A(self) -> Data:
        """A[:, W] (m, k), extracted on first use."""
        return self.Sigma.A.columns(self.W)

    @cached_property
    def B(self) -> Array:  # type: ignore[override]
        """Sigma[W, W] (k, k), computed on first use in m k^2 flops."""
        return self.A.gram() - (self.Q * self.Sigma.w) @ self.Q.T

    def stacked(self) -> tuple[Vector, Vector]:
        """Return C (m + r, k) and signs J (m + r,) with Sigma[W, W] = C' diag(J) C."""
        w = self.Sigma.w
        C = np.vstack([self.A.dense(), np.sqrt(np.abs(w))[:, None] * self.Q.T])
        return C, np.concatenate([np.ones(self.A.shape[0]), -np.sign(w)])

    def quotient(self, y: Vector) -> float:
        """Return y'Sigma[W, W]y / y'y."""
        if not self.wide:
            return super().quotient(y)
        p = self.A @ y
        return float(p @ p - self.Sigma.w @ (self.Q.T @ y) ** 2) / float(y @ y)

    def rayleigh_step(self, x: Vector, mu: float | None = None) -> Vector:
        """Perform the step of `WorkingSet.rayleigh_step`.

        If k > m, an m x m system is solved (Woodbury) in m^2 k + m^3 + 2 m^2 + 2 m k flops.
        """
        if not self.wide:
            return super().rayleigh_step(x, mu)
        expect_shape(x, len(self.W))
        C, J = self.stacked()
        p = C @ x
        charge(C.size)
        if mu is None:
            mu = float((J * p) @ p) / float(x @ x)
        if mu <= 0.0:
            return normalize(x)
        M = C @ C.T / -mu
        charge(C.size * len(C))
        M.ravel()[:: len(C) + 1] += J
        h = p / np.sqrt(mu)
        solution = bordered_solve(M, h, -float(x @ x))
        if solution is None:
            return normalize(x)
        t, nu = solution
        charge(C.size)
        return normalize((C.T @ t) / np.sqrt(mu) - nu * x)

    def power_step(self, y: Vector) -> Vector:
        """Return Sigma[:, W] y in m k + m n flops.

        For sparse data, the cost is at most the number of stored entries; see
        `Data.few_rows_product`.
        """
        S, W = self.Sigma, self.W
        few = S.A.touches_few_rows(W)
        z = S.A.few_rows_product(W, y) if few else S.A.T @ (self.A @ y)
        return z - S.Q @ (S.w * (self.Q.T @ y)) if len(S.w) else z

    def product(self, y: Vector) -> Vector:
        """Return Sigma[W, W] y, computed from the data without forming the k x k block."""
        return self.A.T @ (self.A @ y) - self.Q @ (self.Sigma.w * (self.Q.T @ y))

    def leading_pairs(self, count: int) -> tuple[Vector, Vector]:
        """Return the leading eigenpairs of Sigma[W, W], from an m x m matrix if k > m.

        With a low-rank part, this is done only where no k x k block can be formed.
        """
        if not self.wide or (self.Sigma.w.size and len(self.W) <= SMALL_SIDE):
            return super().leading_pairs(count)
        if self.Sigma.w.size:
            return self._deflated_pairs(count)
        w, P = tied_pairs(self.A.sample_products(), count)
        V = self.A.transposed_products(np.ascontiguousarray(P))
        V = np.column_stack([normalize(v) for v in V.T])
        # for a zero eigenvalue, A'p consists of rounding errors
        live = int((w > NEGLIGIBLE * w[0]).sum())
        V[:, :live] = settled(w[:live], V[:, :live], live)
        return w[:count], V[:, :count]

    def _deflated_pairs(self, count: int) -> tuple[Vector, Vector]:
        """Return the leading eigenpairs of C'JC (see `stacked`) from an array (m + r, m + r).

        If C C' = LL' and L'JL z = w z, then C'JLz is an eigenvector for w.
        """
        weights = self.Sigma.w
        roots, J = np.sqrt(np.abs(weights)), np.ones(self.A.shape[0] + len(weights))
        J[self.A.shape[0] :] = -np.sign(weights)
        cross = np.column_stack(
            [self.A @ (q * root) for q, root in zip(self.Q.T, roots, strict=True)]
        )
        low_rank = (self.Q * roots).T @ (self.Q * roots)
        K = np.block([[self.A.sample_products(), cross], [cross.T, low_rank]])
        squares, U = np.linalg.eigh(K)
        L = U * np.sqrt(squares.clip(0.0))
        w, Z = tied_pairs(L.T @ (J[:, None] * L), count)
        P = J[:, None] * (L @ Z)
        top = self.A.transposed_products(np.ascontiguousarray(P[: self.A.shape[0]]))
        V = top + (self.Q * roots) @ P[self.A.shape[0] :]
        V = np.column_stack([normalize(v) for v in V.T])
        # the others of the k eigenvalues are zero
        w = w.clip(0.0)
        live = int((w > NEGLIGIBLE * w[0]).sum())
        V[:, :live] = settled(w[:live], V[:, :live], live)
        return w[:count], V[:, :count]
