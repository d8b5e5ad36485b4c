"""Nesterov's smooth minimisation of the dual, min lambda_max(A + U) over |U_ij| <= rho.

d'Aspremont, El Ghaoui, Jordan, Lanckriet, "A direct formulation for sparse PCA using semidefinite
programming", SIAM Review 49 (2007), sections 4.2 and 4.3: f_mu(U) = mu log Tr exp((A + U) / mu) -
mu log n with mu = eps / (2 log n).
"""

from collections.abc import Iterator
from itertools import count

import numpy as np

from spcabench.methods.relaxation import Pair, value
from spcabench.problem.spectral import (
    eigen,
    largest_eigenvalue,
    last_vector,
    part_eigen,
    rebuilt,
    top_eigen,
)
from spcabench.vectors import Array, Vector

CHECK = 10  # iterations between evaluations of the dual at Y_k
FEW = 4  # initial guess of the number of eigenpairs with nonzero weight in the gradient
LARGE = 200  # from this order on, LAPACK is faster if it computes only a few eigenpairs


def smooth(A: Array, rho: float, eps: float, eigenvalues: str = "auto") -> Iterator[Pair]:
    """Yield pairs for A (n, n), the gap of which decreases to about eps, in the units of A.

    eigenvalues : "full", "partial" or "auto", as in `leading`.
    """
    n = len(A)
    mu = eps / (2.0 * np.log(n))
    L = 1.0 / (2.0 * mu)
    needed = FEW
    U, G, mean = np.zeros_like(A), np.zeros_like(A), np.zeros_like(A)
    for k in count():
        w, V = leading(A + U, mu, eigenvalues, needed)
        needed = max(FEW, int((w >= w[-1] - width(n, mu)).sum()) + 1)
        x, X, bound = gradient(w, V, mu)  # step 1
        Y = np.clip(U - X / L, -rho, rho)  # step 2
        G += (k + 1) / 2.0 * X
        Z = np.clip(-G / L, -rho, rho)  # step 3
        mean = (k * mean + 2.0 * X) / (k + 2)
        yield Pair(x, mean, U, value(A, mean, rho), bound)
        if k % CHECK == CHECK - 1:
            yield Pair(x, X, Y, value(A, X, rho), largest_eigenvalue(A + Y))
        U = 2.0 / (k + 3) * Z + (k + 1) / (k + 3) * Y  # step 4


def width(n: int, mu: float) -> float:
    """Return the distance below the largest eigenvalue beyond which the gradient weight is zero."""
    return float(mu * np.log(1e12 * n))


def leading(M: Array, mu: float, eigenvalues: str, needed: int) -> tuple[Vector, Vector]:
    """Return the eigenpairs of M (n, n) that affect the gradient, or all, in increasing order.

    eigenvalues : "full" computes all eigenpairs, and "partial" computes those that affect the
        gradient by the Lanczos method. "auto" computes all eigenpairs of a small matrix. For a
        large matrix, LAPACK computes only the largest ones, a quarter more than the last iteration
        ``needed``.
    """
    if eigenvalues == "partial":
        return top_eigen(M, width(len(M), mu))
    if eigenvalues == "auto" and len(M) >= LARGE:
        return part_eigen(M, width(len(M), mu), needed + needed // 4 + 1)
    return eigen(M)


def gradient(w: Vector, V: Array, mu: float) -> tuple[Vector, Array, float]:
    """Return the leading eigenvector of M, exp(M / mu) scaled to trace one, and lambda_max(M).

    w, V : the eigenpairs of M that affect the gradient.
    """
    p = np.exp((w - w[-1]) / mu)
    return last_vector(w, V), rebuilt(V, p / p.sum()), float(w[-1])
