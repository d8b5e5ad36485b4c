"""Removal of variables that are known to be in the support, by a Schur complement.

Let F be a subset of the support, and t > lambda_1(S[F, F]). By the Schur complement, the variables
F and T reach the value t, that is, lambda_1(S[F + T, F + T]) >= t, if and only if
lambda_1(E[T, T]) >= t, where

E = S + S[., F] (t I - S[F, F])^-1 S[F, .].
"""

import numpy as np

from spcabench.methods.exact_search.dual_certificate import ROUNDING
from spcabench.problem.spectral import eigen, frobenius, product
from spcabench.vectors import Array, Indices


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
        self.size = frobenius(self.S)
        if len(F):
            self.w, V = eigen(B)
            self.P = product(C, V)
            # An eigendecomposition of order n is exact for a matrix at this distance from B, with
            # eigenvectors at this distance from the computed ones, relative to the norm of B.
            relative = ROUNDING * len(F)
            self.error = relative * frobenius(C)
            # rounded towards a larger E, which keeps the bound valid
            self.w = self.w + relative * frobenius(B)

    @property
    def largest(self) -> float:
        """An upper bound on lambda_1(S[F, F]), which t must exceed."""
        return float(self.w.max(initial=-np.inf))

    def at(self, t: float) -> Array:
        """Return E (m, m) for a value t."""
        M = product(self.P / (t - self.w), self.P.T)
        return self.S + 0.5 * (M + M.T)

    def slack(self, t: float) -> float:
        """Bound the largest eigenvalue of the exact E minus the computed E.

        Each column p of P has an error of norm at most ``error``, which changes p p' by at most (2
        ||p|| + error) error. The sum over the columns, the product and the addition of S are
        rounded, too.
        """
        lengths, weights = np.linalg.norm(self.P, axis=0), 1.0 / (t - self.w)
        columns = float(((2.0 * lengths + self.error) * self.error * weights).sum())
        sizes = self.size + float((lengths**2 * weights).sum())
        return columns + ROUNDING * (1.0 + len(self.w)) * sizes
