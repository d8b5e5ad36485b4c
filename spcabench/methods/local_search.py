"""Local search over supports, which swaps single variables until no swap increases the variance.

All swaps are tested exactly. On a support W let (lambda, v) be the leading eigenpair of S[W, W], P
the pseudo-inverse of lambda I - S[W, W], and c = S[W, j]. Replacing i by j improves the value if
and only if

    S_jj + c'Pc + 2b (Pc)_i + b^2 P_ii > lambda,    b = -(v'c) / v_i.

For x >= 0, even finding the best loading on a fixed support is a hard problem. An ascent then finds
a good x, and i is replaced by j if the best combination of x without x_i and e_j has more variance.
"""

from collections.abc import Iterator

import numpy as np

from spcabench.flops import charge, compiled
from spcabench.methods import bound_formulas
from spcabench.methods.exact_search.candidates import candidates
from spcabench.problem.covariance import Covariance
from spcabench.problem.spectral import eigen, leading_pairs
from spcabench.steps import greedy_signs, lanczos, nonnegative_loading
from spcabench.vectors import Array, Indices, Vector, normalize, project, support

MOST = 1000  # largest number of variables for which rows of Sigma are sorted for a proof
TOLERANCE = 1e-9  # relative accuracy of proven optima
# lower limit for |v_i| in formulas; removing a variable with a smaller entry costs nothing
SMALL = 1e-8
ROUNDING = 1e-11  # a smaller relative gain of a swap is ignored
STILL = 1e-6  # a smaller relative gain of a power step is ignored
HELD = 2e7  # maximum number of entries in the stored columns
STEPS = 3  # number of power steps before the support is chosen again
ASCENT = 30  # maximum number of times that the support is chosen
FEW = 2000  # up to this number of swaps, a first run does not compile a kernel
KICK = 0.2  # a kick replaces 1 + g variables, where g is geometric with this success probability


def best_swap(R: Array, d: Vector, W: Indices) -> tuple[float, int, int]:
    """Return lambda_1(S[W, W]) and the best swap, which replaces the i-th variable of W by j.

    R = S[W] (k, n) are rows of S, and d (n,) is its diagonal. If no swap increases the value, i is
    -1. The cost is 10 k^3 flops for the eigenvectors and P, and n k^2 + n k flops for P R and R'v.
    """
    w, V = eigen(R[:, W])
    top, v, U = float(w[-1]), V[:, -1], V[:, :-1]
    # if there is no variance, the leading eigenvalue is zero, and any divisor is valid
    P = (U / np.maximum(top - w[:-1], ROUNDING * abs(top) or 1.0)) @ U.T
    charge(U.size * len(U) + R.size * (len(U) + 1))
    scan = best_entry if R.size <= FEW else largest_gain
    i, j = scan(R, P, P @ R, v, v @ R, d, W, top * (1.0 + ROUNDING))
    return top, i, j


def best_entry(
    R: Array, P: Array, PR: Array, v: Vector, u: Vector, d: Vector, W: Indices, least: float
) -> tuple[int, int]:
    """Return the swap with the largest value of the formula above, or -1, -1 if below ``least``.

    u = R'v (n,). The formula is in the docstring of the module.
    """
    value = d + (R * PR).sum(axis=0)
    value[W] = -np.inf
    # removing a variable with a very small v_i costs nothing, so any small divisor is valid
    b = -u / np.where(np.abs(v) > SMALL, v, SMALL)[:, None]
    f = value + b * (2.0 * PR + b * P.diagonal()[:, None])
    i, j = divmod(int(f.argmax()), len(d))
    return (i, j) if f[i, j] > least else (-1, -1)


@compiled(
    "Tuple((i8, i8, i8))(f8[:,::1], f8[:,::1], f8[:,::1], f8[::1], f8[::1], f8[::1], i8[::1], f8)"
)
def largest_gain(R, P, PR, v, u, d, W, least):  # type: ignore[no-untyped-def]
    """Return what `best_entry` returns, in one pass over memory."""
    k, n = R.shape
    value = d.copy()
    for i in range(k):
        for j in range(n):
            value[j] += R[i, j] * PR[i, j]
    for i in range(k):
        value[W[i]] = -np.inf
    out, into, best = -1, -1, least
    for i in range(k):
        v_i = v[i] if abs(v[i]) > SMALL else SMALL
        for j in range(n):
            b = -u[j] / v_i
            f = value[j] + b * (2.0 * PR[i, j] + b * P[i, i])
            if f > best:
                out, into, best = i, j, f
    return 0, out, into


