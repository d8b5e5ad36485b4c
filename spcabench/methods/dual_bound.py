"""The dual bound: an upper bound on max x'Sigma x, ||x|| = 1, ||x||_0 <= k, from any symmetric U.

For every U (n, n) and every number a, with r_i the norm of the k - 1 largest |u_ij|, j != i,

    x'Sigma x <= lambda_1(Sigma - U) + a + the sum of the k largest h_i,
    h_i = (u_ii - a + sqrt((u_ii - a)^2 + r_i^2)) / 2;

for x >= 0 only positive u_ij count in r_i. Where a set F of variables is known to be in the
support, and s = k - |F| are still to be taken from the free ones, for any eta_i > 0, i in F,

    x'Sigma x <= lambda_1(Sigma - U) + a + the sum over F of max_t ((u_ii - a) t + eta_i t (1 - t))
        + the sum over i != l in F of u_il^2 / (4 eta_i)
        + the s largest, over free j, of h_j + the sum over i in F of u_ij^2 / (4 eta_i),

0 <= t <= 1, where the r_j of h_j has all u_ji with i in F and the s - 1 largest others. The proofs
are in docs/bounds.md.

The right side is convex in U, a and eta. It is minimised by L-BFGS in a smoothed form, whose width
falls where it no longer helps. None of this has to be trusted: `spcabench.methods.dual_certificate`
recomputes the bound from U alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from spcabench.kernels import compiled, inlined
from spcabench.methods.quasi_newton import Descent
from spcabench.problem.spectral import eigen, eigenvalues, rebuilt
from spcabench.vectors import Array, Indices, Vector

Mask = NDArray[np.bool_]
NEWTON_STEPS = 60  # of a bracketed Newton iteration at most
PRECISE = 1e-11  # relative: where one ends
BALANCED = 1e-10  # sum of the weights but for this, at the best a
FAR = 40.0  # beyond it a logistic weight is zero or one
HALVINGS = 48  # of the interval that has the best a
STARTS, FALL = 12, 0.7  # matrices U that a minimisation starts from, and how their entries fall
WIDEST, NARROWEST = 3e-2, 1e-7  # of the smoothing, relative to the value to be reached
NARROWER = 0.3  # of the width, where the smoothing no longer helps or exceeds this share of the gap
CHUNK = 25  # evaluations between two exact values
SLOW = 0.05  # a chunk that gains less than this share of the gap narrows the smoothing
FLAT = 0.05  # of the largest curvature, added to each row's
LEAST_LOG = -27.0  # of eta, and the negative of the largest
SAFE = 1e-9  # margin, relative to the value to be reached, below which no variable is fixed


@inlined
def threshold(q, kept, delta, beta):  # type: ignore[no-untyped-def]
    """The beta >= 0 at which the weights clip((q_j - beta) / delta, 0, 1) sum to ``kept``.

    0 where they never do. Newton's method, bracketed, from the beta given.
    """
    low, high = 0.0, 0.0
    for x in q:
        high = max(high, x)
    beta = min(max(beta, low), high)
    for _ in range(NEWTON_STEPS):
        total, inside = 0.0, 0.0
        for x in q:
            w = (x - beta) / delta
            if w >= 1.0:
                total += 1.0
            elif w > 0.0:
                total += w
                inside += 1.0
        if (
            (beta == 0.0 and total <= kept)
            or abs(total - kept) <= PRECISE * kept
            or high - low <= PRECISE * high
        ):
            break
        if total > kept:
            low = beta
        else:
            high = beta
        beta = beta + (total - kept) * delta / inside if inside > 0.0 else low
        if not low < beta < high:
            # the bracket's lower end may be the answer itself: zero
            beta = 0.5 * (low + high) if low > 0.0 or high > PRECISE * delta else 0.0
    return beta


@inlined
def smooth_norm(q, kept, delta, beta, weights):  # type: ignore[no-untyped-def]
    """The sum of the ``kept`` largest q_j, smoothed; weights : renewed with what is not 0.

    It is kept beta + the sum of psi(q_j - beta), psi the positive part rounded over delta.
    """
    total = kept * beta
    for j in range(len(q)):
        x = q[j] - beta
        if x >= delta:
            total += x - 0.5 * delta
            weights[j] = 1.0
        elif x > 0.0:
            total += 0.5 * x * x / delta
            weights[j] = x / delta
    return total


@compiled("Tuple((i8, f8[::1]))(f8[:,::1], b1[::1], i8, f8, b1, f8[::1], f8[:,::1])")
def smooth_norms(U, forced, kept, delta, positive, beta, T):  # type: ignore[no-untyped-def]
    """r_i^2 (n,) of the rows of the free variables, smoothed; 0 for forced variables.

    It has all u_ij^2 of forced j, and the ``kept`` largest of free j, smoothed by delta.

    beta : the thresholds (n,) of the last call, renewed. T : renewed with the derivatives of r_i^2
        by u_ij^2 (n, n), 0 in the rows of forced variables.
    """
    n = len(U)
    q, r2 = np.empty(n), np.zeros(n)
    for i in range(n):
        T[i] = 0.0
        if forced[i]:
            continue
        for j in range(n):
            x = U[i, j]
            q[j] = 0.0 if j == i or (positive and x < 0.0) else x * x
            if forced[j]:
                r2[i] += q[j]
                T[i, j], q[j] = 1.0, 0.0
        if kept > 0:
            beta[i] = threshold(q, kept, delta, beta[i])
            # weights of forced j stay 1: their q_j is 0, below the threshold
            r2[i] += smooth_norm(q, kept, delta, beta[i], T[i])
    return n * n, r2


@inlined
def weigh(g, s, mu, b, p):  # type: ignore[no-untyped-def]
    """The level b about which logistic weights of g, of width mu, sum to s; p : renewed with them.

    Newton's method, bracketed, from the b given.
    """
    low, high = g.min() - FAR * mu, g.max() + FAR * mu
    b = min(max(b, low), high)
    for _ in range(NEWTON_STEPS):
        total, slope = 0.0, 0.0
        for j in range(len(g)):
            p[j] = 1.0 / (1.0 + np.exp(min(max((b - g[j]) / mu, -FAR), FAR)))
            total += p[j]
            slope += p[j] * (1.0 - p[j])
        if total > s:
            low = b
        else:
            high = b
        if abs(total - s) <= PRECISE * s or high - low <= PRECISE * mu:
            break
        b += mu * (total - s) / slope if slope > 0.0 else high - low
        if not low < b < high:
            b = 0.5 * (low + high)
    return b


@inlined
def free_terms(d, r2, cost, s, mu, a, b, g, p, t):  # type: ignore[no-untyped-def]
    """The smoothed sum of the s largest terms of the free variables at a; the level b; a slope.

    The slope is the rise of the sum's derivative by a. g, p, t : renewed with the terms, their
    weights and their derivatives by u_ii.
    """
    m = len(d)
    rise, crossed, spread, value = 0.0, 0.0, 0.0, 0.0
    for j in range(m):
        v = d[j] - a
        root = np.sqrt(v * v + r2[j])
        g[j], t[j] = 0.5 * (v + root) + cost[j], 0.5 * (1.0 + v / root) if root > 0.0 else 0.5
    if 0 < s < m:
        b = weigh(g, s, mu, b, p)
        value = s * b
    for j in range(m):
        v, x = d[j] - a, (g[j] - b) / mu
        if 0 < s < m:
            value += mu * (max(x, 0.0) + np.log1p(np.exp(-min(abs(x), FAR))))
            x = p[j] * (1.0 - p[j]) / mu
            rise += x * t[j] * t[j]
            crossed += x * t[j]
            spread += x
        else:
            p[j] = 1.0 if s else 0.0
            value += p[j] * g[j]
        if r2[j] > 0.0:
            rise += 0.5 * p[j] * r2[j] / (v * v + r2[j]) ** 1.5
    return value, b, rise - crossed * crossed / spread if spread > 0.0 else rise


@compiled(
    "Tuple((i8, f8, f8, f8, f8[::1], f8[::1], f8[::1]))"
    "(f8[::1], f8[::1], f8[::1], f8[::1], f8[::1], i8, f8, f8, f8)"
)
def balance(d, r2, cost, d_forced, eta, s, mu, a, b):  # type: ignore[no-untyped-def]
    """The best a, by Newton's method, bracketed, and what it makes of the terms of all variables.

    d, r2, cost : u_ii, r_i^2 and the price of the free variables (m,). d_forced, eta : of the
        forced ones (f,). s : free variables to take. mu : width of the smoothing. a, b : from the
        last call.
    Returns a + the terms of the forced variables + the s largest of the free ones (smoothed); a; b,
    the level of the s-th largest; p (m,), the weights of the free variables; t (m,) and t_forced
    (f,), the derivatives of each term by u_ii.
    """
    m, f = len(d), len(eta)
    p, t, g, t_forced, value = np.empty(m), np.empty(m), np.empty(m), np.empty(f), 0.0
    low, high, width = -np.inf, np.inf, 1e-3
    for x in d:
        width = max(width, abs(x))
    for _ in range(NEWTON_STEPS):
        value, b, rise = free_terms(d, r2, cost, s, mu, a, b, g, p, t)
        value, slope = value + a, 1.0 - np.dot(p, t)
        for i in range(f):
            v, e = d_forced[i] - a, eta[i]
            t_forced[i] = x = min(max(0.5 * (v + e) / e, 0.0), 1.0)
            value, slope = value + v * x + e * x * (1.0 - x), slope - x
            rise += 0.5 / e if abs(v) < e else 0.0
        if slope > 0.0:
            high = a
        else:
            low = a
        if abs(slope) <= BALANCED or high - low <= 1e-14 * width:
            break
        step = -slope / rise if rise > 0.0 else -np.sign(slope) * width
        a += min(max(step, -width), width)
        if not low < a < high:
            a = 0.5 * (low + high)
    return m, value, a, b, p, t, t_forced


@compiled("Tuple((i8, f8, f8))(f8[::1], f8[::1], f8[::1], f8[::1], f8[::1], i8)")
def lowest(d, r2, paid, d_forced, eta, s):  # type: ignore[no-untyped-def]
    """The smallest, over a, of a + the forced terms + the s largest of the free ones; that a.

    By bisection: it is convex in a.
    """
    m, f = len(d), len(eta)
    terms, share = np.empty(m), np.empty(m)
    low, high, best, best_a = 0.0, 0.0, np.inf, 0.0
    for j in range(m):
        reach = np.sqrt(r2[j]) * (s + 1.0)
        low, high = min(low, d[j] - reach), max(high, d[j] + reach)
    for i in range(f):
        reach = eta[i] * (f + 1.0)
        low, high = min(low, d_forced[i] - reach), max(high, d_forced[i] + reach)
    for _ in range(HALVINGS):
        a = 0.5 * (low + high)
        for j in range(m):
            v = d[j] - a
            root = np.sqrt(v * v + r2[j])
            terms[j] = 0.5 * (v + root) + paid[j]
            share[j] = 0.5 + 0.5 * v / root if root > 0.0 else 0.5
        value, slope = a, 1.0
        for j in np.argsort(-terms)[:s]:
            value, slope = value + terms[j], slope - share[j]
        for i in range(f):
            v, e = d_forced[i] - a, eta[i]
            x = min(max(0.5 * (v + e) / e, 0.0), 1.0)
            value, slope = value + v * x + e * x * (1.0 - x), slope - x
        if value < best:
            best, best_a = value, a
        if slope > 0.0:
            high = a
        else:
            low = a
    return m, best, best_a


def free_term(v: Vector, r2: Vector) -> Vector:
    """The largest v t + r sqrt(t (1 - t)) over t in [0, 1]."""
    return (v + np.sqrt(v * v + r2)) / 2.0


@dataclass
class Bound:
    """The dual bound at a U and eta, and what it is made of.

    value : the bound. a : where it is smallest. terms : of the free variables, what they pay to the
        forced ones included (m,). r2 : r_i^2 (m,). last, next : the smallest u_ij^2 of a free j
        that counts in r_i^2, and the largest that does not (m,).
    """

    value: float
    a: float
    terms: Vector
    r2: Vector
    last: Vector
    next: Vector


class Dual:
    """The dual bound of S (n, n) at cardinality k.

    forced : mask of variables that are in the support. positive : for x >= 0.
    """

    def __init__(self, S: Array, k: int, forced: Mask, positive: bool) -> None:
        self.S, self.k, self.forced, self.positive = S, k, forced, positive
        self.free, self.F = np.flatnonzero(~forced), np.flatnonzero(forced)
        self.s = k - len(self.F)  # free variables still to take
        self.beta, self.a, self.b = np.zeros(len(S)), 0.0, 0.0
        self.curvature = np.ones(len(S))

    def squares(self, U: Array) -> Array:
        """u_ij^2 where they count, 0 elsewhere and on the diagonal (n, n)."""
        Q = np.maximum(U, 0.0) ** 2 if self.positive else U * U
        np.fill_diagonal(Q, 0.0)
        return Q

    def smooth(self, U: Array, eta: Vector, width: float) -> tuple[float, Array, Vector]:
        """The bound, smoothed at a width; its derivatives by U (n, n) and by log eta (f,)."""
        n, free, F, d = len(U), self.free, self.F, U.diagonal()
        top, G = self._leading(U, width)
        T = np.empty_like(U)
        delta, least = 2.0 * width / self.k**2, (1e-3 * width / self.k) ** 2
        r2 = smooth_norms(U, self.forced, self.s - 1, delta, self.positive, self.beta, T)
        r2 = r2[free] + least
        Q = self.squares(U)[F]
        paid = (0.25 / eta) @ Q
        value, self.a, self.b, p, t, t_forced = balance(
            d[free], r2, paid[free], d[F], eta, self.s, width / self.k, self.a, self.b
        )
        weights = np.ones(n)
        weights[free] = p
        self.curvature[free] = p / (2.0 * np.sqrt((d[free] - self.a) ** 2 + r2))
        self.curvature[F] = 0.5 / eta
        T[F] = weights
        T *= U * self.curvature[:, None]
        if self.positive:
            T[U < 0.0] = 0.0
        np.fill_diagonal(T, 0.0)
        G += 0.5 * (T + T.T)
        G[free, free] += p * t
        G[F, F] += t_forced
        by_eta = eta * t_forced * (1.0 - t_forced) - Q @ weights / (4.0 * eta)
        return float(top + value + paid[F].sum()), G, by_eta

    def _leading(self, U: Array, width: float) -> tuple[float, Array]:
        """lambda_1(S - U), smoothed, and its derivatives by U (n, n)."""
        w, V = eigen(self.S - U)
        mu = width / np.log(len(U) + 1.0)
        weights = np.exp((w - w[-1]) / mu)
        total = float(weights.sum())
        return float(w[-1]) + mu * np.log(total), -rebuilt(V, weights / total)

    def bound(self, U: Array, eta: Vector) -> Bound:
        """The bound itself, with the best a."""
        free, F, d, Q = self.free, self.F, U.diagonal(), self.squares(U)
        m, kept = len(free), min(self.s - 1, len(free) - 1)
        paid = (0.25 / eta) @ Q[F]
        r2 = Q[np.ix_(free, F)].sum(axis=1)
        last, following = np.full(m, np.inf), np.full(m, -np.inf)
        if kept > 0:
            inside = Q[np.ix_(free, free)]
            np.fill_diagonal(inside, -1.0)
            inside = np.partition(inside, m - kept, axis=1)
            r2 += inside[:, m - kept :].sum(axis=1)
            last, following = inside[:, m - kept], inside[:, : m - kept].max(axis=1)
        value, a = lowest(d[free], r2, paid[free], d[F], eta, self.s)
        value += float(eigenvalues(self.S - U)[-1] + paid[F].sum())
        terms = free_term(d[free] - a, r2) + paid[free]
        return Bound(value, a, terms, r2, last, np.maximum(following, 0.0))


class Part:
    """Part of a search, and the smallest bound found for it, with its U (n, n) and eta (f,).

    It has the supports of k of the variables ``names`` (n,), all of the mask ``forced`` among them.

    S : the covariance of all variables, scaled so that the values of interest are about 1.
    """

    def __init__(
        self,
        S: Array,
        k: int,
        positive: bool,
        names: Indices,
        forced: Mask,
        U: Array,
        eta: Vector,
        width: float = WIDEST,
    ) -> None:
        self.S, self.k, self.positive, self.width = S, k, positive, width
        self.descent: Descent | None = None
        self._place(names, forced, U, eta)

    def _place(self, names: Indices, forced: Mask, U: Array, eta: Vector) -> None:
        """Take variables, and a U and eta for them."""
        self.names, self.U, self.eta = names, U, eta
        self.dual = Dual(self.S[np.ix_(names, names)], self.k, forced, self.positive)
        self.evaluations, self.value = 0, np.inf
        if not self.decided:
            self._look(U, eta)

    @property
    def decided(self) -> bool:
        """Whether one support is left, or what is left is no larger than one."""
        return self.dual.s <= 0 or len(self.dual.free) <= self.dual.s

    @property
    def support(self) -> Indices:
        """The variables of the largest terms, k at most: where a good support may be."""
        D = self.dual
        if self.decided:
            return self.names[D.F] if D.s <= 0 else self.names
        return self.names[np.append(D.F, D.free[np.argsort(-self.found.terms)[: D.s]])]

    @property
    def certificate(self) -> Array:
        """U with a taken into its diagonal: what certifies the bound where nothing is forced."""
        return self.U - self.found.a * np.eye(len(self.U))

    def descend(self, t: float) -> float:
        """One chunk of evaluations; how much the bound fell. t : the value to be reached."""
        if self.descent is None:
            self.width = self._narrowed(t, self.width)
            self.descent = Descent(self._packed(self.U, self.eta))
            self.descent.begin(self._smooth)
        descent, before = self.descent, self.value
        calls, went_on = descent.calls, True
        while went_on and descent.calls < calls + CHUNK:
            went_on = descent.step(self._metric())
        self.evaluations += descent.calls - calls
        gain = before - self._look(*self._unpacked(descent.z))
        slow = gain < SLOW * min(before - t, 4.0 * self.width)
        if not went_on or slow or 2.0 * self.width > self.value / t - 1.0:
            self.width = self._narrowed(t, NARROWER * self.width)
            if gain < 0.0:
                descent.pairs.clear()
                descent.z = self._packed(self.U, self.eta)
            descent.begin(self._smooth)
        return gain

    def _narrowed(self, t: float, width: float) -> float:
        return max(min(width, NARROWER * (self.value / t - 1.0)), NARROWEST)

    def _packed(self, U: Array, eta: Vector) -> Vector:
        return np.concatenate([U.ravel(), np.log(eta)])

    def _unpacked(self, z: Vector) -> tuple[Array, Vector]:
        n = len(self.names)
        U = z[: n * n].reshape(n, n)
        # Rounding makes U asymmetric, and L-BFGS magnifies it. LAPACK reads one triangle alone, so
        # that the bound of an asymmetric U would belong to two matrices.
        return 0.5 * (U + U.T), np.exp(np.clip(z[n * n :], LEAST_LOG, -LEAST_LOG))

    def _smooth(self, z: Vector) -> tuple[float, Vector]:
        value, by_U, by_eta = self.dual.smooth(*self._unpacked(z), self.width)
        return value, np.concatenate([by_U.ravel(), by_eta])

    def _metric(self) -> Vector:
        """Of a step: the inverse curvatures of the rows' terms, by u_ij and by log eta."""
        c = self.dual.curvature
        by_U = 1.0 / (0.5 * (c[:, None] + c) + FLAT * c.max())
        return np.concatenate([by_U.ravel(), 4.0 * c[self.dual.F]])

    def _look(self, U: Array, eta: Vector) -> float:
        """The bound at U and eta, remembered where it is the smallest."""
        found = self.dual.bound(U, eta)
        if found.value < self.value:
            self.value, self.found, self.U, self.eta = found.value, found, U.copy(), eta.copy()
        return found.value

    def roots(self) -> Vector:
        """What eta_i is best for a variable that is forced next; eta for the forced ones (n,)."""
        D, at = self.dual, self.found
        eta = np.empty(len(self.names))
        eta[D.free] = np.sqrt((self.U.diagonal()[D.free] - at.a) ** 2 + at.r2)
        eta[D.F] = self.eta
        return np.maximum(eta, np.exp(LEAST_LOG))

    def probes(self) -> tuple[Vector, Vector]:
        """For each free variable (m,) a bound on the supports that have it, and on those without.

        With the same U and a: where j is in the support, the row of i has u_ij in place of the last
        that it counts; where j is not, the row counts the next one in its place.
        """
        D, at = self.dual, self.found
        m, s, free = len(D.free), D.s, D.free
        Q = D.squares(self.U)[np.ix_(free, free)]
        v = self.U.diagonal()[free] - at.a
        paid = at.terms - free_term(v, at.r2)
        rest = at.value - np.sort(at.terms)[m - s :].sum()
        inside = np.zeros(m)
        if s > 1:
            r2 = at.r2[:, None] - np.maximum(at.last[:, None] - Q, 0.0)
            inside = _largest_sums(v, np.maximum(r2, 0.0), paid, s - 1)
        r2 = np.repeat(at.r2[:, None], m, axis=1)
        if s > 1:
            r2 -= np.maximum(Q - at.next[:, None], 0.0)
        return rest + at.terms + inside, rest + _largest_sums(v, np.maximum(r2, 0.0), paid, s)

    def fix(self, t: float) -> int:
        """Leave out the variables that no support of value t has, force those that all have; count.

        The part is empty, its value -inf, where one is both.
        """
        least = t * (1.0 - SAFE)
        having, without = self.probes()
        out, into = self.dual.free[having < least], self.dual.free[without < least]
        if np.intersect1d(out, into).size:
            self.value = -np.inf
        elif len(out) + len(into):
            self._restrict(out, into)
        return len(out) + len(into)

    def _restrict(self, out: Indices, into: Indices) -> None:
        """Go on without some variables, and with others forced; places in ``names``."""
        n, before, eta, value = len(self.names), self.dual, self.roots(), self.value
        forced, kept = before.forced.copy(), np.delete(np.arange(n), out)
        forced[into] = True
        place = np.ix_(kept, kept)
        F = np.flatnonzero(forced)
        self._place(self.names[kept], forced[kept], self.U[place], eta[F])
        self.value = min(self.value, value)
        if self.decided:
            return
        self.dual.beta, self.dual.a, self.dual.b = before.beta[kept], before.a, before.b

        def change(vector: Vector) -> Vector:
            by_eta = np.zeros(n)
            by_eta[before.F] = vector[n * n :]
            return np.concatenate([vector[: n * n].reshape(n, n)[place].ravel(), by_eta[F]])

        if self.descent is not None:
            self.descent.move(self._packed(self.U, self.eta), change)
            self.descent.begin(self._smooth)

    def halves(self) -> "list[tuple[float, Callable[[], Part]]]":
        """The supports with the free variable of the largest term, and those without it.

        Of each half a bound, and what makes the part.
        """
        D, n = self.dual, len(self.names)
        j = int(np.argmax(self.found.terms))
        having, without = self.probes()
        more, kept = D.forced.copy(), np.arange(n) != D.free[j]
        more[D.free[j]] = True
        below = partial(_below, self.S, self.k, self.positive, self.names, self.U, self.width)
        bounds = [min(self.value, float(having[j])), min(self.value, float(without[j]))]
        return [
            (bounds[0], partial(below, more, self.roots()[more], kept | True, bounds[0])),
            (bounds[1], partial(below, D.forced, self.eta, kept, bounds[1])),
        ]


