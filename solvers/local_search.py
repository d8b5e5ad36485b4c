"""Local search from many starts for supports that no swap of two variables can improve.

This suite's own reference heuristic (2026), not from a paper: truncated power steps, then swaps,
each evaluated exactly (`spcabench.methods.local_search`). The starts are greedy signs (He, Monteiro
and Park 2010), the truncated leading eigenvector, power iterations on a shrinking support, and
random changes of the best support. For x >= 0, there are separate starts and swaps. No support is
scanned twice. If cheap bounds prove the best support optimal after the deterministic starts, or
after a start that improved it, the search stops.
"""

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.methods.local_search import TOLERANCE, NonnegativeSearch, Search
from spcabench.vectors import embed

TRAITS = Traits(control="cardinality", accepts="either", nonnegative=True)
FACTS = Facts(
    year=2026,
    cost="9 k^3 + n k^2 per swap, n k per power step",
    code="none: this suite's own method",
    reproduced="none: this suite's own method",
)
COLOUR = "#7F3C8D"
EXAMPLE = dict(k=10)
STOP, MAX_ITERATIONS = "end", 10**6
FIXED = 2  # index of the last deterministic start
# the default budget for at most this number of variables, if a product costs at most this much
BUDGETS = ((500, 2e7, 480), (2e4, 2e7, 120), (1e5, 2e8, 40), (np.inf, np.inf, 8))


def solve(problem, *, k: int, nonnegative: bool = False, budget: int | None = None, seed: int = 0):
    """Yield the best x (n,) after each start.

    budget : total number of scans, each over all k (n - k) swaps; by default 480, and fewer for
        large problems. The answer depends on the budget and the seed, never on the clock.
    """
    if budget is None:
        n, cost = problem.n, problem.product_cost
        budget = next(scans for most, top, scans in BUDGETS if n <= most and cost <= top)
    if budget < 1:
        raise InputError(f"budget: {budget}; it must be at least 1")
    Sigma = problem.covariance  # (n, n)
    rng = np.random.default_rng(seed)
    if nonnegative:
        yield from nonnegative_loadings(NonnegativeSearch(Sigma, k, budget, rng))
        return
    search = Search(Sigma, k, budget, rng)
    for count, start in enumerate(search.starts()):
        last = search.value
        search.climb(start)
        better = count == FIXED or (count > FIXED and search.value > last)
        if better and not problem.indefinite and search.is_optimal():
            yield proven(Sigma, search)
            return
        yield embed(Sigma[search.W].leading()[1], search.W, problem.n)
        if not search.left or k == problem.n:
            return


def nonnegative_loadings(search):
    """Yield the best x >= 0 (n,) after each start."""
    for start in search.starts():
        search.climb(start)
        yield embed(search.loading, search.W, search.n)
        if not search.left or search.k == search.n:
            return


def proven(Sigma, search):
    """Return the best x (n,), which cheap bounds prove optimal."""
    value, v = Sigma[search.W].leading()
    x = embed(v, search.W, search.n)
    return Iterate(x, bound=value * (1.0 + TOLERANCE), end="proven")
