"""`Run`, an entry of a plan that describes a run of a solver or a call of a function."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from spcabench.errors import InputError

Settings = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run of a solver on a dataset, or a call of a function, as requested by a plan.

    Parameters
    ----------
    dataset : str
        Name of a dataset.
    parameters : mapping
        Parameters of the dataset.
    solver : str, optional
        Name of a solver, or the path of its file.
    function : callable, optional
        Function ``function(problem, *, seed, **settings)`` that is called instead of a solver. It
        must be defined at the top level of a module. It returns a dict of numbers, which are stored
        in the column ``extra`` of the row, or a sentence if there is no feasible answer.
    uses : tuple of str
        Solvers that the function calls. If one of them changes, the run is repeated.
    settings : mapping
        For a solver, arguments of `spcabench.solve`: ``k``, ``refit``, and the settings of the run
        and the solver. A k below 1 is interpreted as a fraction of the variables. For a function,
        its keyword arguments.
    seed : int
        Seed of the solver or the function.
    match : str, optional
        Name of another solver in the job. This run follows the run of that solver and uses the
        cardinality of its answer.
    form : str, optional
        Form of the problem that is passed to the solver: "covariance", "data" or "sparse". The
        conversion is not charged.
    timed : bool
        Whether the time of the run is compared. A timed run is repeated in many rounds while no
        other job is running. A function that measures times itself is called once while no other
        job is running.
    one_round : bool
        Whether a single timed round is sufficient if more rounds would take too long, because the
        figure compares times over several problems of the same kind.
    long : bool
        Whether the run takes too long for the workflow of its figure. Such a run is a separate job,
        which ``spcabench figure NAME --scale long`` executes unless its row is already published.
    memory : bool
        Whether to measure the peak memory.
    vectors : bool
        Whether the row stores u in addition to x.
    timeout : float
        Time limit in seconds. If a run exceeds it, its process is killed, and the row records this.
    label : str
        A word by which the figure identifies the row.
    series : str
        Name of a series of increasingly hard runs. If a run of a series is killed, the remaining
        runs of the series are skipped.
    skip : str
        Reason for skipping the run, if known in advance. The row records the reason.
    columns : mapping
        Additional columns of the row, which describe the run in the terms of its plan.
    """

    dataset: str
    parameters: Settings = field(default_factory=dict)
    solver: str | None = None
    function: Callable[..., Any] | None = None
    uses: tuple[str, ...] = ()
    settings: Settings = field(default_factory=dict)
    seed: int = 0
    match: str | None = None
    form: str | None = None
    timed: bool = False
    one_round: bool = False
    long: bool = False
    memory: bool = False
    vectors: bool = False
    timeout: float = 900.0
    label: str = ""
    series: str = ""
    skip: str = ""
    columns: Settings = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.settings.get("jobs", 1) != 1:
            raise InputError("jobs: runs that are timed, counted or ranked must use one process")

    @property
    def measure(self) -> str | None:
        """Name of the function, which the row records, or None if the run calls a solver."""
        return self.function.__name__ if self.function else None

    @property
    def solvers(self) -> tuple[str, ...]:
        """Names of all solvers that the run uses."""
        return (self.solver,) if self.solver else self.uses

    @property
    def asked(self) -> dict[str, Any]:
        """Columns of the row that describe the run."""
        return {
            "dataset": self.dataset,
            "parameters": dict(self.parameters),
            "solver": self.solver,
            "measure": self.measure,
            "settings": dict(self.settings),
            "seed": self.seed,
            "match": self.match,
            "label": self.label,
            **self.columns,
        }

    def at(self, **settings: Any) -> "Run":
        """Return a copy of the run with changed settings."""
        return replace(self, settings={**self.settings, **settings})

    def described(self) -> dict[str, Any]:
        """Return the fields of the run; a function is represented by its module and its name."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        if self.function is not None:
            values["function"] = f"{self.function.__module__}:{self.function.__name__}"
        return values


def chains(runs: Iterable[Run]) -> list[list[Run]]:
    """Group each run with the runs directly after it that match its cardinality."""
    together: list[list[Run]] = []
    for run in runs:
        together[-1].append(run) if run.match and together else together.append([run])
    return together
