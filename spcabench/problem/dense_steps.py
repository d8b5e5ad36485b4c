"""Kernels of the matrix layer for dense covariances: one pass over memory instead of several."""

import numpy as np

from spcabench.flops import compiled
from spcabench.vectors import TIE, Array, Indices

SMALL = 128  # up to this order, NumPy is as fast, and a first run does not compile a kernel


def is_plain(S: Array) -> bool:
    """Whether kernels accept S without a copy, which excludes arrays that count their products."""
    return type(S) is np.ndarray and S.flags.c_contiguous and S.flags.aligned


@compiled("Tuple((i8, i8, f8))(f8[:,::1], f8[::1], f8[::1], i8, f8)", readonly=(0,))
def next_column(S, g, d_free, last, sign):  # type: ignore[no-untyped-def]
    """Perform one step of Scol-PCA on Sigma: add a column to g and select the next column.

    sign S[last] is added to g (n,). Then the first index with the largest d_free + 2 |g| is
    selected and returned, with the sign of its entry of g. Its entry of d_free (n,) is set to -inf.
    The cost is n flops.
    """
    n = len(g)
    row = S[last]
    # Four independent maxima are used, because with a single maximum, each comparison would wait
    # for the preceding one.
    a = b = c = d = -np.inf
    even = n - n % 4
    for i in range(0, even, 4):
        w, x = g[i] + sign * row[i], g[i + 1] + sign * row[i + 1]
        y, z = g[i + 2] + sign * row[i + 2], g[i + 3] + sign * row[i + 3]
        g[i], g[i + 1], g[i + 2], g[i + 3] = w, x, y, z
        w, x = d_free[i] + 2.0 * abs(w), d_free[i + 1] + 2.0 * abs(x)
        y, z = d_free[i + 2] + 2.0 * abs(y), d_free[i + 3] + 2.0 * abs(z)
        a, b = w if w > a else a, x if x > b else b
        c, d = y if y > c else c, z if z > d else d
    top = max(max(a, b), max(c, d))
    for i in range(even, n):
        g[i] += sign * row[i]
        top = max(top, d_free[i] + 2.0 * abs(g[i]))
    bar = top - TIE * abs(top)
    j = 0
    while j < n - 1 and not d_free[j] + 2.0 * abs(g[j]) >= bar:
        j += 1
    direction = -1.0 if g[j] < -TIE * (d_free[j] + 2.0 * abs(g[j])) else 1.0
    d_free[j] = -np.inf
    return n, j, direction


@compiled("Tuple((i8, f8[:,::1]))(f8[:,::1], i8[::1])", readonly=(0,))
def block(S, W):  # type: ignore[no-untyped-def]
    """Return S[W, W] (k, k), extracted row by row."""
    k = len(W)
    B = np.empty((k, k))
    for i in range(k):
        row = S[W[i]]
        for j in range(k):
            B[i, j] = row[np.uint64(W[j])]
    return 0, B


@compiled("Tuple((i8, f8[:,::1]))(f8[:,::1], f8[:,::1])", readonly=(0, 1))
def sparse_combinations(S, Z):  # type: ignore[no-untyped-def]
    """Return Z S (r, n) for a sparse array Z (r, m) and S (m, n), in n flops per nonzero of Z."""
    r, n = len(Z), S.shape[1]
    out, count = np.zeros((r, n)), 0
    for i in range(r):
        for j in range(len(S)):
            z = Z[i, j]
            if z != 0.0:
                count += 1
                for c in range(n):
                    out[i, c] += z * S[j, c]
    return n * count, out


def step(S: Array, g: Array, d_free: Array, last: int, sign: float) -> tuple[int, float] | None:
    """Perform the step of `next_column`, or return None if S is small or not plain."""
    return next_column(S, g, d_free, last, sign) if len(S) > SMALL and is_plain(S) else None


def principal_block(S: Array, W: Indices) -> Array | None:
    """Return S[W, W], or None if S is small or not plain."""
    return block(S, W) if len(S) > SMALL and is_plain(S) else None
