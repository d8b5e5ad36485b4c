"""DSPCA with ||X||_1 <= k: Nesterov's method and a search for the penalty.

d'Aspremont, El Ghaoui, Jordan, Lanckriet (2007), section 2.1; `dspca` solves the penalised form.
The dual is the minimum over rho >= 0 of phi(rho) + k rho, where phi is the penalised optimum. This
function is convex, with slope k - ||X_rho||_1.

Differences from the paper:

1. The paper does not specify the search for rho. Here each X found gives a lower bound on the dual
   that is linear in rho, and the next rho minimises the maximum of these bounds (Kelley's
   cutting-plane method).
2. X is the best convex combination, with ||X||_1 <= k, of two of the matrices found, because the
   penalised optimum at the optimal rho need not be unique.
3. For each rho, the penalised problem is solved to a fifth of the remaining gap, but never below a
   third of the desired gap, on the connected components of |Sigma_ij| > rho.
4. rho and this accuracy are rounded. Both depend on small differences between the matrices found,
   which would otherwise magnify rounding errors about twentyfold in each round.
5. x consists of the k largest entries of the leading eigenvector of X, because this eigenvector
   need not be k-sparse.
"""

import numpy as np

from spcabench.errors import InputError
from spcabench.iterate import Facts, Iterate, Traits, as_matrix
from spcabench.methods.relaxation import by_component, relative_gap, trivial, value
from spcabench.methods.smoothing import smooth
from spcabench.problem.spectral import eigen, last_vector
from spcabench.vectors import first_largest, project

TRAITS = Traits(control="cardinality", accepts="covariance", relaxation=True)
FACTS = Facts(
    paper_of="dspca",
    cost="9 n^3 for a connected component of n variables",
    code="none found for this form",
    reproduced="no published number for this form is known; its optimum equals a conic solver's",
)
COLOUR = "#56B4E9"
EXAMPLE = dict(k=5)
STOP = "gap"
TOL = 1e-3
MAX_ITERATIONS = 20_000
# k rho is rounded to a multiple of accuracy / STEPS. The number is irrational, so ratios of small
# integers never lie halfway between two multiples.
STEPS = 100.0 * np.pi


def solve(problem, *, k: int, eps: float = TOL):
    """Yield x (n,), the primal X and the dual U of the relaxation at each of Nesterov's iterations.

    The relaxation is max Tr(Sigma X), ||X||_1 <= k, Tr X = 1, X PSD.

    eps : the desired gap, relative to the largest variance. It does not stop the run: the run stops
        when the certified gap is at most its ``tol``.
    """
    if not 1e-12 <= eps <= 1.0:
        raise InputError(f"eps: {eps!r}; it must be from 1e-12 to 1")
    Sigma = problem.matrix.S  # (n, n)
    wanted = eps * np.abs(Sigma).max()
    found, bound, U = extremes(Sigma, k)
    while True:
        X, rho = master(Sigma, found, k)
        rho = rounded(rho, wanted / (STEPS * k))
        objective = value(Sigma, X, 0.0)
        gap = relative_gap(objective, bound)
        extra = {"objective": objective, "dual": bound, "gap": gap, "rho": rho}
        x = project(last_vector(*eigen(X)), k)
        yield Iterate(x, X=X, U=U, extra=extra)
        error = max(accuracy(bound - objective, wanted), wanted / 3.0)
        for penalised in dspca(Sigma, rho, error):
            phi = penalised.extra["dual"]  # an upper bound on the penalised optimum
            if phi - penalised.extra["objective"] <= error:
                break
            yield Iterate(x, X=X, U=U, extra=extra)
        found.append(as_matrix(penalised.X))
        if phi + k * rho < bound:
            bound, U = phi + k * rho, as_matrix(penalised.U)


def extremes(Sigma, k):
    """Return the penalised optima X at both ends of the search for rho, and the better dual.

    At rho = 0, the leading eigenvector is optimal. From rho = max |Sigma_ij|, i != j, on, a single
    variable is optimal. The dual consists of a bound and of its U.
    """
    w, V = eigen(Sigma)
    v, zero = last_vector(w, V), np.zeros_like(Sigma)
    rho = np.abs(Sigma - np.diag(Sigma.diagonal())).max()
    single = trivial(Sigma, rho)
    duals = [(w[-1], zero), (single.bound + k * rho, single.U)]
    return [np.outer(v, v), single.X], *min(duals, key=lambda dual: dual[0])


def master(Sigma, found, k):
    """Return the best convex combination, with ||X||_1 <= k, of two matrices, and its rho.

    Every X found is a lower bound Tr(Sigma X) + rho (k - ||X||_1) on the dual. The maximum of these
    bounds is smallest at the returned rho, where the bounds of the two matrices meet.
    """
    variance = np.array([value(Sigma, X, 0.0) for X in found])
    norm = np.array([np.abs(X).sum() for X in found])
    if norm[0] <= k:  # the norm of the leading eigenvector's matrix
        return found[0], 0.0
    pairs = [(i, j) for i in np.flatnonzero(norm > k) for j in np.flatnonzero(norm <= k)]
    rhos = [max((variance[i] - variance[j]) / (norm[i] - norm[j]), 0.0) for i, j in pairs]
    values = [variance[j] + rho * (k - norm[j]) for (_, j), rho in zip(pairs, rhos, strict=True)]
    best = first_largest(np.array(values))
    i, j = pairs[best]
    share = (k - norm[j]) / (norm[i] - norm[j])
    return share * found[i] + (1.0 - share) * found[j], rhos[best]


def dspca(Sigma, rho, error):
    """Yield the iterates of Nesterov's method for the penalised problem."""
    return by_component(Sigma, rho, lambda A: smooth(A, rho, error))


def rounded(rho, step):
    """Return the multiple of ``step`` nearest to rho."""
    return step * np.round(rho / step)


def accuracy(gap, unit):
    """Return a fifth of the gap, rounded in units of ``unit`` to one decimal of its log2."""
    share = gap / 5.0 / unit
    return unit * 2.0 ** np.round(np.log2(share), 1) if share > 0.0 else 0.0
