"""The columns of a row of results: meaning, unit, and when they are empty.

`rows` reads and writes files of rows. The table in ``results/README.md`` is generated from this
file.
"""

from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np

from spcabench import opening
from spcabench.errors import InputError
from spcabench.flops import CONVENTION
from spcabench.solving.run_warnings import Flag
from spcabench.solving.status import Status

# The version of a file. It increases if a column is removed or changes its meaning, and older files
# are then refused. A new column does not increase it: in older files it is empty or has its
# default.
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
    list[str]: "texts",
}


def decoded(cell: str | bytes, column: str = "parameters") -> Json:
    """Return the value of a JSON cell. Raises InputError if it is not an object."""
    return opening.parsed(cell, Json, column)  # type: ignore[no-any-return]


def steps(history: str, *numbers: str) -> list[Json]:
    """Return the entries of a history. Raises InputError unless each has the given numbers."""
    entries: list[Json] = opening.parsed(history, list[Json], "history")
    for name in numbers:
        if any(type(entry.get(name)) not in (int, float) for entry in entries):
            raise InputError(f"history: an entry has no number {name!r}")
    return entries


# the reasons why a column can be empty
FIGURES, COMPARISONS = "the row is one of a comparison", "the row is one of a figure"
NO_PROBLEM = "the problem was not loaded"
NO_RESULT = "the run gave nothing"
OF_SOLVERS = f"the row is one of a measure, or {NO_RESULT}"
NO_ANSWER = "the row is one of a measure, or there is no feasible x"
NOT_RELAXED = "the solver gives no relaxation"
NOT_COUNTED = "the solver's flops are not counted"
NOT_SEARCHED = "no penalty was searched"
NOT_ASKED = "the figure does not ask for it"
ENDED = "the process ended before it answered"


