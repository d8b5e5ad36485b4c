"""The spannogram: all possible supports of a k-sparse maximiser x of x'V V'x, for V (n, d).

Asteris, Papailiopoulos, Dimakis, "Nonnegative sparse PCA with provable guarantees", ICML 2014,
sections 3 to 5; Asteris, Papailiopoulos, Karystinos (2011) for signed x.

For a unit vector c, the best x consists of the k largest positive entries of the curves V c (of
+-V c for signed x). Its support changes with c only where two curves meet, including the zero
curve.
"""

import numpy as np

from spcabench.flops import compiled, inlined
from spcabench.vectors import Array, Vector

BLOCK = 32  # number of rows of V multiplied at once
# Magnitudes with the same exponent and the same first six bits of the mantissa share a bucket.
BUCKETS, SHIFT, MAGNITUDE = 1024, 46, 2**63 - 1


def falling(V: Array) -> tuple[Array, Vector]:
    """Return V (n, d) sorted by decreasing row norm, and the norms (n,) rounded up."""
    norms = np.sqrt((V * V).sum(axis=1))
    order = np.argsort(-norms, kind="stable")
    return np.ascontiguousarray(V[order]), norms[order] * (1.0 + 1e-12)


@inlined
def split(values, rows, low, high):  # type: ignore[no-untyped-def]
    """Partition the entries from low to high by absolute value; return the place of the cut.

    No entry after the cut is larger than an entry before it. If all entries are equal, ``high`` is
    returned. No branch depends on an entry, so no branch is mispredicted.
    """
    a, b, c = abs(values[low]), abs(values[(low + high) // 2]), abs(values[high - 1])
    pivot, place = max(min(a, b), min(max(a, b), c)), low
    # if no entry is larger than the pivot, separate the entries that equal it
    for limit in (pivot, np.nextafter(pivot, -1.0)):
        for i in range(low, high):
            value, row = values[i], rows[i]
            values[i], rows[i] = values[place], rows[place]
            values[place], rows[place] = value, row
            place += abs(value) > limit
        if place > low:
            break
    return place


@inlined
def divide(values, rows, low, count, cuts, ends):  # type: ignore[no-untyped-def]
    """Move the j entries of largest absolute value to the front, for each cut j from low to count.

    cuts : for each place, the first cut after it, or zero. ends : workspace (count + 1,).
    """
    top, ends[0] = 0, count
    while top >= 0:
        high = ends[top]
        place = split(values, rows, low, high) if low < cuts[low] < high else high
        if place < high:
            top += 1
            ends[top] = place
        else:
            low, top = high, top - 1


@inlined
def largest(V, limits, c, signed, k, top, entries, counts):  # type: ignore[no-untyped-def]
    """Multiply rows of V by c until the k largest entries of V c are certain.

    If ``signed``, entries are compared by absolute value; otherwise, only positive entries are
    included. Returns the number of rows used and the number of entries found. V : (d, n), with
    columns in order of decreasing norm. limits : buckets of the norms (n,); bucket 0 contains the
    numbers with the leading bits ``top``. entries : values, rows and buckets of the entries found.
    counts : the number of entries in each bucket.
    """
    (d, n), (values, rows, buckets) = V.shape, entries
    z, bits = np.empty(BLOCK), values.view(np.int64)
    seen, count, limit, certain, counts[:] = 0, 0, 0, 0, 0
    while seen < n and certain < k:
        size, first = min(BLOCK, n - seen), count
        z[:] = 0.0
        for j in range(d):
            for i in range(size):
                z[i] += V[j, seen + i] * c[j]
        for i in range(size):
            values[count], rows[count] = z[i], seen + i
            count += signed or z[i] > 0.0
        for i in range(first, count):  # floats without their sign bit are ordered like integers
            buckets[i] = min(max(top - ((bits[i] & MAGNITUDE) >> SHIFT), 0), BUCKETS - 1)
        for i in range(first, count):
            counts[buckets[i]] += 1
            certain += buckets[i] < limit
        seen += size
        # all entries in this bucket exceed the remaining rows
        while seen < n and limit < limits[seen]:
            certain += counts[limit]
            limit += 1
    return seen, count


@inlined
def arrange(entries, count, counts, cuts, values, rows, ends):  # type: ignore[no-untyped-def]
    """Sort the entries found by bucket into values and rows, and partition buckets at the cuts."""
    at = 0
    for bucket in range(BUCKETS):
        at, counts[bucket] = at + counts[bucket], at
    for i in range(count):
        at = counts[entries[2][i]]
        values[at], rows[at] = entries[0][i], entries[1][i]
        counts[entries[2][i]] += 1
    low = 0
    for bucket in range(BUCKETS):
        if low < cuts[low] < counts[bucket]:
            divide(values, rows, low, counts[bucket], cuts, ends)
        low = counts[bucket]


def scores(V: Array, norms: Vector, C: Array, ks: Vector, signed: bool) -> Array:
    """Return ||V'x||^2 (b, q) of the best x for each c of C (b, d) and each cardinality of ks (q,).

    x consists of the k entries of V c of largest absolute value if ``signed``, and otherwise of the
    k largest positive entries. V : matrix (n, d), sorted by decreasing row norm. norms : the norms
    of its rows (n,).
    """
    order, cuts = np.argsort(ks), np.zeros(len(V) + 1, np.int64)
    for k in ks[order[::-1]]:
        cuts[:k] = k
    leading = norms.view(np.int64) >> SHIFT
    limits = np.minimum(leading[0] - leading, BUCKETS - 1)
    result = np.empty((len(C), len(ks)))
    result[:, order] = batch_scores(V, V.T, limits, leading[0], C, ks[order], cuts, signed)
    return result


@compiled(
    "Tuple((i8, f8[:,::1]))(f8[:,::1], f8[:,::1], i8[::1], i8, f8[:,::1], i8[::1], i8[::1], b1)"
)
def batch_scores(V, columns, limits, top, C, ks, cuts, signed):  # type: ignore[no-untyped-def]
    """Return the scores for increasing ks; the arguments are explained in `scores`, `largest`."""
    (n, d), k, work = V.shape, ks[-1], 0
    result = np.zeros((len(C), len(ks)))
    entries = np.empty(n), np.empty(n, np.int64), np.empty(n, np.int64)
    values, rows, ends = np.empty(n), np.empty(n, np.int64), np.empty(n + 1, np.int64)
    counts, Vx = np.empty(BUCKETS, np.int64), np.empty(d)
    for s in range(len(C)):
        seen, count = largest(columns, limits, C[s], signed, k, top, entries, counts)
        arrange(entries, count, counts, cuts, values, rows, ends)
        work += d * (seen + min(k, count))
        squares, Vx[:], last = 0.0, 0.0, 0
        for q in range(len(ks)):
            for i in range(last, min(ks[q], count)):
                squares += values[i] ** 2
                for j in range(d):
                    Vx[j] += V[rows[i], j] * values[i]
            last = ks[q]
            if squares > 0.0:
                for j in range(d):
                    result[s, q] += Vx[j] * Vx[j]
                result[s, q] /= squares
    return work, result


@inlined
def complement(r):
    """Return an orthonormal basis (p, p - 1) of the orthogonal complement of r (p,).

    The basis consists of all columns of a reflection except the first.
    """
    w = r / np.sqrt((r * r).sum())
    w[0] += 1.0 if w[0] >= 0.0 else -1.0
    N = np.empty((len(r), len(r) - 1))
    for i in range(len(r)):
        for j in range(1, len(r)):
            N[i, j - 1] = (i == j) - 2.0 * w[i] * w[j] / (w * w).sum()
    return N


@inlined
def face_maximum(R, G, B, floor, tol):
    """Maximise c'Gc on the face spanned by B (d, p); return whether the face is settled, value, c.

    The value is zero if no maximum was found.
    """
    w, U = np.linalg.eigh(B.T @ G @ B)
    c = B @ np.ascontiguousarray(U[:, -1])
    if w[-1] <= floor:
        return True, 0.0, c
    v = R @ c
    if len(v) == 0 or v.min() >= -tol:
        return True, w[-1], c
    if v.max() <= tol:
        return True, w[-1], -c
    return B.shape[1] == 1, 0.0, c


@inlined
def cone_maximum(R, G, floor):
    """Solve (P_d): the largest c'Gc above ``floor`` over unit c (d,) with R c >= 0.

    Returns the value, c (zero if no c exceeds ``floor``) and the flops. As in section 5, the
    leading eigenvector is the answer if it or its negative is feasible. Otherwise, at least one
    constraint is active: each constraint is tried, depth first, and no set of constraints is tried
    twice. Faces with an eigenvalue that does not exceed the best value are cut off.
    """
    d = len(G)
    bases, first, best = np.zeros((d, d, d)), np.zeros(d, np.int64), np.zeros(d)
    bases[0] = np.eye(d)
    level, new, work, tol = 0, True, 0, 1e-11 * np.sqrt(np.trace(G))
    while level >= 0:
        p = d - level
        B = np.ascontiguousarray(bases[level, :, :p])
        closed = first[level] >= len(R)
        if new:
            settled, value, c = face_maximum(R, G, B, floor, tol)
            closed = closed or settled
            work += d * d * p + d * p * p + 9 * p**3 + d * p + R.size
            if value > floor:
                floor, best = value, c
        new = False
        if closed:
            level -= 1
            continue
        r = B.T @ R[first[level]]
        first[level] += 1
        if (r * r).sum() > tol * tol:
            level, new = level + 1, True
            bases[level, :, : p - 1] = B @ complement(r)
            first[level] = first[level - 1]
    return floor, best, work


@inlined
def circle(P, T):
    """Return N (d, 2); on the unit circle in its span, all curves of T have the same value."""
    N = np.eye(P.shape[1])
    for t in T[1:]:
        N = N @ complement(N.T @ (P[t] - P[T[0]]))
    return N


@inlined
def crossings(P, T, nonnegative):
    """Order the other curves by the angle at which they cross the curve of T on half a circle.

    Also marks the curves that are above the curve of T at first. For signed x, the negatives of the
    curves of T are left out, because they lie below where T is positive.
    """
    D = (P - P[T[0]]) @ circle(P, T)
    angle = np.empty(len(P))
    for i in range(len(P)):
        angle[i] = np.mod(np.arctan2(D[i, 1], D[i, 0]) - np.pi / 2, np.pi)
    angle[(D[:, 0] == 0.0) & (D[:, 1] == 0.0)] = np.inf
    above = (D[:, 0] > 0.0) | ((D[:, 0] == 0.0) & (D[:, 1] < 0.0))
    n = len(P) // 2
    for t in T:
        for i in (t, t if nonnegative else (t + n) % (2 * n)):
            angle[i], above[i] = np.inf, False
    return np.argsort(angle)[: (angle < np.inf).sum()], above


@inlined
def add(G, e, weight):
    """Add weight e e' to G."""
    for i in range(len(e)):
        for j in range(len(e)):
            G[i, j] += weight * e[i] * e[j]


@inlined
def chosen(T, mask, zero, need):
    """Whether the curves of T that the mask selects can join the curves above them."""
    size = 0
    for t in range(len(T)):
        if mask >> t & 1:
            size += 1
            if T[t] == zero:
                return False
    return size <= need if T[-1] == zero else size == need


@inlined
def is_new(table, key):
    """Whether a key is new; the table contains most earlier keys, but not necessarily all."""
    for probe in range(32):
        slot = (key + np.uint64(probe)) % np.uint64(len(table))
        if table[slot] == key:
            return False
        if table[slot] == 0:
            table[slot] = key
            return True
    return True


@inlined
def joined(key, keys, T, mask):
    """Return the key of a support after adding the curves of T in the mask (-1: all)."""
    for t in range(len(T)):
        if mask < 0 or mask >> t & 1:
            key ^= keys[T[t]]
    return key


@inlined
def attempt(E, above, T, mask, G, floor, nonnegative):
    """Return the best value above ``floor`` for one support, with its c, its rows and the flops.

    The support consists of the curves in ``above`` and the curves of T in the mask.
    """
    H = G.copy()
    for t in range(len(T)):
        if mask >> t & 1:
            add(H, E[T[t]], 1.0)
    rows = np.zeros(0, np.int64)
    if (H * H).sum() <= floor * floor:  # no eigenvalue exceeds the Frobenius norm
        return floor, np.zeros(len(H)), rows, H.size
    taken = above.copy()
    for t in range(len(T)):
        taken[T[t]] = mask >> t & 1
    rows = np.flatnonzero(taken)
    R = E[rows]
    value, c, work = cone_maximum(R if nonnegative else R[:0], R.T @ R, floor)
    return value, c, rows, work + R.size * R.shape[1]


@compiled(
    "Tuple((i8, f8, f8[::1], i8[::1], i8))(f8[:,::1], f8[:,::1], i8[:,::1], i8, b1, f8, u8[::1], "
    "u8[::1])"
)
def sweep(P, E, Ts, k, nonnegative, floor, keys, table):
    """Try all supports on the circles on which the curves in a row of Ts (c, d - 1) meet.

    P and E contain the curves (n + 1, d), perturbed in P and original in E. The last curve is zero,
    and it can only be the last entry in a row of Ts. ``floor`` is the value to exceed. ``keys``
    contains a random number for each curve, from which the key of a support is computed, and
    ``table`` contains keys of supports that were already tried.

    A support with a full-dimensional region has a two-dimensional face on which d - 1 of the n + 1
    curves have one common value, which is the smallest entry of the support, or zero. The support
    consists of the curves above this value and of a subset of these d - 1 curves. Returns the
    flops, the value, c, the support and the number of supports tried.
    """
    zero, work, tried = len(P) - 1, 0, 0
    best, support = np.zeros(P.shape[1]), np.zeros(0, np.int64)
    for T in Ts:
        order, above = crossings(P, T, nonnegative)
        work += 2 * P.size
        G = E[above].T @ E[above]
        count, key = above[:zero].sum(), joined(np.uint64(0), keys, np.flatnonzero(above), -1)
        for step in range(2 * len(order)):
            need = k - count
            if not above[zero] and need >= (T[-1] != zero) and (need < len(T) + 1 or T[-1] == zero):
                for mask in range(1 << len(T)):
                    if not chosen(T, mask, zero, need) or not is_new(
                        table, joined(key, keys, T, mask)
                    ):
                        continue
                    tried += 1
                    value, c, rows, flops = attempt(E, above, T, mask, G, floor, nonnegative)
                    work += flops
                    if value > floor:
                        floor, best, support = value, c, rows
            i = order[step % len(order)]
            above[i] = not above[i]
            sign = 1 if above[i] else -1
            add(G, E[i], sign)
            work += G.size
            count += sign * (i != zero)
            key ^= keys[i]
    return work, floor, best, support, tried
