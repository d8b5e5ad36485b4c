"""The scaled Gershgorin dual: an upper bound on max x'Sigma x, ||x|| = 1, ||x||_0 <= k.

For every W >= 0, beta and symmetric S with s_ij^2 <= w_ij w_ji for i != j, and every i at most

    s_ii = beta_i - (the sum of the k - 1 largest w_ij - beta_j, j != i),

x'Sigma x <= lambda_1(Sigma - S) + the sum of the k largest beta_j. docs/bounds.md contains the
proof. The bound is the dual of a relaxation: max tr Sigma X over X positive semidefinite of trace
one and P >= 0, where P_ij stands for x_i^2 if i and j are in the support, so

    X_ij^2 <= P_ij P_ji,   P_ij <= P_ii = X_ii,   row i of P sums to k X_ii,   each column to <= 1.

The relaxation is solved by a splitting method (ADMM). There is a copy of X for the eigenvalues, a
copy of P for the rows, and a copy of X and P for the pairs (i, j). Each copy is projected onto its
constraint, and their average is projected onto the constraint on the columns. The part that the
projection of the pairs removes gives an S and a W that certify a bound at any time. The method need
not be trusted, because `exact_search.dual_certificate` recomputes the bound from S, W and beta
alone.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spcabench.flops import charge
from spcabench.methods.exact_search.dual_certificate import Certificate, clipped
from spcabench.methods.exact_search.splitting_kernels import RELAXED, sweeps
from spcabench.problem.spectral import eigen, frobenius, rebuilt
from spcabench.vectors import Array, Indices, Vector

SWEEPS = 6  # number of sweeps over rows, pairs and columns per eigendecomposition
PENALTY = 1.0 / 15.0  # penalty of the first step, divided by the number of variables
LOOK = 10  # number of steps between evaluations of the bound, and between changes of the penalty
FACTOR = 2.5  # largest factor by which the penalty is changed

Floats = NDArray[np.floating[Any]]  # of either precision


class Splitting:
    """An iterative minimisation of the scaled Gershgorin bound for Sigma (n, n) and cardinality k.

    Sigma is scaled so that the values of interest are about 1. positive : whether x >= 0 is
    required. seed : the start.

    bound, certificate : the smallest bound so far, and its proof. F : the variables that all
    supports contain. value : approximate value of the relaxation, a lower limit of the bound.
    """

    def __init__(self, Sigma: Array, k: int, positive: bool, seed: "Seed | None" = None) -> None:
        n = len(Sigma)
        self.Sigma, self.k, self.positive, self.steps = Sigma, k, positive, 0
        blank = np.zeros_like(Sigma, order="C")  # of the class of Sigma, which an audit follows
        self.S, self.W, self.level = blank.copy(), blank.copy(), np.zeros(n)
        self.bound, self.certificate = np.inf, Certificate.zero(n)
        if seed is None:
            starts = (Certificate(C, np.abs(C), np.zeros(n)) for C in clipped(Sigma))
            bounds = ((made.bound(Sigma, k, positive), made) for made in starts)
            self.bound, self.certificate = min(bounds, key=lambda start: start[0])
            seed = Seed.even(self.certificate, k)
        self.penalty, self.forced = seed.penalty, seed.forced
        squares = (seed.X, seed.P, seed.by_eigen, seed.by_pairs)
        self.X, self.P, self.by_eigen, self.by_pairs = (blank + A for A in squares)
        self.beta, self.value = seed.beta, np.inf

    @property
    def F(self) -> Indices:
        """The variables that all supports contain."""
        return np.flatnonzero(self.forced)

    @property
    def shares(self) -> Vector:
        """The fraction of each variable (n,) in the support, according to the relaxation."""
        return np.where(self.forced > 0, 1.0, self.P.sum(axis=0))

    @property
    def likely(self) -> Indices:
        """The k variables with the largest fractions."""
        return np.argsort(-np.where(self.forced > 0, np.inf, self.shares))[: self.k]

    @property
    def nearest_taken(self) -> int:
        """The variable outside F whose fraction is nearest to one."""
        return int(np.argmin(np.where(self.forced > 0, np.inf, np.abs(self.shares - 1.0))))

    @property
    def seed(self) -> "Seed":
        """The state from which a part with fewer variables, or with more in F, continues."""
        X, P, U, V = (A.astype(np.float32) for A in (self.X, self.P, self.by_eigen, self.by_pairs))
        return Seed(X, P, U, V, self.beta, self.forced, self.penalty)

    def descend(self) -> float:
        """Make `LOOK` steps, and return the bound after them."""
        for _ in range(LOOK):
            self.step()
        return self.look()

    def step(self) -> None:
        """Make one step of the splitting method: an eigendecomposition and `SWEEPS` sweeps."""
        before = self.X.copy()
        D = _density(before - self.by_eigen + self.Sigma / self.penalty)
        Z = RELAXED * D + (1.0 - RELAXED) * before + self.by_eigen
        # the multipliers of all copies of an entry sum to zero, or to the multiplier of its column
        by_rows = self.beta / self.penalty - self.by_pairs
        np.fill_diagonal(by_rows, self.beta / self.penalty - self.by_eigen.diagonal())
        self.beta = sweeps(
            SWEEPS,
            self.k,
            self.positive,
            self.penalty,
            self.forced,
            Z,
            self.X,
            self.P,
            self.level,
            by_rows,
            self.by_pairs,
            -self.by_eigen,
            self.S,
            self.W,
        )
        self.by_eigen = Z - self.X
        self.steps += 1
        if self.steps % LOOK == 0:
            moved = max(2.0 * frobenius(self.X - before), 1e-300)
            factor = np.sqrt(frobenius(D - self.X) / moved)
            factor = float(np.clip(factor, 1.0 / FACTOR, FACTOR))
            self.penalty *= factor
            self.by_eigen /= factor  # the stored multipliers are divided by the penalty
            self.by_pairs /= factor

    def look(self) -> float:
        """Return the bound for the current S, W and beta, and store it if it is the smallest."""
        certificate = Certificate(self.S, self.W, self.beta)
        bound = certificate.bound(self.Sigma, self.k, self.positive, self.F)
        if bound < self.bound:
            self.bound = bound
            self.certificate = Certificate(self.S.copy(), self.W.copy(), self.beta)
        charge(self.X.size)
        self.value = float(np.vdot(self.Sigma, self.X) / np.trace(self.X))
        return bound


@dataclass(frozen=True, eq=False)
class Seed:
    """The start of a splitting method; any start is valid, so single precision is enough.

    X, P, by_eigen, by_pairs : averages and multipliers (n, n). beta : multipliers (n,). forced : 1
    for the variables that are in the support (n,).
    """

    X: Floats
    P: Floats
    by_eigen: Floats
    by_pairs: Floats
    beta: Vector
    forced: Indices
    penalty: float

    @classmethod
    def even(cls, certificate: Certificate, k: int) -> "Seed":
        """Return the start with equal fractions and the multipliers of a certificate."""
        n = len(certificate.beta)
        penalty, P = PENALTY * n, np.full((n, n), (k - 1) / (n * max(n - 1.0, 1.0)))
        np.fill_diagonal(P, 1.0 / n)
        U, V = certificate.S / penalty, certificate.W / penalty
        np.fill_diagonal(U, 0.0)
        np.fill_diagonal(V, 0.0)
        forced = np.zeros(n, dtype=np.int64)
        return cls(np.eye(n) / n, P, U, V, certificate.beta, forced, penalty)

    def without(self, j: int) -> "Seed":
        """Return the start for all variables except the one at place j."""
        X, P, U, V = (
            np.delete(np.delete(A, j, axis=0), j, axis=1)
            for A in (self.X, self.P, self.by_eigen, self.by_pairs)
        )
        return Seed(X, P, U, V, np.delete(self.beta, j), np.delete(self.forced, j), self.penalty)

    def having(self, j: int) -> "Seed":
        """Return the start for the supports that contain the variable at place j."""
        P, beta, forced = self.P.copy(), self.beta.copy(), self.forced.copy()
        P[:, j], beta[j], forced[j] = P.diagonal(), 0.0, 1
        return replace(self, P=P, beta=beta, forced=forced)


def _density(M: Array) -> Array:
    """Return the positive semidefinite matrix of trace one that is nearest to M (n, n)."""
    w, V = eigen(M)
    excess = (np.cumsum(w[::-1]) - 1.0) / np.arange(1, len(w) + 1)
    last = int(np.flatnonzero(w[::-1] > excess)[-1])
    return rebuilt(V, np.maximum(w - excess[last], 0.0))
