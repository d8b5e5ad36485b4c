"""The dual bound on the total variance tr(Z'Sigma Z) of several orthonormal loadings Z (n, r).

For every U (n, n), let r_i be the norm of the k - 1 largest |u_ij|, j != i, and h_i = (u_ii +
sqrt(u_ii^2 + r_i^2)) / 2. Then tr(Z'Sigma Z) is at most the sum of the r largest eigenvalues of
Sigma - (U + U') / 2, plus a sum that depends on the supports:

- if all loadings use the same k variables: the sum of the k largest h_i;
- if each loading has k variables: r times the sum of the k largest h_i;
- if each loading has k variables and the supports are disjoint: the sum of the r k largest h_i.

docs/bounds.md contains the proofs. A multiple of the identity in U plays the role of the number a
in the bound for one loading (`exact_search.dual_bound`), so no separate term is needed. The right
side is convex in U, and a smoothed form of it is minimised by L-BFGS. Any U gives a valid bound.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.special import expit

from spcabench.methods.exact_search.dual_certificate import ROUNDING, clipped, symmetric_part
from spcabench.methods.exact_search.dual_kernels import smooth_norms
from spcabench.problem.spectral import eigen, eigenvalues, rebuilt
from spcabench.vectors import Array, Vector

WIDTHS = (1e-2, 3e-3, 1e-3)  # widths of the smoothing, relative to lambda_1
STEPS = 60  # number of steps of L-BFGS at each width
FAR = 40.0  # beyond this distance, a logistic weight is zero or one


@dataclass(frozen=True)
class Shape:
    """The sum in the bound, which depends on the constraint on the supports.

    r : number of loadings. k : cardinality; each r_i is the norm of k - 1 entries. terms : number
        of h_i in the sum. times : factor of the sum.
    """

    r: int
    k: int
    terms: int
    times: int

    @classmethod
    def common(cls, n: int, r: int, k: int) -> "Shape":
        """All loadings share k variables."""
        return cls(r, k, min(k, n), 1)

    @classmethod
    def each(cls, n: int, r: int, k: int) -> "Shape":
        """Each loading has k variables."""
        return cls(r, k, min(k, n), r)

    @classmethod
    def disjoint(cls, n: int, r: int, k: int) -> "Shape":
        """Each loading has k variables, and their supports are disjoint."""
        return cls(r, k, min(r * k, n), 1)


def joint_value(S: Array, U: Array, shape: Shape) -> float:
    """Return the bound on tr(Z'SZ) for any matrix U (n, n), at a cost of 9 n^3 flops."""
    d = U.diagonal()
    squares = U * U
    np.fill_diagonal(squares, 0.0)
    r2 = np.sort(squares, axis=1)[:, ::-1][:, : shape.k - 1].sum(axis=1)
    h = np.sort((d + np.sqrt(d * d + r2)) / 2.0)[::-1]
    w = eigenvalues(S - symmetric_part(U))[::-1]
    bound = w[: shape.r].sum() + shape.times * h[: shape.terms].sum()
    margin = ROUNDING * len(S) * (np.linalg.norm(S) + np.linalg.norm(U))
    return float(bound + (shape.r + shape.times) * margin)


def minimised(S: Array, shape: Shape, reached: float = 0.0) -> tuple[float, Array]:
    """Return the smallest bound found, with its U (n, n).

    reached : the value of some Z. The minimisation stops if the bound equals this value.
    """
    unit = eigenvalues(S)[-1]
    if unit <= 0.0:
        return joint_value(S, np.zeros_like(S), shape), np.zeros_like(S)
    A = S / unit
    starts = [np.zeros_like(A), *clipped(A)]
    value, U = min(((joint_value(A, V, shape), V) for V in starts), key=lambda pair: pair[0])
    for width in WIDTHS:
        if value <= reached / unit * (1.0 + 1e-9):
            break
        smooth = Smooth(A, shape, width)
        minimum = minimize(
            smooth, U.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": STEPS}
        )
        V = minimum.x.reshape(U.shape)
        new = joint_value(A, V, shape)
        if new < value:
            value, U = new, V
    return value * unit, U * unit


class Smooth:
    """The bound as a smooth function of U, with its gradient, for L-BFGS."""

    def __init__(self, A: Array, shape: Shape, width: float) -> None:
        self.A, self.shape = A, shape
        self.mu_eigenvalues = width / np.log(len(A) + 1.0)
        self.mu_terms = width / shape.k
        self.delta = 2.0 * width / shape.k**2
        self.least = (1e-3 * width / shape.k) ** 2
        self.beta = np.zeros(len(A))  # row thresholds, reused between calls

    def __call__(self, z: Vector) -> tuple[float, Vector]:
        """Return the smoothed bound and its gradient at the entries z of U."""
        n = len(self.A)
        U = z.reshape(n, n)
        w, V = eigen(self.A - symmetric_part(U))
        top, weights = top_sum(w, self.shape.r, self.mu_eigenvalues)
        value, G = self._terms(U)
        G -= rebuilt(V, weights)
        return top + self.shape.times * value, G.ravel()

    def _terms(self, U: Array) -> tuple[float, Array]:
        """Return the sum of the largest h_i, and ``times`` its derivatives with respect to U."""
        d, T = U.diagonal(), np.empty_like(U)
        r2 = smooth_norms(U, self.shape.k - 1, self.delta, False, self.beta, T)
        root = np.sqrt(d * d + r2 + self.least)
        value, p = top_sum((d + root) / 2.0, self.shape.terms, self.mu_terms)
        p = self.shape.times * p
        G = T * U * (p / (2.0 * root))[:, None]
        np.fill_diagonal(G, p * (1.0 + d / root) / 2.0)
        return value, G


def top_sum(g: Vector, count: int, mu: float) -> tuple[float, Vector]:
    """Return the sum of the ``count`` largest entries of g, smoothed at width mu, and its gradient.

    It is the minimum over b of count b + mu times the sum of log(1 + exp((g_i - b) / mu)).
    """
    if count >= len(g):
        return float(g.sum()), np.ones_like(g)
    b = float(
        brentq(
            lambda b: expit((g - b) / mu).sum() - count,
            g.min() - FAR * mu,
            g.max() + FAR * mu,
            xtol=1e-3 * mu,
        )
    )
    x = (g - b) / mu
    value = count * b + mu * float(np.logaddexp(0.0, x).sum())
    return value, expit(x)
