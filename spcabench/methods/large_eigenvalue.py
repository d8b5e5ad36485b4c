"""Upper bounds on the largest eigenvalue of A'A for large data A (m, n), from products alone.

The Lanczos method approaches the eigenvalue from below, so it certifies nothing by itself. For a
nonnegative matrix B, the theorem of Collatz and Wielandt bounds it from above: the largest
eigenvalue of B'B is at most max_i (B'B v)_i / v_i, for any positive v. It holds for A'A if B
contains the absolute values of the entries of A.

Data with frequent features, such as word counts, have large means. The variables of largest
variance are therefore treated exactly, and only the remaining variables by this theorem.

Centring and most deflations are stored as rank-one corrections A - u v'. Their absolute values
would be dense and would double the bound. Instead, each correction is recognised as a projection,
which cannot increase the largest singular value: from the left if v = A'u / ||u||^2, such as
centring, or from the right if u = A v / ||v||^2. What is left of a correction, usually rounding
errors, is added with its norm. Centred data are thus bounded by their uncentred second moments.
"""

import numpy as np
import scipy.linalg

from spcabench.problem.data import Data
from spcabench.problem.spectral import largest_eigenvalue
from spcabench.vectors import Array, Vector, normalize

PRODUCTS = 20  # number of vectors v that are tried
EXACT = 1000  # number of variables of largest variance with an exact eigenvalue
LEAST = 1e-2  # fraction of v that is added to the next v, so that all entries remain positive
# relative accuracy of the Lanczos method and the probability that it is not reached
ACCURACY, FAILURE = 1e-2, 1e-9


def eigenvalue_bound(A: Data) -> float:
    """Return an upper bound on the largest eigenvalue of A'A.

    It is the smaller of Collatz and Wielandt's bound, and of the sum of two bounds: LAPACK's
    largest eigenvalue for the `EXACT` variables of largest variance, and Collatz and Wielandt's
    bound for the others. The sum is a bound because ||A x|| <= ||A_S|| ||x_S|| + ||A_R|| ||x_R||.
    """
    order = np.argsort(-A.squared_norms(), kind="stable")
    head, rest = np.sort(order[:EXACT]), np.sort(order[EXACT:])
    in_parts = largest_eigenvalue(A.columns(head).gram())
    if len(rest):
        in_parts += _by_absolute_values(A.columns(rest))
    return min(in_parts, _by_absolute_values(A))


def _by_absolute_values(A: Data) -> float:
    """Return Collatz and Wielandt's bound on the largest eigenvalue of A'A."""
    A, extra = without_projections(A)
    return float(np.sqrt(_collatz_wielandt(_absolute(A))) + extra) ** 2


def without_projections(A: Data) -> tuple[Data, float]:
    """Return Y and a number e with ||A|| <= ||Y|| + e, where Y has no low-rank part."""
    extra = 0.0
    for i in range(A.rank):
        before, u, v = Data(A.X, A.scale, A.U[:, :i], A.V[:, :i]), A.U[:, i], A.V[:, i]
        uu, vv = float(u @ u), float(v @ v)
        if uu == 0.0 or vv == 0.0:
            continue
        left = np.linalg.norm(v - before.transposed_products(u[:, None])[:, 0] / uu) * np.sqrt(uu)
        right = np.linalg.norm(u - before.products(v[:, None])[:, 0] / vv) * np.sqrt(vv)
        extra += min(float(left), float(right))
    return Data(A.X, A.scale), extra


def _absolute(A: Data) -> Data:
    return Data(abs(A.X), None if A.scale is None else np.abs(A.scale))


def _collatz_wielandt(B: Data) -> float:
    """Return the smallest max_i (B'B v)_i / v_i of some power iterates v; B is nonnegative."""
    v, bound = np.ones(B.shape[1]), np.inf
    for _ in range(PRODUCTS):
        product = B.transposed_products(B.products(v[:, None]))[:, 0]
        most = float((product / v).max())
        bound = min(bound, most)
        if most == 0.0:
            break
        v = product / most + LEAST * v
        v /= v.max()
    return bound


def probable_bound(A: Data, rng: np.random.Generator) -> float:
    """Return a bound on the largest eigenvalue of A'A that fails with probability `FAILURE`.

    After q steps of the Lanczos method from a uniformly distributed start of dimension d, the
    largest Ritz value is at least 1 - e times the eigenvalue, except with probability 1.648 sqrt(d)
    exp(-(2 q - 1) sqrt(e)) (Kuczynski and Wozniakowski 1992, theorem 4.1). The probability is over
    the start, so ``rng`` must not depend on A. All vectors are orthogonalised against each other,
    because the theorem assumes exact arithmetic.
    """
    m, n = A.shape
    d = min(m, n)
    steps = np.log(1.648 * np.sqrt(d) / FAILURE) / np.sqrt(ACCURACY)
    steps = min(d, int(np.ceil((steps + 1.0) / 2.0)))

    def product(q: Vector) -> Vector:
        column = q[:, None]
        if m < n:
            return A.products(A.transposed_products(column))[:, 0]
        return A.transposed_products(A.products(column))[:, 0]

    diagonal, beside = _lanczos(product, normalize(rng.standard_normal(d)), steps)
    ritz = float(scipy.linalg.eigvalsh_tridiagonal(diagonal, beside)[-1])
    return ritz / (1.0 - ACCURACY)


def _lanczos(product, start: Vector, steps: int) -> tuple[Array, Array]:
    """Return the diagonal and the off-diagonal entries of the tridiagonal matrix."""
    Q = np.empty((steps, len(start)))
    Q[0] = start
    diagonal, beside = np.empty(steps), np.empty(steps - 1)
    for j in range(steps):
        r = product(Q[j])
        diagonal[j] = Q[j] @ r
        if j + 1 == steps:
            break
        for _ in range(2):  # once is not enough if the vectors nearly span an invariant space
            r = r - Q[: j + 1].T @ (Q[: j + 1] @ r)
        beside[j] = np.linalg.norm(r)
        if beside[j] <= 1e-12 * np.abs(diagonal[: j + 1]).max():  # an invariant space
            return diagonal[: j + 1], beside[:j]
        Q[j + 1] = r / beside[j]
    return diagonal, beside
