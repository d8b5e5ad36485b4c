"""Compiled sweeps of the splitting method, which `exact_search.splitting` explains."""

import numpy as np

from spcabench.flops import compiled, inlined
from spcabench.methods.exact_search.dual_kernels import PRECISE, STEPS

RELAXED = 1.8  # step length; 1 is the plain projection


@inlined
def level(q, kind, x, free, nu):  # type: ignore[no-untyped-def]
    """Return the nu for which the free entries clip(q_j - nu, 0, x) sum to free x."""
    low, high = np.inf, -np.inf
    for j in range(len(q)):
        if not kind[j]:
            low, high = min(low, q[j] - x), max(high, q[j])
    for _ in range(STEPS):
        if not low < nu < high:
            nu = 0.5 * (low + high)
        total, mid = -free * x, 0
        for j in range(len(q)):
            y = q[j] - nu
            if not kind[j] and y > 0.0:
                total += min(y, x)
                mid += y < x
        if abs(total) <= PRECISE * free * x or high - low <= PRECISE * abs(high):
            break
        if total > 0.0:
            low = nu
        else:
            high = nu
        nu = nu + total / mid if mid else np.inf
    return nu


@inlined
def linear(q, kind, fixed, fixed_sum, free, x, nu):  # type: ignore[no-untyped-def]
    """Return the best x and nu if the entries equal to 0 or x do not change, and two derivatives.

    The derivatives are those of minus the squared distance with respect to x: at x = 0, and at x.
    """
    high, mid, high_sum, mid_sum, above = 0, 0, 0.0, 0.0, 0.0
    for j in range(len(q)):
        if not kind[j]:
            y = q[j] - nu
            if y > 0.0:
                above += y
                if y >= x:
                    high += 1
                    high_sum += q[j]
                else:
                    mid += 1
                    mid_sum += q[j]
    at_zero = fixed_sum + free * nu + above
    at_x = fixed_sum + free * nu + high_sum - high * nu - (fixed + high) * x
    a, c = free - high, fixed + high
    det = a * a + mid * c
    if det <= 0.0:  # ``free`` entries are x, the others 0, and nu lies between the two
        return (fixed_sum + high_sum) / c, nu, at_zero, at_x
    new_x = (a * mid_sum + mid * (fixed_sum + high_sum)) / det
    return new_x, (c * mid_sum - a * (fixed_sum + high_sum)) / det, at_zero, at_x


@inlined
def bracketed(q, kind, fixed, fixed_sum, free, nu):  # type: ignore[no-untyped-def]
    """Return x and nu of the projection of a row, by bracketed Newton steps that solve for nu."""
    low, high = 0.0, abs(fixed_sum)
    for j in range(len(q)):
        if not kind[j]:
            high += abs(q[j])
    x = 0.5 * high
    for _ in range(STEPS):
        nu = level(q, kind, x, free, nu)
        new_x, _, _, slope = linear(q, kind, fixed, fixed_sum, free, x, nu)
        if slope > 0.0:
            low = x
        else:
            high = x
        if abs(new_x - x) <= PRECISE or high - low <= PRECISE:
            break
        x = new_x if low < new_x < high else 0.5 * (low + high)
    return x, nu


@inlined
def project_row(q, kind, fixed, fixed_sum, free, x, nu):  # type: ignore[no-untyped-def]
    """Return x and nu of the nearest row with 0 <= p_j <= x whose free entries sum to free x.

    The free entries, of kind 0, are p_j = clip(q_j - nu, 0, x). fixed, fixed_sum : number of
    entries that equal x (including x itself), and the sum of their previous values. x, nu : the
    values from the last sweep.
    """
    # If the entries that equal 0 or x are known, x and nu solve two linear equations. This is
    # Newton's method, which finds these entries in a few steps, starting from the last sweep.
    for _ in range(STEPS):
        new_x, new_nu, at_zero, _ = linear(q, kind, fixed, fixed_sum, free, x, nu)
        if at_zero <= 0.0:
            return 0.0, nu
        if x <= 0.0:
            x = at_zero / (fixed + free)
            continue
        if new_x <= 0.0:
            break
        change = abs(new_x - x) + abs(new_nu - nu)
        x, nu = new_x, new_nu
        if change <= PRECISE:
            return x, nu
    return bracketed(q, kind, fixed, fixed_sum, free, nu)


