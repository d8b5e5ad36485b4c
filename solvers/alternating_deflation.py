"""Alternating deflation: orthonormal sparse components, updated one at a time.

Cory-Wright and Pauphilet (2022), Algorithm 2: maximise tr(X'Sigma X) subject to X'X = I, with at
most k nonzeros in each column. Component t is the leading sparse component of Sigma - lambda
sum_{s != t} w_s x_s x_s', where w_s is the variance of x_s after the first cycle. The components
are updated in turn while lambda increases. The answer is the best X with sum |X'X - I| <= 1e-4.
As in the authors' code, lambda increases by 0.01 sum |X'X - I| after each of the first 15 % of the
cycles, and by 0.01 tr(X'Sigma X) / sum |X'X - I| later, or 0.05 times this ratio in the last
quarter.

Differences from the paper:

1. Each component is found by swaps of two variables, each evaluated exactly. The search starts from
   the previous support and from the k largest entries in the row of the variable with the largest
   variance. The paper uses an exact search. The authors' package msPCA uses the truncated power
   method from random starts, which hardly moves once lambda is large.
2. tr(X'Sigma X) is in units of the mean variance, so the steps do not depend on the scale of the
   data. For a correlation matrix, they equal the paper's steps.
3. The first candidate has disjoint supports: each component uses only variables that the earlier
   components do not use. It is orthonormal, so an answer exists from the start.
"""

import numpy as np

from spcabench import validate
from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.methods.swaps import Columns

TRAITS = Traits(control="cardinality", components="joint", formulation="orthonormal")
FACTS = Facts(
    authors="Cory-Wright and Pauphilet",
    title="Sparse PCA with multiple components",
    venue="arXiv:2209.14790",
    year=2022,
    address="https://doi.org/10.48550/arXiv.2209.14790",
    cost="9 k^3 + n k^2 per swap",
    code=(
        "MultipleComponentsSoftware, "
        "https://github.com/ryancorywright/MultipleComponentsSoftware (Julia), msPCA, "
        "https://cran.r-project.org/package=msPCA (R)"
    ),
    reproduced=(
        "partly: the variance on pit props, 80.1 %, lies in the range of the package's "
        "benchmark, 78.6 to 82.2 %"
    ),
)
COLOUR = "#C44E52"
EXAMPLE = dict(k=10)
STOP = "end"
ORTHONORMAL, STALLED = 1e-4, 1e-8
SLOW, FAST, LOW, HIGH, LEAST = 0.15, 0.75, 0.01, 0.05, 1e-7


def solve(
    problem,
    *,
    k: int,
    components: int = 1,
    cardinalities: list[int] | None = None,
    cycles: int = 200,
):
    """Yield the first component x (n,) and all components Z (n, q).

    components : the number q of components, at most n.
    cardinalities : the cardinality of each component, at most k; by default, k for all components,
        which are then ordered by decreasing variance.
    cycles : maximum number of cycles; each cycle updates every component once.
    """
    if not 1 <= components <= problem.n or cycles < 1:
        raise InputError(
            f"components, cycles: {components}, {cycles}; they must be from 1 to n = "
            f"{problem.n}, and at least 1"
        )
    ks = validate.cardinalities(cardinalities, components, k)
    Sigma = Columns(problem.covariance)  # (n, n)
    unit = float(Sigma.diagonal.mean())
    X, w = np.zeros((problem.n, components)), np.zeros(components)  # (n, q), (q,)
    Z = apart(Sigma, ks)
    lam, best, last = 0.0, float(variances_of(Sigma, Z).sum()), np.inf
    for cycle in range(1, cycles + 1):
        for t in range(components):
            others = np.arange(components) != t
            X[:, t] = Sigma.component(X[:, t], X[:, others], lam * w[others], ks[t])
        variances = variances_of(Sigma, X)
        w = variances if cycle == 1 else w
        value, off = float(variances.sum()), float(np.abs(X.T @ X - np.eye(components)).sum())
        if off <= ORTHONORMAL and value > best:
            best, Z = value, X[:, order(variances, cardinalities)]
        yield Iterate(Z[:, 0], Z=Z, extra={"lambda": lam, "violation": off})
        if off <= ORTHONORMAL and abs(value - last) <= STALLED * abs(value):
            return
        last = value
        lam += increase(cycle, cycles, value / unit, max(off, LEAST))


def increase(cycle, cycles, value, off):
    """Return the increase of lambda; off is sum |X'X - I|."""
    rate = LOW if cycle < FAST * cycles else HIGH
    return rate * (off if cycle < SLOW * cycles else value / off)


def variances_of(Sigma, X):
    """Return x'Sigma x for each column x of X (n, q)."""
    return np.array([x @ (Sigma.Sigma @ x) for x in X.T])


def order(variances, cardinalities):
    """Return the order by decreasing variance, or the current order if cardinalities are set."""
    return np.argsort(
        -variances if cardinalities is None else np.zeros(len(variances)), kind="stable"
    )


def apart(Sigma, ks):
    """Return components (n, q) on disjoint supports, found one after the other.

    Each component leaves at least one variable for each later component.
    """
    Z = np.zeros((len(Sigma.diagonal), len(ks)))
    nothing, none = Z[:, :0], np.zeros(0)
    for t, k in enumerate(ks):
        free = np.logical_not(Z.any(axis=1))
        most = min(k, int(free.sum()) - (len(ks) - t - 1))
        Z[:, t] = Sigma.component(Z[:, t], nothing, none, most, free)
    return Z
