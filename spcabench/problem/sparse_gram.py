"""Products of X'X with a sparse vector for a sparse X, part of the matrix layer.

If x is sparse, p = X x also has few nonzeros, and X'p depends only on the rows of X for which p is
nonzero. Centring, a low-rank correction, is applied afterwards. He, Monteiro and Park (2010,
section 2.3) state the cost O(nz + n) of a full product. The cost here is the number of entries that
are read.
"""

import numpy as np

from spcabench.flops import charge, compiled
from spcabench.vectors import Array, Indices, Vector

INDEX = np.dtype(np.int32)  # type of the kernel's indices


@compiled(
    "Tuple((i8, i8, f8[::1]))"
    "(i4[::1], i4[::1], f8[::1], i4[::1], i4[::1], f8[::1], i8[::1], f8[::1], i8, i8)",
    readonly=range(6),
)
def few_columns(  # type: ignore[no-untyped-def]
    starts, rows, values, row_starts, columns, row_values, W, y, m, n
):
    """Return X'X[:, W] y (n,) for X (m, n), stored by columns and by rows.

    starts, rows, values : X by columns in SciPy's format. row_starts, columns, row_values : X by
        rows in SciPy's format. The second result is the cost, which is the number of entries in the
        columns W and in their nonzero rows. `gram_product` charges this cost, and the audit
        compares it with its own count.
    """
    # Unsigned indices halve the time, because negative indices need not be handled.
    p, g = np.zeros(m), np.zeros(n)
    touched, reached, count = np.zeros(m, np.bool_), np.empty(m, np.int64), 0
    work = 0
    for w in range(len(W)):
        start, end = starts[W[w]], starts[W[w] + 1]
        work += end - start
        for t in range(start, end):
            i = np.uint32(rows[t])
            p[i] += values[t] * y[w]
            if not touched[i]:
                touched[i] = True
                reached[count] = i
                count += 1
    for r in range(count):
        i = reached[r]
        start, end = row_starts[i], row_starts[i + 1]
        work += end - start
        row, entries, factor = columns[start:end], row_values[start:end], p[i]
        for t in range(end - start):
            g[np.uint32(row[t])] += entries[t] * factor
    return 0, work, g


def is_worthwhile(X, W: Indices) -> bool:  # type: ignore[no-untyped-def]
    """Whether the columns W of X (m, n) have fewer than m stored entries in total."""
    if X.indices.dtype != INDEX:
        return False
    return bool((X.indptr[W + 1] - X.indptr[W]).sum() < X.shape[0])


def gram_product(X, by_rows, W: Indices, y: Vector) -> Vector:  # type: ignore[no-untyped-def]
    """Return X'X[:, W] y (n,) for a sparse X, stored by columns and by rows."""
    arrays: list[Array] = [X.indptr, X.indices, X.data]
    arrays += [by_rows.indptr, by_rows.indices, by_rows.data]
    work, product = few_columns(*arrays, W, y, *X.shape)
    charge(work)
    return product  # type: ignore[no-any-return]
