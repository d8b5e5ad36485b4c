"""Two orthonormal loadings with at most k nonzeros each: proven optima of small problems.

The loadings x and y lie on supports R and T of k variables, of which they share d. The sum of their
variances is at most lambda_1(R) + lambda_1(T), and at most the sum of the two largest eigenvalues
on the union of R and T. If the bound of a pair of supports exceeds the best value so far, the
optimum of the pair can be computed in these cases:

- d = 0: the bound is attained;
- d = 1: x or y is zero in the shared variable, which leaves two pairs with d = 0;
- d = 2: in the two shared variables, x is a multiple of some p = (cos t, sin t), and y is a
  multiple of the vector orthogonal to p. For a fixed t, each loading is the leading eigenvector of
  a matrix, so the search is over t alone. Rotating by h moves unit vectors by at most h, so the
  value changes by at most 2 (|S_R| + |S_T|) h;
- d = k: x and y are the two leading eigenvectors on the support.

For all other pairs, only the bound is used. A multiplier for x'y = 0 cannot improve it: replacing y
with -y leaves the problem unchanged, so the best multiplier is zero.
"""

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from spcabench.errors import InputError
from spcabench.vectors import Array

SUPPORTS = 1800  # largest number of supports, such as the 1716 supports of 6 of 13 variables
TURNS = 300  # maximum number of pairs of supports for which the angle is searched
CLOSE = 1e-7  # accuracy of the search for the angle, relative to the value


@dataclass(frozen=True)
class Optimum:
    """Loadings Z (n, 2), the sum of their variances, and a bound on this sum for any loadings."""

    Z: Array
    value: float
    bound: float


def affordable(n: int, k: int) -> bool:
    """Whether all pairs of supports of k of n variables can be examined."""
    return 2 <= k <= n and comb(n, k) <= SUPPORTS


def orthonormal_pair(S: Array, k: int) -> Optimum:
    """Return the best two orthonormal loadings of at most k variables each; S (n, n) is PSD."""
    n = len(S)
    if not affordable(n, k):
        raise InputError(f"n, k: {n}, {k}; k must be at least 2, with at most {SUPPORTS} supports")
    search = _Search(S)
    supports = sorted(combinations(range(n), k), key=lambda R: -search.top(R)[0])
    for wanted in ((0, 1, k), (2,), tuple(range(3, k))):  # pairs with a closed form come first
        for i, R in enumerate(supports):
            for T in supports[i:]:
                if search.top(R)[0] + search.top(T)[0] <= search.value:
                    break
                if len({*R} & {*T}) in wanted and search.above(R, T) > search.value:
                    search.settle(R, T)
    return Optimum(search.Z, search.value, max(search.bound, search.value))


class _Search:
    """The best pair so far, a bound on the unsettled pairs, and the eigenvalues computed so far."""

    def __init__(self, S: Array) -> None:
        self.S, self.value, self.bound = S, -np.inf, -np.inf
        self.Z = np.zeros((len(S), 2))
        self.turns = 0
        self.tops: dict[tuple[int, ...], tuple[float, float]] = {}

    def top(self, R: tuple[int, ...]) -> tuple[float, float]:
        """Return the largest eigenvalue on a support, and the sum of the two largest."""
        if R not in self.tops:
            w = np.linalg.eigvalsh(self.S[np.ix_(R, R)])
            self.tops[R] = float(w[-1]), float(w[-2:].sum())
        return self.tops[R]

    def above(self, R: tuple[int, ...], T: tuple[int, ...]) -> float:
        """Return an upper bound on the variance that loadings on two supports can explain."""
        union = tuple(sorted({*R, *T}))
        return min(self.top(R)[0] + self.top(T)[0], self.top(union)[1])

    def settle(self, R: tuple[int, ...], T: tuple[int, ...]) -> None:
        """Compute the best loadings on two supports, or record their bound."""
        shared = sorted({*R} & {*T})
        if R == T:
            self.take(*self.eigenvectors(R, np.eye(len(self.S)), 2).T)
        elif not shared:
            self.take(self.leading(R), self.leading(T))
        elif len(shared) == 1:
            self.take(self.leading([i for i in R if i not in shared]), self.leading(T))
            self.take(self.leading(R), self.leading([i for i in T if i not in shared]))
        elif len(shared) == 2 and self.turns < TURNS:
            self.turns += 1
            self.turn(R, T, shared)
        else:
            self.bound = max(self.bound, self.above(R, T))

    def turn(self, R: tuple[int, ...], T: tuple[int, ...], shared: list[int]) -> None:
        """Search for the angle by bisection, dropping intervals without a better angle."""
        norms = sum(np.linalg.norm(self.S[np.ix_(W, W)], 2) for W in (R, T))
        middles, half = (np.arange(64) + 0.5) * np.pi / 64, np.pi / 128
        while len(middles):
            values = self.along(R, shared, middles) + self.along(T, shared, middles + np.pi / 2.0)
            self.at(R, T, shared, middles[values.argmax()])
            above = values + 2.0 * norms * half
            if 2.0 * norms * half <= CLOSE * self.value:
                self.bound = max(self.bound, float(above.max()))
                return
            centres, half = middles[above > self.value * (1.0 + CLOSE)], half / 2.0
            middles = np.concatenate([centres - half, centres + half])
        self.bound = max(self.bound, self.value * (1.0 + CLOSE))

    def along(self, R: tuple[int, ...], shared: list[int], angles: Array) -> Array:
        """Return the largest eigenvalue on a support if its shared part points along each angle."""
        units = np.eye(len(self.S))[:, [i for i in R if i not in shared]]
        B = np.repeat(np.pad(units, ((0, 0), (1, 0)))[None], len(angles), axis=0)  # (a, n, k - 1)
        B[:, shared, 0] = np.column_stack([np.cos(angles), np.sin(angles)])
        return np.asarray(np.linalg.eigvalsh(B.swapaxes(1, 2) @ self.S @ B)[:, -1], dtype=float)

    def at(self, R: tuple[int, ...], T: tuple[int, ...], shared: list[int], t: float) -> None:
        """Try the best loadings whose shared parts are parallel and orthogonal to an angle."""
        n = len(self.S)
        along = np.eye(n)
        along[np.ix_(shared, shared)] = [[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]]
        x = self.eigenvectors([i for i in R if i != shared[1]], along, 1)[:, 0]
        y = self.eigenvectors([i for i in T if i != shared[0]], along, 1)[:, 0]
        self.take(x, y)

    def leading(self, R: tuple[int, ...] | list[int]) -> Array:
        """Return the leading eigenvector on a support."""
        return self.eigenvectors(R, np.eye(len(self.S)), 1)[:, 0]

    def eigenvectors(self, R: tuple[int, ...] | list[int], basis: Array, count: int) -> Array:
        """Return the leading eigenvectors within the span of the columns R of a basis."""
        B = basis[:, list(R)]
        return B @ np.linalg.eigh(B.T @ self.S @ B)[1][:, : -count - 1 : -1]

    def take(self, x: Array, y: Array) -> None:
        """Store two loadings if they are better than the best pair so far."""
        value = float(x @ self.S @ x + y @ self.S @ y)
        if value > self.value:
            self.value, self.Z = value, np.column_stack([x, y])
