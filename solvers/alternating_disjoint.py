"""Alternating search for components on disjoint supports.

Cory-Wright and Pauphilet (2022), Algorithm 2, with a different constraint: component t is the
leading sparse component on the variables that no other component uses. The components are updated
in turn until no component improves. The sum of their variances never decreases.

Differences from the paper:

1. The supports are disjoint, whereas the paper requires orthogonal loadings. No penalty is needed.
2. When no component improves on its own, the search moves a variable from one component to another
   component if this increases the sum of the two variances. It tries every variable and every pair
   of components.
3. Each component is found by swaps of two variables, each evaluated exactly. The search starts from
   the previous support and from the k largest entries in the row of the variable with the largest
   variance. The paper uses an exact search.
"""

from itertools import permutations

import numpy as np

from spcabench import validate
from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.methods.swaps import Columns
from spcabench.vectors import support

TRAITS = Traits(
    control="cardinality",
    components="joint",
    formulation="disjoint",
    same_for_one="alternating_deflation",
)
FACTS = Facts(
    paper_of="alternating_deflation",
    cost="9 k^3 + n k^2 per swap",
    code="none: this suite's own method",
    reproduced="none: this suite's own method",
)
COLOUR = "#8C6D31"
EXAMPLE = dict(k=10)
STOP = "end"
GAIN = 1e-9  # relative; smaller gains are attributed to rounding


def solve(problem, *, k: int, components: int = 1, cardinalities: list[int] | None = None):
    """Yield the first component x (n,) and all components Z (n, q).

    components : the number q of components, at most n. Each component has at most k variables and
        leaves at least one variable for each later component.
    cardinalities : the cardinality of each component, at most k; by default k.
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
    """Return all ordered pairs of different components."""
    return permutations(range(count), 2)


def unused(X, excepted):
    """Return a mask (n,) of the variables unused by all columns of X (n, q) but ``excepted``."""
    return np.logical_not(np.delete(X, list(excepted), axis=1).any(axis=1))


def variance(Sigma, x):
    """Return x'Sigma x."""
    return float(x @ (Sigma.Sigma @ x))


def on(Sigma, x, free, k):
    """Return a sparse component (n,) on the free variables; x (n,) is the previous component."""
    k = min(k, int(free.sum()))
    return (
        Sigma.component(x, np.zeros((len(x), 0)), np.zeros(0), k, free) if k else np.zeros_like(x)
    )


def gives_up(Sigma, X, s, t, ks):
    """Try to increase the variance of components s and t by removing a variable from s.

    Update X (n, q) and return True at the first improvement.
    """
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
