"""Made-up rows for H11 and H12."""

from tests.controls._he2010 import against


def trials(ratio=1.0, share=1.0):
    """GPower0 takes ``ratio`` times as long; Mcol-PCA has ``share`` of its variance."""
    for k in (5, 40, 150, 400, 900):
        columns = dict(x=k, k=k, cardinality=k, seeds=(0,))
        yield from against("mcol", ratio, share, ("sparse", "data"), **columns)


def H11(value):
    """Mcol-PCA is ``value`` times as fast."""
    return trials(ratio=value)


def trivial_H11():
    """GPower0 takes the place of Mcol-PCA."""
    return trials()


def H12(value):
    """Mcol-PCA has a share of GPower0's variance."""
    return trials(share=value)


H12.values = [(0.96, 0.94), (0.99, 1.01)]


def trivial_H12():
    """Random words, which have 30 % of the variance of Mcol-PCA at most."""
    return trials(share=0.3)
