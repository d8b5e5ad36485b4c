"""Made-up rows for K7, K16 and K18."""

from tests.controls._kuleshov2013 import grid


def K7(holds):
    """1 % apart, raw and refitted, or 5 %."""
    value = 0.99 if holds else 0.95
    return _apart(value)


def _apart(value):
    for row in grid():
        yield row | (dict(variance=value, variance_refit=value) if "match" not in row else {})


def K18(holds):
    """GPower explains 5 % less, or 5 % more."""
    return _apart(0.95 if holds else 1.05)


def K16(holds):
    """Nine of ten random starts come close, or two."""
    for reading in ("shift", "start"):
        for k in (10, 44, 200):
            extra = dict(mu0=0.99, k=k, reading=reading, within=0.9 if holds else 0.2, median=1.0)
            yield dict(label="starts", measure="random_starts", extra=extra)
