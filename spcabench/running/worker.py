"""The functions that a worker process executes: load a problem, solve, time, and grade.

One run takes three calls: `ready` loads its problem, `solved` runs the solver under the time limit,
and `graded` computes the values of its answer from the problem. The time limit of a run thus
contains neither the first nor the last step, and their failures are not the solver's.
"""

import ctypes
import gc
import hashlib
import inspect
import io
import json
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from spcabench import api, machine, registry
from spcabench.errors import InputError, in_one_line
from spcabench.problem.problem import Problem
from spcabench.run import Run
from spcabench.running import command
from spcabench.running.schema import Answer, to_plain
from spcabench.solving import tune
from spcabench.solving.bounds import leading_eigenvalue
from spcabench.solving.call import arguments, in_form
from spcabench.solving.result import Result, refitted
from spcabench.solving.run_warnings import Flag
from spcabench.solving.status import Status

SAMPLE = 0.005  # minimum duration of a timed sample in seconds
MOST = 500  # maximum number of runs in a sample
LONG = 2.0  # a longer first run is itself the sample, because cold caches hardly affect its time
KEPT = 0.5  # a second run with less than this fraction of the flops used what the first one kept
# tolerated delay of an answer: fraction of the time limit, plus seconds, at most half of the limit
OVER_SHARE, OVER_SECONDS = 0.05, 0.02
# columns that are attributes of a result, of its cost, and of a feasible result
SAME = ("status", "k", "cardinality", "nonnegative", "iterations", "extra")
OF_COST = ("solve_time", "setup_time", "cpu_time")
SAME_IF_FEASIBLE = (
    *("variance", "singular_value", "bound", "claimed_bound", "bound_whp", "gap"),
    *("relaxation_value", "relaxation_bound", "relaxation_gap"),
)
OF_SEARCH = ("runs", "flops", "time")  # of the search for a penalty


@dataclass
class _Current:
    """The run that was executed last, and what is known about it before it is graded."""

    problem: Problem
    run: Run
    result: Result | None = None  # of a solver
    numbers: Any = None  # of a function
    columns: Mapping[str, Any] | None = None  # measured, not computed from the answer


_current: list[_Current] = []
_warm: dict[str, Result] = {}  # question -> the first answer; later rounds only repeat its timing


def ready(run: Run) -> str:
    """Load the problem of a run; return the reason why this is impossible, or "".

    Freed memory is returned to the system, so the peak shows what the next run needs.
    """
    _current.clear()
    try:
        problem = problem_of(run)
        if run.form:
            problem = problem.given_as(run.form)  # type: ignore[arg-type]
        leading_eigenvalue(problem)
    except Exception as error:
        return f"its problem cannot be loaded: {in_one_line(error, *_files(run))}"
    if run.memory:
        gc.collect()  # an answer can be part of a cycle
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    _current.append(_Current(problem, run))
    return ""


def solved(run: Run, whole: bool = False, long: float = LONG) -> dict[str, Any] | None:
    """Execute a run whose problem is `ready`; return None, or an answer without numbers.

    whole : whether a timed run includes the search for its penalty. If not, only a run with the
        penalty that was found is repeated. long : a first run that takes longer, in seconds, is
        itself the sample.
    """
    (current,) = _current
    try:
        if run.function:
            _call(current, run)
        else:
            _solve(current, run, whole, min(long, LONG))
    except MemoryError:
        return _failed(Status.MEMORY_LIMIT, "the process reached its memory limit")
    except (Exception, SystemExit) as error:  # sys.exit in a solver must not exit the worker
        return _failed(Status.ERROR, in_one_line(error, *_files(run)))
    return None


def graded(run: Run) -> dict[str, Any]:
    """Return the columns of the answer to the run that was `solved`, as plain data."""
    (current,) = _current
    try:
        answer = _of_function(current) if run.function else _of_solver(current)
        columns = to_plain(vars(answer))
    except (TypeError, ValueError, ArithmeticError) as error:  # for example, a bound that is a text
        columns = _failed(Status.ERROR, f"its answer is invalid: {error}"[:200])
    except MemoryError:
        columns = _failed(Status.NOT_RUN, "memory ran out while its answer was graded")
    return {**columns, **to_plain(about(current.problem))}


