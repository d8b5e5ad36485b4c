"""The spannogram: the supports that a k-sparse x that maximises x'V V'x can have, V (n, d).

Asteris, Papailiopoulos, Dimakis, "Nonnegative sparse PCA with provable guarantees", ICML 2014,
sections 3 to 5; Asteris, Papailiopoulos, Karystinos (2011) for signed x.

For a unit c the best x has the k largest positive entries of the curves V c (of +-V c for signed
x). Its support changes with c only where two curves meet, the zero curve among them.
"""

import numpy as np

from spcabench.kernels import compiled, inlined
from spcabench.vectors import Array, Vector


def falling(V: Array) -> tuple[Array, Vector]:
    """V (n, d) with its rows in order of falling norm, and the norms (n,), raised by rounding."""
    norms = np.sqrt((V * V).sum(axis=1))
    order = np.argsort(-norms, kind="stable")
    return np.ascontiguousarray(V[order]), norms[order] * (1.0 + 1e-12)


@inlined
def sink(sizes, rows, values, count):  # type: ignore[no-untyped-def]
    """Let the first entry of a heap, its smallest size on top, sink to its place."""
    i = 0
    while True:
        j = 2 * i + 1
        if j >= count:
            return
        if j + 1 < count and sizes[j + 1] < sizes[j]:
            j += 1
        if sizes[i] <= sizes[j]:
            return
        sizes[i], sizes[j] = sizes[j], sizes[i]
        rows[i], rows[j] = rows[j], rows[i]
        values[i], values[j] = values[j], values[i]
        i = j


@inlined
def largest(V, norms, c, signed, sizes, rows, values):  # type: ignore[no-untyped-def]
    """The largest entries of V c, in size if signed, in falling order; the rows looked at.

    V : rows in order of falling norm (n, d); norms : theirs (n,). sizes, rows, values : (k,),
    renewed. No row is looked at once k entries are at least the norm of the next one.
    """
    sizes[:], seen, k = -np.inf, 0, len(sizes)
    for i in range(len(V)):
        if sizes[0] >= norms[i]:
            break
        z = 0.0
        for j in range(V.shape[1]):
            z += V[i, j] * c[j]
        seen += 1
        size = abs(z) if signed else z
        if size > sizes[0]:
            sizes[0], rows[0], values[0] = size, i, z
            sink(sizes, rows, values, k)
    for end in range(k - 1, 0, -1):  # the smallest one goes to the end
        sizes[0], sizes[end] = sizes[end], sizes[0]
        rows[0], rows[end] = rows[end], rows[0]
        values[0], values[end] = values[end], values[0]
        sink(sizes, rows, values, end)
    return seen


@compiled("Tuple((i8, f8[:,::1]))(f8[:,::1], f8[::1], f8[:,::1], i8[::1], b1)")
def scores(V, norms, C, ks, signed):  # type: ignore[no-untyped-def]
    """||V'x||^2 (b, q) of the best x for each c of C (b, d), at the cardinalities ks (q,).

    x has the k largest entries of V c, in size if signed, else the positive ones of them. V : rows
    in order of falling norm (n, d); norms : theirs (n,).
    """
    b, d, k, work = len(C), V.shape[1], ks.max(), 0
    found = np.zeros((b, len(ks)))
    sizes, rows, values, Vx = np.empty(k), np.zeros(k, np.int64), np.empty(k), np.empty(d)
    for s in range(b):
        work += d * (largest(V, norms, C[s], signed, sizes, rows, values) + k)
        squares, Vx[:], last = 0.0, 0.0, 0
        for q in np.argsort(ks):
            for i in range(last, ks[q]):
                if sizes[i] > 0.0:
                    squares += values[i] ** 2
                    for j in range(d):
                        Vx[j] += V[rows[i], j] * values[i]
            last = ks[q]
            if squares > 0.0:
                found[s, q] = (Vx * Vx).sum() / squares
    return work, found


@inlined
def complement(r):
    """Return an orthonormal basis (p, p - 1) of what is orthogonal to r (p,).

    It is all but the first column of a reflection.
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
    """Find the maximum on the face span B (d, p): whether it is settled, its value and its c.

    Value and c are zero where there is no maximum.
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

    Returns the value, c (0 where there is none) and the flops. As in section 5, the leading
    eigenvector is the answer where it or its negative is feasible. Otherwise some constraint is
    active: each is tried, in depth, and no set of them twice. Faces whose eigenvalue is not above
    the best value are cut.
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
            closed, value, c = face_maximum(R, G, B, floor, tol)
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
    """N (d, 2): on the unit circle of its span all curves T have one value."""
    N = np.eye(P.shape[1])
    for t in T[1:]:
        N = N @ complement(N.T @ (P[t] - P[T[0]]))
    return N


@inlined
def crossings(P, T, nonnegative):
    """Order the other curves as they meet that of T on half a circle; say which begin above it.

    For signed x, minus the curves of T are left out: they are below where T is positive.
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
    """G += weight e e'."""
    for i in range(len(e)):
        for j in range(len(e)):
            G[i, j] += weight * e[i] * e[j]


@inlined
def chosen(T, mask, zero, need):
    """Whether the curves of T that the bits of a mask name may join those above them."""
    size = 0
    for t in range(len(T)):
        if mask >> t & 1:
            size += 1
            if T[t] == zero:
                return False
    return size <= need if T[-1] == zero else size == need


@inlined
def is_new(table, key):
    """Whether a key was not met before; there is room for most of them only."""
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
    """The key of a support with the curves of T in the mask (-1: all) added to it."""
    for t in range(len(T)):
        if mask < 0 or mask >> t & 1:
            key ^= keys[T[t]]
    return key


@inlined
def attempt(E, above, T, mask, G, floor, nonnegative):
    """Return the best value above ``floor`` of one support, with its c, its rows and the flops.

    The support has the curves above, and those of T in the mask.
    """
    H = G.copy()
    for t in range(len(T)):
        if mask >> t & 1:
            add(H, E[T[t]], 1.0)
    rows = np.zeros(0, np.int64)
    if (H * H).sum() <= floor * floor:  # no eigenvalue exceeds the norm
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
    """Try all supports on the circles on which the curves of a row of Ts (c, d - 1) meet.

    P and E have the curves (n + 1, d), of which the last is zero: P perturbed, E as they are. The
    zero curve can only be last in a row of Ts. ``floor`` is the value to exceed. ``keys`` has a
    random number for each curve, from which the key of a support is made, and ``table`` has the
    keys already met.

    A support of full-dimensional region has a face of dimension two on which d - 1 of the n + 1
    curves share one value, its smallest entry, or zero. It consists of the curves above that value
    and of some of these. Returns the flops (value, c, support, supports tried).
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
                    value, c, rows, more = attempt(E, above, T, mask, G, floor, nonnegative)
                    work += more
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
