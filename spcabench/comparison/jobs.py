"""The jobs of a comparison: each job is a solver on a suite, with the plan of its runs.

Jobs do not depend on the other solvers in a comparison, so all comparisons on the same suite can
share rows.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from spcabench import opening, registry
from spcabench.atomic_files import write_changed
from spcabench.comparison import suite
from spcabench.errors import InputError
from spcabench.running import description
from spcabench.running.description import Description

MOST_NAMED = 8  # maximum number of cardinalities listed in the name of a folder
COMPONENTS = "components"  # the suite of several components
SEEDS = 5  # default number of seeds for a randomised solver
ANSWER, SEED = "suite", "seed"  # kinds of rows: answers to a suite, and answers with further seeds
# labels are a name, with a folder if two files share the name, and a hash if two folders do too
FOLDER = re.compile("[A-Za-z0-9_.+ -]+")
LABEL = re.compile(rf"{registry.NAME.pattern}( \({FOLDER.pattern}\))?( [0-9a-f]{{8}})?")


@dataclass(frozen=True)
class Comparison:
    """The plan of a page: the request to `spcabench compare`.

    named : labels of the named solvers. broken : label -> the promises that its file breaks. jobs :
    files of its jobs, relative to the folder that contains ``results``. drawn : whether the seed of
    fresh problems was drawn by the command and not chosen by a person.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    name: str
    named: list[str] = field(default_factory=list)
    broken: dict[str, list[str]] = field(default_factory=dict)
    jobs: list[str] = field(default_factory=list)
    drawn: bool = False

    @classmethod
    def read(cls, file: Path) -> "Comparison":
        """Read a plan from JSON. Raises InputError, which names the field, if it is invalid."""
        plan: Comparison = opening.read_json(file, cls, "the plan of a comparison")
        check_labels(file, [*plan.named, *plan.broken])
        return plan

    def text(self) -> str:
        """Return the plan as JSON."""
        return json.dumps(asdict(self), indent=1) + "\n"


@dataclass(frozen=True)
class Job:
    """A solver on a suite.

    solver : its name, or an absolute path. ks : cardinalities that replace the suite's own. limit :
    time limit of a run in seconds. fresh : the seed of new problems that replace the standard ones.
    every_way : for several components, whether to use all deflations, not only the default. seeds :
    number of seeds for a randomised solver. tuned_on : a sentence on how its settings were chosen.
    about : the solver's description of itself.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    solver: str
    suite: str = "standard"
    settings: str = "default"
    ks: tuple[int, ...] = ()
    limit: float = 2.0
    fresh: int | None = None
    every_way: bool = False
    seeds: int = SEEDS
    tuned_on: str = ""
    about: Description | None = None

    @classmethod
    def of(cls, solver: str, suite: str = "standard", **options: Any) -> "Job":
        """Return the job of a solver named by a user; a worker reads the description of a file.

        Raises InputError if it cannot be read.
        """
        return cls(solver, suite, about=description.describe(solver), **options)

    @classmethod
    def read(cls, file: Path) -> "Job":
        """Read a job from a JSON file, without importing anything that the file names.

        Raises InputError, which names the field, if the file does not describe a job.
        """
        job: Job = opening.read_json(file, cls, "the job of a comparison")
        check_labels(file, [job.label])
        return job

    @property
    def fields(self) -> dict[str, Any]:
        """The job as plain data."""
        return asdict(self)

    @property
    def label(self) -> str:
        """The solver's name in tables and pictures."""
        return Path(self.solver).stem

    @property
    def key(self) -> str:
        """The name of the job's file, unique even if solver files share a name."""
        apart = hashlib.sha256(self.solver.encode()).hexdigest()[:8]
        return f"{self.label}-{apart}" if self.solver.endswith(".py") else self.label

    @property
    def folder(self) -> str:
        """The name of the job's folder, formed from the suite, the settings and the limits."""
        ks = "".join(f"-k{k}" for k in self.ks[:MOST_NAMED])
        if len(self.ks) > MOST_NAMED:  # a folder's name has at most 255 characters
            digest = hashlib.sha256(repr(self.ks).encode()).hexdigest()[:8]
            ks += f"-to{self.ks[-1]}-{digest}"
        fresh = "" if self.fresh is None else f"-fresh{self.fresh}"
        ways = "-all" if self.every_way else ""
        seeds = "" if self.seeds == SEEDS else f"-seeds{self.seeds}"
        return f"{self.suite}{fresh}-{self.settings}-{self.limit:g}s{ks}{ways}{seeds}"

    def write(self, folder: Path) -> Path:
        """Write the job below a folder if it has changed, and return the file's path."""
        file = folder / self.folder / f"{self.key}.json"
        write_changed(file, json.dumps(self.fields) + "\n")
        return file

    @property
    def described(self) -> Description:
        """The solver's description of itself.

        Raises InputError for a file whose description was not recorded; the file is not imported.
        """
        if self.about is None and not registry.is_own_file(self.solver):
            raise InputError(f"solver: {self.solver!r}: its traits were not recorded")
        return self.about or description.describe(self.solver)

    @property
    def further_seeds(self) -> range:
        """The seeds after the first; none if the solver takes no seed."""
        return range(1, self.seeds if "seed" in self.described.defaults else 1)

    @property
    def own_settings(self) -> dict[str, Any]:
        """The solver's settings of the kind that the comparison uses: default, paper or tuned."""
        return suite.settings_of(self.settings, self.label, self.described.settings)


def check_labels(file: Path, names: Iterable[str]) -> None:
    """Raise InputError for a solver's name in a file that could be confused with another one."""
    for name in names:
        if not LABEL.fullmatch(name):
            raise InputError(f"{file}: solver {name!a:.60}; a name has {registry.LETTERS}")


def labels(jobs: Sequence[Job]) -> list[str]:
    """Return a unique name for each job; files with the same name are distinguished by folder."""
    names = [job.label for job in jobs]
    folders = [Path(job.solver).parent.name if job.solver.endswith(".py") else "" for job in jobs]
    stems = [
        f"{name} ({folder})" if FOLDER.fullmatch(folder) and names.count(name) > 1 else name
        for name, folder in zip(names, folders, strict=True)
    ]
    return [
        f"{name} {job.key[-8:]}" if stems.count(name) > 1 else name
        for name, job in zip(stems, jobs, strict=True)
    ]


def entrants(name: str) -> list[str]:
    """Return all sparse solvers of the registry that a suite can use.

    They give nonnegative answers if the suite asks for these, and otherwise answers of any sign.
    """
    nonnegative = all(item.nonnegative for item in suite.SUITES[name])
    traits = {s: description.describe(s).traits for s in registry.names("solver")}
    return [
        s
        for s, t in traits.items()
        if t.control and (t.nonnegative if nonnegative else t.nonnegative != "always")
    ]


def rows_of(job: Path) -> Path:
    """Return the file of a job's rows, given the file of its description."""
    return job.parents[2] / "rows" / job.parent.name / f"{job.stem}.parquet"
