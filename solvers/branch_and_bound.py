"""Exact sparse PCA by branch and bound: proves optima, or bounds, for all cardinalities up to k.

This suite's own search (2026), based on the combinatorial bounds of Moghaddam, Weiss, Avidan,
"Spectral bounds for sparse PCA: exact and greedy algorithms", NIPS 18 (2006); see
`exact_search.branch_and_bound` and `exact_search.pruning`.

1. "Exact" means to a relative accuracy of 1e-9 in floating point. If the budget runs out before the
   proof is complete, the answer is the best support found, with the best proven bound. A run of
   limited length cannot guarantee an exact answer, so the traits do not promise one.
2. The initial supports come from local search by swaps. A poor initial support increases the number
   of nodes, but never changes a proven answer.
3. If the paper's kind of search does not finish soon, branch and bound with the dual bound follows
   (`exact_search.dual_search`, docs/bounds.md). If that does not narrow the gap soon either, the
   search continues with the scaled Gershgorin dual (`exact_search.gershgorin_search`).
4. For x >= 0, the search first runs on max(Sigma, 0). Its optimum is an upper bound, and is the
   optimum itself if the support found has no negative covariance. Next come the dual bound for x >=
   0 and the search over faces (`exact_search.nonnegative_faces`). A gap can remain, because even
   the value of one large support with negative covariances is hard to compute.
5. If Sigma is a matrix of rank at most four plus a multiple of the identity, it is solved by cells
   of directions (`exact_search.direction_cells`).
6. An indefinite Sigma (from Hotelling's deflation) is shifted by its smallest eigenvalue, which
   changes every value by the same amount.
"""

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.methods.exact_search.branch_and_bound import SECOND, Exact
from spcabench.vectors import embed

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

    ``extra`` contains value_j, bound_j and nodes_j for every cardinality j up to k.

    budget : limit on the computation for k, in matrix entries; 2e11 takes up to four minutes.
    every : give each smaller cardinality the same budget, instead of only a short trial.
    jobs : number of parallel processes. It does not affect the answer, unless a time limit stops
        the run.
    """
    if jobs < 1:
        raise InputError(f"jobs: {jobs}; it must be at least 1")
    Sigma = problem.covariance  # (n, n)
    shift = Sigma.indefinite_by() if problem.indefinite else 0.0

    def covariance(J, W=None):
        return Sigma[J].B + shift * np.eye(len(J)) if W is None else Sigma.block(J, W)

    d = Sigma.diagonal() + shift
    search = Exact(d, covariance, k, budget, not nonnegative, seed, nonnegative, every, jobs)
    for _ in search.incumbents():
        yield answer(search, Sigma.n, k, shift)
    for _ in search.run():
        yield answer(search, Sigma.n, k, shift)
    last = answer(search, Sigma.n, k, shift)
    last.end, last.why = search.end(k)
    yield last


def answer(search, n, k, shift):
    """Return the best x for k, its bound, and the results for smaller cardinalities."""
    columns = {
        "value": search.value - shift,
        "bound": search.bound - shift,
        "nodes": search.nodes,
    }
    extra = {f"{name}_{j}": float(of[j]) for name, of in columns.items() for j in range(1, k + 1)}
    extra["nodes"] = float(search.nodes.sum())
    x = embed(search.loadings[k], search.support[k], n)
    return Iterate(x, bound=float(search.bound[k] - shift), extra=extra)
