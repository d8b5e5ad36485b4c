"""Exact search for components on disjoint supports, for n up to 20.

The definition of the problem: all supports of k variables, in order of falling value; of every
choice of disjoint ones the largest sum. A sum is not followed further where even the value of the
next support, taken for all components left, would not exceed the best.

Cost: 9 k^3 a support, n over k supports.

Code: none: it is the definition.

Reproduced: none: it is the definition.
"""

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Iterate, Traits
from spcabench.problem.spectral import principal_blocks
from spcabench.vectors import embed

TRAITS = Traits(
    control="cardinality",
    accepts="covariance",
    components="joint",
    formulation="disjoint",
    exact=True,
)
EXAMPLE = dict(k=3)
STOP = "end"
LARGEST = 20


def solve(problem, *, k, components=1):
    """Yield x (n,), the first component, and Z (n, q), all of them: the best sum so far.

    components : q, with q k at most n: larger supports are never worse.
    """
    n = problem.n
    if n > LARGEST or not 1 <= components * k <= n:
        raise InputError(
            f"n, components: {n} variables, {components} supports of {k}; allowed are at most "
            f"{LARGEST} variables, and supports that all fit into them"
        )
    supports, loadings, values = (
        np.concatenate(parts) for parts in zip(*principal_blocks(problem.matrix.S, k), strict=True)
    )
    order = np.argsort(-values, kind="stable")
    values = values[order]
    used = np.zeros((len(order), n), dtype=bool)  # the variables of each support
    np.put_along_axis(used, supports[order], True, axis=1)
    best = np.array([-np.inf])  # the largest sum so far, which `choices` looks at
    for total, chosen in choices(values, used, components, best):
        best[0] = total
        Z = np.column_stack([embed(loadings[order[i]], supports[order[i]], n) for i in chosen])
        yield Iterate(Z[:, 0], Z=Z)


def choices(values, used, count, best, spent=0.0, first=0, free=True):
    """Sums of ``count`` disjoint supports, each above the best so far, with their places.

    values : of the supports (b,), falling. used : their variables (b, n). best : (1,), renewed by
    the caller. spent : the values of those chosen before. first : place from which on supports are
    taken. free : mask of the places (b,) that are disjoint from those chosen before.
    """
    free = np.full(len(values), True) & free
    for i in np.flatnonzero(free[first:]) + first:
        total = spent + values[i]
        if spent + count * values[i] <= best[0]:
            return
        if count == 1:
            yield total, [i]
            return
        left = free & ~used[:, used[i]].any(axis=1)
        for whole, chosen in choices(values, used, count - 1, best, total, i + 1, left):
            yield whole, [i, *chosen]
