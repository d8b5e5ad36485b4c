"""The spannogram: the best component of a rank-d approximation, exactly.

Asteris, Papailiopoulos, Dimakis, "Nonnegative sparse PCA with provable guarantees", ICML 2014, Algorithms 1 and 2;
signed components: Asteris, Papailiopoulos, Karystinos (2011).

Differs from the paper in:

1. The supports are met in sweeps round circles on which d - 1 curves share one value, n log n steps each, in place of
   a look at all n curves wherever d of them meet: O(n^d log n) for the supports in all.
2. (P_d) is solved only where lambda_max(V_I'V_I) exceeds the best value so far.
3. It starts from the rank-one solution, improved by alternation.
4. Curves that meet in one point, and equal ones, are parted by a tiny perturbation.
"""

from spcabench import spannogram
from spcabench.iterate import Iterate, Traits
from spcabench.lowrank import low_rank
from spcabench.spectral import product
from spcabench.validate import whole

TRAITS = Traits(control="cardinality", accepts="either", nonnegative=True)
COLOUR = "#7F3C8D"
EXAMPLE = dict(k=10)
STOP = "end"
MAX_ITERATIONS = 10**9


def solve(problem, *, k, d=2, nonnegative=False, shift=False):
    """Yield unit k-sparse x (n,), the last one the maximiser of x'A_d x; its bound on the optimum of Sigma.

    d : rank of the approximation A_d = V V' of Sigma; exact where that is the rank of Sigma.
    nonnegative : x >= 0.
    shift : approximate Sigma - lambda_{d+1} I instead (section 1, "rank-d update"): the bound is never worse.
    """
    w, U = problem.covariance.leading_pairs(whole("d", d, 1) + 1)
    V, rest = low_rank(w, U, d, shift)  # steps 1 and 2: (n, d)
    for x, candidates in spannogram.exact(V, k, nonnegative):  # Algorithm 2, and steps 5 to 9
        yield Iterate(x, extra=dict(candidates=candidates))
    c = product(V.T, x)
    yield Iterate(x, bound=float(c @ c) + rest, extra=dict(candidates=candidates))
