"""The columns of a row of results, with their meanings, units and when they are empty.

`rows` reads and writes files of rows. The table in ``results/README.md`` is generated from this
module.
"""

import json
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np

from spcabench import files
from spcabench.errors import InputError
from spcabench.flops import CONVENTION
from spcabench.solving.status import Status

# Version of the file format. It is incremented if a column is removed or changes its meaning, and
# older files are then rejected. It is not incremented for a new column, which is empty or has its
# default value in older files.
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


def to_json(value: Any, **how: Any) -> str:
    """Convert a value of a row, which can contain NumPy numbers, to JSON."""
    return json.dumps(value, default=_plain, **how)


def to_plain(value: Any) -> Any:
    """Convert a value to dicts, lists, numbers and texts; raise TypeError if this is impossible."""
    return json.loads(to_json(value))


def _plain(value: Any) -> Any:
    """Convert NumPy types, sets and mappings to types that JSON can represent."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (np.ndarray, set, frozenset)):
        return value.tolist() if isinstance(value, np.ndarray) else sorted(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not a plain value")


def decoded(cell: str | bytes, column: str = "parameters") -> Json:
    """Return the value of a JSON cell; raise InputError if it is not an object."""
    return files.from_json(cell, Json, column)  # type: ignore[no-any-return]


def steps(history: str, *numbers: str) -> list[Json]:
    """Return the entries of a history; raise InputError if one lacks any of ``numbers``."""
    entries: list[Json] = files.from_json(history, list[Json], "history")
    for name in numbers:
        if any(type(entry.get(name)) not in (int, float) for entry in entries):
            raise InputError(f"history: an entry lacks the number {name!r}")
    return entries


# reasons why a column is empty
FIGURES, COMPARISONS = "the row belongs to a comparison", "the row belongs to a figure"
NO_PROBLEM = "the problem was not loaded"
NO_RESULT = "the run had no result"
OF_SOLVERS = f"the row comes from a measure, or {NO_RESULT}"
NO_ANSWER = "the row comes from a measure, or there is no feasible x"
NOT_RELAXED = "the solver does not solve a relaxation"
NOT_COUNTED = "the solver's flops are not counted"
NOT_SEARCHED = "no penalty was searched"
NOT_ASKED = "the figure does not request it"
# columns of rows of version 0.3.0 and earlier, which are not read
EARLIER = ("compile_time", "history_left_out", "outer_time", "threads", "worker_time")
ENDED = "the process ended before it answered"


@dataclass(frozen=True)
class Column:
    """A column of a row.

    empty : when the column is empty, or "" for never. default : value of the column if it is not
        set. key : whether the column identifies the run of a figure.
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
        """Type of the column in words."""
        return KINDS[self.type]

    def checked(self, value: Any) -> Any:
        """Return a value in the type of the column; raise TypeError if this is impossible.

        NaN is treated as empty.
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
            return str(value)  # convert enumerations to plain strings
        if self.type == Json and isinstance(value, Mapping):
            return dict(value)
        if type(value) is not (get_origin(self.type) or self.type):
            allowed = self.kind + (" or nothing" if self.empty else "")
            raise TypeError(
                f"column {self.name!r}: {value!r} is {type(value).__name__}; it must be {allowed}"
            )
        return value


def _column(
    meaning: str, *, unit: str = "", empty: str = "", key: bool = False, default: Any = MISSING
) -> Any:
    """Return the dataclass field of a column; see `Column` for the arguments."""
    words = dict(meaning=meaning, unit=unit, empty=empty, key=key)
    return field(default=None if empty else default, metadata=words)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The answer of a worker process, with the columns that it measured."""

    status: Status = _column("why the run stopped (see below)")
    reason: str = _column(
        "description of an error, or why there is no proof; otherwise an empty text", default=""
    )
    problem: str | None = _column("name of the loaded problem", empty=NO_PROBLEM)
    provenance: Json | None = _column("source, file and preparation of the data", empty=NO_PROBLEM)
    stand_in: bool | None = _column("whether substitute data were used", empty=NO_PROBLEM)
    n: int | None = _column("number of variables", empty=NO_PROBLEM)
    m: int | None = _column(
        "number of samples", empty=f"the problem is a covariance, or {NO_PROBLEM}"
    )
    nnz: int | None = _column("stored entries of the data or the covariance", empty=NO_PROBLEM)
    lambda_1: float | None = _column("largest eigenvalue of the covariance", empty=NO_PROBLEM)
    form: str | None = _column(
        "form of the problem that the solver received: covariance, data or sparse", empty=NO_RESULT
    )
    used: Json | None = _column(
        "settings of the solver, including a penalty found by a search", empty=OF_SOLVERS
    )
    k: int | None = _column("requested cardinality", empty=f"none was requested, or {OF_SOLVERS}")
    cardinality: int | None = _column("number of nonzeros of x", empty=OF_SOLVERS)
    variance: float | None = _column("x'Sigma x", empty=NO_ANSWER)
    variance_refit: float | None = _column(
        "x'Sigma x of the leading eigenvector on the support of x (refit)", empty=NO_ANSWER
    )
    singular_value: float | None = _column("u'Av", empty="the run was not rectangular")
    bound: float | None = _column(
        "certified upper bound on the optimum for the requested cardinality", empty=NO_ANSWER
    )
    claimed_bound: float | None = _column(
        "upper bound claimed by the solver; only proofs of the suite's solvers are used",
        empty="the solver claims no bound",
    )
    bound_whp: float | None = _column(
        "upper bound that holds with a probability stated by the solver",
        empty="the solver has no such bound",
    )
    gap: float | None = _column("(bound - variance) / bound", empty=NO_ANSWER)
    nonnegative: bool | None = _column("whether x >= 0 was required", empty=OF_SOLVERS)
    relaxation_value: float | None = _column(
        "value of the relaxation at the feasible matrix nearest to X", empty=NOT_RELAXED
    )
    relaxation_bound: float | None = _column(
        "upper bound on the optimum of the relaxation, recomputed from U", empty=NOT_RELAXED
    )
    relaxation_gap: float | None = _column(
        "(bound - value) / |bound| of the relaxation", empty=NOT_RELAXED
    )
    iterations: int | None = _column("number of iterates after the start", empty=OF_SOLVERS)
    flops: int | None = _column("operations of the iterations", unit="flops", empty=NOT_COUNTED)
    setup_flops: int | None = _column(
        "operations before the first iterate", unit="flops", empty=NOT_COUNTED
    )
    flops_convention: int = _column(
        "version of the convention for counting flops; different versions are never compared",
        default=CONVENTION,
    )
    solve_time: float | None = _column(
        "time in the solver after the first iterate, or in the function, on one thread",
        unit="s",
        empty=NO_RESULT,
    )
    setup_time: float | None = _column(
        "time in the solver before the first iterate", unit="s", empty=OF_SOLVERS
    )
    round_times: list[float] | None = _column(
        "time of each round of a comparison, including a penalty search; the minimum is used",
        unit="s",
        empty=f"{COMPARISONS}, or {NO_RESULT}",
    )
    cpu_time: float | None = _column(
        "processor time of all threads, including set-up and compilation",
        unit="s",
        empty=OF_SOLVERS,
    )
    waited: float | None = _column(
        "fraction of the run's time (including operations of the harness between iterates) spent "
        "waiting for the processor",
        empty=f"the system does not report it, or {OF_SOLVERS}",
    )
    flags: list[str] | None = _column(
        "warnings about the numbers (see below)", empty="there are no warnings"
    )
    own: bool | None = _column("whether the solver is a file of this repository", empty=OF_SOLVERS)
    solver_sha256: str | None = _column("checksum of the solver's file", empty=OF_SOLVERS)
    samples: int | None = _column(
        "number of runs over which the times are averaged", empty="the run was not timed"
    )
    search_runs: int | None = _column("number of runs in the penalty search", empty=NOT_SEARCHED)
    search_flops: int | None = _column(
        "operations of the whole penalty search", unit="flops", empty=NOT_SEARCHED
    )
    search_time: float | None = _column(
        "time of the whole penalty search", unit="s", empty=NOT_SEARCHED
    )
    peak_memory: float | None = _column(
        "peak memory of the process", unit="bytes", empty="it was not measured"
    )
    memory_before: float | None = _column(
        "memory of the process before the solver started", unit="bytes", empty="it was not measured"
    )
    extra: Json | None = _column(
        "additional numbers from the solver, or the numbers of the measure", empty=NO_RESULT
    )
    phases: Json | None = _column(
        "iterates, seconds and flops of each phase", empty="the solver does not mark phases"
    )
    history: list[Json] | None = _column(
        "an entry for each iterate; in a published comparison, only for feasible iterates that "
        "improve the best value, and for the last feasible one",
        empty=NOT_ASKED,
    )
    support: list[int] | None = _column("indices of the nonzeros of x", empty=NOT_ASKED)
    values: list[float] | None = _column("nonzeros of x", empty=NOT_ASKED)
    u: list[float] | None = _column(
        "left vector", empty=f"the run was not rectangular, or {NOT_ASKED}"
    )
    calibration: float | None = _column(
        "time of a fixed product of 200 x 200 matrices, measured before the run",
        unit="s",
        empty=ENDED,
    )
    load: float | None = _column(
        "mean number of processes that were running or ready in the last minute", empty=ENDED
    )

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            object.__setattr__(self, name, COLUMNS[name].checked(value))

    @property
    def flops_in_all(self) -> int | None:
        """Flops including set-up and penalty search; None if they are not counted."""
        if self.flops is None:
            return None
        return self.search_flops or self.flops + (self.setup_flops or 0)

    @property
    def seconds(self) -> float | None:
        """Seconds including set-up and penalty search; None if there is no answer."""
        if self.solve_time is None:
            return None
        return self.search_time or self.solve_time + (self.setup_time or 0.0)


