"""The dual bound: an upper bound on max x'Sigma x, ||x|| = 1, ||x||_0 <= k, from any matrix U.

For every U (n, n) and every number a, with r_i the norm of the k - 1 largest |u_ij|, j != i,

    x'Sigma x <= lambda_1(Sigma - (U + U') / 2) + a + the sum of the k largest h_i,
    h_i = (u_ii - a + sqrt((u_ii - a)^2 + r_i^2)) / 2;

for x >= 0, only positive u_ij are included in r_i. The proof is in docs/bounds.md. It treats each
row of U separately, so U need not be symmetric. The best U is not symmetric: with a symmetric U,
the bound can be several times as far from the optimum.

The right side is convex in U and a. A smoothed form of it is minimised by L-BFGS, and the width of
the smoothing is reduced when it no longer helps. The minimisation need not be trusted, because
`exact_search.dual_certificate` recomputes the bound from U alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from spcabench.methods.exact_search.dual_certificate import (
    ROUNDING,
    Shape,
    clipped,
    symmetric_part,
)
from spcabench.methods.exact_search.dual_kernels import balance, largest_sum, smooth_norms
from spcabench.methods.quasi_newton import Descent
from spcabench.problem.spectral import eigen, eigenvalues, frobenius, rebuilt
from spcabench.vectors import Array, Vector

NARROWEST = 1e-7  # smallest width of the smoothing, relative to the value to be reached
NARROWER = 0.3  # factor by which the width is reduced; also its largest ratio to the gap
CHUNK = 25  # number of evaluations between two exact bounds
SLOW = 0.05  # if a chunk gains less than this fraction of the gap, the smoothing is narrowed
FLAT = 0.05  # this fraction of the largest curvature is added to the curvature of each row


def term(v: Vector, r2: Vector) -> Vector:
    """Return the maximum of v t + r sqrt(t (1 - t)) over t in [0, 1]."""
    return (v + np.sqrt(v * v + r2)) / 2.0


@dataclass
class Bound:
    """The dual bound for a matrix U, and its terms.

    value : the bound, with a margin for rounding errors. a : the best value of a. terms : the h_i
    (n,). r2 : r_i^2 (n,). last, next : the smallest u_ij^2 that is included in r_i^2, and the
    largest that is not included (n,).
    """

    value: float
    a: float
    terms: Vector
    r2: Vector
    last: Vector
    next: Vector


class Dual:
    """The dual bound of S (n, n), with n > k.

    positive : whether x >= 0 is required.
    """

    def __init__(self, S: Array, shape: Shape, positive: bool) -> None:
        self.S, self.shape, self.positive = S, shape, positive
        self.beta, self.a, self.b = np.zeros(len(S)), 0.0, 0.0
        self.curvature = np.ones(len(S))
        self._size = frobenius(S)

    def squares(self, U: Array) -> Array:
        """Return the u_ij^2 that can be included in r_i^2, and 0 for other entries (n, n)."""
        Q = np.maximum(U, 0.0) ** 2 if self.positive else U * U
        np.fill_diagonal(Q, 0.0)
        return Q

    def smooth(self, U: Array, width: float) -> tuple[float, Array]:
        """Return the bound smoothed with this width, and its gradient (n, n) in U."""
        d, k = U.diagonal().copy(), self.shape.k
        w, V = eigen(self.S - symmetric_part(U))
        top, weights = largest_sum(w, self.shape.r, width / np.log(len(U) + 1.0))
        G = -rebuilt(V, weights)
        T = np.empty_like(U)
        delta, least = 2.0 * width / k**2, (1e-3 * width / k) ** 2
        r2 = smooth_norms(U, k - 1, delta, self.positive, self.beta, T) + least
        value, p, t = self._balanced(d, r2, width)
        self.curvature = p / (2.0 * np.sqrt((d - self.a) ** 2 + r2))
        T *= U
        T *= self.curvature[:, None]
        if self.positive:
            T[U < 0.0] = 0.0
        np.fill_diagonal(T, 0.0)
        G += T
        G.flat[:: len(G) + 1] += p * t
        return top + value, G

    def _balanced(self, d: Vector, r2: Vector, width: float) -> tuple[float, Vector, Vector]:
        """Set the best a; return the smoothed sum of the terms, their weights and derivatives."""
        shape = self.shape
        # a I in U adds r a to the eigenvalues
        ratio, mu = shape.r / shape.times, width / shape.k
        value, self.a, self.b, p, t = balance(d, r2, shape.terms, ratio, mu, self.a, self.b)
        return shape.times * value, shape.times * p, t

    def bound(self, U: Array) -> Bound:
        """Return the bound without smoothing, with the best a."""
        d, Q, shape = U.diagonal().copy(), self.squares(U), self.shape
        n, counted = len(U), shape.k - 1
        r2, last, following = np.zeros(n), np.full(n, np.inf), np.full(n, -np.inf)
        if counted > 0:
            np.fill_diagonal(Q, -1.0)
            Q.partition(n - counted, axis=1)
            r2 = Q[:, n - counted :].sum(axis=1)
            last, following = Q[:, n - counted], Q[:, : n - counted].max(axis=1)
        self._balanced(d, r2, NARROWEST)
        terms = term(d - self.a, r2)
        top = float(eigenvalues(self.S - symmetric_part(U))[n - shape.r :].sum())
        value = top + shape.r * self.a + shape.times * np.sort(terms)[n - shape.terms :].sum()
        value += (shape.r + shape.times) * ROUNDING * n * (self._size + frobenius(U))
        return Bound(float(value), self.a, terms, r2, last, np.maximum(following, 0.0))


class Minimum:
    """The smallest dual bound found for S (n, n), n > k, with its U (n, n).

    S is scaled so that the values of interest are about 1.
    """

    def __init__(
        self, S: Array, shape: Shape, positive: bool, U: Array, width: float = np.inf
    ) -> None:
        self.dual, self.width = Dual(S, shape, positive), width
        self.descent: Descent | None = None
        self.value, self.gain = np.inf, np.inf
        self._look(U)

    @property
    def certificate(self) -> Array:
        """The certificate of the bound: U with a absorbed into its diagonal."""
        return self.U - self.bound.a * np.eye(len(self.U))

    def descend(self, t: float) -> float:
        """Run one chunk of evaluations, and return how much the bound decreased.

        t : the value to reach.
        """
        for _ in self.steps(t):
            pass
        return self.gain

    def steps(self, t: float) -> Iterator[None]:
        """Run one chunk of evaluations, yielding after each step, and set the bound's ``gain``."""
        if self.descent is None:
            self.width = self._narrowed(t, self.width)
            self.descent = Descent(self.U.ravel())
            self.descent.begin(self._smooth)
        descent, before = self.descent, self.value
        calls, went_on = descent.calls, True
        while went_on and descent.calls < calls + CHUNK:
            went_on = descent.step(self._metric())
            yield
        self.gain = gain = before - self._look(self._matrix(descent.z))
        slow = gain < SLOW * min(before - t, 4.0 * self.width)
        if not went_on or slow or 2.0 * self.width > self.value / t - 1.0:
            self.width = self._narrowed(t, NARROWER * self.width)
            if gain < 0.0:
                descent.pairs.clear()
                descent.z = self.U.ravel()
            descent.begin(self._smooth)

    def _narrowed(self, t: float, width: float) -> float:
        return max(min(width, NARROWER * (self.value / t - 1.0)), NARROWEST)

    def _matrix(self, z: Vector) -> Array:
        return z.reshape(self.dual.S.shape)

    def _smooth(self, z: Vector) -> tuple[float, Vector]:
        value, by_U = self.dual.smooth(self._matrix(z), self.width)
        return value, by_U.ravel()

    def _metric(self) -> Vector:
        """Return the metric of a step: the inverse curvature of each row's term in u_ij."""
        c = self.dual.curvature
        return np.repeat(1.0 / (c + FLAT * c.max()), len(c))

    def _look(self, U: Array) -> float:
        """Return the bound for U, and store it if it is the smallest so far."""
        bound = self.dual.bound(U)
        if bound.value < self.value:
            self.value, self.bound, self.U = bound.value, bound, U.copy()
        return bound.value

    def probes(self) -> tuple[Vector, Vector]:
        """For each variable (n,), bound the supports that contain it, and those that do not.

        U and a stay the same. If j is in the support, u_ij replaces the last entry included in
        r_i^2; if j is not in the support, the next entry replaces u_ij.
        """
        at, k = self.bound, self.dual.shape.k
        Q, v = self.dual.squares(self.U), self.U.diagonal() - at.a
        constant = at.value - np.sort(at.terms)[len(v) - k :].sum()
        inside, r2 = np.zeros(len(v)), np.repeat(at.r2[:, None], len(v), axis=1)
        if k > 1:
            with_j = r2 - np.maximum(at.last[:, None] - Q, 0.0)
            inside = _largest_sums(v, np.maximum(with_j, 0.0), k - 1)
            r2 -= np.maximum(Q - at.next[:, None], 0.0)
        return constant + at.terms + inside, constant + _largest_sums(v, np.maximum(r2, 0.0), k)


def _largest_sums(v: Vector, r2: Array, s: int) -> Vector:
    """Return, for each column j of r2 (n, n), the sum of the s largest terms except the j-th."""
    terms = term(v[:, None], r2)
    np.fill_diagonal(terms, -np.inf)
    first = len(v) - s
    return np.partition(terms, first, axis=0)[first:].sum(axis=0)


def start(S: Array, shape: Shape, positive: bool) -> Minimum:
    """Return a minimisation started from the best of several initial U (S with clipped entries)."""
    dual = Dual(S, shape, positive)
    return Minimum(S, shape, positive, min(clipped(S), key=lambda U: dual.bound(U).value))
