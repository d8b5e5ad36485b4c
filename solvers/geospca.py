"""GeoSPCA: tries supports by falling total variance, until one nearly lies in q dimensions.

Bertsimas and Kitane (2023), after their code, whose notes call it Algorithm 2 with a second
stopping rule; the paper's text was not available. It maximises the sum of the variances of the k
variables over binary s with sum s <= k, subject to cuts. Let eta(W) be the variance of a support W
outside its q leading components. If eta(W) exceeds eta, the cut sum over W of s_i <= k - 1 removes
W. The answer is the best support tried. A support never has more variance in q components than in
total, so the largest total among the untried supports bounds the optimum.

Differs from the code in:

1. A cut removes exactly one support of k variables, so the successive optima of the binary problem
   are simply the supports by falling total variance. A heap lists them; the authors solve the
   binary problem with Gurobi.
2. eta is a share of the total variance of the support, and the number of supports tried is limited
   instead of a solver's iterations. In the authors' code the user sets both.
"""

import heapq
from collections.abc import Iterator

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.steps import principal_components
from spcabench.vectors import Indices, Vector

TRAITS = Traits(control="cardinality", components="joint", formulation="common")
FACTS = Facts(
    authors="Bertsimas and Kitane",
    title="Sparse PCA: a geometric approach",
    venue="JMLR 24",
    year=2023,
    address="https://jmlr.org/papers/v24/22-0088.html",
    cost="9 k^3 a support",
    code="GeoSPCA, https://github.com/DLKitane/GEOSPCA (Python, needs Gurobi)",
    reproduced="no number of its paper is at hand",
)
EXAMPLE = dict(k=5)
STOP = "end"


def solve(problem, *, k: int, components: int = 1, eta: float = 0.0, supports: int = 1000):
    """Yield x (n,), the first component, and Z (n, q), the leading eigenvectors on one support.

    k : number of variables of all components together. components : q, at most k. eta : the largest
        share of a support's variance that may lie outside its components. supports : maximum number
        of supports tried.
    """
    if not 1 <= components <= k:
        raise InputError(f"components: {components}; it must be from 1 to k = {k}")
    Sigma = problem.covariance  # (n, n)
    best, Z, left = -np.inf, np.zeros((problem.n, components)), np.inf
    listed = by_total_variance(Sigma.diagonal(), k)
    for W, total in (entry for entry, _ in zip(listed, range(supports), strict=False)):
        left = total
        if total <= best:
            break
        w, V = principal_components(Sigma[W], components)  # (q,), (k, q)
        if w.sum() > best:
            best, Z = float(w.sum()), np.zeros((problem.n, components))
            Z[W] = V
            yield Iterate(Z[:, 0], Z=Z)
        if total - w.sum() <= eta * total:
            break
    else:
        left = next((total for _, total in listed), best)
    bound = max(best, left) if components == 1 else None
    yield Iterate(Z[:, 0], Z=Z, bound=bound)


def by_total_variance(variances: Vector, k: int) -> Iterator[tuple[Indices, float]]:
    """Supports of k variables with their total variance, the largest first.

    The next support replaces one variable by the one of next smaller variance.
    """
    order = np.argsort(-variances, kind="stable")
    sizes = variances[order]
    first = tuple(range(k))
    queue, seen = [(-float(sizes[:k].sum()), first)], {first}
    while queue:
        total, places = heapq.heappop(queue)
        yield order[list(places)], -total
        for i, place in enumerate(places):
            further = (*places[:i], place + 1, *places[i + 1 :])
            if place + 1 < len(sizes) and place + 1 not in places and further not in seen:
                seen.add(further)
                step = float(sizes[place] - sizes[place + 1])
                heapq.heappush(queue, (total + step, further))
