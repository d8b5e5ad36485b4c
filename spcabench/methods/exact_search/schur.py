"""Removal of variables that are known to be in the support, by a Schur complement.

Let F be a subset of the support, and t > lambda_1(S[F, F]). By the Schur complement, the variables
F and T reach the value t, that is, lambda_1(S[F + T, F + T]) >= t, if and only if
lambda_1(E[T, T]) >= t, where

E = S + S[., F] (t I - S[F, F])^-1 S[F, .].
"""

import numpy as np

from spcabench.problem.spectral import eigen, frobenius, product
from spcabench.vectors import Array, Indices, Vector

ROUNDING = 1e-15  # an eigenvalue or a product of order n has a relative error of n times this


class Complement:
    """The matrix E for the variables W of S (n, n), with F in the support, for any t.

    With ``positive``, it is for x >= 0: S[F, F] and S[F, W] are replaced by their positive parts,
    which never decreases x'Sx. The best x[F] for any x[W] >= 0 is then automatically nonnegative.
    """

    def __init__(self, S: Array, F: Indices, W: Indices, positive: bool) -> None:
        B, C = S[np.ix_(F, F)], S[np.ix_(W, F)]
        if positive:
            B, C = np.maximum(B, 0.0), np.maximum(C, 0.0)
        self.S, self.w = S[np.ix_(W, W)], np.zeros(0)
        self.P, self.error = np.zeros((len(W), 0)), 0.0
        if len(F):
            self.w, V = eigen(B)
            self.P = product(C, V)
            self.error = ROUNDING * len(S) * frobenius(B)
            self.w = self.w + self.error  # rounded towards a larger E, which keeps the bound valid

    @property
    def largest(self) -> float:
        """An upper bound on lambda_1(S[F, F]), which t must exceed."""
        return float(self.w.max(initial=-np.inf))

    def at(self, t: float) -> Array:
        """Return E (m, m) for a value t."""
        return self.S + self._weighted(1.0 / (t - self.w))

    def rise(self, t: float, higher: float) -> Array:
        """Return the change in E (m, m) from t to a higher value; it is negative semidefinite."""
        return self._weighted(1.0 / (higher - self.w) - 1.0 / (t - self.w))

    def _weighted(self, weights: Vector) -> Array:
        M = product(self.P * weights, self.P.T)
        return 0.5 * (M + M.T)

    def slack(self, t: float) -> float:
        """Estimate how much rounding can add to lambda_1(E - U)."""
        lengths = np.linalg.norm(self.P, axis=0) + self.error
        return self.error * float((2.0 * lengths / (t - self.w)).sum())
