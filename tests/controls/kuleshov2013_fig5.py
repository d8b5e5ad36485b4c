"""Made-up rows for K10."""

from functools import cache

import numpy as np

from spcabench.figures._gabor import fit
from spcabench.figures.kuleshov2013_fig5 import TILE, K
from spcabench.vectors import project

TILES = 4
PATCHES = 0.4  # the share of noise in the patches


def tile(share):
    """A wave under an envelope in one colour with a share of noise, cut to k values."""
    y, x = np.mgrid[-3.5:4.5, -3.5:4.5]
    wave = np.exp(-(x**2 + y**2) / 4.0) * np.cos(2 * np.pi * x / 4.0)
    coloured = (wave[:, :, None] * [1.0, 0.8, 0.6]).ravel()
    noise = np.random.default_rng(0).standard_normal(coloured.size)
    mixed = np.sqrt(1 - share) * coloured / np.linalg.norm(coloured)
    return project(mixed + np.sqrt(share) * noise / np.linalg.norm(noise), K)


@cache
def explained(share):
    """Return the share of such a tile that a Gabor function explains."""
    return float(fit(tile(share).reshape(1, *TILE)).r2.iloc[0])


@cache
def noise_at(r2):
    """Return the share of noise at which a Gabor function explains a given share."""
    low, high = 0.0, 0.9
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if explained(middle) > r2 else (low, middle)
    return (low + high) / 2


def features(noise, converged=TILES, n=TILES / 2):
    """Yield components with one share of noise and patches with another."""
    components, patches = (tile(share).tolist() for share in (noise, PATCHES))
    for label in ("main", "contrast-normalised"):
        fitted = dict(
            components=[components] * TILES, patches=[patches] * TILES, pca=[patches] * TILES
        )
        yield dict(label=label, measure="features", n=n, extra=fitted | dict(converged=converged))


def K10(value):
    """The R^2 is ``value`` times that of random patches."""
    return features(noise_at(round(value * explained(PATCHES), 9)))


def K10_count(value):
    """There are ``value`` components per pixel value."""
    return features(0.0, 1000 * value, 1000)


def trivial_K10():
    """Random patches take the place of the components."""
    return features(PATCHES)
