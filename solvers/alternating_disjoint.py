"""Alternating search for components on disjoint supports.

The alternation of Cory-Wright and Pauphilet (2022), Algorithm 2, for another constraint: component
t is the sparse component of the variables that no other component uses, and all are found in turn
until none improves. The sum of the variances never falls.

Differs from the paper in:

1. Supports are disjoint in place of loadings orthogonal, so there is no penalty to raise.
2. Where no component improves alone, each gives up each of its variables to each other one in turn,
   until the sum of the two rises.
3. One component is found by swaps of one variable, tested exactly, from the last support and from
   the k largest entries of the row of the largest variance; in the paper by an exact search.
"""

from itertools import permutations

import numpy as np

from spcabench import validate
from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.methods.swaps import Columns
from spcabench.vectors import support

TRAITS = Traits(control="cardinality", components="joint", formulation="disjoint")
FACTS = Facts(
    authors="Cory-Wright and Pauphilet",
    title="Sparse PCA with multiple components",
    venue="arXiv:2209.14790",
    year=2022,
    address="https://doi.org/10.48550/arXiv.2209.14790",
    cost="9 k^3 + n k^2 a swap",
    code="none: it is ours",
    reproduced="none: it is ours",
)
COLOUR = "#8C6D31"
EXAMPLE = dict(k=10)
STOP = "end"
GAIN = 1e-9  # relative: a smaller one is rounding


def solve(problem, *, k: int, components: int = 1, cardinalities: list[int] | None = None):
    """Yield x (n,), the first component, and Z (n, q), all of them.

    components : q, at most n. Each has at most k variables, and leaves one for each after it.
    cardinalities : one for each component, up to k; k each unless given.
    """
    if not 1 <= components <= problem.n:
        raise InputError(f"components: {components}; it must be from 1 to n = {problem.n}")
    ks = validate.cardinalities(cardinalities, components, k)
    Sigma = Columns(problem.covariance)  # (n, n)
    X, last = np.zeros((problem.n, components)), -np.inf  # (n, q)
    for t in range(components):
        most = min(ks[t], int(unused(X, ()).sum()) - (components - t - 1))
        X[:, t] = on(Sigma, X[:, t], unused(X, ()), most)
    while True:
        for t in range(components):
            X[:, t] = on(Sigma, X[:, t], unused(X, [t]), ks[t])
        variances = np.array([variance(Sigma, x) for x in X.T])
        falling = -variances if cardinalities is None else np.zeros(components)
        Z = X[:, np.argsort(falling, kind="stable")]
        value = float(variances.sum())
        yield Iterate(Z[:, 0], Z=Z, extra={"objective": value})
        stalled = value <= last + GAIN * abs(value)
        if stalled and not any(gives_up(Sigma, X, s, t, ks) for s, t in pairs(components)):
            return
        last = value


def pairs(count):
    """All ordered pairs of different components."""
    return permutations(range(count), 2)


def unused(X, excepted):
    """The variables (n,) that no column of X (n, q) uses but those that are excepted."""
    return np.logical_not(np.delete(X, list(excepted), axis=1).any(axis=1))


def variance(Sigma, x):
    """x'Sigma x."""
    return float(x @ (Sigma.Sigma @ x))


def on(Sigma, x, free, k):
    """A sparse component (n,) on the free variables, x (n,) the last one."""
    k = min(k, int(free.sum()))
    return (
        Sigma.component(x, np.zeros((len(x), 0)), np.zeros(0), k, free) if k else np.zeros_like(x)
    )


def gives_up(Sigma, X, s, t, ks):
    """Whether component s gains, together with t, by giving up a variable; X (n, q) is changed."""
    x, y = X[:, s].copy(), X[:, t].copy()
    least = (variance(Sigma, x) + variance(Sigma, y)) * (1.0 + GAIN)
    for i in support(x):
        free = unused(X, [s])
        free[i] = False
        X[:, s] = on(Sigma, np.where(free, x, 0.0), free, ks[s])
        X[:, t] = on(Sigma, y, unused(X, [t]), ks[t])
        if variance(Sigma, X[:, s]) + variance(Sigma, X[:, t]) > least:
            return True
        X[:, s], X[:, t] = x, y
    return False
