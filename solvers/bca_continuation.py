"""BCA with continuation in the barrier: solves the relaxation to a certified gap.

After Zhang and El Ghaoui (2011), Algorithm 1 (`bca` has the paper's form).

Differs from the paper in:

1. beta falls from 0.1 / n by halving, and each value starts at the last one's X. The paper's beta
   is fixed.
2. It starts at the best diagonal X, for which all rows are zero off the diagonal. The paper starts
   at I.
3. The box QP ends after 5 passes, and continues from there in the next sweep.
4. If the gap stalls although beta is far below it, the box QPs were solved too loosely. They then
   get four times the passes and a tenth of the tolerance, and beta rises to the gap again. The run
   ends if this does not reduce the gap by 5 %.
5. Sigma is scaled so that max Sigma_ii - lam, a lower bound of the optimum, is 1.
6. It runs until the certified gap is small, instead of for K sweeps.
7. X is replaced by xx' if that is better, where x is the best unit vector with the support and
   signs read from X.
8. As in `bca`: the order of the columns, setting entries of Y u to zero, the start of the box QP,
   U, how X and x are read, the best pair so far, the screening, and the search of lam.
"""

import numpy as np

from spcabench.iterate import Facts, Traits
from spcabench.methods.block_ascent import diagonal_start, loading_start, pair, scaled, sweep
from spcabench.methods.relaxation import best, by_component, polished, relative_gap
from spcabench.vectors import Vector

TRAITS = Traits(control="penalty", accepts="covariance", penalty="lam", relaxation=True, path=True)
FACTS = Facts(
    authors="Zhang and El Ghaoui",
    title="Large-scale sparse principal component analysis with application to text data",
    venue="NIPS",
    year=2011,
    address="https://proceedings.neurips.cc/paper/2011/hash/142949df56ea8ae0be8b5306971900a4-Abstract.html",
    cost="n^2 for each pass of a column's box QP, n columns in a sweep",
    code="none: the continuation is ours",
)
COLOUR = "#E69F00"
EXAMPLE = dict(k=5)
STOP = "gap"
TOL = 1e-3
MAX_ITERATIONS = 500
PASSES, MOST_PASSES = 5, 1280
TOL_QP, LEAST_TOL_QP = 1e-5, 1e-10
SWEEPS = 15  # limit at one beta; afterwards a smaller beta does not improve the dual
SMALLEST = 1e-7  # beta n


def penalty_range(problem):
    """Penalties between which the cardinality falls from n to 1."""
    top = float(problem.covariance.diagonal().max())
    return 1e-3 * top, top


def solve(problem, *, lam: float, screen: bool = True, start: Vector | None = None):
    """Yield x (n,), and X and U of the relaxation, after each sweep.

    The relaxation is max Tr(Sigma X) - lam ||X||_1, Tr X = 1, X PSD.

    lam : the penalty.
    screen : solve on the connected components of |Sigma_ij| > lam.
    start : x (n,), for example the answer at a larger lam; the ascent starts near xx'.
    """
    Sigma = problem.matrix.S  # (n, n)
    yield from by_component(Sigma, lam, lambda S, x=None: ascent(S, lam, x), screen, start)


def ascent(S, lam, x=None):
    """Pairs after each sweep.

    beta falls once the gap is close to the gap that beta itself causes, or after `SWEEPS`.
    """
    S_1, lam_1, unit = scaled(S, lam, S.diagonal().max() - lam)
    n, barrier, passes, tol = len(S), 0.1, PASSES, TOL_QP
    X, V = (
        diagonal_start(S_1, lam_1, barrier / n)
        if x is None
        else loading_start(S_1, lam_1, barrier / n, x)
    )
    incumbent, gap, stood = None, np.inf, np.inf
    while True:
        before = gap
        for _ in range(SWEEPS):
            sweep(S_1, X, V, lam_1, barrier / n, passes, tol)
            if not np.isfinite(X).all():
                return  # rounding has made X indefinite
            now = polished(S, pair(S, X, unit * V, lam), lam)
            yield now
            incumbent = best([incumbent, now])
            gap = relative_gap(incumbent.value, incumbent.bound)
            if gap < 1.2 * barrier:
                break
        if barrier >= 0.1 * gap or gap <= 0.95 * before:
            barrier = max(barrier / 2, SMALLEST)
        elif gap <= 0.95 * stood:  # something other than the barrier limits the gap
            passes, tol = min(4 * passes, MOST_PASSES), max(tol / 10.0, LEAST_TOL_QP)
            stood, barrier = gap, gap
        else:
            return
