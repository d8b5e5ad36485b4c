"""Checks that components found jointly satisfy the formulation declared by their solver."""

import numpy as np

from spcabench.iterate import Joint
from spcabench.solving import formulations
from spcabench.solving.status import Status
from spcabench.vectors import Array


def graded(status: Status, Z: Array | None, n: int, k: int | None, formulation: Joint) -> Status:
    """Return the status, or "infeasible" if the components Z violate a constraint."""
    broken = status.good and Z is not None and fault(Z, n, k, formulation)
    return Status.INFEASIBLE if broken else status


def fault(Z: Array, n: int, k: int | None, formulation: Joint) -> str:
    """Return a sentence that describes the first error in the components Z (n, r), or "".

    A zero column means that this component was not found, and is not an error. Penalised components
    can have any number of nonzeros.
    """
    Z = np.asarray(Z)
    if Z.ndim != 2 or len(Z) != n or Z.dtype != np.float64 or not np.isfinite(Z).all():
        return f"Z has shape {Z.shape} and type {Z.dtype}; it must be finite floats ({n}, r)"
    if formulation == "penalised" or k is None:
        return ""
    nonzero = Z[:, Z.any(axis=0)]
    return (
        formulations.fault(nonzero, formulations.Formulation(formulation), k)
        if nonzero.size
        else ""
    )
