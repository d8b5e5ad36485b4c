"""Samples of the spiked model x = sqrt(strength) z u + e.

u is sparse with equal entries; z and e are standard normal.

The model is from Johnstone, Lu, "On consistency and sparsity for principal components analysis in
high dimensions", Journal of the American Statistical Association 104 (2009), but the signs and the
positions of the nonzeros of u are random.
"""

import numpy as np

from spcabench import validate
from spcabench.errors import InputError
from spcabench.problem.problem import Problem


def load(m=100, n=100, count=10, strength=1.0, seed=0):
    """Return A = X / sqrt(m), where X (m, n) contains the samples, centred.

    ``support`` in the provenance lists the nonzeros of u.

    count : number of nonzeros of u.
    strength : variance along u in addition to the noise variance of 1.
    """
    for name, value, least in (("m", m, 2), ("n", n, 1), ("count", count, 1), ("seed", seed, 0)):
        validate.whole(name, value, least)
    validate.number("strength", strength)
    if count > n:
        raise InputError(f"count: {count}; it must be from 1 to n = {n}")
    rng = np.random.default_rng(seed)
    W = np.sort(rng.choice(n, count, replace=False))
    u = np.zeros(n)
    u[W] = rng.choice([-1.0, 1.0], count) / np.sqrt(count)
    X = rng.standard_normal((m, n)) + np.sqrt(strength) * np.outer(rng.standard_normal(m), u)
    return Problem.from_data(
        X,
        f"spiked samples {m} x {n}, {count} nonzeros, strength {strength:g}",
        divisor="m",
        provenance=dict(
            source="generated", preprocessing="centred", stand_in=False, support=W.tolist()
        ),
    )
