"""The standard problems: synthetic, so the same on every machine, and without a download.

Gaussian and spiked problems come from the ``datasets/`` of the measured commit. Text and gene
expression data are generated here, with the shape of real data.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

import spcabench


@dataclass(frozen=True)
class Standard:
    """A problem, its cardinality, and the variance that solvers are compared with.

    best : the largest variance that any solver of version 0.3.0 found for this cardinality.
    small : whether it is small enough for relaxations and brute force.
    large : whether it is too large for an exact search to finish within seconds.
    """

    make: Callable[[], spcabench.Problem]
    k: int
    best: float
    small: bool = False
    large: bool = False


def gaussian(n):
    """Return standard normal data A (n, n)."""
    return spcabench.load("gaussian", m=n, n=n, seed=0)


def spiked(n):
    """Return a covariance (n, n) with one sparse direction."""
    return spcabench.load("spiked", n=n, seed=0)


def text(documents, terms, topics=6):
    """Return word counts (documents, terms), sparse and implicitly centred.

    Word frequencies follow Zipf's law, and each topic consists of 25 words.
    """
    rng = np.random.default_rng(0)
    rate = 20.0 / np.arange(1, terms + 1)
    belongs = np.zeros((topics, terms))
    for topic in belongs:
        topic[rng.choice(np.arange(50, terms), 25, replace=False)] = rng.uniform(0.5, 2.0, 25)
    about = rng.integers(topics, size=documents)
    counts = rng.poisson(np.minimum(rate, 3.0) + belongs[about])
    return spcabench.Problem.from_data(
        sp.csc_array(counts.astype(float)), "text", center=True, divisor="1"
    )


def genes(samples=72, count=1000, factors=10):
    """Return gene expression (samples, count), with far fewer samples than genes.

    The data are the sum of noise and of factors with heavy-tailed loadings.
    """
    rng = np.random.default_rng(0)
    loadings = rng.standard_t(3, (factors, count)) * (rng.random((factors, count)) < 0.1)
    X = rng.standard_normal((samples, factors)) @ loadings + rng.standard_normal((samples, count))
    return spcabench.Problem.from_data(X, "genes", center=True, divisor="1")


PROBLEMS = {
    "gaussian-20": Standard(lambda: gaussian(20), 5, 54.25140180541483, small=True),
    "gaussian-100": Standard(lambda: gaussian(100), 10, 254.61208800652346),
    "spiked-100": Standard(lambda: spiked(100), 10, 2.54635478638133),
    "text-200": Standard(lambda: text(150, 200), 10, 909.3261176005959),
    "genes-1000": Standard(genes, 20, 151937.67271897852, large=True),
}
# one of each form, for CI: dense data, a covariance, sparse centred data, and wide data
REDUCED = ("gaussian-20", "spiked-100", "text-200", "genes-1000")
