"""A block covariance: groups of variables of unequal strength, uncorrelated with each other.

Designed for this suite: the simplest covariance with a known best support for k up to the size of a
group.
"""

import numpy as np

from spcabench import validate
from spcabench.errors import InputError
from spcabench.problem.problem import Problem


def load(n=120, groups=6, correlation=0.6, noise=0.05, seed=0):
    """Return Sigma (n, n): blocks of equally correlated variables, plus a Wishart matrix.

    The variances in block i are 1 / (1 + i / 10).

    noise : weight of V V' / n, with V (n, n) from N(0, 1), which makes the optimum unique.
    """
    for name, value, least in (("n", n, 1), ("groups", groups, 1), ("seed", seed, 0)):
        validate.whole(name, value, least)
    validate.number("noise", noise)
    if not 0.0 <= correlation <= 1.0:
        raise InputError(f"correlation: {correlation}; it must be from 0 to 1")
    rng = np.random.default_rng(seed)
    group = rng.permutation(np.arange(n) * groups // n)  # (n,)
    weight = 1.0 / np.sqrt(1.0 + group / 10.0)
    S = (correlation * (group[:, None] == group) + (1.0 - correlation) * np.eye(n)) * np.outer(
        weight, weight
    )
    V = rng.standard_normal((n, n))
    return Problem.from_covariance(
        S + noise * V @ V.T / n,
        f"blocks {n}, {groups} groups",
        provenance=dict(source="generated", preprocessing="none", stand_in=False),
    )
