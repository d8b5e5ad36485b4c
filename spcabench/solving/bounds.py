"""Certified upper bounds on max x'Sigma x over unit vectors x (n,) with at most k nonzeros.

Each bound holds for every such x and includes a margin for rounding errors, `ROUNDING`. Solvers are
not charged for bounds. If both dimensions of the data exceed 4096, no eigenvalue is computed: the
Lanczos method approaches it from below, and can miss it. lambda_1 is then bounded by the theorem of
Collatz and Wielandt (`methods.large_eigenvalue`). A bound from the Lanczos method fails with a
small probability, and is only offered as `bound_whp`. For wide data with more than 1000 samples,
the Lanczos method computes lambda_1, and a Cholesky decomposition proves that no eigenvalue was
missed. Otherwise LAPACK computes it.

All bounds except the first two require all entries of Sigma or many sorts
(`spcabench.methods.bound_formulas`). They are computed once per problem, for every k, and the bound
for k never exceeds the bound for a larger k. Whether a bound is computed depends on operation
counts and never on the clock, so a repeated run gives the same bound to the last digit:

| source | cost | by default | with ``full`` |
|---|---|---|---|
| lambda_1, k largest variances | one eigenvalue; one sort | always | always |
| Collatz and Wielandt, for large data | 80 products, one eigenvalue | always | always |
| Gershgorin, Frobenius | 2 sorts of n^2 entries | n <= 1000 | n <= 5000 |
| soft-threshold dual | 8 eigenvalues of n x n | n <= 1000 | n <= 5000 |
| shifted spannogram, d <= 3 | a sort of n per cell | 10^6 entries, 4 n cells | 2 10^7, 50 n cells |
| dual | 100 eigendecompositions of n x n, for one k | never | if at most 1000 variables remain |

The dual bound is by far the tightest and the most expensive bound; see `dual_bound`. The proofs are
in docs/bounds.md.
"""

from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
import scipy.sparse.linalg

from spcabench.errors import below
from spcabench.methods import bound_formulas
from spcabench.methods.exact_search.candidates import candidates
from spcabench.methods.exact_search.dual_certificate import Certificate
from spcabench.methods.large_eigenvalue import eigenvalue_bound, probable_bound
from spcabench.methods.local_search import Search
from spcabench.methods.lowrank import low_rank
from spcabench.methods.proven_pairs import proven_pairs
from spcabench.problem.covariance import Gram
from spcabench.problem.data import SMALL_SIDE, Data
from spcabench.problem.problem import Problem, cached
from spcabench.problem.spectral import largest_eigenvalue, settled
from spcabench.steps import nonnegative_ascent
from spcabench.vectors import Array, Indices, Vector

ROUNDING = 1e-9  # relative margin, far above the backward error of the eigensolvers at these sizes
# largest n for bounds that read all n^2 entries, by default and with ``full``
LARGEST_MATRIX, FULL_LARGEST_MATRIX = 1000, 5000
# limits of the spannogram: entries to sort, and cells per variable; by default and with ``full``
NET, FULL_NET = (10**6, 4), (2 * 10**7, 50)
RANK = 3  # largest rank of a spannogram
SEED = 0  # of the starts of the Lanczos method for large data
LARGEST_DUAL = 1000  # largest number of variables for a dual bound, after elimination
STEPS = 100  # maximum number of steps for a dual bound, which can reach the known value earlier
SCANS = 20  # maximum number of scans of all swaps in the local search for that known value


def large_data(problem: Problem) -> Data | None:
    """Return the data A if both dimensions are too large to compute eigenvalues, or else None.

    After Hotelling's deflation, Sigma is A'A minus a PSD matrix, so bounds for A'A hold for it.
    """
    Sigma = problem.covariance
    return Sigma.A if isinstance(Sigma, Gram) and not Sigma.exact_pairs else None


def leading_eigenvalue(problem: Problem) -> float:
    """Return lambda_1 of Sigma, the variance of the first principal component.

    For large data (`large_data`), it is an estimate by the Lanczos method from a random start, and
    no bound; see `largest_eigenvalue_bound`.
    """
    return float(cached(problem, "lambda_1", lambda: _leading_eigenvalue(problem)))


def _leading_eigenvalue(problem: Problem) -> float:
    if large_data(problem) is None:
        return problem.covariance.leading()[0]
    start = np.random.default_rng(SEED).standard_normal(problem.n)
    operator = scipy.sparse.linalg.LinearOperator(
        (problem.n, problem.n), matvec=problem.covariance.__matmul__, dtype=np.float64
    )
    w = scipy.sparse.linalg.eigsh(
        operator, k=1, which="LA", v0=start, tol=0, return_eigenvectors=False
    )
    return max(float(w[0]), float(problem.covariance.diagonal().max()))


