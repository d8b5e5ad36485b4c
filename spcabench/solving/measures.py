"""Measures of several loadings Z (n, r) together; docs/variance.md explains when each is meant.

All refer to the covariance Sigma of a problem, allow any number of columns, and are not charged.
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

SAME = 1e-4  # relative to Z's largest singular value; smaller ones do not count for its span


@dataclass(frozen=True)
class Measures:
    """The variance that r loadings explain, and how far they are from orthogonal and uncorrelated.

    Attributes
    ----------
    total : float
        tr(Z'Sigma Z). Loadings that are not orthogonal count some variance repeatedly, so it is
        never shown without ``violation``.
    violation : float
        Sum of |Z'Z - I|: zero for orthonormal loadings.
    projected : float
        tr((Z'Z)^-1 Z'Sigma Z), the variance of the data projected onto the span of the loadings. It
        is also the total variance of Z after orthogonalisation within the union of its supports.
    adjusted : float
        Sum of the adjusted variances (Zou, Hastie, Tibshirani 2006): the squared diagonal of R in
        the QR decomposition of the scores. It depends on the order of the loadings.
    regression : float
        ||P_T X||^2, the part of the data that a regression on the scores T = X Z explains:
        tr((Z'Sigma Z)^-1 Z'Sigma^2 Z).
    all : float
        tr Sigma, to which the others are relative.
    nonzeros, union : int
        Number of nonzeros of all loadings; number of variables in any of them.
    overlap : float
        Intersection over union of two supports, averaged over all pairs of loadings.
    correlation : float
        Largest |correlation| of two scores.
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
    """Return all measures of Z (n, r)."""
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

    Directions in which the loadings differ by less than 1e-4 do not count, because they would be
    dominated by rounding.
    """
    return float(np.trace(np.linalg.pinv(Z.T @ Z, rcond=SAME**2, hermitian=True) @ G))


def mean_overlap(used: NDArray[np.bool_]) -> float:
    """Return the intersection over union of supports, averaged over the pairs of a mask (n, r)."""
    pairs = [
        (used[:, i] & used[:, j]).sum() / max((used[:, i] | used[:, j]).sum(), 1)
        for i in range(used.shape[1])
        for j in range(i)
    ]
    return float(np.mean(pairs)) if pairs else 0.0


def largest_correlation(G: Array) -> float:
    """Return the largest |correlation| of two scores; G is Z'Sigma Z."""
    deviations = np.sqrt(np.maximum(np.diag(G), np.finfo(float).tiny))
    C = np.abs(G / np.outer(deviations, deviations))
    np.fill_diagonal(C, 0.0)
    return float(min(C.max(initial=0.0), 1.0))


@dataclass(frozen=True)
class HeldOut:
    """Shares of the variance of held-out samples.

    projected, adjusted : as in `Measures`. regression : share explained with coefficients fitted on
        the training samples; negative if the prediction is worse than the mean.
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
    """How much of some known loadings was found.

    accuracy : share of the true nonzeros that were found. false : share of the nonzeros found that
        are not true. subspace : sine of the largest angle between the two spans. Loadings are
        matched one to one so that the sum of |z'z_true| is largest.
    """

    accuracy: float
    false: float
    subspace: float


def recovery(Z: Array, truth: Array) -> Recovery:
    """Return how much of ``truth`` (n, r) was found by Z (n, q)."""
    from scipy.optimize import linear_sum_assignment  # slow to import, and rarely needed

    of_truth, of_Z = linear_sum_assignment(-np.abs(truth.T @ Z))
    true, recovered = truth[:, of_truth] != 0.0, Z[:, of_Z] != 0.0
    hits = int((true & recovered).sum())
    return Recovery(
        accuracy=hits / max(int((truth != 0.0).sum()), 1),
        false=1.0 - hits / max(int((Z != 0.0).sum()), 1),
        subspace=float(np.sin(subspace_angles(truth, Z)[0])),
    )
