"""Gaussian data: Sigma = A'A, where the entries of A (m, n) are independent standard normal.

The synthetic problems of Kuleshov (2013, section 4), which follow Journee et al. (2010).
"""

import numpy as np

from spcabench import validate
from spcabench.problem.problem import Problem


def load(m=1000, n=1000, seed=0):
    """Return A (m, n) with entries from N(0, 1), neither centred nor scaled."""
    validate.whole("m", m, 2)
    validate.whole("n", n, 1)
    validate.whole("seed", seed, 0)
    A = np.random.default_rng(seed).standard_normal((m, n))
    return Problem.from_data(
        A,
        f"gaussian {m} x {n}",
        center=False,
        divisor="1",
        provenance=dict(source="generated", preprocessing="none", stand_in=False),
    )