def _failed(status: Status, reason: str) -> dict[str, Any]:
    return {"status": status, "reason": reason}


def _files(run: Run) -> Iterator[Path]:
    """Yield the files that a run names, because error messages show a line in one of them."""
    with suppress(InputError):  # an unknown name is reported elsewhere
        yield registry.path("dataset", run.dataset)
    if run.function:
        yield Path(inspect.getfile(run.function))
    for solver in run.solvers:
        with suppress(InputError):
            yield registry.path("solver", solver)


def problem_of(run: Run) -> Problem:
    """Return the problem of a run, cached because the next run can use the same problem."""
    return _problem(run.dataset, json.dumps(dict(run.parameters), sort_keys=True))


@lru_cache(maxsize=2)
def _problem(dataset: str, parameters: str) -> Problem:
    return api.load_or_stand_in(dataset, **json.loads(parameters))


def about(problem: Problem) -> dict[str, Any]:
    """Return the columns that describe a problem."""
    return {
        "problem": problem.name,
        "provenance": dict(problem.provenance),
        "stand_in": problem.stand_in,
        "n": problem.n,
        "m": problem.m,
        "nnz": problem.nnz,
        "lambda_1": leading_eigenvalue(problem),
    }


def _call(current: _Current, run: Run) -> None:
    """Call the function of a run."""
    assert run.function is not None
    start = perf_counter()
    numbers = run.function(current.problem, seed=run.seed, **run.settings)
    seconds = perf_counter() - start
    current.numbers = json.loads(json.dumps(numbers))  # raises if JSON cannot represent them
    current.columns = {"solve_time": seconds}


def _of_function(current: _Current) -> Answer:
    """Return the answer of a function: its numbers, or why there is no feasible answer."""
    about: dict[str, Any] = dict(form=current.problem.form, **(current.columns or {}))
    if isinstance(current.numbers, str):
        return Answer(status=Status.INFEASIBLE, reason=current.numbers, **about)
    return Answer(status=Status.FINISHED, extra=current.numbers, **about)


def _solve(current: _Current, run: Run, whole: bool, long: float) -> None:
    """Run a solver, and time it if requested."""
    problem, settings = current.problem, dict(run.settings)
    solver = str(run.solver)
    if isinstance(settings.get("k"), float):
        # k is a fraction of the variables, because a stand-in can have fewer variables
        settings["k"] = max(2, round(settings["k"] * problem.n))
    machine.forget_peak()
    before = machine.process_memory("VmRSS")
    in_form(problem, registry.module("solver", solver).TRAITS)  # converted once for all runs
    question = (run.dataset, dict(run.parameters), run.form, run.solver, settings, run.seed)
    key = json.dumps(question)
    earlier = _warm.get(key)
    current.result = result = earlier or _once(problem, run, settings)
    # measured before grading, because computing bounds also needs memory
    peak = machine.process_memory("VmHWM") + machine.memory_of_children()
    columns: dict[str, Any] = {"own": registry.is_own_file(solver), "solver_sha256": sha256(solver)}
    if "process_bytes" in result.extra:  # of a command
        peak, before = result.extra["process_bytes"], 0.0
    if run.memory:
        columns |= {"peak_memory": peak, "memory_before": before}
    if run.timed:
        _warm[key] = result  # later rounds need neither a warm-up nor a search
        again = long if earlier is None else np.inf
        columns |= _timed(problem, run, settings, result, whole, again)
    current.columns = columns


def _once(problem: Problem, run: Run, settings: Mapping[str, Any]) -> Result:
    """Run a solver once, on a problem without cached values, so each run computes all of them."""
    with redirect_stdout(io.StringIO()):
        result = api.solve(
            problem.copied(), run.solver, random_state=run.seed, **arguments(settings)
        )
    if "process_seconds" in result.extra:
        result = command.measured(result)
    # graded on the problem itself, whose bounds are computed once for all runs
    traits = registry.module("solver", str(run.solver)).TRAITS
    return replace(result, problem=in_form(problem, traits))


