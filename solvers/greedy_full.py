"""Greedy forward and backward search that tries every variable at each step.

Moghaddam, Weiss, Avidan (2006), section 3 ("GSPCA", a dual-pass algorithm).

Differences from the paper:

1. With passes="both" and more than 150 variables, the backward pass is skipped, because it takes n
   steps of up to n eigenvalues each.
2. While the support of the backward pass has more than k variables, the solver yields the k largest
   entries of its eigenvector.
"""

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.problem.spectral import block_eigenvalues
from spcabench.vectors import embed, first_largest, project

TRAITS = Traits(control="cardinality", accepts="covariance")
FACTS = Facts(
    authors="Moghaddam, Weiss, Avidan",
    title="Spectral bounds for sparse PCA: exact and greedy algorithms",
    venue="NIPS 18",
    year=2006,
    cost="9 n j^3 per step for a support of j variables",
    code="none found",
)
EXAMPLE = dict(k=10)
STOP = "end"
MAX_ITERATIONS = 10**6
LARGEST = 150


def solve(problem, *, k: int, passes: str = "both"):
    """Yield unit x (n,) after each variable added or removed, then the answer of the better pass.

    passes : "forward", "backward" or "both".
    """
    if passes not in ("forward", "backward", "both"):
        raise InputError(f"passes: {passes!r}; choose 'forward', 'backward' or 'both'")
    Sigma, n = problem.covariance, problem.n  # (n, n)
    both = ["forward", "backward"] if n <= LARGEST else ["forward"]
    names, values, ends = both if passes == "both" else [passes], [], []
    for name in names:
        for support in (forward if name == "forward" else backward)(Sigma, k):
            value, v = Sigma[support].leading()
            x = embed(v, support, n)
            yield Iterate(project(x, k), phase=name)
        values.append(value)
        ends.append(x)
    better = first_largest(np.array(values))
    yield Iterate(ends[better], phase=names[better])


def forward(Sigma, k):
    """Yield supports that grow from the variable of largest variance to k variables."""
    S, support = Sigma.S, np.array([Sigma.largest_variance()])
    yield support
    while len(support) < k:
        others = np.setdiff1d(np.arange(len(S)), support)
        tried = np.column_stack([np.tile(support, (len(others), 1)), others])
        support = np.sort(tried[first_largest(block_eigenvalues(S, tried))])
        yield support


def backward(Sigma, k):
    """Yield supports that shrink from all variables to k variables."""
    S, support = Sigma.S, np.arange(Sigma.n)
    yield support
    while len(support) > k:
        tried = np.array([np.delete(support, i) for i in range(len(support))])
        support = tried[first_largest(block_eigenvalues(S, tried))]
        yield support
