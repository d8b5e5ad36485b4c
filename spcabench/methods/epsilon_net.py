"""Random epsilon-nets of unit vectors: how many samples, and the probability that they fail.

A sample c with cos^2(c, c*) >= 1 - eps is close enough to c*, the direction of the optimum x* of
x'V V'x: the best x(c) for c satisfies ||V'x(c)|| >= |c'V'x(c)| >= |c'V'x*| = |cos(c, c*)| ||V'x*||.
"""

from collections.abc import Iterator

import numpy as np
from scipy.special import betainc

from spcabench.errors import InputError
from spcabench.validate import number, whole
from spcabench.vectors import Array

BATCH = 1024  # samples per batch
MOST = 10**12  # maximum number of samples


def sample_count(n: int, d: int, eps: float, samples: int | str) -> int:
    """Return the number of samples for a net in R^d.

    samples : "paper" for ceil(eps^-d ln n), "sharp" for a failure probability of 1/n, or a number.
    """
    if not 0.0 < number("eps", eps) <= 1.0:
        raise InputError(f"eps: {eps!r}; it must be above 0 and at most 1")
    if isinstance(samples, str) and samples not in ("paper", "sharp"):
        raise InputError(f"samples: {samples!r}; choose 'paper', 'sharp' or a whole number from 1")
    if d == 1 or (samples == "sharp" and eps == 1.0):
        return 1
    if not isinstance(samples, str):
        return whole("samples", samples, 1)
    with np.errstate(over="ignore", divide="ignore"):
        nets = np.float64(eps) ** -d if samples == "paper" else -1.0 / np.log1p(-near(d, eps))
        count = nets * np.log(n)
    if not count <= MOST:
        raise InputError(f"eps, d: {eps}, {d} need {count:.3g} samples; choose a larger eps")
    return max(1, int(np.ceil(count)))


def failure(d: int, eps: float, count: int) -> float:
    """Return the probability that none of ``count`` samples in R^d is close enough to c*."""
    return 0.0 if d == 1 else (1.0 - near(d, eps)) ** count


def near(d: int, eps: float) -> float:
    """Return P(cos^2 >= 1 - eps) for the angle between a random line and a fixed line in R^d."""
    return float(betainc((d - 1) / 2.0, 0.5, eps))


def unit_vectors(count: int, d: int, rng: np.random.Generator) -> Iterator[Array]:
    """Yield ``count`` random unit vectors in batches, as the rows of C (b, d)."""
    for first in range(0, count, BATCH):
        C = rng.standard_normal((min(count - first, BATCH), d))
        yield C / np.sqrt((C**2).sum(axis=1, keepdims=True))
