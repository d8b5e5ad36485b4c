"""A decaying spectrum: Sigma = Q diag(i^-power) Q' with a random orthogonal matrix Q.

Designed for this suite, after the power-law spectra of Asteris, Papailiopoulos, Dimakis (2014,
section 3), for which low-rank methods are intended.
"""

import numpy as np

from spcabench import validate
from spcabench.problem.problem import Problem


def load(n=150, power=1.0, seed=0):
    """Return Sigma (n, n) with eigenvalues 1, 2^-power, 3^-power, ..."""
    validate.whole("n", n, 1)
    validate.whole("seed", seed, 0)
    validate.number("power", power)
    Q, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((n, n)))
    S = (Q * np.arange(1.0, n + 1.0) ** -power) @ Q.T
    return Problem.from_covariance(
        (S + S.T) / 2,
        f"decaying spectrum {n}, power {power:g}",
        provenance=dict(source="generated", preprocessing="none", stand_in=False),
    )
