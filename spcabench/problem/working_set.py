"""The base class of symmetric matrices in the matrix layer, and working sets of their rows."""

from functools import cached_property

import numpy as np

from spcabench.flops import charge
from spcabench.problem import dense_steps
from spcabench.problem.data import bordered_solve
from spcabench.problem.spectral import leading_pairs
from spcabench.vectors import Array, Indices, Vector, expect_indices, expect_shape, normalize


class Symmetric:
    """Base class of symmetric matrices; subclasses define `leading_pairs`.

    exact_pairs : whether LAPACK computes the leading eigenpairs. The Lanczos method can miss one,
    so no bound may depend on its eigenvalues.
    """

    exact_pairs = True

    def leading_pairs(self, count: int) -> tuple[Vector, Vector]:
        """Return the ``count`` largest eigenvalues and unit eigenvectors as columns.

        Eigenvalues are in decreasing order. If the order of the matrix is smaller than ``count``,
        all eigenpairs are returned.
        """
        raise NotImplementedError

    def leading(self) -> tuple[float, Vector]:
        """Return the largest eigenvalue and its unit eigenvector."""
        w, V = self.leading_pairs(1)
        return float(w[0]), V[:, 0]


class WorkingSet(Symmetric):
    """The k rows W of Sigma: products with them and with their principal submatrix ``B`` (k, k)."""

    W: Indices
    B: Array
    ahead = 0  # number of quotients minus number of solves; the charge for a solve includes one

    def rayleigh_step(self, x: Vector, mu: float | None = None) -> Vector:
        """Return (B - mu I)^-1 x, scaled to norm one and with the sign of x.

        The default of mu is the Rayleigh quotient x'Bx / x'x. If the system is singular (mu is a
        multiple eigenvalue), x is returned. The cost is k^3 + 2 k^2 flops.
        """
        expect_shape(x, len(self.W))
        B, k = self.B, len(x)
        if mu is not None and self.ahead > 0:
            charge(-(k**2))  # refund the quotient that computed mu
        self.ahead -= 1
        if mu is None:
            mu = float(x @ (B @ x)) / float(x @ x)
        if mu == 0.0:
            return normalize(x)
        M = B * (-1.0 / mu)
        M.ravel(order="K")[:: k + 1] += 1.0
        solution = bordered_solve(M, x, 0.0)
        return normalize(x if solution is None else solution[0])

    def quotient(self, y: Vector) -> float:
        """Return y'By / y'y in k^2 flops, unless a Rayleigh step is already charged for it."""
        expect_shape(y, len(self.W))
        self.ahead += 1
        if self.ahead > 0:
            charge(len(y) ** 2)
        return float(y @ (self.B @ y)) / float(y @ y)

    def power_step(self, y: Vector) -> Vector:
        """Return Sigma[:, W] y (n,) for y (k,)."""
        raise NotImplementedError

    def product(self, y: Vector) -> Vector:
        """Return Sigma[W, W] y (k,) for y (k,) in k^2 flops.

        For data, the cost is that of one product with A_W and one product with its transpose.
        """
        expect_shape(y, len(self.W))
        charge(len(y) ** 2)
        return self.B @ y

    def leading_pairs(self, count: int) -> tuple[Vector, Vector]:
        """Return the leading eigenpairs of B in 9 k^3 flops."""
        return leading_pairs(self.B, count)


class DenseWorkingSet(WorkingSet):
    """Rows of a covariance array; the parts ``R`` and ``B`` are extracted on first use."""

    def __init__(self, S: Array, W: Indices) -> None:
        expect_indices(W)
        self.S, self.W = S, W

    @cached_property
    def R(self) -> Array:
        """Sigma[W] (k, n), which is a view if W is a single row."""
        W = self.W
        return self.S[W[0] : W[0] + 1] if len(W) == 1 else self.S[W]

    @cached_property
    def B(self) -> Array:  # type: ignore[override]
        """Sigma[W, W] (k, k)."""
        S, W = self.S, self.W
        if (B := dense_steps.principal_block(S, W)) is not None:
            return B
        if not S.flags.forc:
            return S[np.ix_(W, W)]
        # Indexing the flat memory of a symmetric array is faster than indexing rows and columns.
        return S.ravel(order="K").take(W[:, None] * len(S) + W)

    def power_step(self, y: Vector) -> Vector:
        """Return Sigma[:, W] y in n k flops."""
        expect_shape(y, len(self.W))
        charge(self.R.size)
        return y @ self.R
