"""Spannogram: the exact best component of a rank-d approximation.

Asteris, Papailiopoulos, Dimakis (2014), Algorithms 1 and 2; signed components: Asteris,
Papailiopoulos, Karystinos (2011).

Differences from the paper:

1. The paper inspects all n curves at every intersection of d curves. Here supports are found by
   sweeping around the circles on which d - 1 curves have the same value. A circle takes n log n
   steps, and all supports take O(n^d log n).
2. (P_d) is solved only if lambda_max(V_I'V_I) exceeds the best value so far.
3. The start is the rank-one solution, improved by alternation.
4. A tiny perturbation separates identical curves and curves that meet in one point.
"""

from itertools import combinations
from itertools import product as every
from math import comb

import numpy as np

from spcabench.iterate import Facts, Iterate, Traits
from spcabench.methods.lowrank import NEGLIGIBLE, climb, low_rank, rank_one
from spcabench.methods.spannogram import sweep
from spcabench.problem.spectral import product
from spcabench.validate import whole
from spcabench.vectors import embed, normalize

TRAITS = Traits(control="cardinality", accepts="either", nonnegative=True)
FACTS = Facts(
    authors="Asteris, Papailiopoulos, Dimakis",
    title="Nonnegative sparse PCA with provable guarantees",
    venue="ICML",
    year=2014,
    address="https://proceedings.mlr.press/v32/asteris14.html",
    cost="k d^2 + 9 d^3 for each support that could be better, about n^(d - 1) supports",
    code="lowrankquadrmax, https://github.com/megasthenis/lowrankquadrmax (MATLAB), by sampling",
)
COLOUR = "#7F3C8D"
EXAMPLE = dict(k=10)
STOP = "end"
MAX_ITERATIONS = 10**9


def solve(problem, *, k: int, d: int = 2, nonnegative: bool = False, shift: bool = False):
    """Yield unit k-sparse x (n,); the last x maximises x'A_d x.

    The last iterate also contains a bound on the optimum of Sigma.

    d : rank of the approximation A_d = V V' of Sigma; the answer is exact if Sigma has rank d.
    nonnegative : require x >= 0.
    shift : approximate Sigma - lambda_{d+1} I instead (section 1, "rank-d update"). The bound is
        then at least as tight.
    """
    w, U = problem.covariance.leading_pairs(whole("d", d, 1) + 1)
    V, tail = low_rank(w, U, d, shift)  # steps 1 and 2: (n, d)
    for x, candidates in best_supports(V, k, nonnegative):
        yield Iterate(x, extra=dict(candidates=candidates))
    c = product(V.T, x)
    # for large data, the tail is an estimate
    bound = float(c @ c) + tail if problem.covariance.exact_pairs else None
    yield Iterate(x, bound=bound, extra=dict(candidates=candidates))


def best_supports(V, k, nonnegative):
    """Run Algorithm 2, and steps 5 to 9; yield the best x (n,) and the number of supports tried.

    Both are yielded after each curve. x'V V'x never decreases.

    V : (n, d), with orthogonal columns of decreasing norm.

    Equal rows, zero rows, and more than d curves that meet in a point are separated by a
    perturbation of relative size 1e-12, which is only used to choose the supports.
    """
    n, d = V.shape
    for x in climb(V, rank_one(V[:, 0], k, nonnegative), k, nonnegative):
        yield x, 1
    if d == 1 or (k >= n and not nonnegative):
        return
    rng = np.random.default_rng(0)
    P = V + NEGLIGIBLE * np.abs(V).max() * rng.standard_normal(V.shape)
    signs, zero = ([1.0] if nonnegative else [1.0, -1.0]), np.zeros((1, d))
    E, P = (np.vstack([*(sign * M for sign in signs), zero]) for M in (V, P))
    keys = np.append(
        np.tile(rng.integers(2**63, size=n, dtype=np.uint64), len(signs)), np.uint64(0)
    )
    table = np.zeros(min(2**21, 4 * 2**d * comb(n + 1, d)) + 61, dtype=np.uint64)
    tried = 0
    for Ts in circles(n, d, nonnegative):
        floor = float((product(V.T, x) ** 2).sum()) * (1.0 + 1e-13)
        _, c, rows, batch_tried = sweep(P, E, Ts, k, nonnegative, floor, keys, table)
        tried += batch_tried
        if len(rows):
            v = product(V[rows % n], c)
            x = embed(normalize(np.maximum(v, 0.0) if nonnegative else v), rows % n, n)
        yield x, tried


def circles(n, d, nonnegative):
    """Yield the sets T (c, d - 1) whose first element is i, for each curve i.

    The zero curve has the index n (2 n in the signed case).

    In the signed case, curve j + n is the negative of curve j. It is then sufficient to include one
    of T and -T, and the zero curve is only relevant if k = n.
    """
    for i in range(n + nonnegative):
        signs = [(j,) if nonnegative else (j, j + n) for j in range(i + 1, n + nonnegative)]
        Ts = [(i, *T) for pairs in combinations(signs, d - 2) for T in every(*pairs)]
        if Ts:
            yield np.array(Ts, dtype=np.int64)
