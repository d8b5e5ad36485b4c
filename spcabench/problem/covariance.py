"""The matrix layer, covariance side: Sigma (n, n), an array or the Gram matrix A'A of data.

Both have one interface: ``Sigma @ x``, ``Sigma[W]`` (the rows of a working set, with its Rayleigh
and power steps), ``diagonal``, ``largest_column``, ``leading``. The Gram form never makes an n x n
array.
"""

from functools import cached_property

import numpy as np
import scipy.sparse.linalg

from spcabench.flops import charge, uncharged
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
    expect_shape,
    first_largest,
    normalize,
    support,
)

NEGLIGIBLE = 1e-12  # share of the largest eigenvalue below which one is taken for zero


class Covariance(Symmetric):
    """Sigma given as a symmetric array (n, n)."""

    def __init__(self, S: Array) -> None:
        self.S = S
        self.n = len(S)

    def __matmul__(self, x: Vector) -> Vector:
        """Sigma x: n^2 flops, n k for a k-sparse x."""
        W = support(x)
        if len(W) < self.n:
            expect_shape(x, self.n)
            R = self.S[W]
            charge(R.size)
            return x[W] @ R
        charge(self.n**2)
        return self.S @ x

    def __getitem__(self, W: Indices) -> DenseWorkingSet:
        return DenseWorkingSet(self.S, W)

    def step(self, g: Vector, d_free: Vector, last: int, sign: float) -> tuple[int, float] | None:
        """Make the step of `dense_steps.next_column`, if the array allows: n flops."""
        return dense_steps.step(self.S, g, d_free, last, sign)

    def products(self, Z: Array) -> Array:
        """Sigma Z (n, r) for Z (n, r): n^2 r flops, or n for each nonzero of a sparse Z."""
        if is_sparse(Z):
            return product_with_sparse(self.S.T, Z)  # S is symmetric, and its rows are contiguous
        charge(self.S.size * Z.shape[1])
        return self.S @ Z

    def diagonal(self) -> Vector:
        """Variances of the variables (n,)."""
        return self.S.diagonal()

    def largest_variance(self) -> int:
        """Return the variable of the largest variance; among ties, that of the largest column.

        It costs n flops for each of several that tie.
        """
        return first_largest(self.diagonal(), self.column_squares)

    def largest_column(self) -> Vector:
        """The column of largest norm (n,), among ties that of the largest variance: n^2 flops."""
        squares = self.column_squares(np.arange(self.n))
        return self.S[first_largest(squares, self.diagonal().take)].copy()

    def column_squares(self, J: Indices) -> Vector:
        """||Sigma e_j||^2 for j in J: n |J| flops."""
        R = self.S if len(J) == self.n else self.S[J]
        charge(R.size)
        return np.einsum("ij,ij->i", R, R)

    def leading_pairs(self, count: int) -> tuple[Vector, Vector]:
        """As in `Symmetric`. 9 n^3 flops."""
        return leading_pairs(self.S, count)

    def indefinite_by(self) -> float:
        """The smallest sigma >= 0 with Sigma + sigma I positive semidefinite. 9 n^3 flops."""
        return max(0.0, largest_eigenvalue(-self.S))


class Gram(Symmetric):
    """Sigma = A'A - Q diag(w) Q' of data A (m, n), never formed.

    Q (n, r) and w (r,) hold what Hotelling's deflation has taken out; at first r is zero.
    """

    def __init__(self, A: Data, Q: Array | None = None, w: Vector | None = None) -> None:
        self.A = A
        self.n = A.shape[1]
        self.Q = np.zeros((self.n, 0)) if Q is None else Q
        self.w = np.zeros(0) if w is None else w

    def __matmul__(self, x: Vector) -> Vector:
        """Sigma x: the products with A and with A', as `GramWorkingSet.power_step` for few x."""
        W = support(x)
        if len(W) < self.n:
            expect_shape(x, self.n)
            return self[W].power_step(x[W])
        return self.A.T @ (self.A @ x) - self.Q @ (self.w * (self.Q.T @ x))

    def __getitem__(self, W: Indices) -> "GramWorkingSet":
        return GramWorkingSet(self, W)

    def step(self, g: Vector, d_free: Vector, last: int, sign: float) -> tuple[int, float] | None:
        """No step in one pass: a column of Sigma is a product."""
        return None

    def products(self, Z: Array) -> Array:
        """Sigma Z (n, r) for Z (n, r): the products with A and with A'."""
        charge(self.A.stored * Z.shape[1])
        return self.A.transposed_products(self.A.products(Z)) - self.Q @ (
            self.w[:, None] * (self.Q.T @ Z)
        )

    def diagonal(self) -> Vector:
        """Variances of the variables (n,)."""
        return self.A.squared_norms() - self.Q**2 @ self.w

    def largest_variance(self) -> int:
        """Return the variable of the largest variance; among ties, that of the largest column.

        Where both m and n exceed `SMALL_SIDE` the columns are not affordable, and the lowest index
        decides.
        """
        return first_largest(self.diagonal(), self.column_squares)

    def largest_column(self) -> Vector:
        """Return the column of Sigma of largest norm (n,); min(m, n) m n flops.

        Among ties it is that of the largest variance. Where both m and n exceed `SMALL_SIDE` the
        norms are not affordable, and it is the column of the largest variance.
        """
        e = np.zeros(self.n)
        if min(self.A.shape) > SMALL_SIDE:
            e[self.largest_variance()] = 1.0
        else:
            squares = self.column_squares(np.arange(self.n))
            e[first_largest(squares, lambda J: self.diagonal()[J])] = 1.0
        return self @ e

    def column_squares(self, J: Indices) -> Vector:
        """Return ||Sigma e_j||^2 for j in J, at the cost of `Data.gram_squares`.

        Zeros where that is not affordable.
        """
        squares = self.A.gram_squares(J)
        if len(self.w) and squares.any():
            wQ_J = self.Q[J] * self.w
            cross = np.einsum("jr,jr->j", self.A.columns(J).dense().T @ self._AQ, wQ_J)
            squares += np.einsum("jr,jr->j", wQ_J @ (self.Q.T @ self.Q), wQ_J) - 2.0 * cross
        return squares

    @cached_property
    def _AQ(self) -> Array:
        """A Q (m, r): o(n^2) bookkeeping of the low-rank part."""
        with uncharged():
            return np.column_stack([self.A @ q for q in self.Q.T])

    def leading_pairs(self, count: int) -> tuple[Vector, Vector]:
        """Return the leading pairs by the smaller side of the data, or by Lanczos.

        Lanczos is taken where both sides are large. See `Symmetric.leading_pairs`.
        """
        if min(self.A.shape) <= SMALL_SIDE:
            return self[np.arange(self.n)].leading_pairs(count)
        operator = scipy.sparse.linalg.LinearOperator(
            (self.n, self.n), matvec=self.__matmul__, dtype=np.float64
        )
        w, V = scipy.sparse.linalg.eigsh(
            operator, k=count, v0=np.sqrt(self.diagonal().clip(0)), tol=0
        )
        return w[::-1], V[:, ::-1]

    def indefinite_by(self) -> float:
        """Return some sigma >= 0 with Sigma + sigma I PSD: the trace of what was deflated."""
        return float(np.abs(self.w) @ (self.Q**2).sum(axis=0))


