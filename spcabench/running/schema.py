"""The columns of a row of results: what each holds, in which unit, and when it is empty.

`rows` reads and writes files of them. The table in ``results/README.md`` is made from what stands
here.
"""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np

from spcabench.flops import CONVENTION
from spcabench.solving.status import Status

# of a file; a column that comes, goes or changes its meaning raises it, and `rows` gets a step
# that brings older files up
VERSION = 1
Json = dict[str, Any]
KINDS = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    Status: "text",
    Json: "JSON",
    list[Json]: "JSON",
    list[int]: "whole numbers",
    list[float]: "numbers",
}
FIGURES, COMPARISONS = "rows of a comparison", "rows of a figure"  # have no such column filled
NO_ANSWER = "no answer"
NO_PROBLEM = "the problem was not loaded"


@dataclass(frozen=True)
class Column:
    """One column. empty : when it holds nothing; "" where it always holds something."""

    name: str
    type: Any
    meaning: str
    unit: str
    empty: str
    key: bool

    @property
    def kind(self) -> str:
        """Its type in words."""
        return KINDS[self.type]

    def checked(self, value: Any) -> Any:
        """The value as the column holds it. Raises TypeError for one of another type.

        A number that is no number (nan) is an empty one.
        """
        value = value.item() if isinstance(value, np.generic) else value
        nothing = value is None or (isinstance(value, float) and value != value)
        if self.empty and nothing:
            return None
        if self.type is Status and value in list(Status):
            return Status(value)  # type: ignore[call-arg]  # by its value alone
        if self.type is float and type(value) is int:
            return float(value)
        if self.type is str and isinstance(value, str):
            return str(value)  # of an enumeration too
        if self.type == Json and isinstance(value, Mapping):
            return dict(value)
        if not _fits(value, self.type):
            allowed = self.kind + (" or nothing" if self.empty else "")
            raise TypeError(
                f"column {self.name!r}: {value!r} is {type(value).__name__}; allowed is {allowed}"
            )
        return value


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value is exactly of a type; a list, whether all that it holds is."""
    if get_origin(kind) is list:
        (inner,) = get_args(kind)
        return type(value) is list and all(_fits(v, get_origin(inner) or inner) for v in value)
    return type(value) is kind


def _column(
    meaning: str, *, unit: str = "", empty: str = "", key: bool = False, default: Any = MISSING
) -> Any:
    """A column. empty : when it holds nothing; key : it says which run of a figure it is."""
    words = dict(meaning=meaning, unit=unit, empty=empty, key=key)
    return field(default=None if empty else default, metadata=words)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a worker process gives: the columns that it measured."""

    status: Status = _column("why the run ended: see below")
    reason: str = _column("of a failure, in words", default="")
    problem: str | None = _column("name that the loaded problem gives itself", empty=NO_PROBLEM)
    provenance: Json | None = _column("where its data come from", empty=NO_PROBLEM)
    stand_in: bool | None = _column("other data than the paper's stand for it", empty=NO_PROBLEM)
    n: int | None = _column("variables", empty=NO_PROBLEM)
    m: int | None = _column("samples", empty=f"given as a covariance, or {NO_PROBLEM}")
    nnz: int | None = _column("stored entries of the data or covariance", empty=NO_PROBLEM)
    lambda_1: float | None = _column("largest eigenvalue of the covariance", empty=NO_PROBLEM)
    form: str | None = _column(
        "how the problem was given to the solver: covariance, data or sparse", empty=NO_ANSWER
    )
    used: Json | None = _column(
        "settings that the solver ran with, a searched penalty among them",
        empty=f"a measure, or {NO_ANSWER}",
    )
    k: int | None = _column("cardinality asked", empty=f"none was asked, or {NO_ANSWER}")
    cardinality: int | None = _column("nonzeros of x", empty=f"a measure, or {NO_ANSWER}")
    variance: float | None = _column("x'Sigma x", empty=f"a measure, or {NO_ANSWER}")
    variance_refit: float | None = _column(
        "the same after the refit: the leading eigenvector on the support of x",
        empty=f"a measure, or {NO_ANSWER}",
    )
    singular_value: float | None = _column("u'Av", empty="the run was not rectangular")
    bound: float | None = _column(
        "certified upper bound on the optimum at the cardinality asked",
        empty=f"a measure, or {NO_ANSWER}",
    )
    bound_whp: float | None = _column(
        "bound that holds with a probability which the solver states", empty="it gives none"
    )
    gap: float | None = _column("(bound - variance) / bound", empty=f"a measure, or {NO_ANSWER}")
    nonnegative: bool | None = _column("x >= 0 was asked", empty=f"a measure, or {NO_ANSWER}")
    relaxation_value: float | None = _column(
        "what the relaxation attains, recomputed from a feasible X", empty="no relaxation"
    )
    relaxation_bound: float | None = _column(
        "what the relaxation cannot exceed, recomputed from U", empty="no relaxation"
    )
    relaxation_gap: float | None = _column(
        "(bound - value) / |bound| of the relaxation", empty="no relaxation"
    )
    iterations: int | None = _column("iterates after the start", empty=f"a measure, or {NO_ANSWER}")
    flops: int | None = _column("of the iterations", unit="flops", empty="they are not counted")
    setup_flops: int | None = _column(
        "of all up to the first iterate", unit="flops", empty="they are not counted"
    )
    flops_convention: int = _column(
        "number of the convention by which flops are counted: counts of two are never compared",
        default=CONVENTION,
    )
    solve_time: float | None = _column(
        "inside the solver or the function, one thread, after the first iterate",
        unit="s",
        empty=NO_ANSWER,
    )
    setup_time: float | None = _column(
        "inside the solver, up to the first iterate", unit="s", empty=f"a measure, or {NO_ANSWER}"
    )
    compile_time: float | None = _column(
        "of kernels, on no other clock", unit="s", empty=f"a measure, or {NO_ANSWER}"
    )
    samples: int | None = _column(
        "runs over which the times of this row are averaged", empty="the run was not timed"
    )
    search_runs: int | None = _column("of the search of a penalty", empty="none was searched")
    search_flops: int | None = _column(
        "of the whole search", unit="flops", empty="none was searched"
    )
    search_time: float | None = _column("of the whole search", unit="s", empty="none was searched")
    peak_memory: float | None = _column(
        "peak of a process of its own", unit="bytes", empty="memory was not asked for"
    )
    memory_before: float | None = _column(
        "of that process before the solver started", unit="bytes", empty="memory was not asked for"
    )
    extra: Json | None = _column(
        "numbers that the solver, or the measure, gives beside", empty=NO_ANSWER
    )
    phases: Json | None = _column(
        "iterates, seconds and flops of each phase that the solver names", empty="it names none"
    )
    history: list[Json] | None = _column("one entry for each iterate", empty="not asked for")
    history_left_out: bool = _column("it was too large to publish", default=False)
    support: list[int] | None = _column("indices of the nonzeros of x", empty="not asked for")
    values: list[float] | None = _column("x on its support", empty="not asked for")
    u: list[float] | None = _column(
        "the left vector", empty="not asked for, or the run was not rectangular"
    )
    calibration: float | None = _column(
        "of a fixed product of 200 x 200 matrices beside the run",
        unit="s",
        empty="the process ended",
    )
    load: float | None = _column(
        "processes that wanted to run, mean of a minute", empty="the process ended"
    )
    threads: int | None = _column("that the linear algebra used", empty="the process ended")

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            object.__setattr__(self, name, COLUMNS[name].checked(value))

    @property
    def seconds(self) -> float | None:
        """Of a run, the search of its penalty included; None where there is no answer."""
        if self.solve_time is None:
            return None
        return self.search_time or self.solve_time + (self.setup_time or 0.0)


