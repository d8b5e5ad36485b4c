"""Asteris, Papailiopoulos, Dimakis (2014), Figure 1: the spannogram of a 4 x 2 matrix.

The figure shows the curves [v(phi)]_i = V_i1 sin(phi) + V_i2 cos(phi), one for each row of V. The
entries of V are drawn from N(0, 1), because the paper does not state its matrix. Dots mark the
points where two of the five curves meet (the zero curve is one of the five); at a hollow dot, the
support does not change. In each shaded region, the support for k = 2 (our choice) is constant. The
labels above zero are the supports of v(phi), and those below zero are the supports of -v(phi).
"""

from itertools import combinations, pairwise

import numpy as np

from spcabench.methods.lowrank import rank_one
from spcabench.run import Run
from spcabench.showing.style import DASHES, LETTERS, PALETTE, name_lines

PANELS, SIZE = (1, 1), (7.6, 4.2)
K = 2
SHADES = ("#F2F2F2", "#DCDCDC")


# what runs


def runs(scale):
    """Use one matrix, which is the same at both scales."""
    yield Run(dataset="gaussian", parameters=dict(m=2, n=4, seed=3), function=rows_of_v)


def rows_of_v(problem, *, seed):
    """Return the rows of V, which are the columns of A."""
    return {"V": problem.data.dense().T.tolist()}


def data(table):
    """Return V (4, 2)."""
    return np.array(table.extra.iloc[0]["V"])


# what is drawn


def meetings(V):
    """Return the angle and the value at each point where two of the n + 1 curves meet (points, 2).

    The angles are in ascending order, in the interval (-90, 90] degrees.
    """
    # the zero curve is included, because the support changes where an entry becomes negative
    curves = np.vstack([V, np.zeros(2)])
    points = []
    for i, j in combinations(range(len(curves)), 2):
        a, b = curves[i] - curves[j]
        phi = np.arctan2(-b, a)  # a sin + b cos = 0
        phi -= np.pi * np.ceil(phi / np.pi - 0.5)  # into (-90, 90]
        points.append((phi, curves[i] @ [np.sin(phi), np.cos(phi)]))
    return np.array(sorted(points))


def supports(V, phi):
    """Return the indices (from 1) of the K largest positive entries of v(phi) and of -v(phi)."""
    v = V @ [np.sin(phi), np.cos(phi)]
    return tuple(tuple(np.flatnonzero(_positive(s * v)) + 1) for s in (1.0, -1.0))


def _positive(v):
    """Return the rank-one solution, using only the positive entries of v."""
    return rank_one(np.maximum(v, 0.0), K, False)


def draw(data, axes):
    """Plot the curves, the points where they meet, and the regions with their supports."""
    axis, V = axes.flat[0], data
    phi = np.linspace(-np.pi / 2, np.pi / 2, 721)
    values = np.sin(phi)[:, None] * V[:, 0] + np.cos(phi)[:, None] * V[:, 1]
    for i, (curve, colour, dashes) in enumerate(zip(values.T, PALETTE, DASHES, strict=False), 1):
        style = dict(color=colour, linestyle=dashes, label=f"$[v(\\phi)]_{i}$", zorder=3)
        axis.plot(np.degrees(phi), curve, **style)
    axis.axhline(0.0, color="black", linewidth=1.0, zorder=2)
    points, top = meetings(V), 1.28 * np.abs(values).max()
    for side, level in ((0, top), (1, -top)):
        _regions(axis, V, points, side, level)
    # if two curves cross far below the k-th largest entry, the support does not change
    changes = [supports(V, p - 1e-6) != supports(V, p + 1e-6) for p, _ in points]
    for (p, value), changed in zip(points, changes, strict=True):
        style = dict(color="black", markerfacecolor="black" if changed else "white", markersize=5)
        axis.plot(np.degrees(p), value, "o", zorder=4, **style)
    axis.set(xlim=(-90, 90), ylim=(-1.12 * top, 1.12 * top))
    axis.set(xlabel=r"$\phi$, degrees", ylabel=r"entries of $v(\phi)$")
    axis.set_xticks(range(-90, 91, 30))
    axis.grid(False)
    name_lines(axis)


def _regions(axis, V, points, side, level):
    """Shade each region of constant support, above or below zero, and label it."""
    edges = [-np.pi / 2, *(p for p, _ in points), np.pi / 2]
    regions: list[list] = []
    for low, high in pairwise(edges):
        now = supports(V, (low + high) / 2)[side]
        # the region is empty if two crossings have the same angle
        if high - low < 1e-9:
            continue
        # adjacent regions with the same support are merged
        if regions and regions[-1][0] == now:
            regions[-1][2] = high
        else:
            regions.append([now, low, high])
    for number, (now, low, high) in enumerate(regions):
        half = (0.5, 1.0) if side == 0 else (0.0, 0.5)
        shade = dict(color=SHADES[number % 2], linewidth=0, zorder=0)
        axis.axvspan(np.degrees(low), np.degrees(high), *half, **shade)
        text = r"$\{" + ", ".join(map(str, now)) + r"\}$" if now else r"$\emptyset$"
        # upright text does not fit into a narrow region
        style = dict(ha="center", va="center", fontsize=LETTERS, rotation=90 * (high - low < 0.2))
        axis.text(np.degrees((low + high) / 2), level, text, **style)
