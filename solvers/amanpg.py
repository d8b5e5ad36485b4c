"""Alternating manifold proximal gradient method for sparse PCA (AManPG).

Chen, Ma, Xue, Zou (2020): minimise tr(B'Sigma B) - 2 tr(A'Sigma B) + lambda_2 ||B||^2 + lambda_1
||B||_1 over A, B (n, q) with A'A = I. For lambda_2 = inf, the objective is ||B||^2 - 2
tr(A'Sigma B) + lambda_1 ||B||_1. Each iteration takes a proximal gradient step for B, and then a
gradient step for A on the Stiefel manifold.

Differences from the paper:

1. All components have the same lambda_1.
2. Sigma and both penalties are divided by the largest eigenvalue internally, so the steps do not
   depend on the scale of the data.
3. If lambda_2 is finite, the step size of B is 1 / L, where L is the Lipschitz constant of the
   gradient. There is no line search.
4. The solver stops when the relative change of the objective is below 1e-6. The authors' package
   stops when the absolute change is below 1e-5.
"""

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.steps import polar, stiefel_gradient, unit_columns
from spcabench.vectors import soft_threshold

TRAITS = Traits(control="penalty", penalty="lambda_1", components="joint")
FACTS = Facts(
    authors="Chen, Ma, Xue, Zou",
    title=(
        "An alternating manifold proximal gradient method for sparse principal component "
        "analysis and sparse canonical correlation analysis"
    ),
    venue="INFORMS Journal on Optimization 2",
    year=2020,
    address="https://doi.org/10.1287/ijoo.2019.0032",
    cost="2 n^2 q",
    code=(
        "AManPG, https://github.com/chenshixiang/AManPG (MATLAB), amanpg, "
        "https://cran.r-project.org/package=amanpg (R)"
    ),
    reproduced=(
        "the fractions of zeros in the package's vignette: 49.05 % (vignette: 49.1 %) and "
        "25.65 % (25.3 %)"
    ),
)
EXAMPLE = dict(k=10)
STOP, TOL = "objective", 1e-6
SHRINK, GROW, ARMIJO, SHORTEST = 0.5, 1.1, 1e-3, 1e-5


def penalty_range(problem):
    """Return a range of penalties over which the cardinality falls from n to 1."""
    top, v = problem.covariance.leading()
    high = 2.0 * float(top * np.abs(v).max())
    return 1e-6 * high, high


def solve(problem, *, lambda_1: float, lambda_2: float = np.inf, components: int = 1):
    """Yield the first component x (n,) and all components Z (n, q), the normalised columns of B.

    lambda_1, lambda_2 : weights of ||B||_1 and of ||B||^2.
    components : the number q of components.
    """
    if not 1 <= components <= problem.n:
        raise InputError(f"components: {components}; it must be from 1 to n = {problem.n}")
    Sigma = problem.covariance  # (n, n)
    w, A = Sigma.leading_pairs(components)  # (n, q)
    unit = w[0] if w[0] > 0.0 else 1.0
    lambda_1, lambda_2 = lambda_1 / unit, lambda_2 / unit
    B, tau = A, 1.0
    SA = SB = Sigma.products(A) / unit
    while True:
        Z = unit_columns(B)
        yield Iterate(Z[:, 0], Z=Z, extra={"objective": F(A, B, SB, lambda_1, lambda_2)})
        if np.isinf(lambda_2):
            B = soft_threshold(SA, lambda_1 / 2.0)
        else:
            t = 0.5 / (1.0 + lambda_2)
            B = soft_threshold(B - 2.0 * t * (SB - SA + lambda_2 * B), lambda_1 * t)
        SB = Sigma.products(B) / unit
        A, tau = retracted(A, SB, tau)
        SA = Sigma.products(A) / unit


def F(A, B, SB, lambda_1, lambda_2):
    """Return the objective; SB is Sigma B."""
    quadratic = (B * B).sum() if np.isinf(lambda_2) else (B * (SB + lambda_2 * B)).sum()
    return float(quadratic - 2.0 * (A * SB).sum() + lambda_1 * np.abs(B).sum())


def retracted(A, SB, tau):
    """Take a gradient step on the Stiefel manifold; return A and the next step size to try.

    The step size follows Armijo's rule. The function of A is -2 tr(A'Sigma B). With G = -2 Sigma B,
    its gradient on the manifold is D = G - A G'A. The retraction is the polar factor.
    """
    G = -2.0 * SB
    D = stiefel_gradient(G, A)
    slope = ARMIJO * (D * D).sum()
    while tau > SHORTEST:
        new = polar(A - tau * D)
        if (G * (new - A)).sum() <= -tau * slope:
            return new, GROW * tau
        tau *= SHRINK
    return A, 1.0