def _below(
    S: Array,
    k: int,
    positive: bool,
    names: Indices,
    U: Array,
    width: float,
    forced: Mask,
    eta: Vector,
    kept: Mask,
    value: float,
) -> Part:
    """A part whose bound is known to be at most ``value``; kept : mask of the variables it has."""
    W = np.flatnonzero(kept)
    part = Part(S, k, positive, names[W], forced[W], U[np.ix_(W, W)], eta, width)
    part.value = min(part.value, value)
    return part


def _largest_sums(v: Vector, r2: Array, paid: Vector, s: int) -> Vector:
    """For each column j of r2 (m, m) the sum of the s largest terms but the j-th (m,)."""
    terms = free_term(v[:, None], r2) + paid[:, None]
    np.fill_diagonal(terms, -np.inf)
    first = len(v) - s
    return np.partition(terms, first, axis=0)[first:].sum(axis=0)


def start(S: Array, k: int, positive: bool) -> Part:
    """All variables, none forced, at the best of some matrices U: S with its entries cut off."""
    names, none = np.arange(len(S)), np.zeros(len(S), dtype=bool)
    dual, top = Dual(S, k, none, positive), float(np.abs(S).max())
    cut = [np.clip(S, -level, level) for level in top * FALL ** np.arange(STARTS)]
    best = min(cut, key=lambda U: dual.bound(U, np.zeros(0)).value)
    return Part(S, k, positive, names, none, best, np.zeros(0))
