"""Random sparse data: standard normal nonzeros at random positions, features centred implicitly.

The synthetic problems of He, Monteiro, Park (2010, section 3.1).
"""

import numpy as np
import scipy.sparse as sp

from spcabench import validate
from spcabench.errors import InputError
from spcabench.problem.problem import Problem


def load(m=1000, n=1000, density=0.2, seed=0):
    """Return A, the matrix W (m, n) centred by feature, not divided by m.

    density : probability that an entry of W is nonzero; the nonzeros are drawn from N(0, 1).
    """
    validate.whole("m", m, 2)
    validate.whole("n", n, 2)
    validate.whole("seed", seed, 0)
    if not 0.0 < density <= 1.0:
        raise InputError(f"density: {density}; it must be above 0 and at most 1")
    rng = np.random.default_rng(seed)
    per_column = rng.binomial(m, density, size=n)  # the distribution for independent entries
    rows = [rng.choice(m, count, replace=False, shuffle=False) for count in per_column]
    starts = np.concatenate([[0], per_column.cumsum()])
    W = sp.csc_array((rng.standard_normal(starts[-1]), np.concatenate(rows), starts), shape=(m, n))
    W.sort_indices()
    return Problem.from_data(
        W,
        f"random sparse {m} x {n}, density {density:g}",
        divisor="1",
        provenance=dict(source="generated", preprocessing="features centred", stand_in=False),
    )
