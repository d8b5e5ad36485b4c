"""Made-up rows for H6."""

from tests.controls._he2010 import timed


def H6(holds):
    """GPower0 / Mcol-PCA is 8 at the sparse end and falls, or rises from 0.5 to 3."""
    ratios = (8.0, 4.0, 2.0) if holds else (0.5, 1.0, 3.0)
    for density, ratio in zip((0.01, 0.1, 0.2), ratios, strict=True):
        about = dict(parameters=dict(density=density))
        for form in ("sparse", "data"):
            yield from timed("gpower0", density, 0.1 * ratio, form, **about)
        yield from timed("mcol", density, 0.1, **about)
