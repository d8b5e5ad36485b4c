"""Made-up rows for H4 (wide matrices) and H5 (tall ones)."""

from tests.controls._he2010 import against

SIZES = (200, 800, 1400, 2000, 4000)


def trials(wide, ratio):
    """GPower0 takes ``ratio`` times as long as Mcol-PCA at every size."""
    for size in SIZES:
        m, n = (size // 10, size) if wide else (size, size // 10)
        yield from against("mcol", ratio, 1.0, ("sparse", "data"), x=size, m=m, n=n)


def H4(value):
    """GPower0 takes ``value`` times as long on wide matrices."""
    return trials(True, value)


def trivial_H4():
    """The variables of largest variance are taken, a hundred times as fast."""
    return trials(True, 100.0)


def H5(value):
    """GPower0 takes ``value`` times as long on tall matrices."""
    return trials(False, value)


def trivial_H5():
    """GPower0 takes the place of Mcol-PCA."""
    return trials(False, 1.0)
