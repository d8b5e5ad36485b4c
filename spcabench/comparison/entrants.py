"""The solvers of a comparison, each with the terms under which it runs.

The rows of a solver do not depend on the other solvers in a comparison, so they are reused by all
comparisons on the same terms.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from spcabench import files, registry
from spcabench.comparison import suite
from spcabench.comparison.components.ways import ways
from spcabench.comparison.suite import Item
from spcabench.errors import InputError
from spcabench.iterate import Traits
from spcabench.running import description
from spcabench.running.description import Description

COMPONENTS = "components"  # name of the suite for several components
# settings of a run that are the same for all solvers
SET_HERE = ("k", "seed", "time_limit", "nonnegative", "refit", "components")
OF_SOLVER = ("solver", "about", "tuned_on")  # fields that differ between solvers on the same terms
SEEDS = 5  # default number of seeds for a randomised solver
FORMED = 5000  # maximum number of variables for a solver that needs the covariance as an array
ANSWER, SEED = "suite", "seed"  # kinds of rows: answers with the first seed, and with other seeds


@dataclass(frozen=True)
class Entrant:
    """A solver in a comparison, and the terms under which it runs.

    solver : name of the solver, or an absolute path. about : description of the solver by its file.
        ks : cardinalities that replace those of the suite. limit : time limit of a run in seconds.
        fresh : seed of new problems that replace the public problems. every_way : for several
        components, whether to use all deflations instead of the default alone. seeds : number of
        seeds for a randomised solver. tuned_on : a sentence about how the settings were chosen.
    """

    solver: str
    about: Description
    suite: str = "standard"
    settings: str = "default"
    ks: tuple[int, ...] = ()
    limit: float = 2.0
    fresh: int | None = None
    every_way: bool = False
    seeds: int = SEEDS
    tuned_on: str = ""

    @classmethod
    def of(cls, solver: str, suite: str = "standard", **terms: Any) -> "Entrant":
        """Create the entrant for a solver.

        Raises InputError if its file cannot be described, or if it cannot compute several
        components that are requested.
        """
        about = description.describe(solver)
        if suite == COMPONENTS and not ways(solver, about.traits):
            raise InputError(f"solver {solver!r} cannot compute several signed components")
        return cls(solver, about, suite, **terms)

    @classmethod
    def read(cls, file: Path) -> "Entrant":
        """Read an entrant from a JSON file without importing the solver."""
        entrant: Entrant = files.read_json(file, cls, "a solver of a comparison")
        return entrant

    @property
    def label(self) -> str:
        """Name of the solver in tables and pictures."""
        return Path(self.solver).stem

    @property
    def is_file(self) -> bool:
        """Whether the solver was specified by the path of a file."""
        return self.solver.endswith(".py")

    @property
    def key(self) -> str:
        """Name of the entrant's files, which is unique even if solver files have the same name."""
        digest = hashlib.sha256(self.solver.encode()).hexdigest()[:8]
        return f"{self.label}-{digest}" if self.is_file else self.label

    @property
    def folder(self) -> str:
        """Name of the folder of the entrant's files: the suite, and a hash of changed terms."""
        changed = [
            (term.name, getattr(self, term.name))
            for term in fields(self)
            if term.name not in (*OF_SOLVER, "suite") and getattr(self, term.name) != term.default
        ]
        digest = hashlib.sha256(repr(changed).encode()).hexdigest()[:8]
        return f"{self.suite}-{digest}" if changed else self.suite

    def file(self, home: Path) -> Path:
        """Return the path of the entrant's description in the folder of comparisons."""
        return home / "jobs" / self.folder / f"{self.key}.json"

    def rows(self, home: Path) -> Path:
        """Return the path of the entrant's rows in the folder of comparisons."""
        return home / "rows" / self.folder / f"{self.key}.parquet"

    def text(self) -> str:
        """Return the entrant as JSON."""
        return json.dumps(asdict(self)) + "\n"

    @property
    def further_seeds(self) -> range:
        """All seeds except the first; empty if the solver has no setting ``seed``."""
        return range(1, self.seeds if "seed" in self.about.defaults else 1)

    @property
    def own_settings(self) -> dict[str, Any]:
        """Settings of the solver in this comparison: its default, paper or tuned settings.

        Raises InputError if the solver's file contains a setting that the comparison sets.
        """
        own = suite.settings_of(self.settings, self.label, self.about.settings)
        self.check_settings(self.settings.upper(), own)
        return own

    def asked(self, item: Item, kind: str, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of a `Run` that depend on its problem."""
        columns = dict(
            solver=self.label,
            settings=settings,
            item=item.name,
            family=item.family,
            kind=kind,
            asked=settings["k"],
            sign=item.nonnegative,
        )
        return dict(
            dataset=item.dataset,
            parameters=item.parameters,
            series=item.name,
            skip=self.about.missing or refused(self.about.traits, item),
            columns=columns,
        )

    def check_settings(self, constant: str, names: Iterable[str]) -> None:
        """Raise InputError if a constant of the solver's file has settings of the comparison."""
        for name in names:
            if name in SET_HERE or name == self.about.traits.penalty:
                raise InputError(
                    f"solver {self.label!r}: {constant}: {name!r} is set by the comparison; remove "
                    "it"
                )


def refused(traits: Traits, item: Item) -> str:
    """Return the reason why a solver is not run on a problem, or "" if it is run."""
    if item.nonnegative and not traits.nonnegative:
        return "computes signed answers only"
    if not item.nonnegative and traits.nonnegative == "always":
        return "computes nonnegative answers only"
    if traits.largest is not None and (item.variables or suite.SMALL + 1) > traits.largest:
        return f"is for at most {traits.largest} variables"
    if (traits.relaxation or traits.exact) and not item.is_small:
        return "relaxations and exact searches are only run on small problems"
    if traits.accepts == "covariance" and item.variables > FORMED:
        return (
            f"needs the covariance, which is only formed for up to {FORMED:,} variables; for "
            f"{item.variables:,} it would need {8e-9 * item.variables**2:,.1f} GB"
        )
    return ""


def labelled(entrants: Sequence[Entrant]) -> dict[str, Entrant]:
    """Return the entrants by unique labels, which include the folders of files with equal names."""
    names = [entrant.label for entrant in entrants]
    stems = [
        f"{e.label} ({Path(e.solver).parent.name})"
        if e.is_file and names.count(e.label) > 1
        else e.label
        for e in entrants
    ]
    return {
        f"{stem} {entrant.key[-8:]}" if stems.count(stem) > 1 else stem: entrant
        for stem, entrant in zip(stems, entrants, strict=True)
    }


def solvers_for(name: str) -> list[str]:
    """Return all registered solvers that compute sparse answers to the problems of a suite.

    For several components, these are the solvers that `ways` can use. If the problems are
    nonnegative, the solvers must support nonnegative answers. Otherwise, they must support signed
    answers.
    """
    traits = {s: description.describe(s).traits for s in registry.names("solver")}
    if name == COMPONENTS:
        return [s for s, t in traits.items() if ways(s, t)]
    nonnegative = all(item.nonnegative for item in suite.items(name))
    return [
        s
        for s, t in traits.items()
        if t.control
        and not t.same_for_one
        and (t.nonnegative if nonnegative else t.nonnegative != "always")
    ]
