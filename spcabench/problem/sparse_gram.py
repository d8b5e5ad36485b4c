"""The matrix layer: the product of X'X with a vector that has few nonzeros, for sparse X.

p = X x has few nonzeros too, and X'p needs only the rows of X where p is not zero. Centring stays
out of it: it is low-rank, and is put right afterwards. He, Monteiro and Park (2010, section 2.3)
state the cost O(nz + n) of a whole product; this one costs what it touches.
"""

import numpy as np

from spcabench.flops import charge
from spcabench.kernels import compiled
from spcabench.vectors import Array, Indices, Vector

INDEX = np.dtype(np.int32)  # of the indices that the kernel takes


@compiled(
    "Tuple((i8, i8, f8[::1]))"
    "(i4[::1], i4[::1], f8[::1], i4[::1], i4[::1], f8[::1], i8[::1], f8[::1], i8, i8)"
)
def few_columns(  # type: ignore[no-untyped-def]
    starts, rows, values, row_starts, columns, row_values, W, y, m, n
):
    """X'X[:, W] y (n,), from X (m, n) by columns and by rows.

    starts, rows, values : X by columns; row_starts, columns, row_values : X by rows, as SciPy keeps
    them. It costs the entries of the columns W, and those of the rows that they touch. That number
    comes second: `gram_product` charges it, so that the audit can compare it with its own.
    """
    # Indices without a sign halve the time: no entry counts from the end.
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
    """Whether the columns W of X (m, n) can touch a part of its rows only."""
    if X.indices.dtype != INDEX:
        return False
    return bool((X.indptr[W + 1] - X.indptr[W]).sum() < X.shape[0])


def gram_product(X, by_rows, W: Indices, y: Vector) -> Vector:  # type: ignore[no-untyped-def]
    """X'X[:, W] y (n,) for a sparse X by columns, and the same X by rows."""
    arrays: list[Array] = [X.indptr, X.indices, X.data]
    arrays += [by_rows.indptr, by_rows.indices, by_rows.data]
    work, product = few_columns(*arrays, W, y, *X.shape)
    charge(work)
    return product  # type: ignore[no-any-return]