def largest_eigenvalue_bound(problem: Problem) -> float:
    """Return a certified upper bound on lambda_1 of Sigma, without a margin for rounding."""
    A = large_data(problem)
    if A is None:
        return leading_eigenvalue(problem)
    return float(cached(problem, "bound of lambda_1", lambda: eigenvalue_bound(A)))


def bound_whp(problem: Problem, k: int, nonnegative: bool = False) -> float | None:
    """Return a bound for cardinality k that fails with a probability of 1e-9; None for small data.

    The probability is over the random start of the Lanczos method, which must not depend on the
    data. Its seed is fixed, so the bound can be repeated.
    """
    A = large_data(problem)
    if A is None:
        return None
    probable = cached(
        problem,
        "probable bound of lambda_1",
        lambda: probable_bound(A, np.random.default_rng(SEED)),
    )
    return min(probable * (1.0 + ROUNDING), upper_bound(problem, k, nonnegative))


def largest_variances(problem: Problem) -> Vector:
    """Return the sums of the k largest variances for k = 1 to n, which are bounds for PSD Sigma."""
    return np.sort(problem.covariance.diagonal())[::-1].cumsum()


def upper_bounds(
    problem: Problem, k: int, nonnegative: bool = False, full: bool = False
) -> dict[str, float]:
    """Return a mapping from sources to certified bounds for cardinality k.

    ``nonnegative`` adds bounds for x >= 0. ``full`` adds the bounds listed under ``full`` in the
    table above.
    """
    at_every_k = cached(
        problem, f"bounds {nonnegative} {full}", lambda: _made(problem, nonnegative, full)
    )
    at_k = {source: float(values[k - 1]) + problem.noise for source, values in at_every_k.items()}
    if full and (tight := dual_bound(problem, k, nonnegative)) is not None:
        at_k["dual"] = tight.value
    return at_k


def not_below(bound: float, value: float, problem: Problem, where: str, name: str) -> float:
    """Return a certified bound, or the value if it exceeds the bound by rounding errors alone.

    where : the solver and the problem. name : the bound in words. Raises CertificateError if the
    value refutes the bound.
    """
    if value > bound * (1.0 + ROUNDING) + problem.noise:
        raise below(value, bound, where, name)
    return max(bound, value)


def upper_bound(problem: Problem, k: int, nonnegative: bool = False, full: bool = False) -> float:
    """Return the smallest certified bound for cardinality k."""
    return min(upper_bounds(problem, k, nonnegative, full).values())


def _made(problem: Problem, nonnegative: bool, full: bool) -> dict[str, Vector]:
    n, A = problem.n, large_data(problem)
    bounds_by_source = _of_data(problem, A) if A else _of_eigenpairs(problem, nonnegative, full)
    if n <= (FULL_LARGEST_MATRIX if full else LARGEST_MATRIX):
        S = problem.given_as("covariance").matrix.S  # type: ignore[union-attr]
        bounds_by_source |= _of_matrix(S)
        if nonnegative:  # x'Sx <= x'max(S, 0)x
            S = np.maximum(S, 0.0)
            positive = _of_matrix(S) | {"lambda_1": np.full(n, largest_eigenvalue(S))}
            bounds_by_source |= {
                f"{source} of the positive part": values for source, values in positive.items()
            }
    # the optimum for k is at most the optimum for k + 1
    return {
        source: np.minimum.accumulate(values[::-1])[::-1] * (1.0 + ROUNDING)
        for source, values in bounds_by_source.items()
    }


def _of_data(problem: Problem, A: Data) -> dict[str, Vector]:
    """Return the bounds for large data, which need no eigenvalue."""
    return {
        "Collatz and Wielandt": np.full(problem.n, largest_eigenvalue_bound(problem)),
        "k largest variances": np.sort(A.squared_norms())[::-1].cumsum(),
    }


