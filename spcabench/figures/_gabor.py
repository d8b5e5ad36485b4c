"""Fit Gabor functions (oriented waves under a Gaussian envelope) to colour tiles."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]
# x, y: centre (pixels); theta: direction of the wave; f: cycles per pixel, on a log scale; b: width
# sigma f of the envelope along the wave, in cycles, on a log scale; r: its width across the wave
# divided by sigma, on a log scale
LOW = np.array([-0.5, -0.5, -np.inf, np.log(1 / 16), np.log(0.27), np.log(0.5)])
HIGH = np.array([7.5, 7.5, np.inf, np.log(1 / 2), np.log(1.0), np.log(4.0)])
STEP = np.array([0.75, 0.75, np.pi / 16, 0.2, 0.25, 0.35])  # half the spacing of the grid
REFINEMENTS = 40


def explained(tiles: Array) -> Array:
    """Fit the best Gabor function times one colour, plus a constant colour, to tiles (b, s, s, 3).

    Returns R^2, the fraction of each tile's variation about its mean colour that the function
    explains. Frequencies range from 1/16 to 1/2 cycles per pixel. The envelope is wide enough to
    limit the bandwidth to 2.5 octaves, because a blob or a constant is not a wave.

    For all tiles at once, the search tries a grid of 10800 functions and then refines the best
    function on the grid by a compass search.
    """
    s = tiles.shape[1]
    T = tiles.reshape(len(tiles), s * s, 3) - tiles.reshape(len(tiles), s * s, 3).mean(
        axis=1, keepdims=True
    )
    # scaling each tile makes the result independent of its contrast
    norm = np.sqrt((T**2).sum(axis=(1, 2), keepdims=True))
    T = T / np.where(norm > 0.0, norm, 1.0)
    P, r2 = _coarse(T, s)
    step = np.ones(len(T))
    for _ in range(REFINEMENTS):
        moves = np.concatenate([np.zeros((1, 6)), np.diag(STEP), -np.diag(STEP)])
        trials = np.clip(P[:, None] + step[:, None, None] * moves, LOW, HIGH)  # (b, 13, 6)
        results = _explained(_waves(trials, s), T[:, None])
        best = results.argmax(axis=1)
        # if no move improves the fit, halve the step
        step = np.where(best == 0, step / 2, step)
        P, r2 = trials[np.arange(len(T)), best], results[np.arange(len(T)), best]
    return r2


def _coarse(T: Array, s: int) -> tuple[Array, Array]:
    """Return the parameters (b, 6) and explained fraction (b,) of the best function on a grid."""
    centres = np.linspace(0.5, s - 1.5, 5)
    axes = (centres, centres, np.arange(8) * np.pi / 8, np.log(np.geomspace(1 / 16, 0.4, 6)))
    grid = np.stack(
        np.meshgrid(*axes, np.log([0.27, 0.45, 0.75]), np.log([0.5, 1.0, 2.0])), axis=-1
    ).reshape(-1, 6)
    P, r2 = np.zeros((len(T), 6)), np.full(len(T), -1.0)
    # computed in batches, because all functions on all tiles would take gigabytes of memory
    for part in np.array_split(grid, 40):
        results = _explained(_waves(part, s)[None], T[:, None])
        best = results.argmax(axis=1)
        value = results[np.arange(len(T)), best]
        P[value > r2] = part[best[value > r2]]
        r2 = np.maximum(r2, value)
    return P, r2


def _waves(P: Array, s: int) -> Array:
    """Return orthonormal bases (..., 2, s*s) of all phases of the waves with parameters (..., 6).

    The mean of each wave is subtracted.
    """
    x, y, theta, f, b, r = (p[..., None] for p in np.moveaxis(P, -1, 0))
    rows, columns = (g.ravel() for g in np.indices((s, s)))
    u = (columns - x) * np.cos(theta) + (rows - y) * np.sin(theta)
    v = (rows - y) * np.cos(theta) - (columns - x) * np.sin(theta)
    sigma = np.exp(b - f)
    envelope = np.exp(-0.5 * (u / sigma) ** 2 - 0.5 * (v / (sigma * np.exp(r))) ** 2)
    phase = 2 * np.pi * np.exp(f) * u
    # a sine and a cosine span every phase, so the phase need not be searched
    c, d = (
        _unit(w - w.mean(axis=-1, keepdims=True))
        for w in (envelope * np.cos(phase), envelope * np.sin(phase))
    )
    return np.stack([c, _unit(d - (c * d).sum(axis=-1, keepdims=True) * c)], axis=-2)


def _unit(w: Array) -> Array:
    norm = np.sqrt((w**2).sum(axis=-1, keepdims=True))
    return w / np.where(norm > 1e-12, norm, 1.0)


def _explained(Q: Array, T: Array) -> Array:
    """Return the fraction of T (..., s*s, 3) explained by a phase of Q (..., 2, s*s) and a colour.

    This is the largest squared singular value of the 2 x 3 matrix Q T.
    """
    # in closed form, because each step computes it for every function and tile
    C = Q @ T  # (..., 2, 3)
    a, b, c = ((C[..., i, :] * C[..., j, :]).sum(axis=-1) for i, j in ((0, 0), (0, 1), (1, 1)))
    return np.asarray((a + c) / 2 + np.sqrt(((a - c) / 2) ** 2 + b**2))
