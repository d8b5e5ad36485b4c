"""Algorithms shared by several solvers, because solvers must not import each other."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy.linalg import lapack

from spcabench.errors import InputError
from spcabench.problem.spectral import leading_pairs, product
from spcabench.problem.working_set import Symmetric
from spcabench.vectors import (
    DIGITS,
    TIE,
    Array,
    Indices,
    Vector,
    embed,
    first_largest,
    largest_indices,
    normalize,
    support,
)

# A Krylov space is complete if the relative norm of its next vector is below this value, because
# the vector is then a rounding error.
NO_MORE = 1e-12
RISE = 1e-12  # an ascent stops if the relative increase of its value is at most this


def greedy_signs(
    Sigma, counts: Sequence[int], d: Vector | None = None
) -> Iterator[tuple[Vector, Indices]]:
    """Grow sign vectors greedily to maximise x'Sigma x.

    Each step adds the remaining columns j with the largest Sigma_jj + 2 |g_j|, where g = Sigma x,
    with the sign of g_j (+1 if g_j is 0). A step costs one product. Ties are broken by the norms of
    the columns of Sigma in the first step (largest first), and by the lowest index in later steps.

    Parameters
    ----------
    Sigma : Covariance or Gram
        The covariance (n, n) of a problem.
    counts : sequence of int
        Number of columns to add in each step.
    d : array of shape (n,), optional
        Diagonal of Sigma, if already known.

    Yields
    ------
    x : array of shape (n,)
        Sign vector with entries in {-1, 0, 1}. Its memory is used again in the next step.
    J : array of int
        Indices of the columns added so far, in order.

    References
    ----------
    He, Monteiro, Park, "An efficient algorithm for rank-1 sparse PCA", 2010, equation (6).
    """
    d_free = np.array(Sigma.diagonal() if d is None else d)  # -inf for columns already added
    g, x = np.zeros(Sigma.n), np.zeros(Sigma.n)
    J = np.empty(sum(counts), dtype=np.intp)
    before = start = 0  # the last step added J[before:start]
    for count in counts:
        end = start + count
        # if Sigma is an array, adding a single column (as Scol-PCA does) takes one pass over it
        single = count == start - before == 1
        step = Sigma.step(g, d_free, J[before], x[J[before]]) if single else None
        if step:
            new, sign = step
            J[start], x[new] = new, sign
        else:
            if start:
                last = J[before:start]
                g += Sigma[last].power_step(x[last])
            new, signs = _best_columns(Sigma, g, d_free, count, first=not start)
            J[start:end], x[new], d_free[new] = new, signs, -np.inf
        before, start = start, end
        yield x, J[:end]


def _best_columns(
    Sigma, g: Vector, d_free: Vector, count: int, first: bool
) -> tuple[Indices, Vector]:
    """Return the columns to add in a step of `greedy_signs`, best first, and their signs."""
    score = np.abs(g)
    score *= 2.0
    score += d_free
    then = (Sigma.column_squares,) if first else ()
    if count == 1:
        new = np.array([first_largest(score, *then)])
    else:
        new = largest_indices(score, count, *then)
        new = new[np.argsort(-score[new], kind="stable")]
    return new, np.where(g[new] < -TIE * score[new[0]], -1.0, 1.0)


def leading_on(Sigma, x: Vector, method: str, tol: float = 1e-9) -> Iterator[Vector]:
    """Iterate from x towards the leading eigenvector of Sigma on the support of x.

    Parameters
    ----------
    Sigma : Covariance or Gram
        The covariance (n, n) of a problem.
    x : array of shape (n,)
        Starting point, whose support is preserved.
    method : {"power", "lanczos"}
        "power" yields the iterates of the power method indefinitely. "lanczos" yields one vector.
    tol : float
        The Lanczos method stops if the relative increase of the Ritz value is below ``tol``.

    Yields
    ------
    array of shape (n,)
        Unit vector.

    Raises
    ------
    InputError
        If the method is unknown.
    """
    if method not in ("lanczos", "power"):
        raise InputError(f"second: {method!r}; choose 'lanczos' or 'power'")
    W = support(x)
    Sigma_W, y = Sigma[W], normalize(x[W])
    if method == "lanczos":
        y = lanczos(Sigma_W.product, y, tol)
        # for a variable without variance, a rounding error from the starting point remains
        yield embed(np.where(np.abs(y) > 10.0**-DIGITS, y, 0.0), W, len(x))
        return
    while True:
        y = normalize(Sigma_W.product(y))
        yield embed(y, W, len(x))


def lanczos(product: Callable[[Vector], Vector], y: Vector, tol: float) -> Vector:
    """Return the Ritz vector for the largest eigenvalue of a symmetric matrix.

    Parameters
    ----------
    product : callable
        Function that multiplies the matrix by a vector of shape (k,).
    y : array of shape (k,)
        Starting point, a unit vector.
    tol : float
        Stop if the relative increase of the Ritz value is below ``tol``.

    Returns
    -------
    array of shape (k,)
        The Ritz vector, a unit vector.

    References
    ----------
    Golub and Van Loan, "Matrix computations", section 10.1; here with full reorthogonalisation.
    """
    basis, diagonal, off = [y], [], []
    value = -np.inf
    while True:
        z = product(basis[-1])
        diagonal.append(float(basis[-1] @ z))
        V = np.array(basis)  # (steps, k)
        # Orthogonalise twice, because the division by off[-1] magnifies the rounding errors that
        # remain after a single pass.
        z = z - V.T @ (V @ z)
        z -= V.T @ (V @ z)
        off.append(float(np.sqrt(z @ z)))
        w, blocks = _largest_ritz_value(diagonal, off[:-1])
        if w - value <= tol * abs(w) or off[-1] <= NO_MORE * abs(w) or len(basis) == len(y):
            return normalize(V.T @ _ritz_vector(diagonal, off[:-1], w, blocks))
        value = w
        basis.append(z / off[-1])


def _largest_ritz_value(diagonal: Sequence[float], off: Sequence[float]) -> tuple[float, list[Any]]:
    """Return the largest eigenvalue of a tridiagonal matrix, and its blocks for `_ritz_vector`.

    `scipy.linalg.eigh_tridiagonal` does the same, but checking its arguments takes longer.
    """
    k = len(diagonal)
    if k == 1:
        return diagonal[0], []
    by_index, tol = 2, 0.0
    _, w, *blocks, wrong = lapack.dstebz(diagonal, off, by_index, 0.0, 1.0, k, k, tol, "B")
    if wrong:
        raise np.linalg.LinAlgError("LAPACK found no eigenvalue of a tridiagonal matrix")
    return float(w[0]), blocks


def _ritz_vector(
    diagonal: Sequence[float], off: Sequence[float], w: float, blocks: Sequence[Any]
) -> Vector:
    """Return the eigenvector for the largest eigenvalue w of a tridiagonal matrix."""
    if len(diagonal) == 1:
        return np.ones(1)
    s, failed = lapack.dstein(diagonal, off, [w], *blocks)
    if failed:
        raise np.linalg.LinAlgError("LAPACK found no eigenvector of a tridiagonal matrix")
    return np.asarray(s)[:, 0]


def nonnegative_ascent(product: Callable[[Vector], Vector], y: Vector) -> tuple[float, Vector]:
    """Find a local maximum of x'Sigma x over unit vectors x >= 0.

    Each step replaces x by the positive part of Sigma x, scaled to norm one.

    Parameters
    ----------
    product : callable
        Function that multiplies Sigma by a vector of shape (k,).
    y : array of shape (k,)
        Starting point, a nonnegative unit vector.

    Returns
    -------
    value : float
        Value x'Sigma x, which is at least y'Sigma y.
    x : array of shape (k,)
        Nonnegative unit vector.

    Notes
    -----
    If Sigma is positive semidefinite, no step decreases the value. The ascent stops before the
    first step that does not increase the value, or when the relative increase is at most 1e-12.
    """
    z = product(y)
    value = float(y @ z)
    while True:
        x = normalize(np.maximum(z, 0.0))
        z = product(x)
        rise = float(x @ z) - value
        if not rise > 0.0:
            return value, y
        value, y = value + rise, x
        if rise <= RISE * value:
            return value, y


def nonnegative_loading(B: Array, y: Vector) -> tuple[float, Vector]:
    """Return x'Bx and x for a symmetric B (k, k) and a unit vector x >= 0 found by local ascent.

    x is the better result of two ascents, one from y (k,) and one from the absolute values of the
    leading eigenvector of B. If all entries of this eigenvector have the same sign, x is optimal.
    """
    starts = y, leading_pairs(B, 1)[1][:, 0]
    ascents = [nonnegative_ascent(partial(product, B), np.abs(start)) for start in starts]
    return max(ascents, key=lambda ascent: ascent[0])


def ascend(
    Sigma,
    W: Array,
    constrained: Callable[[Array, Indices], Array],
    tol: float,
    passes: int,
) -> Iterator[Vector]:
    """Iterate w <- constrained(Sigma w) for several vectors at once, in place.

    A vector is removed from the batch when its variance w'Sigma w has converged. Each step costs
    one product of Sigma with the remaining vectors.

    Parameters
    ----------
    Sigma : Covariance or Gram
        The covariance (n, n) of a problem.
    W : array of shape (n, r)
        The vectors, one per column; modified in place.
    constrained : callable
        Function that computes new columns from the products (n, q) and the indices of the columns.
    tol : float
        A column has converged if the relative change of w'Sigma w is at most ``tol``.
    passes : int
        Maximum number of steps.

    Yields
    ------
    w : array of shape (n,)
        The column with the largest variance before the step, yielded after each step.
    """
    moving = np.arange(W.shape[1])
    variance = np.zeros(len(moving))
    for _ in range(passes):
        Y = W.T[moving].T  # indexed this way, the columns are contiguous
        product = Sigma.products(Y)
        new = (Y * product).sum(axis=0)
        W[:, moving] = constrained(product, moving)
        changed = np.abs(new - variance[moving]) > tol * np.abs(new)
        variance[moving], moving = new, moving[changed]
        yield W[:, variance.argmax()]
        if not len(moving):
            return


def unit_columns(W: Array) -> Array:
    """Scale the columns of W (n, r) to norm one; zero columns remain zero."""
    norms = np.sqrt((W * W).sum(axis=0))
    return W / np.where(norms > 0.0, norms, 1.0)


def polar(G: Array) -> Array:
    """Return the matrix with orthonormal columns that is nearest to G (n, r).

    It is U V' from the singular value decomposition of G. The cost of n r^2 flops is not charged.
    """
    if G.shape[1] == 1:
        return normalize(G[:, 0])[:, None]
    U, _, Vt = np.linalg.svd(np.asarray(G), full_matrices=False)
    return U @ Vt


def principal_components(matrix: Symmetric, count: int) -> tuple[Vector, Array]:
    """Return the ``count`` largest eigenvalues of a matrix, with unit eigenvectors as columns.

    Nonpositive eigenvalues and their eigenvectors are set to zero, because an eigenvector for a
    zero eigenvalue that is computed from data consists of rounding errors.

    Parameters
    ----------
    matrix : Symmetric
        A covariance (n, n), or one of its working sets.
    count : int
        Number of eigenvalues.
    """
    w, V = matrix.leading_pairs(count)
    positive = int((w > NO_MORE * w[0]).sum()) if w[0] > 0.0 else 0
    values, vectors = np.zeros(count), np.zeros((len(V), count))
    values[:positive], vectors[:, :positive] = w[:positive], V[:, :positive]
    return values, vectors


def varimax(Y: Array) -> Array:
    """Return Y (n, r) times an orthogonal matrix that locally maximises the varimax criterion.

    The criterion is the variance of the squared entries of a column, summed over the columns. It is
    large if each column has few large entries. Each step computes the polar factor of the gradient.
    The cost of 2 n r^2 flops per step is not charged.

    Parameters
    ----------
    Y : array of shape (n, r)
        The matrix to rotate, usually with orthonormal columns.

    References
    ----------
    Kaiser, "The varimax criterion for analytic rotation in factor analysis", Psychometrika 23
    (1958); the iteration is the same as in R's ``varimax``.
    """
    Y = np.asarray(Y)
    if Y.shape[1] == 1:
        return Y
    T, norm = np.eye(Y.shape[1]), 0.0
    for _ in range(1000):
        Q = Y @ T
        U, d, Vt = np.linalg.svd(Y.T @ (Q**3 - Q * (Q**2).mean(axis=0)))
        T, last, norm = U @ Vt, norm, float(d.sum())
        if norm <= last * (1.0 + RISE):
            break
    return Y @ T


def stiefel_gradient(G: Array, A: Array) -> Array:
    """Return G - A G'A, the gradient on the Stiefel manifold at A (n, r).

    G (n, r) is the Euclidean gradient. The cost of 2 n r^2 flops is not charged.
    """
    G, A = np.asarray(G), np.asarray(A)
    return G - A @ (G.T @ A)
