"""What a figure asks for: runs of solvers, and measures by functions of its own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Settings = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run of a solver on a dataset, as a figure asks for it.

    Parameters
    ----------
    dataset : str
        Name of a dataset.
    parameters : mapping
        Parameters of the dataset.
    solver : str
        Name of a solver.
    settings : mapping
        Settings of `spcabench.solve`: ``k``, ``refit``, those of the run and the solver's own. A k
        below 1 is a share of the variables.
    seed : int
        Seed of the solver.
    match : str, optional
        Name of a solver of the same job. This run follows that solver's run, at the cardinality
        which it reached.
    form : str, optional
        Form in which the problem is given: "covariance", "data" or "sparse". The conversion is not
        charged.
    timed : bool
        Whether its time is compared. The run is then repeated over many rounds, in turn with the
        other runs on its problem, while nothing else runs.
    one_round : bool
        Whether a single timed round is enough where more take long, because the figure times other
        problems of the same kind, over which it compares.
    memory : bool
        Whether its peak memory is measured too, in a process of its own.
    vectors : bool
        Whether x (and u) are kept in the row.
    timeout : float
        Seconds after which the process is ended. The row says so.
    label : str
        A word by which the figure finds its rows again.
    """

    dataset: str
    parameters: Settings = field(default_factory=dict)
    solver: str
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


@dataclass(frozen=True, kw_only=True)
class Measure:
    """One call of a figure's own function, for numbers that no single run of a solver gives.

    It is recorded like a run. Its numbers are in the ``extra`` of the row.

    Parameters
    ----------
    dataset : str
        Name of a dataset.
    parameters : mapping
        Parameters of the dataset.
    function : callable
        ``function(problem, *, seed, **settings)``, defined at the top of a module. It returns a
        dict of numbers.
    settings : mapping
        Keyword arguments of the function.
    seed : int
        Seed that the function is given.
    form : str, optional
        Form in which the problem is given.
    timeout : float
        Seconds after which the process is ended. The row says so.
    label : str
        A word by which the figure finds its rows again.
    uses : tuple of str
        Solvers that the function calls. When one of them changes, the function is called again.
    """

    dataset: str
    parameters: Settings = field(default_factory=dict)
    function: Callable[..., Mapping[str, Any]]
    settings: Settings = field(default_factory=dict)
    seed: int = 0
    form: str | None = None
    timeout: float = 900.0
    label: str = ""
    uses: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The function's name, which its rows carry."""
        return self.function.__name__
