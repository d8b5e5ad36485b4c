"""Local search: supports that no swap of two variables improves, from many starts.

This suite's own reference heuristic (2026), in no paper: truncated power steps, then swaps with an
exact test of all of them (`spcabench.methods.local_search`), from greedy signs (He, Monteiro and
Park 2010), the cut leading eigenvector, power iterations of shrinking support, and kicks of the
best support. No support is scanned twice. After the starts that are not random it ends where cheap
bounds show that its support is optimal.
"""

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.methods.local_search import TOLERANCE, Search
from spcabench.vectors import embed

TRAITS = Traits(control="cardinality", accepts="either")
FACTS = Facts(
    year=2026,
    cost="9 k^3 + n k^2 a swap, n k a power step",
    code="none: it is ours",
    reproduced="none: it is ours",
)
COLOUR = "#7F3C8D"
EXAMPLE = dict(k=10)
STOP, MAX_ITERATIONS = "end", 10**6
FIXED = 2  # the number of the last start that is not random


def solve(problem, *, k: int, budget: int = 120, seed: int = 0):
    """Yield the best x (n,) after each start.

    budget : scans of all swaps k (n - k) in all. The answer depends on it and on the seed, never on
        the clock.
    """
    if budget < 1:
        raise InputError(f"budget: {budget}; it must be at least 1")
    Sigma = problem.covariance  # (n, n)
    search = Search(Sigma, k, budget, np.random.default_rng(seed))
    for count, start in enumerate(search.starts()):
        search.climb(start)
        if count == FIXED and not problem.indefinite and search.is_optimal():
            yield proven(Sigma, search)
            return
        yield embed(Sigma[search.W].leading()[1], search.W, problem.n)
        if not search.left or k == problem.n:
            return


def proven(Sigma, search):
    """The best x (n,), which cheap bounds show to be the optimum."""
    value, v = Sigma[search.W].leading()
    x = embed(v, search.W, search.n)
    return Iterate(x, bound=value * (1.0 + TOLERANCE), end="proven")