def power_steps(R: Array, W: Indices, v: Vector) -> tuple[float, Vector]:
    """Make `STEPS` power steps with S[W, W] from v (k,); return the last norm and R'v (n,).

    R = S[W] (k, n) are rows of S. The cost is STEPS k^2 + n k flops.
    """
    charge(STEPS * len(W) ** 2 + R.size)
    B, value = R[:, W], 0.0
    v = v / max(np.abs(v).max(), np.finfo(float).tiny)  # squares of a large S could overflow
    for _ in range(STEPS):
        v = B @ v
        value = float(np.sqrt(v @ v))
        if value == 0.0:
            break
        v = v / value
    return value, v @ R


class Search:
    """Supports of a covariance or Gram matrix Sigma, improved by swaps.

    Columns of Sigma are computed when needed. ``budget`` is the total number of swap scans that
    `climb` may make.
    """

    def __init__(self, Sigma, k: int, budget: int, rng: np.random.Generator) -> None:
        self.Sigma, self.k, self.left, self.rng = Sigma, k, budget, rng
        self.n, self.d = Sigma.n, np.array(Sigma.diagonal())
        self.held: dict[int, Vector] = {}
        self.scanned: set[bytes] = set()
        self.value, self.W = -np.inf, np.arange(0)

    def column(self, j: int) -> Vector:
        """Return column j of Sigma, an array of shape (n,)."""
        if j not in self.held:
            if len(self.held) * self.n > HELD:
                self.held.clear()
            e = np.zeros(self.n)
            e[j] = 1.0
            self.held[j] = self.Sigma @ e
        return self.held[j]

    def climb(self, W: Indices) -> None:
        """Improve a support by power steps and then by swaps.

        The climb stops when no swap increases the value, when it reaches a support that was seen
        before, or when the budget is exhausted. The best support is stored. A start that was seen
        before also costs one scan, so that every search terminates.
        """
        W, value, scans = self._ascended(np.array(W, dtype=np.int64)), -np.inf, self.left
        R = self._rows(W)
        while self.left and not self._seen(W):
            self.left -= 1
            new, i, j = self._swap(R, W)
            if new <= value + ROUNDING * abs(value):
                break
            value = new
            if value > self.value:
                self.value, self.W = value, np.sort(W)
            if i < 0:
                break
            W[i], R[i] = j, self.column(j)
        self.left -= int(0 < self.left == scans)

    def _swap(self, R: Array, W: Indices) -> tuple[float, int, int]:
        """Return the value of W, and the best swap as `best_swap` does; R = S[W] are rows."""
        return best_swap(R, self.d, W)

    def is_optimal(self) -> bool:
        """Whether cheap bounds prove that no support of k variables exceeds the best value.

        The bounds are computed from the sorted rows of an array Sigma (`methods.bound_formulas`)
        and by eliminating variables (`exact_search.candidates`), without any products.
        """
        if not isinstance(self.Sigma, Covariance) or self.n > MOST or self.k < 2:
            return False
        S, t = self.Sigma.S, self.value * (1.0 + TOLERANCE)
        rows = bound_formulas.falling(S)
        bounds = np.minimum(bound_formulas.gershgorin(rows), bound_formulas.frobenius(rows))
        if bounds[self.k - 1] <= t:
            return True
        opt = float(bounds[self.k - 2]) * (1.0 + TOLERANCE)
        left = candidates(self.d, lambda W: S[np.ix_(W, W)], self.k, opt, t)
        if len(left.W) > self.k:
            return False
        if len(left.W) == self.k:  # only one support is left
            self.climb(left.W)
        return True

    def _rows(self, W: Indices) -> Vector:
        return np.stack([self.column(j) for j in W])

    def _seen(self, W: Indices) -> bool:
        """Whether this support was scanned before; in any case, it is recorded as scanned."""
        count = len(self.scanned)
        self.scanned.add(np.sort(W).tobytes())
        return len(self.scanned) == count

    def _ascended(self, W: Indices) -> Indices:
        """Make truncated power steps from W as long as they increase the value.

        Far from a local optimum, power steps are cheaper than swaps.
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
        """Yield supports to start from, indefinitely.

        The first supports come from the greedy signs, and from the leading eigenvector, truncated
        to k variables either in one step or by repeated halving. After that, random changes to the
        best support alternate with power iterations from random vectors on a shrinking support.
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
        while count > self.k and x.any():
            count = max(self.k, count // 2)
            x = project(self._allowed(self.Sigma @ x), count)
        return self._filled(x)

    def _allowed(self, z: Vector) -> Vector:
        """Return the direction z (n,); for x >= 0, only its allowed part."""
        return z

    def _kicked(self) -> Indices:
        """Replace random variables of the best support, preferably by variables correlated with it.

        Correlation is measured by covariance.
        """
        many = min(1 + int(self.rng.geometric(KICK)), max(1, self.k // 2), self.n - self.k)
        members = self.rng.permutation(self.W)[many:]
        weight = self.d**2
        if len(members):
            weight = np.abs(self._allowed(np.sum([self.column(j) for j in members], axis=0)))
        weight = weight + (SMALL * max(weight.max(), self.d.max()) or 1.0)
        weight = np.where(np.isin(np.arange(self.n), self.W), 0.0, weight)
        return np.concatenate(
            [members, self.rng.choice(self.n, many, replace=False, p=weight / weight.sum())]
        )

    def _filled(self, x: Vector) -> Indices:
        """Return the support of x, filled up to k variables with variables of large variance."""
        W = support(x)
        outside = np.setdiff1d(np.argsort(-self.d, kind="stable"), W, assume_unique=True)
        return np.concatenate([W, outside[: self.k - len(W)]])


class NonnegativeSearch(Search):
    """Local search for x >= 0, by swaps that provably improve; the best x can have zeros."""

    @property
    def loading(self) -> Vector:
        """The best x on the support `W` that an ascent finds (k,)."""
        return _nonnegative(self._rows(self.W)[:, self.W])[1]

    def _swap(self, R: Array, W: Indices) -> tuple[float, int, int]:
        value, y = _nonnegative(R[:, W])
        gains = swap_values(R, self.d, W, y, value)
        i, j = divmod(int(gains.argmax()), self.n)
        return (value, i, j) if gains[i, j] > value * (1.0 + ROUNDING) else (value, -1, -1)

    def _ascended(self, W: Indices) -> Indices:
        return W

    def starts(self) -> Iterator[Indices]:
        """Yield supports to climb from, indefinitely.

        The first supports come from the leading eigenvector, with either sign, and from the column
        of the variable with the largest variance. After that, random changes to the best support
        alternate with power iterations on a shrinking support.
        """
        x = lanczos(self.Sigma.__matmul__, normalize(self.d + self.d.max()), 1e-6)
        for start in (x, -x, self.column(int(self.d.argmax()))):
            yield self._shrunk(np.maximum(start, 0.0))
        while True:
            for _ in range(4):
                yield self._kicked()
            yield self._shrunk(np.abs(self.rng.standard_normal(self.n)))

    def _allowed(self, z: Vector) -> Vector:
        return np.maximum(z, 0.0)


def _nonnegative(B: Array) -> tuple[float, Vector]:
    return nonnegative_loading(B, leading_pairs(np.maximum(B, 0.0), 1)[1][:, 0])


def swap_values(R: Array, d: Vector, W: Indices, y: Vector, value: float) -> Array:
    """Return the values (k, n) of the best combination x >= 0 of y without y_i and e_j, j not in W.

    R = S[W] (k, n) are rows of S, d (n,) is its diagonal, and value = y'S[W, W]y. The cost is k n
    flops.
    """
    charge(R.size)
    u, left = y @ R, 1.0 - y * y
    left[left < SMALL] = np.inf  # without y_i, only e_j remains
    without = ((value - 2.0 * y * u[W] + y * y * d[W]) / left)[:, None]
    joint = np.maximum(u - y[:, None] * R, 0.0) ** 2 / left[:, None]
    values = (without + d) / 2.0 + np.sqrt(((without - d) / 2.0) ** 2 + joint)
    values[:, W] = -np.inf
    return values
