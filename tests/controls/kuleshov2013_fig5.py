"""Made-up rows for K10."""

import numpy as np

TILES = 6
GABOR, NOISE = "waves", "noise"


def tiles(kind, seed):
    """Waves under an envelope, in one colour each, or noise; flat, as the figure's rows have them.

    A wave is narrow, so that its largest values hold nearly all of it.
    """
    rng = np.random.default_rng(seed)
    if kind == NOISE:
        return rng.standard_normal((TILES, 192)).tolist()
    y, x = np.mgrid[-3.5:4.5, -3.5:4.5]
    found = []
    for angle in np.linspace(0.0, 2.5, TILES):
        along = x * np.cos(angle) + y * np.sin(angle)
        wave = np.exp(-(x**2 + y**2) / 4.0) * np.cos(2 * np.pi * along / 4.0)
        found.append((wave[:, :, None] * rng.uniform(0.5, 1.0, 3)).ravel().tolist())
    return found


def K10(holds):
    """Components that are waves beside patches of noise, or the other way round."""
    kinds = (GABOR, NOISE) if holds else (NOISE, GABOR)
    for seed, label in enumerate(("main", "contrast-normalised")):
        made = dict(components=tiles(kinds[0], seed), patches=tiles(kinds[1], seed))
        extra = made | dict(pca=tiles(NOISE, seed + 10), converged=TILES)
        yield dict(label=label, measure="features", n=TILES - 1, solve_time=1.0, extra=extra)
