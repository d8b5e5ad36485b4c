"""GeoSPCA: tries supports by decreasing total variance until q components explain a support.

Bertsimas and Kitane (2023). The solver follows the authors' code, which calls the method Algorithm
2 with a second stopping rule; the text of the paper was not available. It maximises the total
variance of the k variables over binary s with sum s <= k, subject to cuts. Let eta(W) be the
variance of a support W outside its q leading components. If eta(W) exceeds eta, the cut sum over W
of s_i <= k - 1 removes W. The answer is the best support tried. The variance of q components never
exceeds the total variance of their support, so the largest total variance among the untried
supports bounds the optimum.

Differences from the code:

1. A cut removes exactly one support of k variables, so the successive optima of the binary problem
   are the supports in order of decreasing total variance. They are listed with a heap; the authors
   solve the binary problem with Gurobi.
2. eta is a fraction of the total variance of the support, and the number of supports is limited
   instead of the iterations of a solver. In the authors' code, the user sets both limits.
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
    cost="9 k^3 per support",
    code="GeoSPCA, https://github.com/DLKitane/GEOSPCA (Python, needs Gurobi)",
    reproduced="no number of its paper is available",
)
EXAMPLE = dict(k=5)
STOP = "end"


def solve(problem, *, k: int, components: int = 1, eta: float = 0.0, supports: int = 1000):
    """Yield the first component x (n,) and Z (n, q), the leading eigenvectors on one support.

    k : number of variables in the common support.
    components : the number q of components, at most k.
    eta : the search stops at a support if at most this fraction of its variance lies outside its
        components.
    supports : maximum number of supports to try.
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
    # the total variance of a support bounds its components only if Sigma is PSD
    bound = max(best, left) if components == 1 and not problem.indefinite else None
    yield Iterate(Z[:, 0], Z=Z, bound=bound)


def by_total_variance(variances: Vector, k: int) -> Iterator[tuple[Indices, float]]:
    """Yield supports of k variables with their total variance, in decreasing order of variance.

    A successor of a support replaces one variable with the one that has the next smaller variance.
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