def _of_eigenpairs(problem: Problem, nonnegative: bool, full: bool) -> dict[str, Vector]:
    """Return the bounds that need the leading eigenpairs, and those of the variances."""
    n = problem.n
    w, U = _leading_pairs(problem)
    bounds_by_source = {"lambda_1": np.full(n, w[0])}
    if not problem.indefinite:
        bounds_by_source["k largest variances"] = largest_variances(problem)
    entries, cells = FULL_NET if full else NET
    count = min(entries // n, cells * n)
    for d in range(1, min(RANK, len(w) - (n > len(w))) + 1):
        bounds_by_source[f"spannogram, d = {d}"] = bound_formulas.spannogram(
            *low_rank(w, U, d, shift=True), nonnegative, count
        )
    return bounds_by_source


def _leading_pairs(problem: Problem) -> tuple[Vector, Array]:
    """Return the leading eigenpairs for the bounds, computed from A A' if the data are wide."""
    Sigma, count = problem.covariance, RANK + 1
    if isinstance(Sigma, Gram) and not Sigma.w.size:
        m, n = Sigma.A.shape
        if LARGEST_MATRIX < m < n and m <= SMALL_SIDE:
            pairs = proven_pairs(Sigma.A.sample_products(), count)
            if pairs is not None:
                w, P = pairs
                V = Sigma.A.transposed_products(np.ascontiguousarray(P))
                return w, settled(w, V / np.linalg.norm(V, axis=0), count)
    w, V = Sigma.leading_pairs(count)
    # stored for `leading_eigenvalue`, which would otherwise run LAPACK or Lanczos again
    cached(problem, "lambda_1", lambda: float(w[0]))
    return w, V


@dataclass(frozen=True, eq=False)
class DualBound:
    """A dual bound, its certificate and its cost.

    value : the bound. reached : the value found by local search. variables : the variables (n,)
        that could be in a support with a larger value. certificate : the proof for these variables.
        steps, seconds : the cost of the splitting method.
    """

    value: float
    reached: float
    variables: Indices = field(repr=False)
    certificate: Certificate = field(repr=False)
    steps: int
    seconds: float


def dual_bound(
    problem: Problem, k: int, nonnegative: bool = False, steps: int = STEPS
) -> DualBound | None:
    """Return the dual bound for cardinality k, or None if the problem is too large.

    If there are more than 1000 variables, a variable is first eliminated if no support that
    contains it can be better than the support found by local search. The result is None if more
    than 1000 variables remain. The bound is cached.
    """
    key = f"dual bound {k} {nonnegative} {steps}"
    return cached(problem, key, lambda: _dual_bound(problem, k, nonnegative, steps))


def _dual_bound(problem: Problem, k: int, nonnegative: bool, steps: int) -> DualBound | None:
    # imported here because it loads numba, which other solves do not need; the import is not timed
    from spcabench.methods.exact_search.splitting import Splitting

    begun = perf_counter()
    reached = _reached(problem, k, nonnegative)
    remaining = _remaining(problem, k, nonnegative, reached)
    if remaining is None or reached <= 0.0:
        return None
    W, S = remaining
    certificate, spent = Certificate.zero(len(S)), 0
    if len(W) > k:
        search = Splitting(S / reached, k, nonnegative)
        while search.steps < steps and search.bound > 1.0 + ROUNDING:
            search.descend()
        certificate, spent = search.certificate.times(reached), search.steps
    # no support that contains an eliminated variable can exceed `reached`
    value = certificate.bound(S, k, nonnegative) if len(W) >= k else reached
    value = max(value, reached) * (1.0 + ROUNDING)
    return DualBound(value, reached, W, certificate, spent, perf_counter() - begun)


def _reached(problem: Problem, k: int, nonnegative: bool) -> float:
    """Return the value of a feasible x found by local search."""
    search = Search(problem.covariance, k, SCANS, np.random.default_rng(0))
    search.climb(np.argsort(-search.d, kind="stable")[:k])
    for start in search.starts():
        if not search.left or k == problem.n:
            break
        search.climb(start)
    if not nonnegative:
        return float(search.value)
    W = problem.covariance[search.W]
    return nonnegative_ascent(W.product, np.abs(W.leading()[1]))[0]


def _remaining(
    problem: Problem, k: int, nonnegative: bool, reached: float
) -> tuple[Indices, Array] | None:
    """Return the variables that remain and their covariance, or None if too many remain."""
    Sigma = problem.covariance
    if problem.n <= LARGEST_DUAL:
        return np.arange(problem.n), Sigma[np.arange(problem.n)].B
    if k == 1 or problem.indefinite:
        return None
    fewer = upper_bound(problem, k - 1, nonnegative)
    remaining = candidates(Sigma.diagonal(), lambda W: Sigma[W].B, k, fewer, reached)
    too_many = remaining.beyond or len(remaining.W) > LARGEST_DUAL
    return None if too_many else (remaining.W, remaining.S)


def _of_matrix(S: Array) -> dict[str, Vector]:
    rows = bound_formulas.falling(S)
    return {
        "Gershgorin": bound_formulas.gershgorin(rows),
        "Frobenius": bound_formulas.frobenius(rows),
        "soft threshold": bound_formulas.soft_threshold_bounds(S, rows),
    }
