"""Exact search for components on disjoint supports, for n up to 20.

The definition of the problem: among all choices of disjoint supports of k variables, find the
largest sum of values. Supports are listed by falling value. A partial choice is abandoned if even
the value of the next support, for each component still to choose, would not beat the best sum.
"""

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.problem.spectral import principal_blocks
from spcabench.vectors import embed

TRAITS = Traits(
    control="cardinality",
    accepts="covariance",
    components="joint",
    formulation="disjoint",
    exact=True,
    largest=20,
)
FACTS = Facts(
    cost="9 k^3 a support, n over k supports",
    code="none: it is the definition",
    reproduced="none: it is the definition",
)
EXAMPLE = dict(k=3)
STOP = "end"


def solve(problem, *, k: int, components: int = 1):
    """Yield x (n,), the first component, and Z (n, q), all of them, for the best sum so far.

    components : q, at most n. Supports have k variables, which is never worse than fewer; only if q
        k exceeds n are supports of 1 to k variables tried.
    """
    n = problem.n
    if not 1 <= components <= n:
        raise InputError(f"components: {components}; it must be from 1 to n = {n}")
    sizes = (k,) if components * k <= n else range(1, k + 1)
    batches = [batch for size in sizes for batch in principal_blocks(problem.matrix.S, size)]
    supports = [W for rows, _, _ in batches for W in rows]
    loadings = [x for _, rows, _ in batches for x in rows]
    values = np.concatenate([part for _, _, part in batches])
    used = np.concatenate([variables(rows, n) for rows, _, _ in batches])
    order = np.argsort(-values, kind="stable")
    best = np.array([-np.inf])  # the largest sum so far, read by `choices`
    for total, chosen in choices(values[order], used[order], components, best):
        best[0] = total
        Z = np.column_stack([embed(loadings[order[i]], supports[order[i]], n) for i in chosen])
        yield Iterate(Z[:, 0], Z=Z)


def variables(supports, n):
    """The variables of each support (b, k), as masks (b, n)."""
    masks = np.zeros((len(supports), n), dtype=bool)
    np.put_along_axis(masks, supports, True, axis=1)
    return masks


def choices(values, used, count, best, spent=0.0, first=0, free=True):
    """Sums of ``count`` disjoint supports, each above the best so far, with the supports' indices.

    values : values of the supports (b,), falling. used : masks of their variables (b, n). best :
        the best sum (1,), updated by the caller. spent : sum of the values already chosen. first :
        index of the first support to consider. free : mask (b,) of the supports that are disjoint
        from those already chosen.
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
