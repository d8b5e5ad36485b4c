"""Row-sparse principal subspace (FSPCA): all components share one support.

Tian, Nie, Wang, Li (2020), Algorithm 2 (IPU): maximise tr(W'Sigma W) over W (n, q) with orthonormal
columns and at most k nonzero rows. The proxy P = Sigma W (W'Sigma W)^+ W'Sigma has rank q, and
Sigma - P is positive semidefinite. The best support for P consists of the k largest entries of its
diagonal (Algorithm 1). W is then set to the q leading eigenvectors on that support. The objective
never decreases. The first support comes from Algorithm 1 for the best rank-q approximation of
Sigma.

Differences from the paper:

1. The solver stops when the objective no longer increases; the authors' code runs 20 iterations.
"""

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.steps import principal_components
from spcabench.vectors import largest_indices

TRAITS = Traits(control="cardinality", components="joint", formulation="common")
FACTS = Facts(
    authors="Tian, Nie, Wang, Li",
    title="Learning feature sparse principal subspace",
    venue="NeurIPS",
    year=2020,
    address="https://mlanthology.org/neurips/2020/tian2020neurips-learning-a",
    cost="n k q + 9 k^3",
    code="FSPCA, https://github.com/tianlaics/FSPCA (MATLAB)",
    reproduced="no number of its paper is available",
)
COLOUR = "#7B4FA3"
EXAMPLE = dict(k=10)
STOP = "end"
ROUNDING = 1e-12  # relative; smaller gains are attributed to rounding


def solve(problem, *, k: int, components: int = 1):
    """Yield the first component x (n,) and Z (n, q), the leading eigenvectors on one support.

    If the rank of Sigma is below q, the last components are zero.

    k : number of variables in the common support.
    components : the number q of components, at most k.
    """
    if not 1 <= components <= k:
        raise InputError(f"components: {components}; it must be from 1 to k = {k}")
    Sigma = problem.covariance  # (n, n)
    variances = Sigma.diagonal()
    w, W = principal_components(Sigma, components)  # (q,), (n, q)
    proxy, last, Z = diagonal(W * w, w), -np.inf, np.zeros((problem.n, components))
    while True:
        rows = largest_indices(proxy, k, variances.take)  # Algorithm 1
        w, W = principal_components(Sigma[rows], components)  # (q,), (k, q)
        value = float(w.sum())
        gained = value > last * (1.0 + ROUNDING)
        if gained:
            Z, last = np.zeros((problem.n, components)), value
            Z[rows] = W
        yield Iterate(Z[:, 0], Z=Z, extra={"objective": last})
        if not gained:
            return
        proxy = diagonal(Sigma.products(Z), w)


def diagonal(SW, w):
    """Return the diagonal (n,) of the proxy SW diag(w)^+ SW'; for eigenvectors, W'SW = diag(w)."""
    positive = w > 0.0
    return (np.asarray(SW)[:, positive] ** 2 / w[positive]).sum(axis=1)
