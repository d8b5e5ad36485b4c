"""Made-up rows for H6."""

from tests.controls._he2010 import against


def trials(*ratios):
    """GPower0 takes ``ratios`` times as long as Mcol-PCA, from the sparsest matrix to the
    densest.
    """
    for density, ratio in zip((0.01, 0.1, 0.2), ratios, strict=True):
        about = dict(x=density, parameters=dict(density=density))
        yield from against("mcol", ratio, 1.0, ("sparse", "data"), **about)


def H6(value):
    """GPower0 takes ``value`` times as long at the sparse end and half of that elsewhere."""
    return trials(value, value / 2, value / 2)


def H6_course(value):
    """GPower0 takes eight times as long at the sparse end; the dense end determines the course."""
    return trials(8.0, 8.0, 8.0 / value)


def trivial_H6():
    """GPower0 takes the place of Mcol-PCA."""
    return trials(1.0, 1.0, 1.0)
