"""Nesterov's smooth minimisation of the dual, min lambda_max(A + U) over |U_ij| <= rho.

d'Aspremont, El Ghaoui, Jordan, Lanckriet, "A direct formulation for sparse PCA using semidefinite
programming", SIAM Review 49 (2007), sections 4.2 and 4.3: f_mu(U) = mu log Tr exp((A + U) / mu) -
mu log n, mu = eps / (2 log n).
"""

from collections.abc import Iterator

import numpy as np

from spcabench.methods.relaxation import Pair, value
from spcabench.problem.spectral import eigen, largest_eigenvalue, last_vector, rebuilt, top_eigen
from spcabench.vectors import Array, Vector

CHECK = 10  # iterations from one evaluation of the dual at Y_k to the next


def smooth(A: Array, rho: float, eps: float, partial: bool = False) -> Iterator[Pair]:
    """Pairs of A (n, n), their gap falling to about eps, in the units of A.

    partial : only the eigenvalues that matter to the gradient, by Lanczos' method.
    """
    n = len(A)
    mu = eps / (2.0 * np.log(n))
    L = 1.0 / (2.0 * mu)
    U, G, mean = np.zeros_like(A), np.zeros_like(A), np.zeros_like(A)
    k = 0
    while True:
        x, X, bound = gradient(A + U, mu, partial)  # step 1
        Y = np.clip(U - X / L, -rho, rho)  # step 2
        G += (k + 1) / 2.0 * X
        Z = np.clip(-G / L, -rho, rho)  # step 3
        mean = (k * mean + 2.0 * X) / (k + 2)
        yield Pair(x, mean, U, value(A, mean, rho), bound)
        if k % CHECK == CHECK - 1:
            yield Pair(x, X, Y, value(A, X, rho), largest_eigenvalue(A + Y))
        U = 2.0 / (k + 3) * Z + (k + 1) / (k + 3) * Y  # step 4
        k += 1


def gradient(M: Array, mu: float, partial: bool = False) -> tuple[Vector, Vector, float]:
    """The leading eigenvector of M (n, n), exp(M / mu) scaled to trace one, and lambda_max(M)."""
    w, V = top_eigen(M, mu * np.log(1e12 * len(M))) if partial else eigen(M)
    p = np.exp((w - w[-1]) / mu)
    return last_vector(w, V), rebuilt(V, p / p.sum()), float(w[-1])
