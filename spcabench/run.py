"""One run of a solver, or one call of a function: the same class for all plans."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from spcabench.errors import InputError

Settings = Mapping[str, Any]
FUNCTIONS = ("function", "judge")


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run of a solver on a dataset, or one call of a function, as a plan asks for it.

    Parameters
    ----------
    dataset : str
        Name of a dataset.
    parameters : mapping
        Parameters of the dataset.
    solver : str, optional
        Name of a solver, or the path of its file.
    function : callable, optional
        ``function(problem, *, seed, **settings)``, defined at the top of a module, in place of a
        solver. It returns a dict of numbers, which are in the ``extra`` of the row.
    uses : tuple of str
        Solvers that the function calls. When one of them changes, the function is called again.
    judge : callable, optional
        ``judge(problem, numbers, *, seed, **settings)``, of the numbers that the function gave. The
        grader calls it, and what it returns takes their place: a dict, or a sentence that says what
        is wrong with them.
    settings : mapping
        Settings of `spcabench.solve`: ``k``, ``refit``, those of the run and the solver's own. A k
        below 1 is a share of the variables. Or the keyword arguments of the function.
    seed : int
        Seed of the solver or the function.
    match : str, optional
        Name of a solver of the same job. This run follows that solver's run, at the cardinality
        which it reached.
    form : str, optional
        Form in which the problem is given: "covariance", "data" or "sparse". The conversion is not
        charged.
    timed : bool
        Whether its time is compared. It is then repeated over many rounds while nothing else runs.
    one_round : bool
        Whether a single timed round is enough where more take long, because the figure times other
        problems of the same kind, over which it compares.
    memory : bool
        Whether its peak memory is measured too.
    vectors : bool
        Whether u is kept in the row, beside x.
    timeout : float
        Seconds after which the process is ended. The row says so.
    label : str
        A word by which a figure finds its rows again.
    series : str
        Runs of one series become harder. After one that was killed, the later ones are not made.
    skip : str
        Why it is not made, where that is known before: its row says so.
    columns : mapping
        Columns of its row that say what was asked in the plan's own words.
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
        """The function's name, which its rows carry."""
        return self.function.__name__ if self.function else None

    @property
    def solvers(self) -> tuple[str, ...]:
        """All solvers that it runs."""
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
        """The same run with some settings replaced."""
        return replace(self, settings={**self.settings, **settings})

    def described(self) -> dict[str, Any]:
        """The run as plain values, each function by its module and name."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        for name in FUNCTIONS:
            if values[name] is not None:
                values[name] = f"{values[name].__module__}:{values[name].__name__}"
        return values
