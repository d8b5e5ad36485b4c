"""The ways in which a solver can be asked for several components, one formulation each."""

from dataclasses import dataclass

from spcabench import registry
from spcabench.iterate import Traits
from spcabench.running.description import describe
from spcabench.solving.deflate import DEFLATIONS
from spcabench.solving.formulations import Formulation

DEFAULT = "projection"  # the deflation that every solver of one component runs with
# single-component solvers that are run with every deflation, so that deflations are compared: one
# that is cheap, one that is thorough, one without a start
FACTORS = ("tpower", "local_search", "greedy_forward")
CALIBRATED, ROUNDED = "calibrated", "rounded"


@dataclass(frozen=True)
class Way:
    """One way to ask a solver.

    how : the deflation; "joint" where the solver finds all components at k; "calibrated" where its
    penalty is searched until all loadings together have at most r k nonzeros; "rounded" where it is
    searched until all together use at most k variables, on which the leading eigenvectors are then
    the loadings.
    """

    solver: str
    formulation: Formulation
    how: str

    @property
    def label(self) -> str:
        """The way in words, without the solver's name."""
        return self.how.replace("_", " ")


def ways(solver: str, traits: Traits, every_deflation: bool = False) -> list[Way]:
    """Return all ways to ask a solver, by its traits; none if it cannot give several.

    solver : a name, or the path of a file. every_deflation : also those that are no default.
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
    if traits.accepts == "data":  # Hotelling's deflation leaves an indefinite matrix: no data
        kinds.remove("hotelling")
    if not every_deflation and solver not in FACTORS:
        kinds = [DEFAULT]
    return [
        *(Way(solver, Formulation.DEFLATION, kind) for kind in kinds),
        Way(solver, Formulation.DISJOINT, "drop_features"),
    ]


def entrants() -> list[str]:
    """All solvers of the registry that can give several components of any sign."""
    return [name for name in registry.names("solver") if ways(name, describe(name).traits)]
