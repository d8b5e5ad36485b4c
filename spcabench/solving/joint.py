"""Checks that jointly found components satisfy the formulation stated by their solver."""

import numpy as np

from spcabench.iterate import Formulation
from spcabench.solving import formulations
from spcabench.solving.status import Status
from spcabench.vectors import Array


def graded(
    status: Status, Z: Array | None, n: int, k: int | None, formulation: Formulation
) -> Status:
    """Return the status of a run, which is infeasible if its components Z violate a condition."""
    broken = status.good and Z is not None and fault(Z, n, k, formulation)
    return Status.INFEASIBLE if broken else status


def fault(Z: Array, n: int, k: int | None, formulation: Formulation) -> str:
    """Return what is wrong with the components Z (n, r) in one sentence, or "".

    A zero column is a component that was not found, and violates nothing. A penalised Z may have
    any number of nonzeros.
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
