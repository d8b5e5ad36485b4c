"""Nonnegative sparse PCA by coordinate ascent (NSPCA).

Zass and Shashua (2006): maximise F(U) = tr(U'Sigma U) / 2 - alpha ||I - U'U||^2 / 4 - beta sum_rs
u_rs over U >= 0 (n, q). The q components are found jointly. In each sweep, every entry u_rs in turn
takes its best value while the others are fixed: F is a quartic in u_rs, so this value is zero or a
root of a cubic (`methods.coordinate_ascent`).

Differences from the paper:

1. alpha is in units of lambda_1, so one value suits every problem.
2. Variables are visited by increasing variance, so the last remaining variable is the one with the
   largest variance.
3. Several random starts are run in parallel. The answer is the U with the largest F, with
   normalised columns.
"""

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.methods.coordinate_ascent import Ascent, Objective, leading_value
from spcabench.vectors import falling_order, first_largest, normalize

TRAITS = Traits(control="penalty", penalty="beta", nonnegative="always", components="joint")
FACTS = Facts(
    authors="Zass and Shashua",
    title="Nonnegative sparse PCA",
    venue="NIPS",
    year=2006,
    cost=(
        "n for each of the n q entries that changes in a sweep, or 2 m if the input is data; "
        "five starts"
    ),
    code="none found",
)
COLOUR = "#E69F00"
EXAMPLE = dict(k=10)
STOP, MAX_ITERATIONS = "end", 100
ALPHA = 10.0


def penalty_range(problem):
    """Return a range of penalties over which the cardinality falls from n to 1.

    At the upper end of the range, the optimum for a single variable, which has the largest variance
    a, drops to zero.
    """
    Sigma = problem.covariance
    d = Sigma.diagonal()
    a, alpha = float(d.max()), ALPHA * leading_value(Sigma, d)
    high = (a + alpha) / 3.0 * np.sqrt(2.0 * (a + alpha) / (3.0 * alpha))
    return 1e-6 * high, high


def solve(
    problem,
    *,
    beta: float,
    alpha: float = ALPHA,
    components: int = 1,
    restarts: int = 5,
    tol_F: float = 1e-9,
    seed: int = 0,
):
    """Yield x (n,) and Z (n, q), nonnegative with unit columns.

    x is the column of Z with the largest variance.

    beta, alpha : weights of sparsity and of orthonormality; alpha is in units of lambda_1.
    components : the number q of components.
    tol_F : a start has converged when the relative change in F per sweep is below this tolerance.
    """
    if min(restarts, components) < 1:
        raise InputError(
            f"restarts, components: {restarts}, {components}; at least 1 of each is needed"
        )
    Sigma = problem.covariance  # (n, n)
    a = Sigma.diagonal()  # (n,)
    order = falling_order(a, Sigma.column_squares)[::-1]  # ties are broken by |Sigma e_j|
    F = Objective(problem, a, alpha * leading_value(Sigma, a), beta)
    rng = np.random.default_rng(seed)
    starts = [Ascent(F, random_start(order, components, rng)) for _ in range(restarts)]
    yield loadings(starts[0])
    moving = starts
    while moving:
        moving = [start for start in moving if start.sweep(order, tol_F)]
        yield loadings(starts[first_largest(np.array([start.F for start in starts]))])


def random_start(order, q, rng):
    """Return a random U >= 0 (n, q).

    It is drawn in visiting order, so reordering the variables changes nothing.
    """
    U = np.empty((len(order), q))
    U[order] = np.abs(rng.standard_normal(U.shape))
    return U


def loadings(ascent):
    """Return the columns of U (n, q), normalised and ordered by decreasing variance."""
    U = ascent.U
    norms = np.sqrt((U * U).sum(axis=0))
    scale = np.where(norms > 0.0, norms, 1.0)
    Z = (U / scale)[:, falling_order(ascent.variances() / scale**2)]
    return Iterate(normalize(Z[:, 0]), Z=Z)
