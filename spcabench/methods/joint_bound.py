"""The dual bound on the total variance tr(Z'Sigma Z) of several orthonormal loadings Z (n, r).

For every U (n, n), let r_i be the norm of the k - 1 largest |u_ij|, j != i, and h_i = (u_ii +
sqrt(u_ii^2 + r_i^2)) / 2. Then tr(Z'Sigma Z) is at most the sum of the r largest eigenvalues of
Sigma - (U + U') / 2, plus a sum that depends on the supports:

- if all loadings use the same k variables: the sum of the k largest h_i;
- if each loading has k variables: r times the sum of the k largest h_i;
- if each loading has k variables and the supports are disjoint: the sum of the r k largest h_i.

docs/bounds.md contains the proofs. The right side is minimised as for one loading
(`exact_search.dual_bound`). Any U gives a valid bound.
"""

import numpy as np

from spcabench.methods.exact_search.dual_bound import start
from spcabench.methods.exact_search.dual_certificate import Shape, dual_value
from spcabench.problem.spectral import eigenvalues
from spcabench.vectors import Array

# number of chunks of evaluations; they aim at the fraction NEAR of the present bound
CHUNKS, NEAR = 12, 0.8


def minimised(S: Array, shape: Shape) -> tuple[float, Array]:
    """Return the smallest bound found, with its U (n, n)."""
    unit = eigenvalues(S)[-1]
    if unit <= 0.0:
        U = np.zeros_like(S)
        return dual_value(S, U, shape), U
    low = start(S / unit, shape, False)
    for _ in range(CHUNKS):
        low.descend(NEAR * low.value)
    return low.value * unit, low.certificate * unit
