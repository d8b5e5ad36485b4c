"""Generalized Rayleigh quotient iteration (GRQI).

Kuleshov (2013), Algorithm 1.

Differences from the paper:

1. The shifted system is solved in bordered form, which gives the same direction, remains
   nonsingular at convergence and preserves the sign. If even the bordered system is singular, x
   remains unchanged.
2. The start is projected before the first step; the paper projects only at the end of each step.
3. The paper starts from the largest column of Sigma. If the data are too large in both dimensions
   to find it, the start is the column of the variable with the largest variance.
"""

from itertools import count

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Traits
from spcabench.vectors import Vector, embed, project, support

TRAITS = Traits(control="cardinality", accepts="either")
FACTS = Facts(
    authors="Kuleshov",
    title=(
        "Fast algorithms for sparse principal component analysis based on Rayleigh quotient "
        "iteration"
    ),
    venue="ICML",
    year=2013,
    address="https://proceedings.mlr.press/v28/kuleshov13.html",
    cost="k^3 + 2 k^2 + n k",
    code="generalized-rayleigh-quotient, https://github.com/kuleshov/generalized-rayleigh-quotient",
)
COLOUR = "#D55E00"
MAX_ITERATIONS = 150  # as in the author's code
EXAMPLE = dict(k=10)


def solve(
    problem,
    *,
    k: int,
    J: float = np.inf,
    mu: str = "projected",
    mu_0: float | None = None,
    start: Vector | None = None,
):
    """Yield k-sparse unit vectors x (n,).

    k : cardinality of every iterate.
    J : number of iterations that end with a power step (J = inf in the paper's experiments).
    mu : the Rayleigh quotient used as the shift: "projected" computes it from the projected iterate
        (the paper's text), "carried" from the vector before the power step (the author's code).
    mu_0 : the first shift; by default the Rayleigh quotient of the start (section 2.2).
    """
    if mu not in ("projected", "carried"):
        raise InputError(f"mu: {mu!r}; choose 'projected' or 'carried'")
    Sigma = problem.covariance  # (n, n)
    x = project(Sigma.largest_column() if start is None else start, k)  # section 2.2
    yield x
    shift = mu_0
    for j in count():
        W = support(x)  # working indices
        Sigma_W = Sigma[W]
        y = Sigma_W.rayleigh_step(x[W], shift)  # (|W|,)
        shift = Sigma_W.quotient(y) if mu == "carried" else None
        x = project(Sigma_W.power_step(y) if j < J else embed(y, W, problem.n), k)
        yield x
