"""One job of a comparison: a solver on a suite, as the plan of its runs.

Jobs do not depend on which solvers are compared: rows are shared by all comparisons of the same
suite.
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

MOST_NAMED = 8  # cardinalities that the name of a folder lists
COMPONENTS = "components"  # the suite of several components
SEEDS = 5  # with which a randomised solver is run unless another number is asked for
ANSWER, SEED = "suite", "seed"  # kinds of rows: answers to a suite, and those of further seeds
# what `labels` gives: a name, a folder where two files have it, a hash where two folders have both
FOLDER = re.compile("[A-Za-z0-9_.+ -]+")
LABEL = re.compile(rf"{registry.NAME.pattern}( \({FOLDER.pattern}\))?( [0-9a-f]{{8}})?")


@dataclass(frozen=True)
class Comparison:
    """The plan of a page: the request to `spcabench compare`.

    named : labels of the solvers that were named. broken : label -> the promises that its file
    breaks. jobs : files of its jobs, below the folder that holds ``results``. drawn : whether the
    seed of fresh problems was drawn when it was asked; else a person chose it.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    name: str
    named: list[str] = field(default_factory=list)
    broken: dict[str, list[str]] = field(default_factory=dict)
    jobs: list[str] = field(default_factory=list)
    drawn: bool = False

    @classmethod
    def read(cls, file: Path) -> "Comparison":
        """The plan of a JSON file. Raises InputError, which names the field, if it is not a job."""
        plan: Comparison = opening.read_json(file, cls, "the plan of a comparison")
        check_labels(file, [*plan.named, *plan.broken])
        return plan

    def text(self) -> str:
        """Itself as JSON."""
        return json.dumps(asdict(self), indent=1) + "\n"


@dataclass(frozen=True)
class Job:
    """A solver on a suite.

    solver : its name, or an absolute path. ks : cardinalities in place of the suite's own. limit :
    seconds of a run. fresh : the seed of new problems in place of the standard ones. every_way : of
    several components, also by deflations that are no default. seeds : number of seeds that a
    randomised solver is run with. tuned_on : what chose its settings, in a sentence. about : what
    a file says of itself.
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
        """The job of a solver that a user has named; a worker reads the description of a file.

        Raises InputError if it cannot be read.
        """
        return cls(solver, suite, about=description.describe(solver), **options)

    @classmethod
    def read(cls, file: Path) -> "Job":
        """The job of a JSON file. Nothing is imported because the file names it.

        Raises InputError, which names the field, for a file that describes none.
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
        """A name of the file: solvers of the same name in different folders are kept apart."""
        apart = hashlib.sha256(self.solver.encode()).hexdigest()[:8]
        return f"{self.label}-{apart}" if self.solver.endswith(".py") else self.label

    @property
    def folder(self) -> str:
        """A name for what it runs on."""
        ks = "".join(f"-k{k}" for k in self.ks[:MOST_NAMED])
        if len(self.ks) > MOST_NAMED:  # a folder's name has at most 255 characters
            digest = hashlib.sha256(repr(self.ks).encode()).hexdigest()[:8]
            ks += f"-to{self.ks[-1]}-{digest}"
        fresh = "" if self.fresh is None else f"-fresh{self.fresh}"
        ways = "-all" if self.every_way else ""
        seeds = "" if self.seeds == SEEDS else f"-seeds{self.seeds}"
        return f"{self.suite}{fresh}-{self.settings}-{self.limit:g}s{ks}{ways}{seeds}"

    def write(self, folder: Path) -> Path:
        """Write it below a folder if it has changed; the file's path."""
        file = folder / self.folder / f"{self.key}.json"
        write_changed(file, json.dumps(self.fields) + "\n")
        return file

    @property
    def described(self) -> Description:
        """The solver's description of itself.

        Raises InputError for a file of which nothing was noted: no data make it be read.
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
        """The settings of this solver under the comparison's name for them."""
        return suite.settings_of(self.settings, self.label, self.described.settings)


def check_labels(file: Path, names: Iterable[str]) -> None:
    """Raise InputError for a name of a solver in a file that could look like that of another."""
    for name in names:
        if not LABEL.fullmatch(name):
            raise InputError(f"{file}: solver {name!a:.60}; a name has {registry.LETTERS}")


def labels(jobs: Sequence[Job]) -> list[str]:
    """A name for each job of one comparison: two files of one name are told apart by folders."""
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
    """All sparse solvers of the registry that give what a suite asks.

    That is answers of any sign, or nonnegative ones.
    """
    nonnegative = all(item.nonnegative for item in suite.SUITES[name])
    traits = {s: description.describe(s).traits for s in registry.names("solver")}
    return [
        s
        for s, t in traits.items()
        if t.control and (t.nonnegative if nonnegative else t.nonnegative != "always")
    ]


def rows_of(job: Path) -> Path:
    """The place of a job's rows, from that of its description."""
    return job.parents[2] / "rows" / job.parent.name / f"{job.stem}.parquet"
