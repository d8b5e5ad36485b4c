"""Made-up rows for A1."""

import numpy as np

SIDE, LENGTH = 19, 38  # two rows of pixels
FLAT = np.arange(LENGTH)
# part and its mean squared distance from the centre, in that of the flat one
NARROW = np.array([SIDE * (i // 16) + i % 16 for i in range(LENGTH)])  # 0.7
APART = np.concatenate([FLAT[:SIDE], 6 * SIDE + FLAT[:SIDE]])  # two rows, six apart: 1.3


def parts(supports, least=1.0):
    """Rows of both methods with these six parts. least : the least rank among random sets."""
    images = [np.isin(np.arange(SIDE**2), W).astype(float).tolist() for W in supports]
    for label in ("main", "contrast-normalised"):
        yield dict(label=label, dataset="cbcl", extra=dict(images=images))
        for method in ("spannogram", "em"):
            ranks = [1.0] * 5 + [least]
            extra = dict(images=images, variances=[0.1] * 6, ranks=ranks, overlap=0)
            settings = dict(method=method)
            yield dict(label=label, dataset="cbcl", lambda_1=1.0, settings=settings, extra=extra)


def A1(value):
    """Five parts that are two rows of pixels, and one that is narrower, or farther apart."""
    return parts([FLAT] * 5 + [NARROW if value < 1 else APART])


A1.values = [(0.95, 1.05)]


def A1_neighbours(value):
    """Compact parts, of which one has no more neighbours than a share of random sets."""
    return parts([NARROW] * 6, 1 - value)


def trivial_A1():
    """Pixels in reading order, 40 for each part."""
    return parts(np.arange(240).reshape(6, 40))
