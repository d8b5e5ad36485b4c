"""Formulations of "several sparse components" in the literature, and their constraints on Z.

Each column of Z (n, r) is a loading of norm one. A solution of one formulation does not solve
another formulation, and the suite never ranks solvers for different formulations together.
"""

from enum import StrEnum

import numpy as np

from spcabench.iterate import Joint
from spcabench.vectors import Array

UNIT = 1e-6  # allowed deviation of a loading's squared norm from one
# largest sum of |Z'Z - I| over all entries for which loadings are treated as orthonormal, the
# tolerance used by Cory-Wright and Pauphilet (2022)
ORTHOGONAL = 1e-4


class Formulation(StrEnum):
    """The constraint on the loadings, in addition to norm one."""

    DEFLATION = "deflation"
    ORTHONORMAL = "orthonormal"
    DISJOINT = "disjoint"
    COMMON = "common"
    PENALISED = "penalised"

    @property
    def meaning(self) -> str:
        """The constraint on Z in one sentence."""
        return MEANINGS[self]

    @property
    def orthonormal(self) -> bool:
        """Whether Z'Z = I is required, so that the total and the projected variance are equal."""
        return self in (Formulation.ORTHONORMAL, Formulation.DISJOINT, Formulation.COMMON)


MEANINGS = {
    Formulation.DEFLATION: (
        "Loadings are computed one after the other, each with at most k nonzeros. The covariance "
        "is deflated after each loading."
    ),
    Formulation.ORTHONORMAL: "Each loading has at most k nonzeros, and all pairs are orthogonal.",
    Formulation.DISJOINT: "Each loading has at most k nonzeros, and no two share a variable.",
    Formulation.COMMON: "The loadings are orthogonal and use the same k variables at most.",
    Formulation.PENALISED: (
        "A penalty makes the loadings sparse. It is chosen such that they have at most r k "
        "nonzeros in total."
    ),
}


def orthogonality_violation(Z: Array) -> float:
    """Return the sum over all entries of |Z'Z - I|."""
    return float(np.abs(Z.T @ Z - np.eye(Z.shape[1])).sum())


def fault(Z: Array, formulation: Formulation, k: int, r: int | None = None) -> str:
    """Return a sentence that describes the first violated constraint on Z (n, q), or "".

    k : maximum number of nonzeros of each loading; for a common support, its maximum size; for
        penalised loadings, the maximum average number of nonzeros. r : number of requested
        loadings, which q must not exceed; by default q.
    """
    if Z.ndim != 2 or not np.isfinite(Z).all():
        return "Z must be a matrix of finite numbers"
    norms = np.sqrt((Z * Z).sum(axis=0))
    if (np.abs(norms**2 - 1.0) > UNIT).any():
        j = int(np.abs(norms - 1.0).argmax())
        return f"loading {j + 1} has norm {norms[j]:.10g}"
    if r is not None and Z.shape[1] > r:
        return f"there are {Z.shape[1]} loadings; at most {r} are allowed"
    return _too_many(Z, formulation, k, r or Z.shape[1]) or _not_apart(Z, formulation)


def _too_many(Z: Array, formulation: Formulation, k: int, r: int) -> str:
    used = Z != 0.0
    if formulation == Formulation.PENALISED:
        if used.sum() <= r * k:
            return ""
        return f"the loadings have {used.sum()} nonzeros; at most {r * k} are allowed"
    if formulation == Formulation.COMMON:
        rows = int(used.any(axis=1).sum())
        return f"the loadings use {rows} variables; at most {k} are allowed" if rows > k else ""
    counts = used.sum(axis=0)
    j = int(counts.argmax())
    if counts[j] <= k:
        return ""
    return f"loading {j + 1} has {counts[j]} nonzeros; at most {k} are allowed"


def _not_apart(Z: Array, formulation: Formulation) -> str:
    if formulation == Formulation.DISJOINT and (np.count_nonzero(Z, axis=1) > 1).any():
        i = int((np.count_nonzero(Z, axis=1) > 1).argmax())
        return f"variable {i} is in more than one loading"
    off = orthogonality_violation(Z)
    if formulation.orthonormal and off > ORTHOGONAL:
        return f"the sum of |Z'Z - I| is {off:.3g}, above {ORTHOGONAL:g}"
    return ""


def fault_of_joint(Z: Array, n: int, k: int | None, formulation: Joint) -> str:
    """Return a sentence that describes the first error in components that a solver yielded, or "".

    A zero column of Z (n, r) means that this component was not found, and is not an error.
    Penalised components can have any number of nonzeros.
    """
    Z = np.asarray(Z)
    if Z.ndim != 2 or len(Z) != n or Z.dtype != np.float64 or not np.isfinite(Z).all():
        return f"Z has shape {Z.shape} and type {Z.dtype}; it must be finite floats ({n}, r)"
    found = Z[:, Z.any(axis=0)]
    if formulation == "penalised" or k is None or not found.size:
        return ""
    return fault(found, Formulation(formulation), k)
