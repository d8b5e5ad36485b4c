"""BCA: block coordinate ascent for the semidefinite relaxation.

Zhang and El Ghaoui (2011), Algorithm 1: K sweeps over the columns of X with a fixed barrier beta =
eps / n.

Differences from the paper:

1. Sigma is scaled so that the largest variance is 1, which makes eps scale-free. If no variance
   exceeds lam, a multiple of I is added first, because the ascent needs a positive optimum.
2. Each sweep yields a certified gap. U comes from the solutions of the box QPs; at the optimum it
   equals Sigma + U off the diagonal.
3. Rows of X that are zero off the diagonal are dropped, because only the barrier keeps their
   diagonal entries positive. If the optimum is a single variable, this would also drop the optimum.
   Therefore the pair with X = e_i e_i', where i has the largest variance, is always a candidate.
4. Unless ``screen=False``, variables are first screened by connected components, which does not
   change the optimum. Columns are always visited by decreasing variance; the paper visits them in
   their original order.
5. The box QP starts at the u of the previous sweep. It stops after 1000 passes, or when no entry
   changes by more than 1e-9 (``inner="tight"``). With ``inner="loose"``, this tolerance is a
   thousandth of the relative gap, at most 1e-4, and it is halved whenever five sweeps have not
   reduced the gap by 5 %. The paper specifies neither the start nor the stopping rule.
6. Entries of Y u that are nonzero only because of rounding and early stopping are set to zero, so X
   has exact zeros.
7. The answer is the best primal and the best dual of all sweeps. The paper returns the last X.
8. To reach a requested cardinality, lam is decreased from its largest value. Each run starts near
   xx', where x is the answer of the previous run.
9. x is the leading eigenvector of X, with entries below 1 % of the largest entry set to zero. The
   harness refits it on request.
"""

from itertools import islice

from spcabench.errors import InputError
from spcabench.iterate import Facts, Traits
from spcabench.methods.block_ascent import identity_start, loading_start, pair, scaled, sweep
from spcabench.methods.relaxation import by_component, relative_gap
from spcabench.vectors import Vector

TRAITS = Traits(control="penalty", accepts="covariance", penalty="lam", relaxation=True, path=True)
FACTS = Facts(
    authors="Zhang and El Ghaoui",
    title="Large-scale sparse principal component analysis with application to text data",
    venue="NIPS",
    year=2011,
    address="https://proceedings.neurips.cc/paper/2011/hash/142949df56ea8ae0be8b5306971900a4-Abstract.html",
    cost="n^2 per pass of a column's box QP, n columns per sweep",
    code="none found",
)
COLOUR = "#D55E00"
EXAMPLE = dict(k=5)
STOP = "end"
PASSES = 1000
INNER = ("tight", "loose")
TIGHT, LOOSEST, SHARE = 1e-9, 1e-4, 1e-3
PATIENCE = 5  # sweeps


def penalty_range(problem):
    """Return a range of penalties over which the cardinality falls from n to 1."""
    top = float(problem.covariance.diagonal().max())
    return 1e-3 * top, top


def solve(
    problem,
    *,
    lam: float,
    K: int = 5,
    eps: float = 1e-3,
    inner: str = "tight",
    screen: bool = True,
    start: Vector | None = None,
):
    """Yield x (n,) and the matrices X and U of the relaxation after each sweep.

    The relaxation is max Tr(Sigma X) - lam ||X||_1, Tr X = 1, X PSD.

    lam : the penalty.
    K : number of sweeps over the columns of each connected component.
    eps : n times the barrier, in units of the largest variance. Half of the desired gap is small
        enough.
    inner : accuracy of each box QP: "tight", as in the paper, or "loose", with only as many passes
        as the remaining gap requires.
    screen : solve separately on each connected component of |Sigma_ij| > lam.
    start : x (n,), for example the answer at a larger lam; the ascent starts near xx'.
    """
    if eps <= 0.0:
        raise InputError(f"eps: {eps}; it must be above 0")
    if inner not in INNER:
        raise InputError(f"inner: {inner!r}; choose 'tight' or 'loose'")
    Sigma = problem.matrix.S  # (n, n)
    yield from by_component(
        Sigma,
        lam,
        lambda S, x=None: islice(ascent(S, lam, eps, inner == "loose", x), K),
        screen,
        start,
    )


def ascent(S, lam, eps, loose, x=None):
    """Yield a primal-dual pair after each sweep of Algorithm 1."""
    S_1, lam_1, unit = scaled(S, lam, S.diagonal().max())
    beta = eps / len(S)
    X, V = identity_start(S_1, lam_1) if x is None else loading_start(S_1, lam_1, beta, x)  # step 1
    tol, share, gaps = (LOOSEST if loose else TIGHT), SHARE, []
    while True:
        sweep(S_1, X, V, lam_1, beta, PASSES, tol)  # steps 2 to 9
        now = pair(S, X, unit * V, lam)
        yield now
        if loose:
            gaps.append(relative_gap(now.value, now.bound))
            if stalled(gaps):
                share, gaps = share / 2.0, gaps[-1:]
            tol = min(max(share * gaps[-1], TIGHT), LOOSEST)


def stalled(gaps):
    """Whether the last five sweeps reduced the gap by less than 5 %."""
    return len(gaps) > PATIENCE and min(gaps[-PATIENCE:]) > 0.95 * min(gaps[:-PATIENCE])