def _timed(
    problem: Problem, run: Run, settings: dict[str, Any], warm: Result, whole: bool, long: float
) -> dict[str, Any]:
    """Return mean times over enough runs for an accurate sample; ``warm`` is the warm-up run."""
    searched = bool(warm.cost.search) and whole
    if _seconds(warm, searched) > long and (whole or not warm.cost.search):
        return {"samples": 1}
    settings = {**settings, "history": False}
    if warm.cost.search and not whole:  # time a single run with the penalty that was found
        settings = {k: v for k, v in {**settings, **warm.settings}.items() if k != "k"}
    results: list[Result] = []
    spent = 0.0
    while not results or (spent < SAMPLE and len(results) < MOST):
        results.append(_once(problem, run, settings))
        spent += _seconds(results[-1], searched)
    count = len(results)
    flags = {flag for each in [warm, *results] for flag in each.cost.flags}
    comparable = bool(warm.cost.search) == bool(results[0].cost.search)
    least = min(r.cost.total_flops for r in results)
    if (
        comparable
        and least < KEPT * warm.cost.total_flops
        and Status.TIME_LIMIT not in {each.status for each in [warm, *results]}
    ):
        flags.add(Flag.warm)
    times = {
        "solve_time": sum(r.cost.solve_time for r in results) / count,
        "setup_time": sum(r.cost.setup_time for r in results) / count,
    }
    if searched:
        times["search_time"] = sum(r.cost.search["time"] for r in results) / count
    return {**times, "flags": sorted(flag.value for flag in flags) or None, "samples": count}


def _seconds(result: Result, searched: bool) -> float:
    return float(result.cost.search["time"] if searched else result.cost.seconds)


def _of_solver(current: _Current) -> Answer:
    assert current.result is not None
    answer = replace(of_result(current.result, current.run.vectors), **(current.columns or {}))
    if not _is_late(current.run, answer):
        return answer
    return replace(answer, flags=sorted({*(answer.flags or ()), Flag.overtime.value}))


def _is_late(run: Run, answer: Answer) -> bool:
    """Whether an answer was complete after the time limit, without waiting for a processor.

    A search for a penalty may take a multiple of the limit (`spcabench.solving.tune.LIMITS`).
    """
    limit = run.settings.get("time_limit", np.inf)
    if answer.seconds is None:
        return False
    if answer.search_time is not None:
        limit *= tune.LIMITS
    worked = answer.seconds * (1.0 - (answer.waited or 0.0))
    return bool(worked > limit * (1.0 + OVER_SHARE) + min(OVER_SECONDS, 0.5 * limit))


@lru_cache
def sha256(solver: str) -> str:
    """Return the checksum of a solver's file."""
    return hashlib.sha256(registry.path("solver", solver).read_bytes()).hexdigest()


def of_result(result: Result, vectors: bool = False) -> Answer:
    """Convert a result to an answer.

    vectors : whether to include u.
    """
    columns: dict[str, Any] = {name: getattr(result, name) for name in SAME}
    cost = result.cost
    columns |= {name: getattr(cost, name) for name in OF_COST}
    columns |= {f"search_{name}": v for name, v in cost.search.items() if name in OF_SEARCH}
    if result.good:
        x_refit = refitted(result.problem, result.x, result.nonnegative)
        columns |= {name: getattr(result, name) for name in SAME_IF_FEASIBLE}
        columns["variance_refit"] = result.problem.variance(x_refit)
    W = result.support
    return Answer(
        **columns,
        own=result.claim.own,
        reason=result.fault or result.unproven,
        form=result.problem.form,
        used={key: value for key, value in result.settings.items() if np.isscalar(value)},
        flops=cost.flops if cost.counted else None,
        setup_flops=cost.setup_flops if cost.counted else None,
        waited=cost.waited / cost.wall_time if cost.wall_time > 0.0 else None,
        flags=[flag.value for flag in cost.flags] or None,
        phases=cost.phases or None,
        history=result.history or None,
        support=W.tolist(),
        values=result.x[W].tolist(),
        u=result.u.tolist() if vectors and result.u is not None else None,
    )
