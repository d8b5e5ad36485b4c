"""The spannogram sampled: the best component of a rank-d approximation by an epsilon-net.

Asteris, Papailiopoulos, Dimakis, "Nonnegative sparse PCA with provable guarantees", ICML 2014, Algorithm 3.

Differs from the paper in:

1. It begins with the ranks below d, at about a tenth of the time: they serve the bound (section 7), not the answer.
2. Option samples="sharp": as many as the guarantee needs with probability 1 - 1/n, in place of ceil(eps^-d ln n).
3. Option polish: the answer is improved by alternation (ours).
"""

import numpy as np

from spcabench.iterate import Iterate, Traits
from spcabench.lowrank import climb, nets

TRAITS = Traits(control="cardinality", accepts="either", nonnegative=True)
COLOUR = "#009E73"
EXAMPLE = dict(k=10)
STOP = "end"
MAX_ITERATIONS = 10**9


def solve(problem, *, k, d=3, eps=0.1, samples="paper", polish=False, nonnegative=False, seed=0):
    """Yield unit k-sparse x (n,), the best of the samples so far, after each batch of them.

    d, eps : rank of the approximation; the value on it is at least 1 - eps of the best, with probability 1 - 1/n.
    samples : their number, "paper" or "sharp".
    polish : then c <- V'x / ||V'x||, x <- best for V c, until the value stays.
    nonnegative : x >= 0.

    The last one has the bound x'A_d x / (1 - eps) + lambda_{d+1}, the smallest over the ranks up to d.
    """
    for net in nets(problem.covariance, np.array([k]), d, eps, samples, seed, nonnegative):
        x = net.x()
        yield Iterate(x, bound_whp=float(net.bound[0]), phase=f"rank {net.V.shape[1]}")
    for better in climb(net.V, x, k, nonnegative) if polish else ():
        yield Iterate(better, bound_whp=float(net.bound[0]), phase="polish")
