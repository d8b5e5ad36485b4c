"""Mathematics that several solvers share; layer 1, so that no solver imports another."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from scipy.linalg import eigh_tridiagonal

from spcabench.errors import InputError
from spcabench.vectors import Indices, Vector, embed, largest_indices, normalize, support


def greedy_signs(
    Sigma, counts: Sequence[int], d: Vector | None = None
) -> Iterator[tuple[Vector, Indices]]:
    """Sign vectors x (n,) in {-1, 0, 1}, grown greedily to maximise x'Sigma x.

    He, Monteiro, Park, equation (6): every loop takes the columns j not yet taken with the largest
    Sigma_jj + 2 |g_j|, g = Sigma x (ties: lowest index), with the sign of g_j, that of 0
    being +1. One product per loop.

    counts : columns that each loop takes. d : the diagonal of Sigma (n,), where it is at hand.

    Yields x and the columns taken so far, in their order.
    """
    n = Sigma.n
    d = Sigma.diagonal() if d is None else d
    g, x = np.zeros(n), np.zeros(n)
    free = np.ones(n, dtype=bool)
    J = np.zeros(0, dtype=np.intp)
    for loop, count in enumerate(counts):
        score = np.where(free, d + 2.0 * np.abs(g), -np.inf)
        new = np.array([score.argmax()]) if count == 1 else largest_indices(score, count)
        new = new[np.argsort(-score[new], kind="stable")]
        step = np.zeros(n)
        step[new] = np.where(g[new] < 0.0, -1.0, 1.0)
        x, J = x + step, np.concatenate([J, new])
        free[new] = False
        yield x, J
        if loop + 1 < len(counts):
            g += Sigma @ step


def leading_on(Sigma, x: Vector, method: str, tol: float = 1e-9) -> Iterator[Vector]:
    """The leading eigenvector of Sigma on the support of x, from x on: unit vectors (n,).

    method : "power" yields the iterates of the power method, without end; "lanczos" yields the Ritz
        vector once its value changes by less than ``tol``, relative.
    """
    if method not in ("lanczos", "power"):
        raise InputError(f"second: {method!r}; allowed are 'lanczos' and 'power'")
    W = support(x)
    Sigma_W, y = Sigma[W], normalize(x[W])
    if method == "lanczos":
        yield embed(lanczos(Sigma_W.product, y, tol), W, len(x))
        return
    while True:
        y = normalize(Sigma_W.product(y))
        yield embed(y, W, len(x))


def lanczos(product: Callable[[Vector], Vector], y: Vector, tol: float) -> Vector:
    """Ritz vector of the largest eigenvalue of a symmetric matrix, given by its products, from the
    unit vector y (k,).

    Golub and Van Loan, "Matrix computations", section 10.1, with full reorthogonalisation.
    """
    basis, diagonal, off = [y], [], []
    value = -np.inf
    while True:
        z = product(basis[-1])
        diagonal.append(float(basis[-1] @ z))
        V = np.array(basis)  # (steps, k)
        z = z - V.T @ (V @ z)
        z -= V.T @ (V @ z)
        off.append(float(np.sqrt(z @ z)))
        w, s = eigh_tridiagonal(
            diagonal, off[:-1], select="i", select_range=(len(diagonal) - 1,) * 2
        )
        done = (
            w[0] - value <= tol * abs(w[0]) or off[-1] <= 1e-14 * abs(w[0]) or len(basis) == len(y)
        )
        if done:
            return normalize(V.T @ s[:, 0])
        value = w[0]
        basis.append(z / off[-1])


def nonnegative_ascent(
    product: Callable[[Vector], Vector], y: Vector, tol: float = 1e-12
) -> tuple[float, Vector]:
    """The value x'Sigma x and x >= 0, from the unit y >= 0 (k,): x <- (Sigma x)_+ / ||.||, a climb
    where Sigma is PSD.

    product : x -> Sigma x. Ends when the value rises by less than ``tol``, relative; it never
        falls.
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
        if rise <= tol * value:
            return value, y
