"""The rank-d part of a covariance, sparse components of rank one, and the epsilon-net of random directions.

Asteris, Papailiopoulos, Dimakis, "Nonnegative sparse principal component analysis with provable guarantees", ICML 2014,
sections 3.1 and 6 (Algorithm 3).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from scipy.special import betainc

from .spectral import product
from .validate import whole
from .vectors import Indices, Vector, normalize, project

NEGLIGIBLE = 1e-12  # share of lambda_1 below which an eigenvalue is taken for zero
ENTRIES = 2**20  # of V C at a time


def low_rank(w: Vector, U: Vector, d: int, shift: bool = False) -> tuple[Vector, float]:
    """V (n, r), r <= d, and a number with Sigma - V V' <= rest I, from the d + 1 leading eigenpairs w, U.

    shift : V V' is the leading part of Sigma - rest I, which bounds no worse (and is all of sigma I + rank d).

    The columns of V are turned so that no permutation or change of sign of the variables changes V otherwise.
    """
    r = max(1, int((w[:d] > NEGLIGIBLE * w[0]).sum()))
    rest = max(float(w[r]), 0.0) if r < len(w) else 0.0
    V = U[:, :r] * np.sqrt(np.maximum(w[:r] - shift * rest, NEGLIGIBLE * abs(w[0])))
    skew = (V[:, :1] ** 3 * V).sum(axis=0)
    return V * np.where(skew < 0.0, -1.0, 1.0), rest


def rank_one(v: Vector, k: int, nonnegative: bool) -> Vector:
    """The unit k-sparse x that maximises (v'x)^2: the k largest entries of v, or positive entries of v or of -v."""
    if not nonnegative:
        return project(v, k)
    sides = [project(np.maximum(side, 0.0), k) for side in (v, -v)]
    return max(sides, key=lambda x: abs(float(x @ v)))


def climb(V: Vector, x: Vector, k: int, nonnegative: bool) -> Iterator[Vector]:
    """From x on: c = V'x / ||.||, then the rank-one solution of V c; ||V'x|| increases until this ends."""
    best, c = -1.0, product(V.T, x)
    while (reached := float(c @ c)) > best * (1.0 + 1e-12):
        yield x
        best, x = reached, rank_one(product(V, normalize(c)), k, nonnegative)
        c = product(V.T, x)


def sample_count(n: int, d: int, eps: float, samples: str | int) -> int:
    """Samples of a net in R^d: "paper" ceil(eps^-d ln n), "sharp" what fails with probability 1/n, or a number.

    One sample c with cos^2(c, c*) >= 1 - eps is enough, c* being the optimum's: ||V'x(c)|| >= |c'V'x(c)| >= |c'V'x*|.
    """
    if not isinstance(eps, Real) or not 0.0 < eps <= 1.0:
        raise ValueError(f"eps: {eps!r}; allowed are numbers above 0, up to 1")
    if isinstance(samples, str) and samples not in ("paper", "sharp"):
        raise ValueError(f"samples: {samples!r}; allowed are 'paper', 'sharp' and whole numbers from 1")
    if d == 1 or (samples == "sharp" and eps == 1.0):
        return 1
    if not isinstance(samples, str):
        return whole("samples", samples, 1)
    count = eps**-d * np.log(n) if samples == "paper" else np.log(n) / -np.log1p(-_near(d, eps))
    return max(1, int(np.ceil(count)))


def failure(d: int, eps: float, count: int) -> float:
    """The probability that no sample of the net is near enough to a given line."""
    return 0.0 if d == 1 else float((1.0 - _near(d, eps)) ** count)


def _near(d: int, eps: float) -> float:
    """P(cos^2 >= 1 - eps) for the angle between a random line and a given one in R^d."""
    return float(betainc((d - 1) / 2.0, 0.5, eps))


@dataclass(frozen=True)
class Net:
    """State of Algorithm 3 at cardinalities ks (q,): V (n, d), the best c so far (d, q), their scores ||V'x||^2 (q,).

    bound : upper bounds (q,), together with probability at least 1 - 1/n; infinite before a first net is complete.
    """

    V: Vector
    ks: Indices
    nonnegative: bool
    C: Vector
    scores: Vector
    bound: Vector

    def x(self, place: int = 0) -> Vector:
        """The answer (n,) at the cardinality ks[place]."""
        return rank_one(product(self.V, self.C[:, place]), int(self.ks[place]), self.nonnegative)

    def joined(self, C: Vector) -> "Net":
        """With the samples C (b, d), unit rows, tried as well."""
        Z = product(C, self.V.T)
        if self.nonnegative:
            C, Z = np.vstack([C, -C]), np.vstack([Z, -Z])
        scores = _scores(self.V, Z, self.ks, self.nonnegative)  # (b, q)
        best, top = scores.max(axis=0), C[scores.argmax(axis=0)].T
        better = best > self.scores
        return replace(self, C=np.where(better, top, self.C), scores=np.where(better, best, self.scores))


def _scores(V: Vector, Z: Vector, ks: Indices, nonnegative: bool) -> Vector:
    """||V'x||^2 (b, q) of the rank-one solutions x of the rows of Z (b, n), at all cardinalities from one sorting."""
    k, size = int(ks.max()), Z if nonnegative else np.abs(Z)
    rows = np.argpartition(-size, k - 1, axis=1)[:, :k]
    if len(ks) > 1:
        rows = np.take_along_axis(rows, np.argsort(-np.take_along_axis(size, rows, 1), axis=1), 1)
    v = np.take_along_axis(Z, rows, 1)  # (b, k)
    v = np.maximum(v, 0.0) if nonnegative else v
    last = ks - 1 if len(ks) > 1 else slice(0, 1)
    add = np.cumsum if len(ks) > 1 else partial(np.sum, keepdims=True)
    squares = add(v**2, axis=1)[:, last]
    sums = [add(V[:, j][rows] * v, axis=1)[:, last] for j in range(V.shape[1])]
    return np.divide(sum(s**2 for s in sums), squares, out=np.zeros_like(squares), where=squares > 0.0)


def nets(
    Sigma: Any, ks: Indices, d: int, eps: float, samples: str | int, seed: int, nonnegative: bool
) -> Iterator[Net]:
    """Algorithm 3 for ranks up to d, one batch of samples after the other; the last state is the answer of rank d.

    Rank one is exact. The ranks between, at a tenth of the time, only serve the bound, and only with "paper"'s count.
    """
    w, U = Sigma.leading_pairs(whole("d", d, 1) + 1)
    n, q, failing, bound = len(U), len(ks), 0.0, np.full(len(ks), np.inf)
    for r in range(1, d + 1) if samples == "paper" else sorted({1, d}):
        V, rest = low_rank(w, U, r)
        if V.shape[1] < r:
            return
        rng, left = np.random.default_rng([seed, r]), sample_count(n, r, eps, samples)
        fails = failure(r, eps, left)
        net = Net(V, ks, nonnegative, np.zeros((r, q)), np.full(q, -1.0), bound)
        while left:
            C = rng.standard_normal((min(left, max(1, ENTRIES // n)), r))
            left -= len(C)
            net = net.joined(C / np.sqrt((C**2).sum(axis=1, keepdims=True)))
            if not left and failing + fails <= 1.0 / n:
                failing += fails
                bound = np.minimum(bound, net.scores / (1.0 - eps * (r > 1)) + rest) if r == 1 or eps < 1.0 else bound
                net = replace(net, bound=bound)
            yield net
