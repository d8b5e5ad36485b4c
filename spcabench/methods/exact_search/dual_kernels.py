"""Compiled loops of the dual bound: smoothed row norms, and smoothed sums of the largest entries.

`exact_search.dual_bound` explains their purpose. Each threshold is found by Newton's method within
a bracket, which starts from the result of the last search.
"""

import numpy as np

from spcabench.flops import compiled, inlined

STEPS = 60  # maximum number of bracketed Newton steps, which halve the bracket in the worst case
PRECISE = 1e-12  # relative tolerance at which they stop
EPS = np.finfo(np.float64).eps
FAR = 40.0  # beyond this distance, a logistic weight is zero or one


@inlined
def threshold(q, counted, delta, beta):  # type: ignore[no-untyped-def]
    """Return the beta >= 0 for which weights clip((q_j - beta) / delta, 0, 1) sum to ``counted``.

    The result is 0 if there is no such beta. Newton's method within a bracket starts from the
    argument beta.
    """
    low, high = 0.0, 0.0
    for x in q:
        high = max(high, x)
    beta = min(max(beta, low), high)
    for _ in range(STEPS):
        total, inside = 0.0, 0.0
        for x in q:
            w = (x - beta) / delta
            if w >= 1.0:
                total += 1.0
            elif w > 0.0:
                total += w
                inside += 1.0
        if (
            (beta == 0.0 and total <= counted)
            or abs(total - counted) <= PRECISE * counted
            or high - low <= PRECISE * high
        ):
            break
        if total > counted:
            low = beta
        else:
            high = beta
        beta = beta + (total - counted) * delta / inside if inside > 0.0 else low
        if not low < beta < high:
            # the lower end of the bracket, zero, can be the answer itself
            beta = 0.5 * (low + high) if low > 0.0 or high > PRECISE * delta else 0.0
    return beta


@inlined
def smooth_norm(q, counted, delta, beta, weights):  # type: ignore[no-untyped-def]
    """Return the smoothed sum of the ``counted`` largest q_j.

    It is counted * beta plus the sum of psi(q_j - beta), where psi is the positive part, smoothed
    over the width delta. weights : overwritten with the nonzero weights.
    """
    total = counted * beta
    for j in range(len(q)):
        x = q[j] - beta
        if x >= delta:
            total += x - 0.5 * delta
            weights[j] = 1.0
        elif x > 0.0:
            total += 0.5 * x * x / delta
            weights[j] = x / delta
    return total


@compiled("Tuple((i8, f8[::1]))(f8[:,::1], i8, f8, b1, f8[::1], f8[:,::1])")
def smooth_norms(U, counted, delta, positive, beta, T):  # type: ignore[no-untyped-def]
    """Return r_i^2 (n,): the smoothed sum of the ``counted`` largest u_ij^2, j != i, of each row.

    positive : whether only positive u_ij are included. beta : the thresholds (n,) of the last call,
    which are overwritten. T : overwritten with the derivatives of r_i^2 with respect to u_ij^2
    (n, n).
    """
    n = len(U)
    q, r2 = np.empty(n), np.zeros(n)
    for i in range(n):
        T[i] = 0.0
        if counted > 0:
            for j in range(n):
                x = U[i, j]
                q[j] = 0.0 if j == i or (positive and x < 0.0) else x * x
            beta[i] = threshold(q, counted, delta, beta[i])
            r2[i] = smooth_norm(q, counted, delta, beta[i], T[i])
    return n * n, r2


@inlined
def weigh(g, s, mu, b, p):  # type: ignore[no-untyped-def]
    """Return the level b for which the logistic weights of g around b, of width mu, sum to s.

    Newton's method within a bracket starts from the argument b. p : overwritten with the weights.
    """
    low, high = g.min() - FAR * mu, g.max() + FAR * mu
    b = min(max(b, low), high)
    for _ in range(STEPS):
        total, slope = 0.0, 0.0
        for j in range(len(g)):
            p[j] = 1.0 / (1.0 + np.exp(min(max((b - g[j]) / mu, -FAR), FAR)))
            total += p[j]
            slope += p[j] * (1.0 - p[j])
        if total > s:
            low = b
        else:
            high = b
        if abs(total - s) <= PRECISE * s or high - low <= EPS * abs(b):
            break
        b += mu * (total - s) / slope if slope > 0.0 else high - low
        if not low < b < high:
            b = 0.5 * (low + high)
    return b


