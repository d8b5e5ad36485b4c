"""Certified upper bounds on the variance explained by r loadings Z (n, r), for each formulation.

A bound for a deflated problem is never used here. It holds only for a loading that follows the
same preceding loadings; after different loadings, more variance could remain.

For orthonormal loadings, and for disjoint or common supports, tr(Z'Sigma Z) is bounded. Loadings of
the other formulations can overlap without being orthogonal, so tr(Z'Sigma Z) can count the same
variance twice. For these loadings, the projected variance is bounded: an orthonormal basis of their
span has at most r k nonzero rows, so the bound for a common support of r k variables applies.
"""

import numpy as np

from spcabench.flops import uncharged
from spcabench.methods.exact_search.dual_certificate import Shape
from spcabench.methods.joint_bound import minimised
from spcabench.methods.orthonormal_pair import affordable, orthonormal_pair
from spcabench.problem.problem import Problem, cached
from spcabench.problem.spectral import eigenvalues
from spcabench.solving import bounds
from spcabench.solving.bounds import ROUNDING
from spcabench.solving.formulations import Formulation

LARGEST_SPECTRUM = (
    1000  # largest number of variables for which all eigenvalues and dual bounds are computed
)
LARGEST_DUAL = (
    350  # largest number of variables for the dual bound, which takes 14 ms per evaluation
)


def joint_bounds(problem: Problem, formulation: Formulation, r: int, k: int) -> dict[str, float]:
    """Return a mapping from sources to certified bounds on the variance explained by r loadings.

    k : number of nonzeros in each loading; for a common support, its size.
    """
    with uncharged():
        if formulation in (Formulation.DEFLATION, Formulation.PENALISED):
            return _common(problem, r, min(r * k, problem.n))
        if formulation == Formulation.COMMON:
            return _common(problem, r, k)
        return _each(problem, r, k, formulation == Formulation.DISJOINT)


def joint_bound(problem: Problem, formulation: Formulation, r: int, k: int) -> tuple[float, str]:
    """Return the smallest certified bound of `joint_bounds`, and its source."""
    by_source = joint_bounds(problem, formulation, r, k)
    source = min(by_source, key=lambda name: by_source[name])
    return by_source[source] + r * problem.noise, source


def _common(problem: Problem, r: int, k: int) -> dict[str, float]:
    """Bound the sum of the r largest eigenvalues of any k x k principal submatrix of Sigma."""
    by_source = _spectrum(problem, r)
    if not problem.indefinite:
        variances = float(bounds.largest_variances(problem)[k - 1])
        by_source["largest variances"] = variances * (1.0 + ROUNDING)
    if r < k < problem.n <= LARGEST_DUAL:
        by_source["dual"] = _dual(problem, Shape.common(problem.n, r, k))
    return by_source


def _each(problem: Problem, r: int, k: int, disjoint: bool) -> dict[str, float]:
    """Bound the total variance of orthonormal loadings with k nonzeros each."""
    n = problem.n
    by_source = _spectrum(problem, r)
    by_source["one loading, r times"] = r * bounds.upper_bound(problem, k)
    if disjoint and not problem.indefinite:
        most = min(r * k, n)
        variances = float(bounds.largest_variances(problem)[most - 1]) * (1.0 + ROUNDING)
        by_source["largest variances"] = variances
    if k < n <= LARGEST_DUAL:
        shape = Shape.disjoint(n, r, k) if disjoint else Shape.each(n, r, k)
        by_source["dual"] = _dual(problem, shape)
    if r == 2 and not disjoint and affordable(n, k):
        by_source["all pairs of supports"] = _pair(problem, k)
    return by_source


def _spectrum(problem: Problem, r: int) -> dict[str, float]:
    """Return the sum of the r largest eigenvalues of Sigma.

    It is an upper bound on the variance of any r orthonormal loadings. If Sigma is too large to
    compute all eigenvalues, the result is r times a bound on the largest eigenvalue.
    """
    if min(problem.n, problem.m or problem.n) > LARGEST_SPECTRUM:
        top = r * bounds.largest_eigenvalue_bound(problem)
    else:
        top = float(np.sort(_eigenvalues(problem))[::-1][:r].sum())
    return {"largest eigenvalues": top * (1.0 + ROUNDING)}


def _eigenvalues(problem: Problem) -> np.ndarray:
    def make() -> np.ndarray:
        if problem.n <= LARGEST_SPECTRUM:
            return eigenvalues(problem.given_as("covariance").matrix.S)  # type: ignore[union-attr]
        A = problem.given_as("data").data.dense()
        return eigenvalues(A @ A.T)

    return cached(problem, "eigenvalues", make)


def _pair(problem: Problem, k: int) -> float:
    def make() -> float:
        S = problem.given_as("covariance").matrix.S  # type: ignore[union-attr]
        return orthonormal_pair(S, k).bound * (1.0 + ROUNDING)

    return cached(problem, f"bound of orthonormal pairs {k}", make)


def _dual(problem: Problem, shape: Shape) -> float:
    def make() -> float:
        S = problem.given_as("covariance").matrix.S  # type: ignore[union-attr]
        return minimised(S, shape)[0] * (1.0 + ROUNDING)

    return cached(problem, f"joint dual bound {shape}", make)
