"""Fits of Gabor functions to tiles of images."""

import numpy as np

from spcabench.figures import _gabor


def _tiles(count):
    rng = np.random.default_rng(3)
    ends = [(1, 6), (1, 6), (0, np.pi), *np.log([(1 / 14, 0.4), (0.3, 0.8), (0.7, 3.0)])]
    P = np.column_stack([rng.uniform(*end, count) for end in ends])
    phase, colour = rng.uniform(0, 2 * np.pi, (count, 1)), rng.standard_normal((count, 1, 3))
    Q = _gabor._waves(P, 8)
    wave = np.cos(phase) * Q[:, 0] + np.sin(phase) * Q[:, 1]
    return (wave[:, :, None] * colour).reshape(count, 8, 8, 3)


def test_a_gabor_function_is_found_again_whatever_its_colour_and_contrast():
    tiles = _tiles(20)
    r2 = _gabor.explained(tiles)
    assert r2.min() > 0.98 and r2.max() < 1 + 1e-9
    assert np.allclose(_gabor.explained(7.0 + 3.0 * tiles), r2, atol=1e-9)


def test_noise_and_constants_are_no_gabor_functions():
    noise = np.random.default_rng(0).standard_normal((20, 8, 8, 3))
    assert _gabor.explained(noise).max() < 0.3
    assert _gabor.explained(np.ones((2, 8, 8, 3))).max() < 1e-9
