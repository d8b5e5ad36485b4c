"""Spiked covariance: Sigma = u u' + V V' / m with sparse u.

Zhang and El Ghaoui (2011, section 4): Card(u) = n / 10, V_ij from N(0, 1). The paper does not state
the number of samples m; here it is n by default. u has equal entries and norm one.
"""

import numpy as np

from spcabench import validate
from spcabench.problem.problem import Problem


def load(n=200, m=None, share=0.1, strength=1.0, seed=0):
    """Return Sigma = strength u u' + V V' / m (n, n).

    share : Card(u) / n.
    """
    m = n if m is None else m
    for name, value, least in (("n", n, 1), ("m", m, 1), ("seed", seed, 0)):
        validate.whole(name, value, least)
    validate.number("share", share)
    validate.number("strength", strength)
    rng = np.random.default_rng(seed)
    count = min(max(1, round(share * n)), n)
    u = np.zeros(n)
    u[rng.permutation(n)[:count]] = 1.0 / np.sqrt(count)
    V = rng.standard_normal((n, m))
    return Problem.from_covariance(
        strength * np.outer(u, u) + V @ V.T / m,
        f"spiked {n}, {count} nonzeros",
        provenance=dict(source="generated", preprocessing="none", stand_in=False),
    )
