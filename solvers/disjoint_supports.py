"""Exact search for components on disjoint supports, for n up to 20.

By definition, the optimum is the choice of disjoint supports of k variables with the largest sum of
variances. Supports are tried in order of decreasing variance. A partial choice is dropped if its
sum cannot exceed the best sum even when each remaining component has the variance of the next
support.
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
    same_for_one="brute_force",
    exact=True,
    largest=20,
)
FACTS = Facts(
    cost="9 k^3 per support, n choose k supports",
    code="none: it follows the definition",
    reproduced="none: it follows the definition",
)
EXAMPLE = dict(k=3)
STOP = "end"


def solve(problem, *, k: int, components: int = 1):
    """Yield the first component x (n,) and all components Z (n, q) with the best sum so far.

    components : the number q of components, at most n. Supports have exactly k variables, because
        fewer variables are never better. If q k exceeds n, supports of 1 to k variables are tried.
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
    """Return masks (b, n) of the variables in supports (b, k)."""
    masks = np.zeros((len(supports), n), dtype=bool)
    np.put_along_axis(masks, supports, True, axis=1)
    return masks


def choices(values, used, count, best, spent=0.0, first=0, free=True):
    """Yield choices of ``count`` disjoint supports with a sum above the best so far.

    Each choice consists of the sum and the indices of the supports.

    values : variances of the supports (b,), in decreasing order.
    used : masks of the variables of the supports (b, n).
    best : the best sum (1,), updated by the caller.
    spent : sum of the variances of the supports already chosen.
    first : index of the first support to consider.
    free : mask (b,) of the supports that are disjoint from those already chosen.
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
