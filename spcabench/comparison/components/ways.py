"""The ways in which a solver can compute several components, each with its formulation."""

from dataclasses import dataclass

from spcabench import registry
from spcabench.iterate import Traits
from spcabench.running.description import describe
from spcabench.solving.deflate import DEFLATIONS
from spcabench.solving.formulations import Formulation

DEFAULT = "projection"  # the deflation used with every single-component solver
# single-component solvers that run with every deflation, to compare deflations: a cheap one, a
# thorough one, and one without a starting point
FACTORS = ("tpower", "local_search", "greedy_forward")
CALIBRATED, ROUNDED = "calibrated", "rounded"


@dataclass(frozen=True)
class Way:
    """One way to compute several components with a solver.

    how : the deflation; or "joint" if the solver finds all components at k; or "calibrated" if its
        penalty is searched until all loadings together have at most r k nonzeros; or "rounded" if
        it is searched until all together use at most k variables, whose leading eigenvectors are
        then the loadings.
    """

    solver: str
    formulation: Formulation
    how: str

    @property
    def label(self) -> str:
        """The way in words, without the solver's name."""
        return self.how.replace("_", " ")


def ways(solver: str, traits: Traits, every_deflation: bool = False) -> list[Way]:
    """Return all ways in which a solver with these traits can compute several components.

    solver : a name, or the path of a file. every_deflation : whether to use more than the default
        one.
    """
    if traits.control is None or traits.nonnegative == "always" or traits.rectangular:
        return []
    if traits.components == "joint":
        if traits.control == "cardinality":
            return [Way(solver, Formulation(traits.formulation), "joint")]
        return [
            Way(solver, Formulation.PENALISED, CALIBRATED),
            Way(solver, Formulation.COMMON, ROUNDED),
        ]
    kinds = [kind for kind in DEFLATIONS if kind != "drop_features"]
    if traits.accepts == "data":  # Hotelling's deflation gives an indefinite matrix, without data
        kinds.remove("hotelling")
    if not every_deflation and solver not in FACTORS:
        kinds = [DEFAULT]
    return [
        *(Way(solver, Formulation.DEFLATION, kind) for kind in kinds),
        Way(solver, Formulation.DISJOINT, "drop_features"),
    ]


def entrants() -> list[str]:
    """Return all solvers of the registry that can compute several components of any sign."""
    return [name for name in registry.names("solver") if ways(name, describe(name).traits)]