@inlined
def project_pair(a, b, c, positive):  # type: ignore[no-untyped-def]
    """Return the nearest PSD matrix [[a, c], [c, b]]; with ``positive``, c is nonnegative."""
    if positive and c <= 0.0:
        return max(a, 0.0), max(b, 0.0), 0.0
    if a >= 0.0 and b >= 0.0 and a * b >= c * c:
        return a, b, c
    half, apart = 0.5 * (a + b), 0.5 * (a - b)
    root = np.sqrt(apart * apart + c * c)
    top = half + root
    if top <= 0.0:
        return 0.0, 0.0, 0.0
    # one eigenvalue is positive: top v v', v v' = [[1 + apart / root, c / root], ...] / 2
    f = 0.5 * top / root
    return f * (root + apart), f * (root - apart), f * c


@inlined
def project_rows(k, forced, P, by_rows, level, q, kind):  # type: ignore[no-untyped-def]
    """Project row i of P onto 0 <= p_ij <= p_ii, with p_ij = p_ii for a forced j and sum k p_ii.

    by_rows : the multipliers, overwritten with the target of the rows for P. q, kind : workspace.
    """
    n, taken = len(P), forced.sum()
    for i in range(n):
        fixed, fixed_sum = 0.0, 0.0
        for j in range(n):
            q[j], kind[j] = P[i, j] - by_rows[i, j], 1 if forced[j] or i == j else 0
            fixed += kind[j]
            fixed_sum += kind[j] * q[j]
        free = k - taken - (0 if forced[i] else 1)
        if free > 0:
            x, level[i] = project_row(q, kind, fixed, fixed_sum, float(free), P[i, i], level[i])
        else:
            x = max(fixed_sum / fixed, 0.0)
        for j in range(n):
            y = min(max(q[j] - level[i], 0.0), x) if free > 0 else 0.0
            by_rows[i, j] += RELAXED * (x if kind[j] else y) + (1.0 - RELAXED) * P[i, j]


@compiled(
    "Tuple((i8, f8[::1]))(i8, i8, b1, f8, i8[::1], f8[:,::1], f8[:,::1], f8[:,::1], f8[::1], "
    "f8[:,::1], f8[:,::1], f8[:,::1], f8[:,::1], f8[:,::1])"
)
def sweeps(  # type: ignore[no-untyped-def]
    count, k, positive, rho, forced, Z, X, P, level, by_rows, by_pairs, by_signs, S, W
):
    """Sweep over rows, pairs and columns ``count`` times; return beta (n,), multiplied by rho.

    forced : 1 for the variables that are in the support (n,). Z : the target of the positive
        semidefinite copy for X (n, n). The other arrays are overwritten. X, P : the averages
        (n, n), with equal diagonals. level : nu of each row (n,). by_rows, by_pairs, by_signs : the
        multipliers (n, n) of P in the rows, and of P and X in the pairs, above the diagonal. S, W :
        the certificate (n, n).
    """
    n, beta = len(X), np.empty(len(X))
    q, kind = np.empty(n), np.empty(n, dtype=np.int64)
    for _ in range(count):
        project_rows(k, forced, P, by_rows, level, q, kind)
        beta[:] = 0.0
        for i in range(n):
            for j in range(i + 1, n):
                a, b = P[i, j] - by_pairs[i, j], P[j, i] - by_pairs[j, i]
                c = X[i, j] - by_signs[i, j]
                A, B, C = project_pair(a, b, c, positive)
                W[i, j], W[j, i] = rho * (A - a), rho * (B - b)
                S[i, j] = S[j, i] = rho * (c - C)
                by_pairs[i, j] += RELAXED * A + (1.0 - RELAXED) * P[i, j]
                by_pairs[j, i] += RELAXED * B + (1.0 - RELAXED) * P[j, i]
                by_signs[i, j] += RELAXED * C + (1.0 - RELAXED) * X[i, j]
                P[i, j] = 0.5 * (by_rows[i, j] + by_pairs[i, j])
                P[j, i] = 0.5 * (by_rows[j, i] + by_pairs[j, i])
                X[i, j] = X[j, i] = 0.5 * (Z[i, j] + by_signs[i, j])
                by_signs[i, j] -= X[i, j]
                beta[j] += P[i, j]
                beta[i] += P[j, i]
        for j in range(n):
            P[j, j] = 0.5 * (Z[j, j] + by_rows[j, j])
            beta[j] = 0.0 if forced[j] else max(beta[j] + P[j, j] - 1.0, 0.0) / n
            X[j, j] = P[j, j] - beta[j]
        for i in range(n):
            for j in range(n):
                P[i, j] -= beta[j]
                by_rows[i, j] -= P[i, j]
                by_pairs[i, j] -= P[i, j]
    for j in range(n):
        beta[j] *= 2.0 * rho
        by_pairs[j, j] = 0.0
    return 6 * count * n * n, beta
