"""What a worker process is asked for."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from spcabench.problem.problem import Form
from spcabench.run import Measure, Run, Settings

LEFT_OUT = ("match", "label", "one_round")  # what of a run the process that makes it need not know


@dataclass(frozen=True, kw_only=True)
class Task:
    """One run of a solver (its name or file), or one call of a function that a module holds.

    function : ``function(problem, *, seed, **settings)``, which gives a dict of numbers.
    uses : the solvers that the function calls.
    form, timed, memory, vectors, timeout : as of a `Run`.
    """

    dataset: str
    parameters: Settings = field(default_factory=dict)
    solver: str | None = None
    function: Callable[..., Mapping[str, Any]] | None = None
    uses: tuple[str, ...] = ()
    settings: Settings = field(default_factory=dict)
    seed: int = 0
    form: Form | None = None
    timed: bool = False
    memory: bool = False
    vectors: bool = False
    timeout: float = 900.0

    @classmethod
    def of(cls, run: Run | Measure, **settings: Any) -> "Task":
        """The task of a run or a measure, some of its settings replaced."""
        given = {name: value for name, value in vars(run).items() if name not in LEFT_OUT}
        return cls(**given | {"settings": {**run.settings, **settings}})

    @property
    def measure(self) -> str | None:
        """The function's name."""
        return self.function.__name__ if self.function else None

    @property
    def asked(self) -> dict[str, Any]:
        """The columns of a row that say what was asked."""
        return {
            "dataset": self.dataset,
            "parameters": dict(self.parameters),
            "solver": self.solver,
            "measure": self.measure,
            "settings": dict(self.settings),
            "seed": self.seed,
        }

    @property
    def solvers(self) -> tuple[str, ...]:
        """All solvers that it runs."""
        return (self.solver,) if self.solver else self.uses

    def described(self) -> dict[str, Any]:
        """Itself as plain values; a function by its name: its place in memory says nothing."""
        return asdict(self) | {"function": self.measure}
