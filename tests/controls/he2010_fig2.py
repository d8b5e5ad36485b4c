"""Made-up rows for H4 (wide matrices) and H5 (tall ones)."""

from tests.controls._he2010 import timed

SIZES = (200, 400, 600, 800, 1000)


def trials(wide, ratio):
    """GPower0 takes ``ratio`` times as long as Mcol-PCA at every size."""
    for size in SIZES:
        shape = dict(m=size // 10, n=size) if wide else dict(m=size, n=size // 10)
        yield from timed("gpower0", size, 0.1 * ratio, **shape)
        yield from timed("mcol", size, 0.1, **shape)


def H4(holds):
    """Comparable, or three times as slow."""
    return trials(wide=True, ratio=1.2 if holds else 0.33)


def H5(holds):
    """Faster, or slower."""
    return trials(wide=False, ratio=1.5 if holds else 0.9)
