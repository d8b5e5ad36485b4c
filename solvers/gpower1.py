"""Generalized power method with the l1 penalty, for a single component (GPower1).

Journee, Nesterov, Richtarik, Sepulchre (2010), Algorithm 2; Kuleshov (2013), Algorithm 4.

Differences from the paper:

1. gamma is absolute, not a fraction of max ||a_i||.
2. There is no pattern filling at the end; instead the harness refits the answer on request.
"""

from spcabench.iterate import Facts, Iterate, Traits
from spcabench.vectors import Vector, normalize, soft_threshold

TRAITS = Traits(control="penalty", accepts="data", penalty="gamma")
FACTS = Facts(
    authors="Journee, Nesterov, Richtarik, Sepulchre",
    title="Generalized power method for sparse principal component analysis",
    venue="JMLR 11",
    year=2010,
    address="https://jmlr.org/papers/volume11/journee10a/journee10a.pdf",
    cost="m n + m k",
    code=("GPower (MATLAB), formerly on www.montefiore.ulg.ac.be/~journee, not available"),
)
COLOUR = "#0072B2"
EXAMPLE = dict(k=10)


def penalty_range(problem):
    """Return a range of penalties over which the cardinality falls from n to 1."""
    top = float(problem.data.squared_norms().max()) ** 0.5
    return 1e-6 * top, top


def solve(problem, *, gamma: float, start: Vector | None = None):
    """Yield unit loadings z (n,).

    The objective is sum_i [|a_i'x| - gamma]_+^2 over x in the unit sphere of R^m.

    gamma : entry i of z is zero if |a_i'x| <= gamma.
    start : initial loadings z (n,), from which x = A z, normalised.
    """
    A = problem.data  # (m, n)
    x = A.largest_column() if start is None else normalize(A @ start)  # (m,)
    while True:
        z = soft_threshold(A.T @ x, gamma)  # (n,)
        yield Iterate(normalize(z), extra={"objective": float(z @ z)})
        x = normalize(A @ z)
