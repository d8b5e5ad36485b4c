"""A covariance of low rank plus a multiple of the identity.

Sigma = V V' + sigma I, V (n, rank) from N(0, 1).

Asteris, Papailiopoulos, Dimakis (2014, section 1), "Exact solution for low-rank matrices".
"""

import numpy as np

from spcabench import validate
from spcabench.problem.problem import Problem


def load(n=10, rank=2, sigma=0.0, seed=0):
    """Return Sigma (n, n)."""
    for name, value, least in (("n", n, 1), ("rank", rank, 1), ("seed", seed, 0)):
        validate.whole(name, value, least)
    validate.number("sigma", sigma)
    V = np.random.default_rng(seed).standard_normal((n, rank))
    return Problem.from_covariance(
        V @ V.T + sigma * np.eye(n),
        f"rank {rank}" + (f" + {sigma:g} I" if sigma else "") + f", n = {n}",
        provenance=dict(source="generated", preprocessing="none", stand_in=False),
    )
