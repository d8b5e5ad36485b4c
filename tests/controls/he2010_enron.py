"""Made-up rows for H13."""


def H13(holds):
    """80 MB above the sparse matrix, or as much as the dense one."""
    above = 80e6 if holds else 9e9
    yield dict(label="storage", extra=dict(dense=8.96e9, counts=4e7, refused=1.0))
    yield dict(label="memory", memory_before=1e8, peak_memory=1e8 + above)
    yield dict(label="time", setup_time=0.1, solve_time=1.0)
