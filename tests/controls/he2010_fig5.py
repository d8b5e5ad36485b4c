"""Made-up rows for H10."""

from tests.controls._he2010 import timed


def trials(ratio=1.0, share=1.0):
    """GPower0 takes ``ratio`` times as long; Mcol-PCA has ``share`` of its variance."""
    for k in (5, 20, 50, 100, 200):
        columns = dict(k=k, cardinality=k, dataset="mnist")
        yield from timed("gpower0", k, ratio, "data", **columns)
        yield from timed("mcol", k, 1.0, "data", **columns, variance=share, variance_refit=share)


def H10_speed(holds):
    """Faster, or slower."""
    return trials(ratio=1.5 if holds else 0.7)


def H10_quality(holds):
    """1 % above, or below."""
    return trials(share=1.01 if holds else 0.99)
