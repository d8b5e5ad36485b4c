"""The worker process: makes one row for each run that it is sent."""

import inspect
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from spcabench import api, machine, registry
from spcabench.errors import InputError, in_one_line
from spcabench.problem.problem import Problem
from spcabench.running.task import Task
from spcabench.solving.bounds import leading_eigenvalue
from spcabench.solving.result import Result, refitted
from spcabench.solving.status import Status

SAMPLE = 0.005  # seconds that one timed sample lasts at least
_warm: dict[str, Result] = {}


def row(task: Task) -> dict[str, Any]:
    """The row of one task; an error is a row with that status, never an exception."""
    common = {
        "calibration": machine.calibration(),
        "load": machine.load_average(),
        "threads": machine.describe()["threads"],
    }
    try:
        problem = _problem(task.dataset, json.dumps(dict(task.parameters), sort_keys=True))
        if task.form:
            problem = problem.given_as(task.form)
        made = _measure(problem, task) if task.function else _solve(problem, task)
        return {**common, **_about(problem), **made}
    except MemoryError:
        return {
            **common,
            "status": Status.MEMORY_LIMIT,
            "reason": "the process may not have more memory",
        }
    except Exception as error:
        return {**common, "status": Status.ERROR, "reason": in_one_line(error, *_files(task))}


def _files(task: Task) -> Iterator[Path]:
    """The files that a task names: an error shows the line where it arose in one of them."""
    with suppress(InputError):  # an unknown name is the error itself
        yield registry.path("dataset", task.dataset)
    if task.function:
        yield Path(inspect.getfile(task.function))
    for solver in task.solvers:
        with suppress(InputError):
            yield registry.path("solver", solver)


@lru_cache(maxsize=2)
def _problem(dataset: str, parameters: str) -> Problem:
    return api.load(dataset, **json.loads(parameters))


def _about(problem: Problem) -> dict[str, Any]:
    return {
        "problem": problem.name,
        "provenance": json.dumps(dict(problem.provenance)),
        "stand_in": problem.stand_in,
        "n": problem.n,
        "m": problem.m,
        "nnz": problem.nnz,
        "lambda_1": leading_eigenvalue(problem),
    }


def _measure(problem: Problem, task: Task) -> dict[str, Any]:
    assert task.function is not None
    start = perf_counter()
    numbers = task.function(problem, seed=task.seed, **task.settings)
    seconds = perf_counter() - start
    return {
        "form": problem.form,
        "status": Status.FINISHED,
        "solve_time": seconds,
        "extra": json.dumps(numbers),
    }


def _solve(problem: Problem, task: Task) -> dict[str, Any]:
    settings = dict(task.settings)
    if isinstance(settings.get("k"), float):
        # a share of the variables: a stand-in may have fewer
        settings["k"] = max(2, round(settings["k"] * problem.n))
    machine.forget_peak()
    before = machine.process_memory("VmRSS")
    asked = (task.dataset, dict(task.parameters), task.form, task.solver, settings, task.seed)
    key = json.dumps(asked)
    result = _warm.get(key) or _run(problem, task, settings)
    if task.timed:
        _warm[key] = result  # later rounds need neither warm-up nor search
    peak = machine.process_memory("VmHWM")  # before the grading, whose bounds need memory too
    made = result_columns(result, task.vectors)
    if task.memory:
        made |= {"peak_memory": peak, "memory_before": before}
    if task.timed:
        made |= _timed(problem, task, settings, result)
    return made


def _run(problem: Problem, task: Task, settings: Mapping[str, Any]) -> Result:
    assert task.solver is not None
    return api.solve(problem, task.solver, seed=task.seed, **settings)


def _timed(
    problem: Problem, task: Task, settings: Mapping[str, Any], warm: Result
) -> dict[str, Any]:
    """Clocks averaged over as many runs as a sample needs; the run before was the warm-up."""
    one = warm.setup_time + warm.solve_time
    count = int(np.clip(np.ceil(SAMPLE / max(one, 1e-6)), 1, 500))
    if warm.search:  # the penalty that was found is timed, as a single run of its own
        settings = {k: v for k, v in {**settings, **warm.settings}.items() if k != "k"}
    results = [_run(problem, task, settings) for _ in range(count)]
    return {
        "solve_time": sum(r.solve_time for r in results) / count,
        "setup_time": sum(r.setup_time for r in results) / count,
        "samples": count,
    }


def result_columns(result: Result, vectors: bool = False) -> dict[str, Any]:
    """The columns that one result gives."""
    good = result.good
    x_refit = refitted(result.problem, result.x, result.nonnegative) if good else result.x
    made = {
        "form": result.problem.form,
        "used": json.dumps({key: v for key, v in result.settings.items() if np.isscalar(v)}),
        "status": result.status,
        "reason": result.fault,
        "k": result.k,
        "cardinality": result.cardinality,
        "variance": result.variance if good else np.nan,
        "variance_refit": result.problem.variance(x_refit) if good else np.nan,
        "singular_value": result.singular_value if good else None,
        "bound": result.bound if good else np.nan,
        "bound_whp": result.bound_whp if good else None,
        "gap": result.gap if good else np.nan,
        "nonnegative": result.nonnegative,
        "relaxation_value": result.relaxation_value if good else None,
        "relaxation_bound": result.relaxation_bound if good else None,
        "relaxation_gap": result.relaxation_gap if good else None,
        "iterations": result.iterations,
        "flops": result.flops if result.counted else None,
        "setup_flops": result.setup_flops if result.counted else None,
        "solve_time": result.solve_time,
        "setup_time": result.setup_time,
        "compile_time": result.compile_time,
        **{f"search_{key}": value for key, value in result.search.items()},
        "extra": json.dumps(result.extra),
        "phases": json.dumps(result.phases) if result.phases else None,
        "history": json.dumps(result.history) if result.history else None,
    }
    if vectors:
        W = result.support
        made |= {"support": W.tolist(), "values": result.x[W].tolist()}
        made["u"] = None if result.u is None else result.u.tolist()
    return made
