"""The largest x'Bx over unit x >= 0 with at most k nonzeros, for few variables.

Even for a single support, this is a hard problem. If the best x has no zeros, it is a leading
eigenvector, because no constraint x_i >= 0 is active. Therefore, if the leading eigenvector has
entries of both signs, some best x has a zero, and each variable is left out in turn. A face is
dropped if lambda_1 of its block, or of the positive part of the block, shows that no x on the face
exceeds the value t.
"""

import heapq
from collections.abc import Callable, Iterator
from itertools import count

import numpy as np

from spcabench.methods.exact_search.dual_certificate import TOLERANCE
from spcabench.problem.spectral import largest_eigenvalue, leading_pairs
from spcabench.vectors import Array, Indices

MOST = 1000  # maximum number of faces examined


def nonnegative_bounds(
    B: Array, k: int, t: float, exceeded: Callable[[Indices], float]
) -> Iterator[float]:
    """Yield a bound on x'Bx over such x after each face; the last one is t if no x exceeds t.

    t : the value to be exceeded. exceeded : function that takes the places of a face on which the
    best x is a leading eigenvector, and returns the value to be exceeded from then on.
    """
    order, settled = count(), 0.0
    waiting = [(-np.inf, next(order), np.arange(len(B)), 0)]
    for _ in range(MOST):
        bound, _, F, first = heapq.heappop(waiting)
        block = B[np.ix_(F, F)]
        w, V = leading_pairs(block, 1)
        top = min(-bound, float(w[0]), largest_eigenvalue(np.maximum(block, 0.0)))
        if top > t and len(F) <= k and (V.min() >= -TOLERANCE or V.max() <= TOLERANCE):
            t = max(t, exceeded(F))
            settled = max(settled, top)
        elif top > t:
            # only this place and later ones are left out next, so no face is visited twice
            for place in range(first, len(F)):
                heapq.heappush(waiting, (-top, next(order), np.delete(F, place), place))
        left = -waiting[0][0] if waiting else 0.0
        yield max(t, settled, left)
        if left <= t:
            return
