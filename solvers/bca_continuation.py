"""BCA with a decreasing barrier: solves the semidefinite relaxation to a certified gap.

After Zhang and El Ghaoui (2011), Algorithm 1 (`bca` implements the paper's version).

Differences from the paper:

1. beta starts at 0.1 / n and is halved repeatedly. Each new value starts from the X of the previous
   value. In the paper, beta is fixed.
2. The solver starts at the best diagonal X. The paper starts at I.
3. The box QP stops after 5 passes and continues from there in the next sweep.
4. If the gap stalls although beta is far smaller than the gap, the box QPs were solved too loosely.
   They then get four times as many passes and a tenth of the tolerance, and beta is reset to the
   gap. The run stops if this does not reduce the gap by 5 %.
5. Sigma is scaled so that max Sigma_ii - lam, a lower bound on the optimum, is 1.
6. The solver runs until the certified gap is small, instead of for K sweeps.
7. X is replaced by xx' if that is better, where x is the best unit vector with the support and
   signs taken from X.
8. The following is the same as in `bca`: the order of the columns, the zeroing of entries of Y u,
   the start of the box QP, the computation of U, X and x, the choice of the best pair, the
   screening, and the search for lam.
"""

import numpy as np

from spcabench.iterate import Facts, Traits
from spcabench.methods.block_ascent import diagonal_start, loading_start, pair, scaled, sweep
from spcabench.methods.relaxation import best, by_component, polished, relative_gap
from spcabench.vectors import Vector

TRAITS = Traits(control="penalty", accepts="covariance", penalty="lam", relaxation=True, path=True)
FACTS = Facts(
    paper_of="bca",
    cost="n^2 per pass of a column's box QP, n columns per sweep",
    code="none: the continuation is this suite's own",
)
COLOUR = "#E69F00"
EXAMPLE = dict(k=5)
STOP = "gap"
TOL = 1e-3
MAX_ITERATIONS = 500
LARGEST, SMALLEST = 0.1, 1e-7  # n beta, relative to the optimum
SWEEPS = 15  # limit for one beta; with more sweeps, a smaller beta does not improve the dual
LOOSE, TIGHT = (5, 1e-5), (1280, 1e-10)  # passes and tolerance of a box QP, first and at most


def penalty_range(problem):
    """Return a range of penalties over which the cardinality falls from n to 1."""
    top = float(problem.covariance.diagonal().max())
    return 1e-3 * top, top


def solve(problem, *, lam: float, screen: bool = True, start: Vector | None = None):
    """Yield x (n,) and the matrices X and U of the relaxation after each sweep.

    The relaxation is max Tr(Sigma X) - lam ||X||_1, Tr X = 1, X PSD.

    lam : the penalty.
    screen : solve separately on each connected component of |Sigma_ij| > lam.
    start : x (n,), for example the answer at a larger lam; the ascent starts near xx'.
    """
    Sigma = problem.matrix.S  # (n, n)
    yield from by_component(Sigma, lam, lambda S, x=None: ascent(S, lam, x), screen, start)


def ascent(S, lam, x=None):
    """Yield a primal-dual pair after each sweep of Algorithm 1, for decreasing values of n beta."""
    S_1, lam_1, unit = scaled(S, lam, S.diagonal().max() - lam)
    n, n_beta, (passes, tol) = len(S), LARGEST, LOOSE
    X, V = initial(S_1, lam_1, n_beta / n, x)
    incumbent, gap, gap_when_tightened = None, np.inf, np.inf
    while True:
        before = gap
        for _ in range(SWEEPS):
            sweep(S_1, X, V, lam_1, n_beta / n, passes, tol)  # steps 2 to 9
            if not np.isfinite(X).all():
                return  # rounding has made X indefinite
            now = polished(S, pair(S, X, unit * V, lam), lam)
            yield now
            incumbent = best([incumbent, now])
            gap = relative_gap(incumbent.value, incumbent.bound)
            if gap < 1.2 * n_beta:
                break  # the rest of the gap comes from beta
        if n_beta >= 0.1 * gap or fell(gap, before):
            n_beta = max(n_beta / 2, SMALLEST)
        elif fell(gap, gap_when_tightened):  # the box QPs limit the gap
            passes, tol = min(4 * passes, TIGHT[0]), max(tol / 10, TIGHT[1])
            n_beta = gap_when_tightened = gap
        else:
            return


def initial(S, lam, beta, x):
    """Return X and V for the first sweep; X is near xx' if a vector x (n,) is specified."""
    return diagonal_start(S, lam, beta) if x is None else loading_start(S, lam, beta, x)


def fell(gap, before):
    """Whether the gap fell by at least 5 %."""
    return gap <= 0.95 * before
