"""Small operations on vectors, which cost o(n^2) and are not charged.

This module defines the rule for ties:

- Two numbers are treated as equal if they differ by at most `TIE` times the largest absolute value
  among the compared numbers. Rounding causes differences of 1e-16 to 1e-12 between numbers that are
  equal in exact arithmetic, and answers are accurate to 1e-9.
- Equal numbers are ordered by the caller's next criterion, with the larger value first. If there is
  no further criterion, or if it also ties, the lowest index is first.
- Numbers are treated as equal only if they are close to the *same* number: the largest or the k-th
  largest. If each number is only close to the next one, they are not all equal.

Therefore no choice depends on the order of the rows, their signs, their storage or the number of
threads.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dnrm2

Array = NDArray[np.float64]  # of any shape
Vector = NDArray[np.float64]  # of one dimension
Indices = NDArray[np.intp]

TIE = 1e-9  # largest relative difference between numbers that are treated as equal
DIGITS = 12  # number of decimals that rounding errors do not affect in numbers of order one


def support(x: Vector) -> Indices:
    """Return the indices of the nonzeros of x, in increasing order."""
    return x.nonzero()[0]


def protected(x: Array) -> Array:
    """Return a read-only view of x; x remains writeable for its owner."""
    if not x.flags.writeable:
        return x
    view = x.view()
    view.flags.writeable = False
    return view


def expect_real(*arrays: Array | Indices) -> None:
    """Raise TypeError unless the arrays are NumPy arrays of real numbers."""
    for x in arrays:
        if not isinstance(x, np.ndarray) or x.dtype.kind not in "biuf":
            kind = getattr(x, "dtype", type(x).__name__)
            raise TypeError(f"product: {kind!s:.60}; it must be a NumPy array of real numbers")


def expect_shape(x: Array | Indices, *shape: int | None) -> None:
    """Raise TypeError as in `expect_real`, and ValueError unless x has this shape.

    None in the shape stands for any size. NumPy multiplies a stack of vectors or matrices in a
    single call, which would be charged as one product. Also, a product that only reads the nonzeros
    of x would not detect that x is too short.
    """
    expect_real(x)
    if x.shape != shape and (
        x.ndim != len(shape)
        or any(n not in (None, size) for n, size in zip(shape, x.shape, strict=True))
    ):
        wanted = ", ".join("any" if n is None else str(n) for n in shape)
        raise ValueError(
            f"product: an array of shape {x.shape}; it must be ({wanted}); for several columns, "
            "use `Sigma.products` or `A.products`"
        )


def expect_indices(W: Indices) -> None:
    """Raise TypeError unless W is a one-dimensional array of indices."""
    if not isinstance(W, np.ndarray) or W.dtype.kind not in "iu" or W.ndim != 1:
        raise TypeError(f"working set: it must be an array of indices (k,), not {W!r:.60}")


def normalize(x: Vector) -> Vector:
    """Return x / ||x||; a zero vector is returned unchanged.

    Parameters
    ----------
    x : array of shape (n,)
        Any vector, even if the squares of its entries overflow or underflow.

    Returns
    -------
    array of shape (n,)
        A unit vector, or the zero vector.
    """
    norm = dnrm2(x) if len(x) else 0.0
    if not 1e-140 < norm < 1e140:
        top = np.abs(x).max(initial=0.0)
        if top == 0.0 or not np.isfinite(top):
            return x.copy()
        x = x / top
        norm = dnrm2(x)
    return x / norm


def tied_with_largest(a: Vector) -> Indices:
    """Return the indices, in increasing order, of the entries of a that tie with the largest."""
    top = float(a.max())
    tied = np.flatnonzero(a >= top - TIE * abs(top))
    return tied if len(tied) else np.array([int(np.argmax(a))])  # NaN or infinite entries


def first_largest(a: Vector, *then: Callable[[Indices], Vector]) -> int:
    """Return the index of the largest entry of a.

    Parameters
    ----------
    a : array of shape (n,)
        Values to compare.
    *then : function of an array of indices
        Criteria for ties. Among equal entries, the one with the largest value of the first function
        is chosen. The next function is called only if a tie remains, and finally the lowest index
        is chosen.
    """
    tied = tied_with_largest(a)
    for values in then:
        if len(tied) == 1:
            break
        tied = tied[tied_with_largest(values(tied))]
    return int(tied[0])


def largest_indices(a: Vector, k: int, *then: Callable[[Indices], Vector]) -> Indices:
    """Return the indices of the k largest entries of a.

    Parameters
    ----------
    a : array of shape (n,)
        Values to compare.
    k : int
        Number of indices. If k is larger than n, all n indices are returned.
    *then : function of an array of indices
        Criteria for ties with the k-th largest entry, as in `first_largest`.

    Returns
    -------
    array of shape (min(k, n),)
        Indices in increasing order.
    """
    n = len(a)
    if k >= n:
        return np.arange(n)
    top = a.copy()
    top.partition(n - k)
    threshold = float(top[n - k])
    # the ufunc itself, because the method max takes twice as long
    slack = TIE * max(abs(threshold), abs(float(np.maximum.reduce(top[n - k :]))))
    chosen = (a >= threshold - slack).nonzero()[0]
    if len(chosen) == k:
        return chosen
    above = a[chosen] > threshold + slack
    ties, left = chosen[~above], k - int(above.sum())
    ties = ties[largest_indices(*_asked(ties, then, left))] if then else ties[:left]
    return np.sort(np.concatenate([chosen[above], ties]))


def _asked(tied: Indices, then: Sequence[Callable[[Indices], Vector]], *counts: int) -> list[Any]:
    """Return the values of the first criterion for tied entries, and the remaining criteria.

    The remaining criteria are converted to functions of positions in ``tied``.
    """
    return [then[0](tied), *counts, *(lambda J, f=f: f(tied[J]) for f in then[1:])]


def falling_order(a: Vector, *then: Callable[[Indices], Vector]) -> Indices:
    """Return the indices that sort a in decreasing order.

    All entries that tie with the largest entry come first, ordered by ``then``, as in
    `first_largest`, and finally by index. The remaining entries are ordered in the same way.
    """
    order = np.argsort(-a, kind="stable")
    falling = a[order]
    slack = TIE * float(np.abs(falling[[0, -1]]).max()) if len(a) else 0.0
    if (falling[:-1] - falling[1:] > slack).all():
        return order
    start = 0
    while start < len(order):
        end = int(np.searchsorted(-falling, slack - falling[start], side="right"))
        end = max(end, start + 1)
        tied = np.sort(order[start:end])
        if then and len(tied) > 1:
            tied = tied[falling_order(*_asked(tied, then))]
        order[start:end] = tied
        start = end
    return order


def project(x: Vector, k: int) -> Vector:
    """Keep the k largest |x_i|, set the other entries to zero, and scale to norm one.

    Parameters
    ----------
    x : array of shape (n,)
        Any vector.
    k : int
        Number of entries to keep, which are selected by `largest_indices`.

    Returns
    -------
    array of shape (n,)
        The projection P_k(x) of x onto the k-sparse unit vectors.

    References
    ----------
    Kuleshov, "Fast algorithms for sparse principal component analysis based on Rayleigh quotient
    iteration", ICML 2013, section 2.
    """
    largest = largest_indices(np.abs(x), k)
    p = np.zeros(x.shape)
    p[largest] = normalize(x[largest])
    return p


def one_sided(v: Vector) -> Vector:
    """Return the positive part of v or of -v, whichever has the larger norm, scaled to norm one.

    Parameters
    ----------
    v : array of shape (n,) or (b, n)
        A vector, or several vectors as rows.

    Returns
    -------
    array of the same shape as v
        Nonnegative unit vectors. Zero vectors are returned unchanged.
    """
    up, down = np.maximum(v, 0.0), np.maximum(-v, 0.0)
    longer = (up**2).sum(axis=-1, keepdims=True) >= (down**2).sum(axis=-1, keepdims=True)
    part = np.where(longer, up, down)
    norm = np.sqrt((part**2).sum(axis=-1, keepdims=True))
    return part / np.where(norm > 0.0, norm, 1.0)


def without_rounding(a: Array) -> Array:
    """Round an array with entries of order one to the digits that rounding errors do not affect.

    The result is passed to libraries that have no rule for ties and would break them by the last
    digits.
    """
    return np.round(a, DIGITS)


def soft_threshold(z: Vector, gamma: float) -> Vector:
    """Return sign(z) max(|z| - gamma, 0) elementwise."""
    return z - np.clip(z, -gamma, gamma)


def hard_threshold(z: Vector, gamma: float) -> Vector:
    """Return z with entries set to zero unless z^2 > gamma."""
    return np.where(z * z > gamma, z, 0.0)


def distance(x: Vector, y: Vector) -> float:
    """Return the smaller of ||x - y|| and ||x + y||."""
    d = x - y if x @ y >= 0 else x + y
    return math.sqrt(d @ d)


def embed(y: Vector, W: Indices, n: int) -> Vector:
    """Return the vector of length n that equals y on the indices W and is zero elsewhere."""
    x = np.zeros(n)
    x[W] = y
    return x


def oriented(x: Vector) -> Vector:
    """Return x or -x, which describe the same component, so that its largest |x_i| is positive."""
    return x if x[np.argmax(np.abs(x))] >= 0 else 0.0 - x  # -x would contain -0.0


def dominant(variances: Vector) -> int | None:
    """Return the index of a variable that dominates the variance of unscaled data, or None.

    It has more than half of the total variance, and more than ten times the median variance.
    """
    largest = int(variances.argmax())
    median = np.sort(variances)[(len(variances) - 1) // 2]  # the smaller one of two
    share, ratio = 0.5, 10.0
    dominates = variances[largest] > max(share * variances.sum(), ratio * median)
    return largest if dominates and len(variances) > 1 else None
