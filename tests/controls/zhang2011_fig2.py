"""Made-up rows for Z2, Z12 and Z14."""

import numpy as np

from spcabench.figures.zhang2011_fig2 import HEAD, fits

RANKS = np.arange(1, 2001)


def corpora(variances=None, head=(0.9, 0.95), loaded=800e6):
    """A simulated corpus and three real ones, with the same numbers."""
    spectrum = 1.0 / RANKS if variances is None else variances
    extra = dict(ranks=RANKS.tolist(), variances=spectrum.tolist(), head=head, whole=head)
    extra |= dict(loaded=loaded, streamed=40e6)
    for name in ("simulated", "nytimes", "pubmed", "nips"):
        yield dict(dataset="bag_of_words", label=name, problem=name, extra=extra)


def Z2(value):
    """The variances from rank 400 on are a share of the largest."""
    return corpora(np.where(RANKS < 400, 1.0, value))


def trivial_Z2():
    """Words in no order: the variance at a rank is as often large as small."""
    return corpora(np.where(RANKS % 2, 1.0, 0.5))


def Z12(value):
    """An exponential leaves ``value`` times of the 5 % that a power law leaves."""
    return corpora(head=(1.0 - 0.05 * value, 0.95))


def trivial_Z12():
    """Words drawn at random, by Zipf's law: a power law, whose top is no exponential."""
    rng = np.random.default_rng(0)
    return corpora(head=fits(rng.poisson(1e6 / np.arange(1, HEAD + 1))))


def Z14(value):
    """The counts take ``value`` times the memory of the passes."""
    return corpora(loaded=40e6 * value)


def trivial_Z14():
    """Passes that keep all counts need the memory of the counts."""
    return Z14(1.0)
