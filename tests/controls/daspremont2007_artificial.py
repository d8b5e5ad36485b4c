"""Made-up rows for D12."""

import numpy as np


def recovered(first=4, loading=0.5):
    """Two components contain ``first`` variables of their factors, with this loading."""
    Z = np.zeros((2, 10))
    supports = [*range(4, 4 + first), 8, 9, 0, 1][:4], range(4)
    for z, W in zip(Z, supports, strict=True):
        z[list(W)] = loading
    extra = dict(Z=Z.T.tolist(), features=[f"X{i + 1}" for i in range(10)])
    for label in ("dspca", "thresholded"):
        yield dict(dataset="artificial", label=label, extra=extra)


def D12(value):
    """``value`` variables belong to the factors."""
    return recovered(value - 4)


D12.values = [(8, 6)]


def D12_loadings(value):
    """A loading is off by ``value``."""
    return recovered(loading=0.5 + value)


def trivial_D12():
    """Thresholded PCA, which takes X9 and X10 in place of two variables of a factor."""
    return recovered(2)
