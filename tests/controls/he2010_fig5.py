"""Made-up rows for H10."""

from tests.controls._he2010 import against


def trials(ratio=1.0, share=1.0):
    """GPower0 takes ``ratio`` times as long; Mcol-PCA has ``share`` of its variance."""
    for k in (5, 20, 50, 100, 200):
        columns = dict(x=k, k=k, cardinality=k, seeds=(0,))
        yield from against("mcol", ratio, share, ("data",), **columns)


def H10(value):
    """The solver is ``value`` times as fast, with 1 % more variance."""
    return trials(value, 1.01)


def H10_quality(value):
    """The solver has ``value`` times the variance and is twice as fast."""
    return trials(2.0, value)


def trivial_H10():
    """GPower0 takes the place of Mcol-PCA."""
    return trials()