class GramWorkingSet(WorkingSet):
    """Rows of a Gram matrix: A_W (m, k) is gathered, and the smaller side is factorised.

    The smaller side is k x k or m x m. A working set of more variables than samples would cost k^3
    otherwise, though its block has at most the rank m.
    """

    def __init__(self, Sigma: Gram, W: Indices) -> None:
        self.Sigma, self.W = Sigma, W
        self.Q = Sigma.Q[W]
        self.wide = len(W) > Sigma.A.shape[0] + len(Sigma.w)

    @cached_property
    def A(self) -> Data:
        """A[:, W] (m, k), gathered when first asked for."""
        return self.Sigma.A.columns(self.W)

    @cached_property
    def B(self) -> Array:  # type: ignore[override]
        """Sigma[W, W] (k, k): m k^2 flops when first asked for."""
        return self.A.gram() - (self.Q * self.Sigma.w) @ self.Q.T

    def stacked(self) -> tuple[Vector, Vector]:
        """C (m + r, k) and signs J (m + r,) with Sigma[W, W] = C' diag(J) C."""
        w = self.Sigma.w
        C = np.vstack([self.A.dense(), np.sqrt(np.abs(w))[:, None] * self.Q.T])
        return C, np.concatenate([np.ones(self.A.shape[0]), -np.sign(w)])

    def quotient(self, y: Vector) -> float:
        """y'Sigma[W, W]y / y'y."""
        if not self.wide:
            return super().quotient(y)
        p = self.A @ y
        return float(p @ p - self.Sigma.w @ (self.Q.T @ y) ** 2) / float(y @ y)

    def rayleigh_step(self, x: Vector, mu: float | None = None) -> Vector:
        """Make the Rayleigh step of `WorkingSet`; for k > m by an m x m inverse (Woodbury).

        The m x m form costs m^2 k + m^3 + 2 m^2 + 2 m k flops.
        """
        if not self.wide:
            return super().rayleigh_step(x, mu)
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
        """Sigma[:, W] y: m k + m n flops.

        Of sparse data it costs the stored entries, or less, as `Data.few_rows_product`.
        """
        S, W = self.Sigma, self.W
        few = S.A.touches_few_rows(W)
        z = S.A.few_rows_product(W, y) if few else S.A.T @ (self.A @ y)
        return z - S.Q @ (S.w * (self.Q.T @ y)) if len(S.w) else z

    def product(self, y: Vector) -> Vector:
        """Sigma[W, W] y by the data, its k x k block not formed."""
        return self.A.T @ (self.A @ y) - self.Q @ (self.Sigma.w * (self.Q.T @ y))

    def leading_pairs(self, count: int) -> tuple[Vector, Vector]:
        """Those of Sigma[W, W], through m x m when k > m."""
        if not self.wide or self.Sigma.w.size:
            return super().leading_pairs(count)
        w, P = tied_pairs(self.A.sample_products(), count)
        charge(self.A.stored * len(w))
        V = self.A.transposed_products(np.ascontiguousarray(P))
        V = np.column_stack([normalize(v) for v in V.T])
        # A'p is noise where the eigenvalue is zero, and no basis of an eigenspace
        live = int((w > NEGLIGIBLE * w[0]).sum())
        V[:, :live] = settled(w[:live], V[:, :live], live)
        return w[:count], V[:, :count]
