"""The ways to compute several components with a solver, each with its formulation."""

from dataclasses import dataclass

from spcabench.iterate import Traits
from spcabench.solving.deflate import DEFLATIONS
from spcabench.solving.formulations import Formulation

DEFAULT = "projection"  # the deflation of all single-component solvers
# solvers that run with every deflation, to compare deflations: a fast solver, a thorough solver and
# a solver that needs no starting point
FACTORS = ("tpower", "local_search", "greedy_forward")
CALIBRATED, ROUNDED = "calibrated", "rounded"


@dataclass(frozen=True)
class Way:
    """A way to compute several components with a solver.

    how : the deflation, "joint", "calibrated" or "rounded". With "joint", the solver computes all
        components for cardinality k. With "calibrated", the suite searches for a penalty that
        produces loadings with at most r k nonzeros in total. With "rounded", it searches for a
        penalty that produces loadings on at most k variables in total, and replaces the loadings by
        the leading eigenvectors on these variables.
    """

    formulation: Formulation
    how: str


def ways(solver: str, traits: Traits, every_deflation: bool = False) -> list[Way]:
    """Return all ways to compute several components with a solver that has these traits.

    solver : a name or the path of a file. every_deflation : whether to use all deflations instead
        of the default alone.
    """
    if traits.control is None or traits.nonnegative == "always" or traits.rectangular:
        return []
    if traits.components == "joint":
        if traits.control == "cardinality":
            return [Way(Formulation(traits.formulation), "joint")]
        return [Way(Formulation.PENALISED, CALIBRATED), Way(Formulation.COMMON, ROUNDED)]
    kinds = [kind for kind in DEFLATIONS if kind != "drop_features"]
    if traits.accepts == "data":  # Hotelling's deflation gives an indefinite covariance
        kinds.remove("hotelling")
    if not every_deflation and solver not in FACTORS:
        kinds = [DEFAULT]
    return [
        *(Way(Formulation.DEFLATION, kind) for kind in kinds),
        Way(Formulation.DISJOINT, "drop_features"),
    ]
