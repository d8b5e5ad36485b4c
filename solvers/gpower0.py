"""Generalized power method with the l0 penalty, for a single component (GPower0).

Journee, Nesterov, Richtarik, Sepulchre (2010), Algorithm 3; Kuleshov (2013), Algorithm 3.

Differences from the paper:

1. gamma is absolute, not a fraction of max ||a_i||^2.
2. The solver does not refit its answer; the harness does on request.
"""

import numpy as np

from spcabench.iterate import Facts, Iterate, Traits
from spcabench.vectors import Vector, hard_threshold, normalize

TRAITS = Traits(control="penalty", accepts="data", penalty="gamma")
FACTS = Facts(
    paper_of="gpower1",
    cost="m n + m k",
)
COLOUR = "#56B4E9"
EXAMPLE = dict(k=10)


def penalty_range(problem):
    """Return a range of penalties over which the cardinality falls from n to 1."""
    top = float(problem.data.squared_norms().max())
    return 1e-7 * top, top


def solve(problem, *, gamma: float, start: Vector | None = None):
    """Yield unit loadings z (n,).

    The objective is sum_i [(a_i'x)^2 - gamma]_+ over x in the unit sphere of R^m.

    gamma : entry i of z is zero if (a_i'x)^2 <= gamma.
    start : initial loadings z (n,), from which x = A z, normalised.
    """
    A = problem.data  # (m, n)
    x = A.largest_column() if start is None else normalize(A @ start)  # (m,)
    while True:
        z = hard_threshold(A.T @ x, gamma)  # (n,)
        yield Iterate(normalize(z), extra={"objective": float(z @ z) - gamma * np.count_nonzero(z)})
        x = normalize(A @ z)
