"""Sparse PCA by variable projection.

Erichson, Zheng, Manohar, Brunton, Kutz, Aravkin (2020), Algorithm 1: minimise ||X - X B A'||^2 / 2
+ alpha ||B||_1 + beta ||B||^2 / 2 over A, B (n, q) with A'A = I. A is the polar factor of X'X B,
and B takes a proximal gradient step.

Differences from the paper:

1. alpha and beta are in units of the largest eigenvalue of X'X, as in the authors' package.
2. The returned columns of B are normalised.
3. The solver stops when the relative change of the objective is below 1e-5, as in the authors'
   package.
"""

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.steps import polar, unit_columns
from spcabench.vectors import soft_threshold

TRAITS = Traits(control="penalty", penalty="alpha", components="joint")
FACTS = Facts(
    authors="Erichson, Zheng, Manohar, Brunton, Kutz, Aravkin",
    title="Sparse principal component analysis via variable projection",
    venue="SIAM Journal on Applied Mathematics 80",
    year=2020,
    address="https://doi.org/10.1137/18M1211350",
    cost="2 n^2 q",
    code="spca, https://github.com/erichson/spca (R)",
    reproduced="the numbers of nonzeros in the package's test: 4, 4 and 2",
)
EXAMPLE = dict(k=10)
STOP, TOL = "objective", 1e-5


def penalty_range(problem):
    """Return a range of penalties over which the cardinality falls from n to 1."""
    _, v = problem.covariance.leading()
    top = float(np.abs(v).max())
    return 1e-6 * top, top


def solve(problem, *, alpha: float, beta: float = 1e-4, components: int = 1):
    """Yield the first component x (n,) and all components Z (n, q), the normalised columns of B.

    alpha, beta : weights of ||B||_1 and of ||B||^2 / 2, in units of the largest eigenvalue.
    components : the number q of components.
    """
    if not 1 <= components <= problem.n:
        raise InputError(f"components: {components}; it must be from 1 to n = {problem.n}")
    Sigma = problem.covariance  # (n, n), X'X
    w, A = Sigma.leading_pairs(components)  # (n, q)
    unit = w[0] if w[0] > 0.0 else 1.0
    total = Sigma.diagonal().sum()
    B, SB = A, Sigma.products(A)
    while True:
        Z = unit_columns(B)
        fit = 0.5 * (total - ((2.0 * A - B) * SB).sum())
        penalties = unit * (alpha * np.abs(B).sum() + 0.5 * beta * (B * B).sum())
        yield Iterate(Z[:, 0], Z=Z, extra={"objective": float(fit + penalties)})
        A = polar(SB)
        descent = (Sigma.products(A) - SB) / unit - beta * B
        B = soft_threshold(B + descent / (1.0 + beta), alpha / (1.0 + beta))
        SB = Sigma.products(B)