@dataclass(frozen=True, kw_only=True)
class Row(Answer):
    """One row of a file: what was asked, by whom, the answer, where and when."""

    experiment: str | None = _column("the figure or table", empty=FIGURES)
    scale: str | None = _column("quick or paper", empty=FIGURES)
    group: str | None = _column("the job, which names the file", empty=FIGURES, key=True)
    chain: str | None = _column(
        "runs of the same group and chain belong together: one ran at the cardinality which "
        "another one reached",
        empty=FIGURES,
    )
    item: str | None = _column("problem of the suite", empty=COMPARISONS)
    family: str | None = _column("what the problem is an example of", empty=COMPARISONS)
    kind: str | None = _column(
        "suite, recovery (of a known support), held_out or stability", empty=COMPARISONS
    )
    asked: int | None = _column("cardinality asked, of skipped runs too", empty=COMPARISONS)
    sign: bool | None = _column("x >= 0 was asked, of skipped runs too", empty=COMPARISONS)
    dataset: str = _column("name of the dataset", key=True)
    parameters: Json = _column("its parameters", key=True)
    solver: str | None = _column("name of the solver", empty="a measure of a figure", key=True)
    measure: str | None = _column(
        "name of the function that was called", empty="a run of a solver", key=True
    )
    settings: Json = _column("what was asked of the solver or the function", key=True)
    match: str | None = _column(
        "solver at whose cardinality this one ran", empty="it had one of its own", key=True
    )
    seed: int = _column("of the solver or the function", key=True)
    repeat: int = _column("round of timing, from 0", default=0, key=True)
    label: str = _column("a word by which a figure knows its rows", default="", key=True)
    cpu: str = _column("the processor")
    blas: str = _column("the linear algebra libraries")
    machine: Json = _column("processor, system, threads, versions of libraries")
    commit: str = _column("of this repository, as it was then")
    dirty: bool = _column("there were changes beside the commit")
    written: str = _column("when, in UTC")


def _columns() -> dict[str, Column]:
    """All columns by name: what was asked, then the answer."""
    answer, row = ({f.name: f for f in fields(kind)} for kind in (Answer, Row))
    hints = get_type_hints(Row)
    ordered = [name for name in row if name not in answer] + list(answer)
    return {name: Column(name, _one(hints[name]), **row[name].metadata) for name in ordered}


def _one(hint: Any) -> Any:
    """The type of a column beside None."""
    kinds = [kind for kind in get_args(hint) or [hint] if kind is not type(None)]
    return hint if hint in KINDS else kinds[0]


COLUMNS = _columns()
KEY = [column.name for column in COLUMNS.values() if column.key]
