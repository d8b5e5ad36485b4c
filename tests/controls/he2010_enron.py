"""Made-up rows for H13."""


def H13(value, dense=9e9):
    """Memory is ``value`` bytes above the sparse matrix, and as large as the dense one."""
    yield dict(label="storage", extra=dict(dense=dense, counts=4e7, refused=1.0))
    yield dict(label="memory", memory_before=1e8, peak_memory=1e8 + value)
    yield dict(label="time", setup_time=0.1, solve_time=1.0)


def H13_dense(value):
    """Memory is ``value`` bytes of the dense matrix."""
    return H13(80e6, value)


def trivial_H13():
    """The matrix is centred densely."""
    return H13(9e9)
