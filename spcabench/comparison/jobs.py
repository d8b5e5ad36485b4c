"""The plan of a comparison and its jobs, each of which runs one solver on a suite.

A job does not depend on the other solvers in a comparison, so its rows are reused by all
comparisons on the same suite.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
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
COMPONENTS = "components"  # name of the suite for several components
# settings of a run that are the same for all solvers
SET_HERE = ("k", "seed", "time_limit", "nonnegative", "refit", "fresh", "blocks", "components")
SEEDS = 5  # default number of seeds for a randomised solver
ANSWER, SEED = "suite", "seed"  # kinds of rows: answers with the first seed, and with other seeds
# A label is the name of a solver. If two files have the same name, the label includes the folder.
# If the folders also have the same name, the label includes a hash.
FOLDER = re.compile("[A-Za-z0-9_.+ -]+")
LABEL = re.compile(rf"{registry.NAME.pattern}( \({FOLDER.pattern}\))?( [0-9a-f]{{8}})?")


@dataclass(frozen=True)
class Comparison:
    """The plan of a comparison, as requested with `spcabench compare`.

    named : labels of the solvers named by the user. broken : mapping from the labels of solver
        files to the checks that the files failed. jobs : paths of the job files, relative to the
        folder that contains ``results``. drawn : whether the seed of fresh problems was drawn at
        random by the command instead of specified by the user. files : mapping from paths of
        third-party files to the hash of their runs, and to their checksum, when this seed was
        drawn. continued : whether such a file was run again after the command that drew the seed
        had been interrupted.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    name: str
    named: list[str] = field(default_factory=list)
    broken: dict[str, list[str]] = field(default_factory=dict)
    jobs: list[str] = field(default_factory=list)
    drawn: bool = False
    files: dict[str, tuple[str, str]] = field(default_factory=dict)
    continued: bool = False

    @classmethod
    def read(cls, file: Path) -> "Comparison":
        """Read a plan from a JSON file; raise InputError if it is invalid."""
        plan: Comparison = opening.read_json(file, cls, "the plan of a comparison")
        check_labels(file, [*plan.named, *plan.broken])
        return plan

    def text(self) -> str:
        """Return the plan as JSON."""
        return json.dumps(asdict(self), indent=1) + "\n"


@dataclass(frozen=True)
class Job:
    """A job of a comparison, which runs one solver on a suite.

    solver : name of the solver, or an absolute path. ks : cardinalities that replace those of the
        suite. limit : time limit of a run in seconds. fresh : seed of new problems that replace the
        standard problems. every_way : for several components, whether to use all deflations instead
        of the default alone. seeds : number of seeds for a randomised solver. tuned_on : a sentence
        about how the settings were chosen. about : description of the solver, read from its file.
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
        """Create the job for a solver, including the solver's description.

        If the solver is a user's file, a worker process reads the description. Raises InputError if
        the description cannot be read.
        """
        return cls(solver, suite, about=description.describe(solver), **options)

    @classmethod
    def read(cls, file: Path) -> "Job":
        """Read a job from a JSON file without importing the solver; raise InputError if invalid."""
        job: Job = opening.read_json(file, cls, "the job of a comparison")
        check_labels(file, [job.label])
        return job

    @property
    def fields(self) -> dict[str, Any]:
        """Fields of the job as a dict."""
        return asdict(self)

    @property
    def label(self) -> str:
        """Name of the solver in tables and pictures."""
        return Path(self.solver).stem

    @property
    def key(self) -> str:
        """Name of the job's file, which is unique even if solver files have the same name."""
        apart = hashlib.sha256(self.solver.encode()).hexdigest()[:8]
        return f"{self.label}-{apart}" if self.solver.endswith(".py") else self.label

    @property
    def folder(self) -> str:
        """Name of the job's folder, which encodes the suite, the settings and the limits."""
        ks = "".join(f"-k{k}" for k in self.ks[:MOST_NAMED])
        if len(self.ks) > MOST_NAMED:  # the name of a folder can have at most 255 characters
            digest = hashlib.sha256(repr(self.ks).encode()).hexdigest()[:8]
            ks += f"-to{self.ks[-1]}-{digest}"
        fresh = "" if self.fresh is None else f"-fresh{self.fresh}"
        ways = "-all" if self.every_way else ""
        seeds = "" if self.seeds == SEEDS else f"-seeds{self.seeds}"
        return f"{self.suite}{fresh}-{self.settings}-{self.limit:g}s{ks}{ways}{seeds}"

    def file(self, folder: Path) -> Path:
        """Return the path of the job's file in a folder."""
        return folder / self.folder / f"{self.key}.json"

    def write(self, folder: Path) -> Path:
        """Write the job to a file in a folder, unless it is unchanged, and return the path."""
        file = self.file(folder)
        write_changed(file, json.dumps(self.fields) + "\n")
        return file

    @property
    def is_ours(self) -> bool:
        """Whether the solver is a file of this repository, judged by its path alone."""
        with suppress(InputError):  # the file is on another machine
            return registry.is_own_file(self.solver)
        return False

    @property
    def described(self) -> Description:
        """Description of the solver, read from its file.

        Raises InputError if the description of a third-party file was not recorded, because the
        file must not be imported here.
        """
        if self.about is None and not registry.is_own_file(self.solver):
            raise InputError(f"solver: {self.solver!r}: its description was not recorded")
        return self.about or description.describe(self.solver)

    @property
    def further_seeds(self) -> range:
        """All seeds except the first; empty if the solver has no setting ``seed``."""
        return range(1, self.seeds if "seed" in self.described.defaults else 1)

    @property
    def own_settings(self) -> dict[str, Any]:
        """Settings of the solver in this comparison: its default, paper or tuned settings.

        Raises InputError if the solver's file contains a setting that the comparison sets.
        """
        own = suite.settings_of(self.settings, self.label, self.described.settings)
        self.check_settings(self.settings.upper(), own)
        return own

    def check_settings(self, constant: str, names: Iterable[str]) -> None:
        """Raise InputError if a constant of the solver's file has settings of the comparison."""
        for name in names:
            if name in SET_HERE or name == self.described.traits.penalty:
                raise InputError(
                    f"solver {self.label!r}: {constant}: {name!r} is set by the comparison; remove "
                    "it"
                )


def check_labels(file: Path, names: Iterable[str]) -> None:
    """Raise InputError if a file contains a solver's name that could be mistaken for another."""
    for name in names:
        if not LABEL.fullmatch(name):
            raise InputError(f"{file}: solver {name!a:.60}; a name must have {registry.LETTERS}")


def labels(jobs: Sequence[Job]) -> list[str]:
    """Return a unique label for each job, which includes the folder if files have equal names."""
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
    """Return all registered solvers that compute sparse answers to the problems of a suite.

    If the problems are nonnegative, the solvers must support nonnegative answers. Otherwise, they
    must support signed answers. A solver that is the same as another for one component is left out.
    """
    nonnegative = all(item.nonnegative for item in suite.SUITES[name])
    traits = {s: description.describe(s).traits for s in registry.names("solver")}
    return [
        s
        for s, t in traits.items()
        if t.control
        and not t.same_for_one
        and (t.nonnegative if nonnegative else t.nonnegative != "always")
    ]


def rows_of(job: Path) -> Path:
    """Return the path of the file with the rows of a job, for the path of the job's file."""
    return job.parents[2] / "rows" / job.parent.name / f"{job.stem}.parquet"