@dataclass(frozen=True)
class Column:
    """One column of a row.

    empty : when the column is empty; "" if it never is. default : its value in rows that do not set
        it. key : whether it identifies the run of a figure.
    """

    name: str
    type: Any
    meaning: str
    unit: str
    empty: str
    key: bool
    default: Any = None

    @property
    def kind(self) -> str:
        """The name of its type in words."""
        return KINDS[self.type]

    def checked(self, value: Any) -> Any:
        """Return the value in the type of the column. Raises TypeError if it has another type.

        NaN counts as empty.
        """
        value = value.item() if isinstance(value, np.generic) else value
        nothing = value is None or (isinstance(value, float) and value != value)
        if self.empty and nothing:
            return None
        if self.type is Status and value in list(Status):
            return Status(value)  # type: ignore[call-arg]  # looked up by its value
        if self.type is float and type(value) is int:
            return float(value)
        if self.type is str and isinstance(value, str):
            return str(value)  # an enumeration becomes plain text
        if self.type == Json and isinstance(value, Mapping):
            return dict(value)
        if not _fits(value, self.type):
            allowed = self.kind + (" or nothing" if self.empty else "")
            raise TypeError(
                f"column {self.name!r}: {value!r} is {type(value).__name__}; it must be {allowed}"
            )
        return value


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value has exactly the given type; for a list, whether all its entries do."""
    if get_origin(kind) is list:
        (inner,) = get_args(kind)
        return type(value) is list and all(_fits(v, get_origin(inner) or inner) for v in value)
    return type(value) is kind


def _column(
    meaning: str, *, unit: str = "", empty: str = "", key: bool = False, default: Any = MISSING
) -> Any:
    """A column. empty : when it is empty; key : whether it identifies the run of a figure."""
    words = dict(meaning=meaning, unit=unit, empty=empty, key=key)
    return field(default=None if empty else default, metadata=words)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The answer of a worker process: the columns that it measured."""

    status: Status = _column("why the run ended, see below")
    reason: str = _column(
        "what went wrong, or why there is no proof, in words; none if nothing did", default=""
    )
    problem: str | None = _column("name that the loaded problem gives itself", empty=NO_PROBLEM)
    provenance: Json | None = _column("source, file and preparation of the data", empty=NO_PROBLEM)
    stand_in: bool | None = _column("the data stand in for those of the paper", empty=NO_PROBLEM)
    n: int | None = _column("number of variables", empty=NO_PROBLEM)
    m: int | None = _column(
        "number of samples", empty=f"the problem is a covariance, or {NO_PROBLEM}"
    )
    nnz: int | None = _column("stored entries of the data or the covariance", empty=NO_PROBLEM)
    lambda_1: float | None = _column("largest eigenvalue of the covariance", empty=NO_PROBLEM)
    form: str | None = _column(
        "how the problem was given to the solver: covariance, data or sparse", empty=NO_RESULT
    )
    used: Json | None = _column(
        "settings that the solver ran with, a searched penalty among them", empty=OF_SOLVERS
    )
    k: int | None = _column(
        "cardinality that was asked for", empty=f"none was asked for, or {OF_SOLVERS}"
    )
    cardinality: int | None = _column("number of nonzeros of x", empty=OF_SOLVERS)
    variance: float | None = _column("x'Sigma x", empty=NO_ANSWER)
    variance_refit: float | None = _column(
        "x'Sigma x after the refit: the leading eigenvector on the support of x", empty=NO_ANSWER
    )
    singular_value: float | None = _column("u'Av", empty="the run was not rectangular")
    bound: float | None = _column(
        "certified upper bound on the optimum at the cardinality asked for", empty=NO_ANSWER
    )
    claimed_bound: float | None = _column(
        "upper bound that the solver claims; of a solver outside the repository it counts nowhere",
        empty="it claims none",
    )
    bound_whp: float | None = _column(
        "upper bound that holds with a probability which the solver states",
        empty="the solver gives none",
    )
    gap: float | None = _column("(bound - variance) / bound", empty=NO_ANSWER)
    nonnegative: bool | None = _column("x >= 0 was asked for", empty=OF_SOLVERS)
    relaxation_value: float | None = _column(
        "what the relaxation attains, recomputed from X made feasible", empty=NOT_RELAXED
    )
    relaxation_bound: float | None = _column(
        "what the relaxation cannot exceed, recomputed from U", empty=NOT_RELAXED
    )
    relaxation_gap: float | None = _column(
        "(bound - value) / |bound| of the relaxation", empty=NOT_RELAXED
    )
    iterations: int | None = _column("number of iterates after the start", empty=OF_SOLVERS)
    flops: int | None = _column("operations of the iterations", unit="flops", empty=NOT_COUNTED)
    setup_flops: int | None = _column(
        "operations up to the first iterate", unit="flops", empty=NOT_COUNTED
    )
    flops_convention: int = _column(
        "number of the convention by which flops are counted; two are never compared",
        default=CONVENTION,
    )
    solve_time: float | None = _column(
        "time inside the solver after the first iterate, or inside the function, on one thread",
        unit="s",
        empty=NO_RESULT,
    )
    setup_time: float | None = _column(
        "time inside the solver up to the first iterate", unit="s", empty=OF_SOLVERS
    )
    compile_time: float | None = _column(
        "time that kernels took to compile, which no other clock holds", unit="s", empty=OF_SOLVERS
    )
    round_times: list[float] | None = _column(
        "time of each round of a comparison, a search of a penalty included; the least one counts",
        unit="s",
        empty="the row is one of a figure, or the run gave nothing",
    )
    cpu_time: float | None = _column(
        "processor time of all threads, set-up and compilation included",
        unit="s",
        empty=OF_SOLVERS,
    )
    waited: float | None = _column(
        "share of the run's time, the work of the harness between iterates included, in which it "
        "waited for the processor",
        empty=f"the system does not say, or {OF_SOLVERS}",
    )
    outer_time: float | None = _column(
        "of the whole task, loading and grading included, by a clock outside the solver's process",
        unit="s",
        empty="the process ended",
    )
    worker_time: float | None = _column(
        "of the whole task, by the clock of the solver's process", unit="s", empty="it ended"
    )
    flags: list[str] | None = _column(
        "what a reader of the numbers should know: see below", empty="nothing was noticed"
    )
    own: bool | None = _column("the solver is a file of this repository", empty=OF_SOLVERS)
    solver_sha256: str | None = _column("of the solver's file", empty=OF_SOLVERS)
    samples: int | None = _column(
        "number of runs over which the times of the row are averaged", empty="it was not timed"
    )
    search_runs: int | None = _column("runs that the search of a penalty took", empty=NOT_SEARCHED)
    search_flops: int | None = _column(
        "operations of the whole search", unit="flops", empty=NOT_SEARCHED
    )
    search_time: float | None = _column("time of the whole search", unit="s", empty=NOT_SEARCHED)
    peak_memory: float | None = _column(
        "peak of the process", unit="bytes", empty="it was not measured"
    )
    memory_before: float | None = _column(
        "memory of the process before the solver started", unit="bytes", empty="it was not measured"
    )
    extra: Json | None = _column(
        "numbers that the solver gives beside x, or that the measure gives", empty=NO_RESULT
    )
    phases: Json | None = _column(
        "iterates, seconds and flops of each phase", empty="the solver names no phases"
    )
    history: list[Json] | None = _column(
        "one entry for each iterate; of a published comparison those alone at which the best value "
        "of at most k nonzeros rises, and the last with at most k",
        empty=NOT_ASKED,
    )
    history_left_out: bool = _column("the history was too large to publish", default=False)
    support: list[int] | None = _column("indices of the nonzeros of x", empty=NOT_ASKED)
    values: list[float] | None = _column("the nonzeros of x", empty=NOT_ASKED)
    u: list[float] | None = _column(
        "the left vector", empty=f"the run was not rectangular, or {NOT_ASKED}"
    )
    calibration: float | None = _column(
        "time of a fixed product of 200 x 200 matrices, taken beside the run", unit="s", empty=ENDED
    )
    load: float | None = _column(
        "processes that wanted to run, mean of the last minute", empty=ENDED
    )
    threads: int | None = _column("threads that the linear algebra used", empty=ENDED)

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            object.__setattr__(self, name, COLUMNS[name].checked(value))

    @property
    def flops_in_all(self) -> int | None:
        """Flops including set-up and the search of a penalty; None if they are not counted."""
        if self.flops is None:
            return None
        return self.search_flops or self.flops + (self.setup_flops or 0)

    @property
    def seconds(self) -> float | None:
        """Seconds including the search of a penalty; None if there is no answer."""
        if self.solve_time is None:
            return None
        return self.search_time or self.solve_time + (self.setup_time or 0.0)

    def flagged(self, **noted: bool) -> "Answer":
        """Return the answer with additional flags, for those of the given names that are true."""
        new = {Flag[name].value for name, applies in noted.items() if applies}
        return replace(self, flags=sorted({*(self.flags or ()), *new}) or None)

    def with_memory_of(self, measured: "Answer") -> "Answer":
        """Return the answer with the memory of another answer."""
        peak, before = measured.peak_memory, measured.memory_before
        return replace(self, peak_memory=peak, memory_before=before)


