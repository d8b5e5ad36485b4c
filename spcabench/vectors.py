"""Small operations on vectors that solvers and the harness share. None of them is charged: all are
o(n^2).
"""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dnrm2

Array = NDArray[np.float64]  # of any shape
Vector = NDArray[np.float64]  # of one dimension
Indices = NDArray[np.intp]


def support(x: Vector) -> Indices:
    """Indices of the nonzeros of x, increasing."""
    return np.flatnonzero(x)


def normalize(x: Vector) -> Vector:
    """x / ||x||; a zero vector stays zero. Safe against overflow and underflow of the squares."""
    norm = dnrm2(x) if len(x) else 0.0
    if not 1e-140 < norm < 1e140:
        top = np.abs(x).max(initial=0.0)
        if top == 0.0 or not np.isfinite(top):
            return x.copy()
        x = x / top
        norm = dnrm2(x)
    return x / norm


def largest_indices(a: Vector, k: int) -> Indices:
    """Indices of the k largest entries of a, increasing; among equal ones the lowest index comes
    first.
    """
    n = len(a)
    if k >= n:
        return np.arange(n)
    threshold = np.partition(a, n - k)[n - k]
    chosen = np.flatnonzero(a >= threshold)
    if len(chosen) == k:
        return chosen
    above = a[chosen] > threshold
    ties = chosen[~above][: k - int(above.sum())]
    return np.sort(np.concatenate([chosen[above], ties]))


def project(x: Vector, k: int) -> Vector:
    """P_k(x): keep the k largest |x_i|, zero the rest, scale to norm one (Kuleshov 2013, section
    2).
    """
    kept = largest_indices(np.abs(x), k)
    p = np.zeros_like(x)
    p[kept] = normalize(x[kept])
    return p


def one_sided(v: Vector) -> Vector:
    """The positive part of v or of -v, whichever is longer, scaled to norm one: v (n,) or (b, n);
    zero stays zero.
    """
    up, down = np.maximum(v, 0.0), np.maximum(-v, 0.0)
    longer = (up**2).sum(axis=-1, keepdims=True) >= (down**2).sum(axis=-1, keepdims=True)
    part = np.where(longer, up, down)
    norm = np.sqrt((part**2).sum(axis=-1, keepdims=True))
    return part / np.where(norm > 0.0, norm, 1.0)


def soft_threshold(z: Vector, gamma: float) -> Vector:
    """Entry by entry sign(z) max(|z| - gamma, 0)."""
    return z - np.clip(z, -gamma, gamma)


def hard_threshold(z: Vector, gamma: float) -> Vector:
    """Entry by entry z where z^2 > gamma, else 0."""
    return np.where(z * z > gamma, z, 0.0)


def distance(x: Vector, y: Vector) -> float:
    """||x - y|| up to the sign of y."""
    d = x - y if x @ y >= 0 else x + y
    return float(np.sqrt(d @ d))


def embed(y: Vector, W: Indices, n: int) -> Vector:
    """The vector of length n that is y on W and zero elsewhere."""
    x = np.zeros(n)
    x[W] = y
    return x