@dataclass(frozen=True, kw_only=True)
class Row(Answer):
    """A row of a file: the run, its answer, and where and when it was computed."""

    experiment: str | None = _column("figure or table that requests the run", empty=FIGURES)
    scale: str | None = _column("quick or paper, followed by other seeds, if any", empty=FIGURES)
    group: str | None = _column(
        "group of runs in the job that computed the row", empty=FIGURES, key=True
    )
    chain: str | None = _column(
        "equal for a run and the runs of the group that match its cardinality", empty=FIGURES
    )
    item: str | None = _column("problem of the suite", empty=COMPARISONS)
    family: str | None = _column("family of problems to which it belongs", empty=COMPARISONS)
    kind: str | None = _column(
        "suite, seed (the same run with another seed), recovery (of a known support), held_out or "
        "stability",
        empty=COMPARISONS,
    )
    asked: int | None = _column("requested cardinality, also of skipped runs", empty=COMPARISONS)
    sign: bool | None = _column(
        "whether x >= 0 was required, also of skipped runs", empty=COMPARISONS
    )
    dataset: str = _column("name of the dataset", key=True)
    parameters: Json = _column("parameters of the dataset", key=True)
    solver: str | None = _column(
        "name of the solver", empty="the row comes from a measure", key=True
    )
    measure: str | None = _column(
        "name of the function that was called", empty="the row comes from a solver", key=True
    )
    settings: Json = _column("settings of the solver or the function", key=True)
    match: str | None = _column(
        "solver with the cardinality that this run uses",
        empty="the run does not match another run",
        key=True,
    )
    seed: int = _column("seed of the solver or the function", key=True)
    repeat: int = _column("number of the timed round, from 0", default=0, key=True)
    label: str = _column("label that identifies rows for a figure", default="", key=True)
    cpu: str = _column("processor")
    blas: str = _column("linear algebra libraries")
    machine: Json = _column("processor, system, threads, versions of libraries")
    commit: str = _column("commit of this repository")
    dirty: bool = _column("whether there were uncommitted changes")
    written: str = _column("time at which the row was computed, in UTC")


def _columns() -> dict[str, Column]:
    """Return a mapping from names to columns, starting with the columns of the run."""
    answer, row = ({f.name: f for f in fields(kind)} for kind in (Answer, Row))
    hints = get_type_hints(Row)
    ordered = [name for name in row if name not in answer] + list(answer)
    defaults = {name: None if f.default is MISSING else f.default for name, f in row.items()}
    return {
        name: Column(name, _one(hints[name]), **row[name].metadata, default=defaults[name])
        for name in ordered
    }


def _one(hint: Any) -> Any:
    """Return the type of a column without None."""
    kinds = [kind for kind in get_args(hint) or [hint] if kind is not type(None)]
    return hint if hint in KINDS else kinds[0]


COLUMNS = _columns()
KEY = [column.name for column in COLUMNS.values() if column.key]
