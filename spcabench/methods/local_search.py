"""Local search over supports: all swaps of one variable against another, tested exactly; swapped
until none improves.

On a support W with the leading pair (lambda, v) of S[W, W], P the pseudo-inverse of lambda I - S[W,
W] and c = S[W, j]: to put j in the place of i improves if and only if S_jj + c'Pc + 2b (Pc)_i + b^2
P_ii > lambda, b = -(v'c) / v_i.
"""

from collections.abc import Iterator

import numpy as np

from spcabench.kernels import compiled
from spcabench.steps import greedy_signs, lanczos
from spcabench.vectors import Indices, Vector, normalize, project, support

SMALL = 1e-8  # |v_i| below it counts as so much: i can go at no loss
ROUNDING = 1e-11  # a gain below this share is none
STILL = 1e-6  # the same for power steps
HELD = 2e7  # entries of the columns held at once
STEPS = 3  # power steps between two choices of the support, before swaps
ASCENT = 30  # choices of the support at most
KICK = 0.2  # a kick replaces one variable and a geometric number, with this chance of an end, more


@compiled("Tuple((i8, f8, i8, i8))(f8[:,::1], f8[::1], i8[::1])")
def best_swap(R, d, W):  # type: ignore[no-untyped-def]
    """From rows R = S[W] (k, n) and the diagonal d (n,) of S: lambda_1(S[W, W]), and the best swap,
    i of W for j.

    i is -1 where none improves. 9 k^3 flops for the eigenvectors, n k^2 for P R.
    """
    k, n = R.shape
    w, V = np.linalg.eigh(np.ascontiguousarray(R[:, W]))
    v, least = np.ascontiguousarray(V[:, k - 1]), w[k - 1] * (1.0 + ROUNDING)
    scaled = V[:, : k - 1] / np.maximum(w[k - 1] - w[: k - 1], ROUNDING * abs(w[k - 1]))
    P = np.dot(scaled, np.ascontiguousarray(V[:, : k - 1].T))
    PR, u, value = np.dot(P, R), np.dot(v, R), d.copy()
    for i in range(k):
        value += R[i] * PR[i]
    value[W] = -np.inf
    out, into, best = -1, -1, least
    for i in range(k):
        v_i = v[i] if abs(v[i]) > SMALL else SMALL
        for j in range(n):
            b = -u[j] / v_i
            f = value[j] + b * (2.0 * PR[i, j] + b * P[i, i])
            if f > best:
                out, into, best = i, j, f
    return 9 * k**3 + n * k**2, w[k - 1], out, into


@compiled("Tuple((i8, f8, f8[::1]))(f8[:,::1], i8[::1], f8[::1])")
def power_steps(R, W, v):  # type: ignore[no-untyped-def]
    """From rows R = S[W] (k, n) and v (k,): the norm of S[W, W] v after `STEPS` power steps with
    it, and R'v (n,).

    STEPS k^2 + n k flops.
    """
    k, n = R.shape
    B, value = np.ascontiguousarray(R[:, W]), 0.0
    for _ in range(STEPS):
        v = np.dot(B, v)
        value = np.sqrt(np.dot(v, v))
        if value == 0.0:
            break
        v /= value
    return STEPS * k**2 + n * k, value, np.dot(v, R)


class Search:
    """Supports of a covariance or Gram matrix Sigma, improved by swaps; its columns are fetched
    when needed.

    budget : scans of all swaps that `climb` may make in all.
    """

    def __init__(self, Sigma, k: int, budget: int, rng: np.random.Generator) -> None:
        self.Sigma, self.k, self.left, self.rng = Sigma, k, budget, rng
        self.n, self.d = Sigma.n, np.array(Sigma.diagonal())
        self.held: dict[int, Vector] = {}
        self.scanned: set[bytes] = set()
        self.value, self.W = -np.inf, np.arange(0)

    def column(self, j: int) -> Vector:
        """Sigma e_j (n,)."""
        if j not in self.held:
            if len(self.held) * self.n > HELD:
                self.held.clear()
            e = np.zeros(self.n)
            e[j] = 1.0
            self.held[j] = self.Sigma @ e
        return self.held[j]

    def climb(self, W: Indices) -> None:
        """Power steps, then swaps until no swap improves, a support was seen before, or the budget
        is spent.

        The best support is remembered. A start that was seen before costs a scan, so that every
        search ends.
        """
        W, value, scans = self._ascended(np.array(W, dtype=np.int64)), -np.inf, self.left
        R = self._rows(W)
        while self.left and not self._seen(W):
            self.left -= 1
            new, i, j = best_swap(R, self.d, W)
            if new <= value + ROUNDING * abs(value):
                break
            value = new
            if value > self.value:
                self.value, self.W = value, np.sort(W)
            if i < 0:
                break
            W[i], R[i] = j, self.column(j)
        self.left -= int(0 < self.left == scans)

    def _rows(self, W: Indices) -> Vector:
        return np.array([self.column(j) for j in W])

    def _seen(self, W: Indices) -> bool:
        """Whether this support was scanned before; from now on it was."""
        count = len(self.scanned)
        self.scanned.add(np.sort(W).tobytes())
        return len(self.scanned) == count

    def _ascended(self, W: Indices) -> Indices:
        """Truncated power steps from W while they ascend: far from a local optimum they are cheaper
        than swaps.
        """
        v, value, last = self.column(W[np.argmax(self.d[W])])[W], 0.0, W
        for _ in range(ASCENT):
            new, y = power_steps(self._rows(W), W, v)
            if new <= value * (1.0 + STILL):
                break
            value, last = new, W
            W = np.sort(np.argpartition(-np.abs(y), self.k - 1)[: self.k])
            if np.array_equal(W, np.sort(last)):
                break
            v = y[W] / np.linalg.norm(y[W])
        return last

    def starts(self) -> Iterator[Indices]:
        """Supports to climb from: greedy signs; the leading eigenvector, cut at once and by halves;
        then kicks of the best support and power iterations of shrinking support from random
        vectors, in turn, without end.
        """
        *_, (_, greedy) = greedy_signs(self.Sigma, [1] * self.k, self.d)
        yield greedy
        x = lanczos(self.Sigma.__matmul__, normalize(self.d + self.d.max()), 1e-6)
        yield self._filled(project(x, self.k))
        yield self._shrunk(x)
        while True:
            for _ in range(4):
                yield self._kicked()
            yield self._shrunk(self.rng.standard_normal(self.n))

    def _shrunk(self, x: Vector) -> Indices:
        count = self.n
        while count > self.k:
            count = max(self.k, count // 2)
            x = project(self.Sigma @ x, count)
        return self._filled(x)

    def _kicked(self) -> Indices:
        """The best support with some of its variables replaced by such as go with the rest, drawn
        by chance.
        """
        many = min(1 + int(self.rng.geometric(KICK)), max(1, self.k // 2), self.n - self.k)
        kept = self.rng.permutation(self.W)[many:]
        weight = np.abs(sum(self.column(j) for j in kept)) if len(kept) else self.d**2
        weight = weight + (SMALL * max(weight.max(), self.d.max()) or 1.0)
        weight = np.where(np.isin(np.arange(self.n), self.W), 0.0, weight)
        return np.concatenate(
            [kept, self.rng.choice(self.n, many, replace=False, p=weight / weight.sum())]
        )

    def _filled(self, x: Vector) -> Indices:
        """The support of x, and variables of large variance where it has fewer than k."""
        W = support(x)
        rest = np.setdiff1d(np.argsort(-self.d, kind="stable"), W, assume_unique=True)
        return np.concatenate([W, rest[: self.k - len(W)]])
