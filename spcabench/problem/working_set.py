"""The matrix layer: the common base class of symmetric matrices, and working sets."""

from functools import cached_property

import numpy as np

from spcabench.flops import charge
from spcabench.problem import dense_steps
from spcabench.problem.data import bordered_solve
from spcabench.problem.spectral import leading_pairs
from spcabench.vectors import Array, Indices, Vector, expect_indices, expect_shape, normalize


class Symmetric:
    """Base class of symmetric matrices that provide `leading_pairs`."""

    def leading_pairs(self, count: int) -> tuple[Vector, Vector]:
        """Return the ``count`` largest eigenvalues, descending, and unit eigenvectors as columns.

        There are fewer if the order of the matrix is smaller.
        """
        raise NotImplementedError

    def leading(self) -> tuple[float, Vector]:
        """Return the largest eigenvalue and its unit eigenvector."""
        w, V = self.leading_pairs(1)
        return float(w[0]), V[:, 0]


class WorkingSet(Symmetric):
    """The rows W of Sigma, k = |W|: the principal block ``B`` (k, k), and products with them."""

    W: Indices
    B: Array
    ahead = 0  # quotients taken, less the solves, each of which pays for one

    def rayleigh_step(self, x: Vector, mu: float | None = None) -> Vector:
        """Return (B - mu I)^-1 x, scaled to norm one, with the sign of x. k^3 + 2 k^2 flops.

        mu is by default the Rayleigh quotient x'Bx / x'x. If the system is singular (at a multiple
        eigenvalue), x itself is returned.
        """
        expect_shape(x, len(self.W))
        B, k = self.B, len(x)
        if mu is not None and self.ahead > 0:
            charge(-(k**2))  # of the quotient that gave mu
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
        """Return y'By / y'y: k^2 flops, unless a Rayleigh step with this block pays for it."""
        expect_shape(y, len(self.W))
        self.ahead += 1
        if self.ahead > 0:
            charge(len(y) ** 2)
        return float(y @ (self.B @ y)) / float(y @ y)

    def power_step(self, y: Vector) -> Vector:
        """Return Sigma[:, W] y (n,) for y (k,)."""
        raise NotImplementedError

    def product(self, y: Vector) -> Vector:
        """Return Sigma[W, W] y (k,) for y (k,): k^2 flops.

        For data, the cost is that of the products with A_W and its transpose.
        """
        expect_shape(y, len(self.W))
        charge(len(y) ** 2)
        return self.B @ y

    def leading_pairs(self, count: int) -> tuple[Vector, Vector]:
        """Return the pairs of B. 9 k^3 flops."""
        return leading_pairs(self.B, count)


class DenseWorkingSet(WorkingSet):
    """Rows of a covariance given as an array, with each part gathered on first use."""

    def __init__(self, S: Array, W: Indices) -> None:
        expect_indices(W)
        self.S, self.W = S, W

    @cached_property
    def R(self) -> Array:
        """Sigma[W] (k, n); for a single row the row itself, not a copy."""
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
        # One gather from a symmetric array's memory is faster than one of rows and columns.
        return S.ravel(order="K").take(W[:, None] * len(S) + W)

    def power_step(self, y: Vector) -> Vector:
        """Return Sigma[:, W] y in n k flops."""
        expect_shape(y, len(self.W))
        charge(self.R.size)
        return y @ self.R