@dataclass(frozen=True, kw_only=True)
class Row(Answer):
    """One row of a file: the run, its answer, and where and when it was computed."""

    experiment: str | None = _column("figure or table that asks for the run", empty=FIGURES)
    scale: str | None = _column("quick or paper; other seeds follow it", empty=FIGURES)
    group: str | None = _column(
        "job that made the row, as the file is named", empty=FIGURES, key=True
    )
    chain: str | None = _column(
        "runs of one group and one chain belong together: one reached the cardinality at which the "
        "others ran",
        empty=FIGURES,
    )
    item: str | None = _column("problem of the suite", empty=COMPARISONS)
    family: str | None = _column("what the problem is an example of", empty=COMPARISONS)
    kind: str | None = _column(
        "suite, seed (another seed of the same run), recovery (of a known support), held_out or "
        "stability",
        empty=COMPARISONS,
    )
    asked: int | None = _column("cardinality asked for, of skipped runs too", empty=COMPARISONS)
    sign: bool | None = _column("x >= 0 was asked for, of skipped runs too", empty=COMPARISONS)
    dataset: str = _column("name of the dataset", key=True)
    parameters: Json = _column("parameters of the dataset", key=True)
    solver: str | None = _column(
        "name of the solver", empty="a figure's measure made the row", key=True
    )
    measure: str | None = _column(
        "name of the function that was called", empty="a solver made the row", key=True
    )
    settings: Json = _column("what was asked of the solver or the function", key=True)
    match: str | None = _column(
        "solver at whose cardinality this one ran", empty="it did not wait for another", key=True
    )
    seed: int = _column("seed of the solver or the function", key=True)
    repeat: int = _column("round of timing, from 0", default=0, key=True)
    label: str = _column("word by which the figure finds its rows", default="", key=True)
    cpu: str = _column("the processor")
    blas: str = _column("the linear algebra libraries")
    machine: Json = _column("processor, system, threads, versions of libraries")
    commit: str = _column("commit of this repository")
    dirty: bool = _column("files were changed since that commit")
    written: str = _column("time at which the row was made, in UTC")


def _columns() -> dict[str, Column]:
    """Return all columns by name: first the run, then the answer."""
    answer, row = ({f.name: f for f in fields(kind)} for kind in (Answer, Row))
    hints = get_type_hints(Row)
    ordered = [name for name in row if name not in answer] + list(answer)
    return {
        name: Column(name, _one(hints[name]), **row[name].metadata, default=_default(row[name]))
        for name in ordered
    }


def _default(field: Field) -> Any:
    return None if field.default is MISSING else field.default


def _one(hint: Any) -> Any:
    """The type of a column without None."""
    kinds = [kind for kind in get_args(hint) or [hint] if kind is not type(None)]
    return hint if hint in KINDS else kinds[0]


COLUMNS = _columns()
KEY = [column.name for column in COLUMNS.values() if column.key]
