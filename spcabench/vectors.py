"""Small operations on vectors, for solvers and the harness; all are o(n^2), so none is charged."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dnrm2

Array = NDArray[np.float64]  # of any shape
Vector = NDArray[np.float64]  # of one dimension
Indices = NDArray[np.intp]


def support(x: Vector) -> Indices:
    """Return the indices of the nonzeros of x, in increasing order."""
    return np.flatnonzero(x)


def normalize(x: Vector) -> Vector:
    """Return x / ||x||; a zero vector stays zero.

    Parameters
    ----------
    x : array of shape (n,)
        Any vector. Its squares may overflow or underflow.

    Returns
    -------
    array of shape (n,)
        A vector of norm one, or zero.
    """
    norm = dnrm2(x) if len(x) else 0.0
    if not 1e-140 < norm < 1e140:
        top = np.abs(x).max(initial=0.0)
        if top == 0.0 or not np.isfinite(top):
            return x.copy()
        x = x / top
        norm = dnrm2(x)
    return x / norm


def largest_indices(a: Vector, k: int) -> Indices:
    """Return the indices of the k largest entries of a; of equal entries, the first ones.

    Parameters
    ----------
    a : array of shape (n,)
        Values to compare.
    k : int
        How many indices; all n where k is larger than n.

    Returns
    -------
    array of shape (min(k, n),)
        Indices in increasing order.
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
    """Keep the k largest |x_i|, set the rest to zero, and scale to norm one.

    Parameters
    ----------
    x : array of shape (n,)
        Any vector.
    k : int
        Number of entries to keep. Of equal ones, the first are kept.

    Returns
    -------
    array of shape (n,)
        The projection P_k(x) of x to the k-sparse unit vectors.

    References
    ----------
    Kuleshov, "Fast algorithms for sparse principal component analysis based on Rayleigh quotient
    iteration", ICML 2013, section 2.
    """
    kept = largest_indices(np.abs(x), k)
    p = np.zeros_like(x)
    p[kept] = normalize(x[kept])
    return p


def one_sided(v: Vector) -> Vector:
    """Return the positive part of v or of -v, whichever is longer, scaled to norm one.

    Parameters
    ----------
    v : array of shape (n,) or (b, n)
        One vector, or one in each row.

    Returns
    -------
    array of the shape of v
        Nonnegative unit vectors; a zero vector stays zero.
    """
    up, down = np.maximum(v, 0.0), np.maximum(-v, 0.0)
    longer = (up**2).sum(axis=-1, keepdims=True) >= (down**2).sum(axis=-1, keepdims=True)
    part = np.where(longer, up, down)
    norm = np.sqrt((part**2).sum(axis=-1, keepdims=True))
    return part / np.where(norm > 0.0, norm, 1.0)


def soft_threshold(z: Vector, gamma: float) -> Vector:
    """Return sign(z) max(|z| - gamma, 0), entry by entry."""
    return z - np.clip(z, -gamma, gamma)


def hard_threshold(z: Vector, gamma: float) -> Vector:
    """Return z where z^2 > gamma and zero elsewhere, entry by entry."""
    return np.where(z * z > gamma, z, 0.0)


def distance(x: Vector, y: Vector) -> float:
    """Return ||x - y|| or ||x + y||, whichever is smaller."""
    d = x - y if x @ y >= 0 else x + y
    return float(np.sqrt(d @ d))


def embed(y: Vector, W: Indices, n: int) -> Vector:
    """Return the vector of length n that is y on the indices W and zero elsewhere."""
    x = np.zeros(n)
    x[W] = y
    return x