@inlined
def smooth_sum(g, s, mu, b, p):  # type: ignore[no-untyped-def]
    """Return the smoothed sum of the s largest g_j, and the level b of the last of them.

    It is the minimum over b of s b plus the sum of mu log(1 + exp((g_j - b) / mu)). p : overwritten
    with the derivatives with respect to g_j.
    """
    if s >= len(g):
        p[:] = 1.0
        return g.sum(), b
    b = weigh(g, s, mu, b, p)
    total = s * b
    for x in g:
        x = (x - b) / mu
        total += mu * (max(x, 0.0) + np.log1p(np.exp(-min(abs(x), FAR))))
    return total, b


@compiled("Tuple((i8, f8, f8[::1]))(f8[::1], i8, f8)")
def largest_sum(g, s, mu):  # type: ignore[no-untyped-def]
    """Return the smoothed sum of the s largest g_j (n,), and its gradient (n,)."""
    p = np.empty(len(g))
    return len(g), smooth_sum(g, s, mu, g.max(), p)[0], p


@inlined
def smooth_terms(d, r2, s, mu, a, b, g, p, t):  # type: ignore[no-untyped-def]
    """Return the smoothed sum of the s largest terms, the level b, and a second derivative.

    The second derivative is that of the sum with respect to a. g, p, t : overwritten with the
    terms, their weights and their derivatives with respect to u_ii.
    """
    rise, crossed, spread = 0.0, 0.0, 0.0
    for j in range(len(d)):
        v = d[j] - a
        root = np.sqrt(v * v + r2[j])
        g[j], t[j] = 0.5 * (v + root), 0.5 * (1.0 + v / root) if root > 0.0 else 0.5
    total, b = smooth_sum(g, s, mu, b, p)
    for j in range(len(d)):
        x = p[j] * (1.0 - p[j]) / mu
        rise += x * t[j] * t[j]
        crossed += x * t[j]
        spread += x
        if r2[j] > 0.0:
            rise += 0.5 * p[j] * r2[j] / ((d[j] - a) ** 2 + r2[j]) ** 1.5
    return total, b, rise - crossed * crossed / spread if spread > 0.0 else rise


@compiled("Tuple((i8, f8, f8, f8, f8[::1], f8[::1]))(f8[::1], f8[::1], i8, f8, f8, f8, f8)")
def balance(d, r2, s, weight, mu, a, b):  # type: ignore[no-untyped-def]
    """Return the best a, found by Newton's method within a bracket, and the terms for this a.

    d, r2 : u_ii and r_i^2 (n,). s : number of terms in the sum, at least one. weight : factor of a.
        mu : width of the smoothing. a, b : the results of the last call.
    Returns ``weight`` a plus the smoothed sum of the s largest terms; a; b, the level of the s-th
    largest term; p (n,), the weights of the terms; and t (n,), the derivative of each term with
    respect to u_ii.
    """
    n = len(d)
    p, t, g, bound = np.empty(n), np.empty(n), np.empty(n), 0.0
    low, high = np.inf, -np.inf
    for j in range(n):
        reach = (s + 1.0) * np.sqrt(r2[j])
        low, high = min(low, d[j] - reach), max(high, d[j] + reach)
    a, width = min(max(a, low), high), high - low
    for _ in range(STEPS):
        total, b, rise = smooth_terms(d, r2, s, mu, a, b, g, p, t)
        bound, slope = total + weight * a, weight - np.dot(p, t)
        if slope > 0.0:
            high = a
        else:
            low = a
        step = slope / rise if rise > 0.0 else width
        if min(abs(step), high - low) <= PRECISE * width:
            break
        a -= step
        if not low < a < high:
            a = 0.5 * (low + high)
    return n, bound, a, b, p, t
