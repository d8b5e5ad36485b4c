"""One run of a solver, or one call of a function, described by the same class in all plans."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from spcabench.errors import InputError

Settings = Mapping[str, Any]
FUNCTIONS = ("function", "judge")


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run of a solver on a dataset, or one call of a function, as requested by a plan.

    Parameters
    ----------
    dataset : str
        Name of a dataset.
    parameters : mapping
        Parameters of the dataset.
    solver : str, optional
        Name of a solver, or the path of its file.
    function : callable, optional
        ``function(problem, *, seed, **settings)``, defined at the top level of a module, to call
        instead of a solver. It returns a dict of numbers, which go into the ``extra`` of the row.
    uses : tuple of str
        Solvers that the function calls. If one of them changes, the function is called again.
    judge : callable, optional
        ``judge(problem, numbers, *, seed, **settings)``, called by the grader with the numbers that
        the function returned. Its result replaces them: a dict, or a sentence that says what is
        wrong with them.
    settings : mapping
        Settings of `spcabench.solve`: ``k``, ``refit``, those of the run and those of the solver;
        or the keyword arguments of the function. A k below 1 is a share of the variables.
    seed : int
        Seed of the solver or the function.
    match : str, optional
        Name of a solver of the same job. This run follows that solver's run and uses the
        cardinality that it reached.
    form : str, optional
        Form in which the solver gets the problem: "covariance", "data" or "sparse". The conversion
        is not charged.
    timed : bool
        Whether its time is compared. If so, it is repeated over many rounds while nothing else
        runs.
    one_round : bool
        Whether a single timed round is enough when more would take long, because the figure
        compares over other timed problems of the same kind.
    long : bool
        Whether it takes so long that its figure does not wait for it. It is a job by itself, which
        ``spcabench figure NAME --long`` executes if its row is not published yet.
    memory : bool
        Whether its peak memory is measured too.
    vectors : bool
        Whether the row also stores u, besides x.
    timeout : float
        Seconds after which the process is killed, which the row records.
    label : str
        A word by which a figure finds its rows.
    series : str
        Runs of one series become harder and harder. After one was killed, the later ones are
        skipped.
    skip : str
        Reason to skip the run, if known in advance; the row records it.
    columns : mapping
        Extra columns of its row that describe the run in the plan's own terms.
    """

    dataset: str
    parameters: Settings = field(default_factory=dict)
    solver: str | None = None
    function: Callable[..., Any] | None = None
    uses: tuple[str, ...] = ()
    judge: Callable[..., Any] | None = None
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
            raise InputError("jobs: a run that is timed, counted or ranked has one process")

    @property
    def measure(self) -> str | None:
        """The function's name, which its rows record."""
        return self.function.__name__ if self.function else None

    @property
    def solvers(self) -> tuple[str, ...]:
        """All solvers that the run uses."""
        return (self.solver,) if self.solver else self.uses

    @property
    def asked(self) -> dict[str, Any]:
        """The columns of a row that describe the run."""
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
        """Return the same run with some settings replaced."""
        return replace(self, settings={**self.settings, **settings})

    def described(self) -> dict[str, Any]:
        """Return the run as plain values, with each function as its module and name."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        for name in FUNCTIONS:
            if values[name] is not None:
                values[name] = f"{values[name].__module__}:{values[name].__name__}"
        return values


def chains(runs: Iterable[Run]) -> list[list[Run]]:
    """Return the runs that belong together: each run with those after it that match it."""
    together: list[list[Run]] = []
    for run in runs:
        together[-1].append(run) if run.match and together else together.append([run])
    return together
