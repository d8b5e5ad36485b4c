"""Exact sparse PCA by branch and bound: proven optima of all cardinalities, or bounds.

This suite's own search (2026), after the combinatorial bounds of Moghaddam, Weiss, Avidan,
"Spectral bounds for sparse PCA: exact and greedy algorithms", NIPS 18 (2006): see
`spcabench.methods.branch_and_bound` and `spcabench.methods.pruning`.

1. "Exact" means in floating point, to 1e-9 relative; where the budget is spent before the proof the
   answer is the best support known, with the best bound proven: no run of bounded length is exact,
   so the traits do not promise it.
2. Incumbents come from local search by swaps. A poor one costs nodes, and changes no proven answer.
3. x >= 0 is searched for in max(Sigma, 0), whose optimum bounds the one asked for, and is the same
   where the support found has no negative covariance; else the gap stays open.
4. An indefinite Sigma (Hotelling's deflation) is shifted by its smallest eigenvalue, which shifts
   every value.
"""

import numpy as np

from spcabench.iterate import Iterate, Traits
from spcabench.methods.branch_and_bound import Exact
from spcabench.problem.spectral import leading_pairs
from spcabench.steps import nonnegative_ascent
from spcabench.vectors import embed

TRAITS = Traits(control="cardinality", accepts="either", nonnegative=True)
COLOUR = "#000000"
EXAMPLE = dict(k=5)
STOP, MAX_ITERATIONS = "end", 10**9


def solve(problem, *, k, nonnegative=False, budget=2e9, seed=0):
    """Yield the best x (n,) for k so far, with the best bound, after each chunk of the search.

    ``extra`` holds value_j, bound_j, nodes_j for every cardinality j up to k.
    budget : entries of node matrices formed for each cardinality (2e9 take some seconds), half as
        many again for the bound of one that is not proven.
    """
    Sigma = problem.covariance  # (n, n)
    shift = Sigma.indefinite_by() if problem.indefinite else 0.0
    search = Exact(
        Sigma.diagonal() + shift,
        block_of(Sigma, shift, nonnegative),
        k,
        budget,
        not nonnegative,
        seed,
    )
    search.incumbents()
    yield answer(search, Sigma, k, nonnegative, shift)
    for _ in search.run():
        yield answer(search, Sigma, k, nonnegative, shift)


def block_of(Sigma, shift, nonnegative):
    """W -> Sigma[W, W] + shift I, or its positive part."""

    def block(W):
        B = Sigma[W].B + shift * np.eye(len(W))
        return np.maximum(B, 0.0) if nonnegative else B

    return block


def answer(search, Sigma, k, nonnegative, shift):
    """The best x of cardinality k, the bound, and what is known of the smaller ones."""
    values = search.value - shift
    for j in range(1, k + 1):
        W = search.support[j]
        y = leading_pairs(search.block(W), 1)[1][:, 0]
        if nonnegative:
            values[j], y = nonnegative_ascent(Sigma[W].product, np.abs(y))
    known = {"value": values, "bound": search.bound - shift, "nodes": search.nodes}
    extra = {f"{name}_{j}": float(of[j]) for name, of in known.items() for j in range(1, k + 1)}
    extra["nodes"] = float(search.nodes.sum())
    return Iterate(embed(y, W, Sigma.n), bound=float(search.bound[k] - shift), extra=extra)
