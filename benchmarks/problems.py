"""The standard problems of the performance history.

They are synthetic, so they are the same on every machine and need no network. Gaussian and spiked
problems come from the ``datasets/`` of the measured commit. Text and gene expression data are
generated here, with the shape of real data that might not be available.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# Libraries are imported inside the functions, because asv starts a process for every number, and
# most of these processes only read existing counts.


@dataclass(frozen=True)
class Standard:
    """A problem and its cardinality.

    small : whether it is small enough for relaxations and brute force.
    large : whether it is too large for an exact search to finish within seconds.
    """

    make: Callable[[], Any]
    k: int
    small: bool = False
    large: bool = False


def gaussian(n):
    """Return standard normal data A (n, n)."""
    import spcabench

    return spcabench.load("gaussian", m=n, n=n, seed=0)


def spiked(n):
    """Return a covariance (n, n) with one sparse direction."""
    import spcabench

    return spcabench.load("spiked", n=n, seed=0)


def text(documents=500, terms=500, topics=6):
    """Return word counts (documents, terms), sparse and implicitly centred.

    Word frequencies follow Zipf's law, and each topic consists of 25 words.
    """
    import numpy as np
    import scipy.sparse as sp

    import spcabench

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
    import numpy as np

    import spcabench

    rng = np.random.default_rng(0)
    loadings = rng.standard_t(3, (factors, count)) * (rng.random((factors, count)) < 0.1)
    X = rng.standard_normal((samples, factors)) @ loadings + rng.standard_normal((samples, count))
    return spcabench.Problem.from_data(X, "genes", center=True, divisor="1")


PROBLEMS = {
    "gaussian-20": Standard(lambda: gaussian(20), k=5, small=True),
    "spiked-40": Standard(lambda: spiked(40), k=5, small=True),
    "gaussian-100": Standard(lambda: gaussian(100), k=10),
    "spiked-100": Standard(lambda: spiked(100), k=10),
    "text-200": Standard(lambda: text(150, 200), k=10),
    "gaussian-300": Standard(lambda: gaussian(300), k=20, large=True),
    "text-500": Standard(text, k=20, large=True),
    "genes-1000": Standard(genes, k=20, large=True),
}
# problems for CI: small and larger dense data, a covariance, sparse centred data, and wide data
REDUCED = ("gaussian-20", "gaussian-100", "spiked-100", "text-200", "genes-1000")
# datasets of the commit that the problems use
DATASETS = ("gaussian", "spiked")
