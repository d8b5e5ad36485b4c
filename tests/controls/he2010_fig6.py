"""Made-up rows for H11 and H12."""

from tests.controls._he2010 import timed


def trials(ratio=1.0, share=1.0):
    """GPower0 takes ``ratio`` times as long; Mcol-PCA has ``share`` of its variance."""
    for k in (5, 40, 150, 400, 900):
        columns = dict(k=k, cardinality=k)
        for form in ("sparse", "data"):
            yield from timed("gpower0", k, ratio, form, **columns)
        yield from timed("mcol", k, 1.0, **columns, variance=share, variance_refit=share)


def H11(holds):
    """Faster, or slower."""
    return trials(ratio=1.5 if holds else 0.7)


def H12(holds):
    """3 % below, or 8 %."""
    return trials(share=0.97 if holds else 0.92)
