"""Joint measures of several loadings Z (n, r); docs/numbers.md explains when to use each measure.

All measures use the covariance Sigma of a problem and accept any number of loadings. Solvers are
not charged for them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import subspace_angles

from spcabench.flops import uncharged
from spcabench.problem.problem import Problem
from spcabench.problem.spectral import adjusted_variances
from spcabench.solving.formulations import orthogonality_violation
from spcabench.vectors import Array

SAME = 1e-4  # smaller singular values of Z, relative to the largest, are treated as zero


@dataclass(frozen=True)
class Measures:
    """Variance explained by r loadings, and measures of their overlap and correlation.

    Attributes
    ----------
    total : float
        Total variance, tr(Z'Sigma Z). If the loadings are not orthogonal, it counts part of the
        variance repeatedly, so it is never shown without ``violation``.
    violation : float
        Sum of |Z'Z - I| over all entries, which is zero for orthonormal loadings.
    projected : float
        Variance of the data projected onto the span of the loadings, tr((Z'Z)^-1 Z'Sigma Z). It is
        also the total variance of Z after orthogonalisation within the union of the supports.
    adjusted : float
        Sum of the adjusted variances (Zou, Hastie, Tibshirani 2006), the squared diagonal entries
        of R in the QR decomposition of the scores. It depends on the order of the loadings.
    regression : float
        Variance explained by a regression of the data on the scores T = X Z, which is ||P_T X||^2
        or tr((Z'Sigma Z)^-1 Z'Sigma^2 Z).
    all : float
        Variance of the data, tr Sigma.
    nonzeros, union : int
        Number of nonzeros in all loadings; number of variables in the union of their supports.
    overlap : float
        Intersection over union of two supports, averaged over all pairs of loadings.
    correlation : float
        Largest absolute correlation between two scores.
    """

    total: float
    violation: float
    projected: float
    adjusted: float
    regression: float
    all: float
    nonzeros: int
    union: int
    overlap: float
    correlation: float


def measures(problem: Problem, Z: Array) -> Measures:
    """Return the joint measures of loadings Z (n, r)."""
    with uncharged():
        SZ = problem.covariance.products(Z)
        everything = float(problem.covariance.diagonal().sum())
    G = Z.T @ SZ  # (r, r)
    used = Z != 0.0
    return Measures(
        total=float(np.trace(G)),
        violation=orthogonality_violation(Z),
        projected=projected_variance(Z, G),
        adjusted=float(adjusted_variances(G).sum()),
        regression=float(np.trace(np.linalg.pinv(G, rcond=SAME**2, hermitian=True) @ (SZ.T @ SZ))),
        all=everything,
        nonzeros=int(used.sum()),
        union=int(used.any(axis=1).sum()),
        overlap=mean_overlap(used),
        correlation=largest_correlation(G),
    )


def projected_variance(Z: Array, G: Array) -> float:
    """Return tr((Z'Z)^-1 G), where G is Z'Sigma Z.

    Directions in which the loadings differ by less than 1e-4 are ignored, because rounding errors
    would dominate them.
    """
    return float(np.trace(np.linalg.pinv(Z.T @ Z, rcond=SAME**2, hermitian=True) @ G))


def mean_overlap(used: NDArray[np.bool_]) -> float:
    """Return the intersection over union of two columns of a mask (n, r), averaged over pairs."""
    pairs = [
        (used[:, i] & used[:, j]).sum() / max((used[:, i] | used[:, j]).sum(), 1)
        for i in range(used.shape[1])
        for j in range(i)
    ]
    return float(np.mean(pairs)) if pairs else 0.0


def largest_correlation(G: Array) -> float:
    """Return the largest absolute correlation between two scores, where G is Z'Sigma Z."""
    deviations = np.sqrt(np.maximum(np.diag(G), np.finfo(float).tiny))
    C = np.abs(G / np.outer(deviations, deviations))
    np.fill_diagonal(C, 0.0)
    return float(min(C.max(initial=0.0), 1.0))


@dataclass(frozen=True)
class HeldOut:
    """Measures as fractions of the variance of held-out samples.

    projected, adjusted : as in `Measures`. regression : fraction explained with coefficients that
        were fitted to the training samples; negative if the prediction is worse than the mean.
    """

    projected: float
    adjusted: float
    regression: float


def held_out(train: Problem, test: Problem, Z: Array) -> HeldOut:
    """Return the measures on samples that were not used to find Z (n, r)."""
    with uncharged():
        SZ, TZ = train.covariance.products(Z), test.covariance.products(Z)
        everything = float(test.covariance.diagonal().sum())
        P = SZ @ np.linalg.pinv(
            Z.T @ SZ, rcond=SAME**2, hermitian=True
        )  # (n, r): X is predicted by X Z P'
    G = Z.T @ TZ
    left = everything - 2.0 * float((P * TZ).sum()) + float(np.trace(P.T @ P @ G))
    return HeldOut(
        projected=projected_variance(Z, G) / everything,
        adjusted=float(adjusted_variances(G).sum()) / everything,
        regression=1.0 - left / everything,
    )


@dataclass(frozen=True)
class Recovery:
    """Measures of how well loadings recover known true loadings.

    accuracy : fraction of the true nonzeros that were found. false : fraction of the nonzeros found
        that are not true nonzeros. subspace : sine of the largest angle between the two spans.
        Loadings are matched one to one to maximise the sum of |z'z_true|.
    """

    accuracy: float
    false: float
    subspace: float


def recovery(Z: Array, truth: Array) -> Recovery:
    """Return how well Z (n, q) recovers the loadings ``truth`` (n, r)."""
    from scipy.optimize import linear_sum_assignment  # slow to import, and rarely needed

    of_truth, of_Z = linear_sum_assignment(-np.abs(truth.T @ Z))
    true, recovered = truth[:, of_truth] != 0.0, Z[:, of_Z] != 0.0
    hits = int((true & recovered).sum())
    return Recovery(
        accuracy=hits / max(int((truth != 0.0).sum()), 1),
        false=1.0 - hits / max(int((Z != 0.0).sum()), 1),
        subspace=float(np.sin(subspace_angles(truth, Z)[0])),
    )
