"""The verification of dual bounds, which are recomputed from their matrices alone."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from spcabench.problem.spectral import eigenvalues, frobenius
from spcabench.vectors import Array, Indices, Vector

# LAPACK's eigenvalues have a relative error of at most n times this value
ROUNDING = 10.0 * float(np.finfo(np.float64).eps)
TOLERANCE = 1e-9  # relative tolerance of proofs, and margin within which nothing is fixed
NONE: Indices = np.zeros(0, dtype=np.int64)
STARTS, FALL = 12, 0.7  # number of initial matrices of a bound, and the ratio of clipping levels


def symmetric_part(U: Array) -> Array:
    """Return (U + U') / 2, because LAPACK reads only one triangle of a matrix."""
    return 0.5 * (U + U.T)


def clipped(S: Array) -> Iterator[Array]:
    """Yield initial matrices of a bound: S with its entries clipped at several levels."""
    for level in np.abs(S).max() * FALL ** np.arange(STARTS):
        yield np.clip(S, -level, level)


@dataclass(frozen=True)
class Shape:
    """The sum in the bound of a matrix, which depends on the constraint on the supports.

    k : cardinality; each r_i is the norm of k - 1 entries. terms : number of h_i in the sum.
    r : number of loadings. times : factor of the sum.
    """

    k: int
    terms: int
    r: int = 1
    times: int = 1

    @classmethod
    def single(cls, k: int) -> "Shape":
        """One loading."""
        return cls(k, k)

    @classmethod
    def common(cls, n: int, r: int, k: int) -> "Shape":
        """All loadings share k variables."""
        return cls(k, min(k, n), r)

    @classmethod
    def each(cls, n: int, r: int, k: int) -> "Shape":
        """Each loading has k variables."""
        return cls(k, min(k, n), r, r)

    @classmethod
    def disjoint(cls, n: int, r: int, k: int) -> "Shape":
        """Each loading has k variables, and their supports are disjoint."""
        return cls(k, min(r * k, n), r)


def dual_value(S: Array, U: Array, shape: Shape, nonnegative: bool = False) -> float:
    """Return the bound on tr(Z'SZ) over orthonormal loadings Z (n, r), for any U (n, n).

    It is the sum of the r largest eigenvalues of S - (U + U') / 2, plus ``times`` the sum of the
    largest (u_ii + sqrt(u_ii^2 + r_i^2)) / 2, where r_i^2 is the sum of the k - 1 largest u_ij^2,
    j != i. With ``nonnegative``, only positive u_ij are included in r_i, and the bound is for x >=
    0. docs/bounds.md contains the proof. All eigenvalues are computed, at a cost of 9 n^3 flops,
    because the Lanczos method would approach them from below.
    """
    d = U.diagonal()
    squares = (np.maximum(U, 0.0) if nonnegative else U) ** 2
    np.fill_diagonal(squares, 0.0)
    r2 = np.sort(squares, axis=1)[:, ::-1][:, : shape.k - 1].sum(axis=1)
    h = np.sort((d + np.sqrt(d * d + r2)) / 2.0)[::-1]
    w = eigenvalues(S - symmetric_part(U))[::-1]
    bound = w[: shape.r].sum() + shape.times * h[: shape.terms].sum()
    margin = ROUNDING * len(S) * (np.linalg.norm(S) + np.linalg.norm(U))
    return float(bound + (shape.r + shape.times) * margin)


@dataclass(frozen=True, eq=False)
class Certificate:
    """The proof of a scaled Gershgorin bound, which is valid for any S, W (n, n) and beta (n,)."""

    S: Array
    W: Array
    beta: Vector

    @classmethod
    def zero(cls, n: int) -> "Certificate":
        """Return the certificate of the bound lambda_1(Sigma)."""
        return cls(np.zeros((n, n)), np.zeros((n, n)), np.zeros(n))

    def times(self, factor: float) -> "Certificate":
        """Return the certificate for Sigma multiplied by a factor."""
        return Certificate(factor * self.S, factor * self.W, factor * self.beta)

    def bound(self, Sigma: Array, k: int, nonnegative: bool = False, F: Indices = NONE) -> float:
        """Return a bound on x'Sigma x over unit x (n,) whose support contains F, ||x||_0 <= k.

        It is lambda_1(Sigma - S) plus the sum of the k - |F| largest beta_j, j not in F. Off the
        diagonal, |s_ij| is at most sqrt(w_ij w_ji). With ``nonnegative``, the bound is for x >= 0,
        and a negative s_ij can have any size, with w_ij = 0. On the diagonal, s_ii = beta_i - r_i,
        where r_i is the sum of w_ij over j in F, plus the sum of the largest w_ij - beta_j, for as
        many j as fit into the support in addition to i and F. docs/bounds.md contains the proof.
        All eigenvalues are computed, at a cost of 9 n^3 flops.
        """
        n, free = len(Sigma), np.ones(len(Sigma), dtype=bool)
        free[F] = False
        beta = np.where(free, self.beta, 0.0)
        W, S = np.maximum(self.W, 0.0), symmetric_part(self.S)
        most = np.sqrt(W * W.T)
        if nonnegative:
            W = np.where(S > 0.0, W, 0.0)
            most = np.where(S > 0.0, most, np.inf)
        S = np.clip(S, -most, most)
        np.fill_diagonal(W, 0.0)
        rows = W - beta
        rows[:, F] = np.inf
        np.fill_diagonal(rows, np.inf)
        # the k largest entries of each row, including the diagonal and F, which come first
        rows.partition(n - k, axis=1)
        rows = rows[:, n - k :]
        r = np.where(np.isinf(rows), 0.0, rows).sum(axis=1) + W[:, F].sum(axis=1)
        np.fill_diagonal(S, beta - r)
        terms = np.sort(beta[free])[::-1][: k - len(F)]
        bound = eigenvalues(Sigma - S)[-1] + terms.sum()
        sizes = frobenius(Sigma) + frobenius(S) + frobenius(W)
        return float(bound + ROUNDING * n * (sizes + np.abs(beta).sum()))
