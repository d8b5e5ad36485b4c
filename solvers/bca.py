"""BCA: the semidefinite relaxation by block coordinate ascent.

Zhang and El Ghaoui, "Large-scale sparse principal component analysis with application to text
data", NIPS 2011
(proceedings.neurips.cc/paper/2011/hash/142949df56ea8ae0be8b5306971900a4-Abstract.html), Algorithm
1: K sweeps over the columns of X with a fixed barrier beta = eps / n.

Differs from the paper in:

1. Sigma is scaled so that its largest variance is 1, which gives eps a unit.
2. Each sweep yields a certified gap: U comes from the box QP's solutions, at the optimum Sigma + U
   off the diagonal.
3. X is read without the rows that are zero beside the diagonal: the barrier alone keeps these from
   zero.
4. Variables are screened by connected components first, unless ``screen=False``: the optimum is the
   same.
5. The box QP ends after 1000 passes at the latest.
6. lam is searched for a cardinality from the largest down, each run started near xx' of the last
   one's x.
7. x is the leading eigenvector of X, entries below 1 % of the largest set to zero; the harness
   refits where asked to.

Cost: n^2 for each pass of a column's box QP, n columns in a sweep.

Code: none found.
"""

from itertools import islice

from spcabench.errors import InputError
from spcabench.iterate import Traits
from spcabench.methods.block_ascent import identity_start, loading_start, pair, scaled, sweep
from spcabench.methods.relaxation import by_component

TRAITS = Traits(control="penalty", accepts="covariance", penalty="lam", relaxation=True, path=True)
COLOUR = "#D55E00"
EXAMPLE = dict(k=5)
STOP = "end"
PASSES, TOL_QP = 1000, 1e-9


def penalty_range(problem):
    """Penalties between which the cardinality falls from n to one."""
    top = float(problem.covariance.diagonal().max())
    return 1e-3 * top, top


def solve(problem, *, lam, K=5, eps=1e-3, screen=True, start=None):
    """Yield x (n,), and X and U of the relaxation, after each sweep.

    The relaxation is max Tr(Sigma X) - lam ||X||_1, Tr X = 1, X PSD.

    lam : the penalty.
    K : sweeps over the columns, on each component.
    eps : the barrier is eps / n, in units of the largest variance.
    screen : solve on the connected components of |Sigma_ij| > lam.
    start : x (n,), say the answer at a larger lam; the ascent starts near xx'.
    """
    if eps <= 0.0:
        raise InputError(f"eps: {eps}; allowed are numbers above 0")
    Sigma = problem.matrix.S  # (n, n)
    yield from by_component(
        Sigma, lam, lambda S, x=None: islice(ascent(S, lam, eps, x), K), screen, start
    )


def ascent(S, lam, eps, x=None):
    """Pairs after each sweep of Algorithm 1."""
    S_1, lam_1, unit = scaled(S, lam, S.diagonal().max())
    beta = eps / len(S)
    X, V = identity_start(S_1, lam_1) if x is None else loading_start(S_1, lam_1, beta, x)  # step 1
    while True:
        sweep(S_1, X, V, lam_1, beta, PASSES, TOL_QP)  # steps 2 to 9
        yield pair(S, X, unit * V, lam)
