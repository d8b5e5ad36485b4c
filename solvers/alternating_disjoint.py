"""Alternating search for components on disjoint supports.

The alternation of Cory-Wright and Pauphilet (2022), Algorithm 2, with a different constraint:
component t is the sparse component on the variables that no other component uses. All components
are updated in turn until none improves. The sum of the variances never falls.

Differs from the paper in:

1. Supports are disjoint instead of loadings being orthogonal, so no penalty has to be raised.
2. When no component can improve alone, each component gives up each of its variables in turn, to
   each other component, until the sum of the two variances rises.
3. Each component is found by single swaps, tested exactly, starting from the last support and from
   the k largest entries of the row of the largest variance. The paper uses an exact search.
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
GAIN = 1e-9  # relative; a smaller gain counts as rounding


def solve(problem, *, k: int, components: int = 1, cardinalities: list[int] | None = None):
    """Yield x (n,), the first component, and Z (n, q), all of them.

    components : q, at most n. Each has at most k variables, and leaves at least one for each later
        one.
    cardinalities : one for each component, at most k; by default k for each.
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
    """The variables (n,) that no column of X (n, q) uses, not counting the excepted columns."""
    return np.logical_not(np.delete(X, list(excepted), axis=1).any(axis=1))


def variance(Sigma, x):
    """x'Sigma x."""
    return float(x @ (Sigma.Sigma @ x))


def on(Sigma, x, free, k):
    """A sparse component (n,) on the free variables; x (n,) is the last one found."""
    k = min(k, int(free.sum()))
    return (
        Sigma.component(x, np.zeros((len(x), 0)), np.zeros(0), k, free) if k else np.zeros_like(x)
    )


def gives_up(Sigma, X, s, t, ks):
    """Whether components s and t together gain if s gives up a variable; changes X (n, q)."""
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
