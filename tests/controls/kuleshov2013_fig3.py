"""Made-up rows for K7, K16 and K18."""

from tests.controls._kuleshov2013 import SEEDS, SPARSITIES, apart, in_a_share

ALL = (*SPARSITIES, 0.3, 0.45)  # a sparsity in every band


def K7(value):
    """GPower explains ``value`` percent more."""
    return apart(value, ALL)


def trivial_K7():
    """A random support: GPower explains ten times as much."""
    return apart(900.0, ALL)


def K18(value):
    """GPower explains 5 % less in a share of the pairs, and 5 % more in the rest."""
    return in_a_share(value, dict(variance_p=0.95), dict(variance_p=1.05))


trivial_K18 = trivial_K7


def K16(value, seeds=300):
    """A share of the random starts comes close."""
    for seed in range(seeds):
        for k in (10, 44, 200):
            extra = dict(mu0=0.99, k=k, within=value, median=1.0, reading="shift")
            yield dict(label="starts", seed=seed, extra=extra)


def trivial_K16():
    """Random supports, which never come close."""
    return K16(0.0, len(SEEDS))
