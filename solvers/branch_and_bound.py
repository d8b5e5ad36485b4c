"""Exact sparse PCA by branch and bound: proves the optimum for k, or a bound on it.

This suite's own search (2026), based on the combinatorial bounds of Moghaddam, Weiss, Avidan,
"Spectral bounds for sparse PCA: exact and greedy algorithms", NIPS 18 (2006); see
`exact_search.branch_and_bound` and `exact_search.search_tree`.

1. "Exact" means to a relative accuracy of 1e-9 in floating point. If the budget runs out before the
   proof is complete, the answer is the best support found, with the best proven bound. A run of
   limited length cannot guarantee an exact answer, so the traits do not promise one.
2. The initial supports come from local search by swaps. A poor initial support increases the number
   of nodes, but never changes a proven answer.
3. If the paper's kind of search does not finish soon, branch and bound with the single-matrix dual
   follows (`exact_search.dual_part`, docs/bounds.md). If its gap is wide, or if it does not finish
   soon either, the search continues with the scaled Gershgorin dual (`exact_search.pair_part`).
4. For x >= 0, the tree searches max(Sigma, 0). Its optimum is an upper bound, and is the optimum
   itself if the support found has no negative covariance. The dual bounds use the signs, and a
   single support is searched over its faces (`exact_search.nonnegative_faces`). A gap can remain,
   because even the value of one large support with negative covariances is hard to compute.
5. An indefinite Sigma (from Hotelling's deflation) is shifted by its smallest eigenvalue, which
   changes every value by the same amount.
"""

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.methods.exact_search.branch_and_bound import LARGE, SECOND, Exact
from spcabench.steps import greedy_signs, lanczos
from spcabench.vectors import embed, largest_indices, normalize

TRAITS = Traits(control="cardinality", accepts="either", nonnegative=True, pace=SECOND)
FACTS = Facts(
    year=2026,
    cost="about 9 j^3 per node of j variables and 9 n^3 per bound",
    code="none: this suite's own method",
    reproduced="published optima of certified sparse PCA: docs/bounds.md",
)
COLOUR = "#000000"
EXAMPLE = dict(k=5)
STOP, MAX_ITERATIONS = "end", 10**9


def solve(
    problem,
    *,
    k: int,
    nonnegative: bool = False,
    budget: float = 2e11,
    every: bool = False,
    jobs: int = 1,
    seed: int = 0,
):
    """Yield the best x (n,) for k so far and its bound, after each part of the search.

    ``extra`` contains value_k, bound_k and nodes_k; with ``every``, also those of smaller j.

    budget : limit on the computation for k, in operations of about a nanosecond.
    every : also search for each smaller cardinality, with the same budget.
    jobs : number of parallel processes. It does not affect the answer, unless a time limit stops
        the run.
    """
    if jobs < 1:
        raise InputError(f"jobs: {jobs}; it must be at least 1")
    Sigma = problem.covariance  # (n, n)
    shift = Sigma.indefinite_by() if problem.indefinite else 0.0

    def covariance(J, W=None):
        S = Sigma[J].B if W is None else Sigma.block(J, W)
        return S + shift * (J[:, None] == (J if W is None else W)) if shift else S

    d = Sigma.diagonal() + shift
    search = Exact(d, covariance, k, budget, not nonnegative, seed, nonnegative, every, jobs)
    for _ in search.incumbents(*starts(Sigma, d, k)):
        yield answer(search, Sigma.n, shift)
    if Sigma.n > LARGE:
        for _ in search.climb_everywhere(Sigma):
            yield answer(search, Sigma.n, shift)
    for _ in search.run():
        yield answer(search, Sigma.n, shift)
    last = answer(search, Sigma.n, shift)
    last.end, last.why = search.end(k)
    yield last


def starts(Sigma, d, k):
    """Yield supports of a large problem, because its best support can have small variances."""
    if Sigma.n > LARGE:
        *_, (_, greedy) = greedy_signs(Sigma, [1] * k, d)
        yield greedy
        x = lanczos(Sigma.__matmul__, normalize(d + d.max()), 1e-6)
        yield largest_indices(np.abs(x), k)


def answer(search, n, shift):
    """Return the best x for k, its bound, and with ``every`` the results for smaller j."""
    k = search.K
    columns = {
        "value": search.value - shift,
        "bound": search.bound - shift,
        "nodes": search.nodes,
    }
    ks = range(1, k + 1) if search.every else (k,)
    extra = {f"{name}_{j}": float(of[j]) for name, of in columns.items() for j in ks}
    extra["nodes"] = float(search.nodes.sum())
    x = embed(search.loadings[k], search.support[k], n)
    return Iterate(x, bound=float(search.bound[k] - shift), extra=extra)
