"""The largest x'Bx over unit x >= 0 with at most k nonzeros, for few variables.

Even for a single support this is a hard problem. If the best x has no zero, it is a leading
eigenvector, because no direction is forbidden there. So if the leading eigenvector has two signs,
some best x has a zero, and each variable is left out in turn. A face is abandoned if lambda_1 of
its block, or of the positive part of the block, shows that no x of it exceeds the value to be
exceeded.
"""

import heapq
from collections.abc import Callable
from itertools import count

import numpy as np

from spcabench.problem.spectral import largest_eigenvalue, leading_pairs
from spcabench.vectors import Array, Indices

MOST = 1000  # maximum number of faces examined
SIGN = 1e-9  # eigenvector entries of the other sign below this size are rounding errors


def nonnegative_bound(
    B: Array, k: int, t: float, exceeded: Callable[[Indices], float]
) -> tuple[float, int]:
    """Bound x'Bx over such x (t itself if nothing exceeds t), and return the number of faces too.

    t : the value to be exceeded. exceeded : function that takes the places of a face whose best x
    is a leading eigenvector, and returns the value to be exceeded from then on.
    """
    order, faces, settled = count(), 0, 0.0
    waiting = [(-np.inf, next(order), np.arange(len(B)), 0)]
    while waiting and -waiting[0][0] > t and faces < MOST:
        bound, _, F, first = heapq.heappop(waiting)
        faces += 1
        block = B[np.ix_(F, F)]
        w, V = leading_pairs(block, 1)
        top = min(-bound, float(w[0]), largest_eigenvalue(np.maximum(block, 0.0)))
        if top <= t:
            continue
        if len(F) <= k and (V.min() >= -SIGN or V.max() <= SIGN):
            t = max(t, exceeded(F))
            settled = max(settled, top)
            continue
        # only this place and later ones are left out next, so no face is visited twice
        for place in range(first, len(F)):
            heapq.heappush(waiting, (-top, next(order), np.delete(F, place), place))
    left = -waiting[0][0] if waiting else 0.0
    return max(t, settled, left), faces
