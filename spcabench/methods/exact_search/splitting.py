"""The scaled Gershgorin dual: an upper bound on max x'Sigma x, ||x|| = 1, ||x||_0 <= k.

For every W >= 0, beta and symmetric S with s_ij^2 <= w_ij w_ji for i != j, and every i at most

    s_ii = beta_i - (the sum of the k - 1 largest w_ij - beta_j, j != i),

x'Sigma x <= lambda_1(Sigma - S) + the sum of the k largest beta_j. docs/bounds.md has the proof. It
is the dual of a relaxation: max tr Sigma X over X positive semidefinite of trace one and P >= 0, in
which P_ij stands for x_i^2 where i and j are in the support, so that

    X_ij^2 <= P_ij P_ji,   P_ij <= P_ii = X_ii,   row i of P sums to k X_ii,   no column to above 1.

The relaxation is solved by a splitting method (ADMM). X and P have a copy for the eigenvalues, one
for the rows and one for the pairs (i, j), each of which is projected on what it must satisfy; their
average is projected on the condition of the columns. What the projection of the pairs removes is an
S and a W that certify a bound at any time. The method need not be trusted for that:
`exact_search.dual_certificate` recomputes the bound from S, W and beta alone.
"""

from copy import copy

import numpy as np

from spcabench.methods.exact_search.dual_certificate import NONE, Certificate
from spcabench.methods.exact_search.splitting_kernels import RELAXED, sweeps
from spcabench.problem.spectral import eigen, frobenius, rebuilt
from spcabench.vectors import Array, Indices, Vector

SWEEPS = 6  # over rows, pairs and columns for one eigendecomposition
PENALTY = 1.0 / 15.0  # that of the first step, by the number of variables
LOOK = 10  # steps between two bounds
# the penalty changes by a factor between the two, unless it is near one, in so many first steps
FACTORS, NEAR, SETTLING = (0.4, 2.5), (0.83, 1.2), 100
SQUARE = ("Sigma", "X", "P", "by_eigen", "by_rows", "by_pairs", "by_signs", "S", "W")
STARTS, FALL = 12, 0.7  # matrices S that it may start from, and how their entries fall


class Splitting:
    """The smallest scaled Gershgorin bound found of S (n, n) at cardinality k < n, in steps.

    S is scaled so that the values of interest are about 1. positive : for x >= 0.

    bound, certificate : the smallest bound so far, and what proves it.
    """

    def __init__(self, S: Array, k: int, positive: bool) -> None:
        n = len(S)
        self.Sigma, self.k, self.positive = S, k, positive
        self.penalty, self.steps = PENALTY * n, 0
        self.forced = np.zeros(n, dtype=np.int64)
        self.X, self.P = np.eye(n) / n, np.full((n, n), (k - 1) / (n * (n - 1.0)))
        np.fill_diagonal(self.P, 1.0 / n)
        self.level, self.beta = np.zeros(n), np.zeros(n)
        self.bound, self.certificate = min(
            ((made.bound(S, k, positive), made) for made in _clipped(S)), key=lambda start: start[0]
        )
        self.S, self.W = self.certificate.S.copy(), self.certificate.W.copy()
        U = self.S / self.penalty
        np.fill_diagonal(U, 0.0)
        self.by_eigen, self.by_signs = U, -U
        self.by_pairs = self.W / self.penalty
        self.by_rows = -self.by_pairs

    @property
    def F(self) -> Indices:
        """The variables that all supports have."""
        return np.flatnonzero(self.forced)

    @property
    def shares(self) -> Vector:
        """How much each variable is in the support (n,): 1 for those in F."""
        return np.where(self.forced > 0, 1.0, self.P.sum(axis=0))

    @property
    def value(self) -> float:
        """About the value of the relaxation: how low the bound can come, as far as is known."""
        return float(np.vdot(self.Sigma, self.X) / np.trace(self.X))

    def descend(self) -> float:
        """Make some steps; the bound then."""
        for _ in range(LOOK):
            self.step()
        return self.look()

    def step(self) -> None:
        """One step of the splitting method: an eigendecomposition and some sweeps."""
        before = self.X.copy()
        D = _density(before - self.by_eigen + self.Sigma / self.penalty)
        Z = RELAXED * D + (1.0 - RELAXED) * before + self.by_eigen
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
            self.by_rows,
            self.by_pairs,
            self.by_signs,
            self.S,
            self.W,
        )
        self.by_eigen = Z - self.X
        self.steps += 1
        if self.steps <= SETTLING and self.steps % LOOK == 0:
            moved = max(2.0 * frobenius(self.X - before), 1e-300)
            factor = float(np.clip(np.sqrt(frobenius(D - self.X) / moved), *FACTORS))
            if not NEAR[0] < factor < NEAR[1]:
                self._weigh(factor)

    def _weigh(self, factor: float) -> None:
        """Change the penalty; the multipliers are scaled by it."""
        self.penalty *= factor
        for multipliers in (self.by_eigen, self.by_rows, self.by_pairs, self.by_signs):
            multipliers /= factor

    def look(self) -> float:
        """The bound of the present S, W and beta, remembered where it is the smallest."""
        certificate = Certificate(self.S, self.W, self.beta)
        bound = certificate.bound(self.Sigma, self.k, self.positive, self.F)
        if bound < self.bound:
            self.bound = bound
            self.certificate = Certificate(self.S.copy(), self.W.copy(), self.beta)
        return bound

    def child(self, kept: Indices, taken: Indices = NONE) -> "Splitting":
        """The same for the variables at ``kept`` alone, and supports with those at ``taken``.

        It goes on from here; its bound is unknown. taken : places among ``kept``.
        """
        other, at = copy(self), np.ix_(kept, kept)
        for name in SQUARE:
            setattr(other, name, getattr(self, name)[at])
        other.level, other.beta = self.level[kept], self.beta[kept]
        other.forced = self.forced[kept]
        other.forced[taken] = 1
        other.P[:, taken] = other.P.diagonal()[:, None]
        other.steps, other.bound = 0, np.inf
        return other


def _clipped(S: Array) -> "list[Certificate]":
    """Certificates that need no minimisation: S with its entries cut off, for W their sizes."""
    cut = (np.clip(S, -level, level) for level in np.abs(S).max() * FALL ** np.arange(STARTS))
    return [Certificate(C, np.abs(C), np.zeros(len(S))) for C in cut]


def _density(M: Array) -> Array:
    """The positive semidefinite matrix of trace one that is nearest to M (n, n)."""
    w, V = eigen(M)
    excess = (np.cumsum(w[::-1]) - 1.0) / np.arange(1, len(w) + 1)
    last = int(np.flatnonzero(w[::-1] > excess)[-1])
    return rebuilt(V, np.maximum(w - excess[last], 0.0))
