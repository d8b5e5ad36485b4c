"""Expectation-maximisation for sparse and nonnegative PCA (EM).

Sigg and Buhmann (2008): probabilistic PCA with one component and vanishing noise. Without
constraints, the E-step and the M-step give w* = Sigma w up to a factor. With ||w||_0 <= k, the
M-step soft-thresholds |w*| at its (k+1)-th largest entry; with w >= 0, it first sets negative
entries to zero. Starts have entries of both signs then, too: in high dimensions all |w| of normal w
are nearly parallel to the vector of ones, so restarts from them end in one local optimum.

Differences from the paper:

1. One matrix product advances all restarts by a step. A restart leaves the batch when the relative
   change of its variance is below tol_em.
2. The renormalisation (EM on the support of a restart without thresholding) starts from the last
   iterate, so it never loses variance.
3. The answer is the leading eigenvector on the support of the best restart, if that eigenvector
   satisfies the constraints.
4. If ties at the threshold would set every entry to zero, the k largest entries remain unchanged.
5. If w >= 0 would set every entry to zero, -w is used, which has the same variance.
"""

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits
from spcabench.steps import ascend, leading_on, unit_columns
from spcabench.vectors import TIE, project

TRAITS = Traits(control="cardinality", accepts="either", nonnegative=True)
FACTS = Facts(
    authors="Sigg and Buhmann",
    title="Expectation-maximization for sparse and non-negative PCA",
    venue="ICML",
    year=2008,
    address="https://doi.org/10.1145/1390156.1390277",
    cost="n k per step of each of ten restarts until it converges; m n if the input is data",
    code="nsprcomp, https://cran.r-project.org/package=nsprcomp (R)",
)
COLOUR = "#D55E00"
EXAMPLE = dict(k=10)
STOP, MAX_ITERATIONS = "end", 3000
STARTS = ("signed", "absolute")


def solve(
    problem,
    *,
    k: int,
    nonnegative: bool = False,
    restarts: int = 10,
    starts: str = "signed",
    tol_em: float = 1e-6,
    passes: int = 1000,
    seed: int = 0,
):
    """Yield the best of the restarts, a k-sparse unit vector x (n,), after each step.

    restarts : number of random starts, drawn from N(0, I).
    starts : "signed", or "absolute" if their absolute values are used when x >= 0 is required, as
        in the authors' package.
    tol_em : a restart has converged when the relative change of its variance is below this
        tolerance (1e-3 in the authors' package).
    passes : maximum number of steps of a restart in each phase.
    """
    if restarts < 1:
        raise InputError(f"restarts: {restarts}; it must be at least 1")
    if starts not in STARTS:
        raise InputError(f"starts: {starts!r}; it must be one of {', '.join(STARTS)}")
    Sigma = problem.covariance  # (n, n)
    W = np.random.default_rng(seed).standard_normal((restarts, problem.n)).T  # (n, restarts)
    W = unit_columns(np.abs(W) if nonnegative and starts == "absolute" else W)
    w = positive(W[:, :1])[:, 0] if nonnegative else W[:, 0]
    yield Iterate(project(w, k), phase="EM")
    for x in ascend(Sigma, W, lambda W, _: m_step(W, k, nonnegative), tol_em, passes):
        yield Iterate(project(x, k), phase="EM")
    supports = W != 0.0

    def on_support(W, restart):  # the M-step without thresholding
        return m_step(np.where(supports[:, restart], W, 0.0), problem.n, nonnegative)

    for x in ascend(Sigma, W, on_support, tol_em, passes):
        yield Iterate(x, phase="renormalisation")
    v = next(leading_on(Sigma, x, "lanczos"))
    v = -v if v @ x < 0.0 else v
    yield Iterate(x if nonnegative and v.min() < 0.0 else v, phase="renormalisation")


def m_step(W, k, nonnegative):
    """Return the new w of each restart, given the columns w* = Sigma w of W (n, r)."""
    return unit_columns(thresholded(positive(W) if nonnegative else W, k))


def positive(W):
    """Return max(w, 0) for each column w of W (n, r), or max(-w, 0) if no entry is positive."""
    return np.maximum(np.where(W.max(axis=0) > 0.0, W, -W), 0.0)


def thresholded(W, k):
    """Return the columns of W (n, r), each soft-thresholded to at most k nonzeros.

    The threshold is the (k+1)-th largest absolute entry.
    """
    if k >= len(W):
        return W
    size = np.abs(W)
    tau = np.partition(size, -k - 1, axis=0)[-k - 1]  # (r,)
    over = size - tau
    sparse = np.where(over > TIE * size.max(axis=0), np.sign(W) * over, 0.0)
    for tied in np.flatnonzero(~sparse.any(axis=0)):
        sparse[:, tied] = project(W[:, tied], k)
    return sparse
