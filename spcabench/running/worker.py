"""The functions of a worker process, which answers messages with plain data.

Solvers run only here. The times and counts reported for a third-party solver are audited from
outside (`spcabench.running.outside_cost`), and its vectors are graded in another process.
"""

import inspect
import io
import json
import os
import pkgutil
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout, suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import Any, cast

import numpy as np

from spcabench import api, machine, registry
from spcabench.errors import InputError, SolverError, in_one_line
from spcabench.iterate import Traits
from spcabench.problem.problem import Problem
from spcabench.run import FUNCTIONS, Run
from spcabench.running import arrays, external_solver, intact
from spcabench.running.schema import Answer
from spcabench.solving.bounds import leading_eigenvalue
from spcabench.solving.driver import Limits, drive, in_form
from spcabench.solving.result import Result, refitted
from spcabench.solving.run_warnings import Flag
from spcabench.solving.status import Status
from spcabench.vectors import Vector, support

SAMPLE = 0.005  # minimum duration of a timed sample in seconds
LONG = 2.0  # a longer first run is itself the sample, because cold caches hardly affect its time
# tolerated time that a run's own clocks miss: fraction of the run's time, plus seconds
MISSED_SHARE, MISSED_SECONDS = 0.25, 0.1
# columns that are attributes of a result, and columns that are attributes of a feasible result
SAME = (
    *("status", "k", "cardinality", "nonnegative", "iterations", "solve_time", "setup_time"),
    *("compile_time", "cpu_time", "own", "extra"),
)
SAME_IF_FEASIBLE = (
    *("variance", "singular_value", "bound", "claimed_bound", "bound_whp", "gap"),
    *("relaxation_value", "relaxation_bound", "relaxation_gap"),
)
OF_SEARCH = ("runs", "flops", "time")  # of the search for a penalty
_warm: dict[str, Result] = {}
_as_begun: dict[int, Any] = {}  # process -> code of the functions before a solver was imported


def answer(message: dict[str, Any]) -> dict[str, Any]:
    """Return the answer from a run; both are plain data."""
    return vars(answered(run_of(message)))


def run_of(message: Mapping[str, Any]) -> Run:
    """Return the run described by `Run.described`, with functions resolved by name."""
    functions = {
        name: pkgutil.resolve_name(message[name]) if message[name] else None for name in FUNCTIONS
    }
    return Run(**{**message, **functions, "uses": tuple(message["uses"])})


def answered(run: Run) -> Answer:
    """Return the answer from a run; an error becomes an answer with the status "error"."""
    if os.getpid() not in _as_begun:
        _as_begun[os.getpid()] = intact.snapshot()
    begun = perf_counter()
    try:
        problem = problem_of(run)
        if run.form:
            problem = problem.given_as(run.form)  # type: ignore[arg-type]
        with external_solver.limited(run.timeout):
            answer = _measured(problem, run) if run.function else _solved(problem, run)
        return replace(answer, **about(problem), worker_time=perf_counter() - begun)
    except MemoryError:
        return Answer(status=Status.MEMORY_LIMIT, reason="the process reached its memory limit")
    except external_solver.Failed as failure:
        return Answer(status=failure.status, reason=str(failure))
    except (Exception, SystemExit) as error:  # sys.exit in a solver must not exit the worker
        return Answer(status=Status.ERROR, reason=in_one_line(error, *_files(run)))


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
    if dataset == arrays.STORED:
        return arrays.read(Path(json.loads(parameters)["file"]))
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


def _measured(problem: Problem, run: Run) -> Answer:
    assert run.function is not None
    start = perf_counter()
    numbers = run.function(problem, seed=run.seed, **run.settings)
    seconds = perf_counter() - start
    return Answer(
        status=Status.FINISHED,
        form=problem.form,
        solve_time=seconds,
        extra=json.loads(json.dumps(numbers)),  # raises an error if JSON cannot represent them
    )


def _solved(problem: Problem, run: Run) -> Answer:
    settings = dict(run.settings)
    if isinstance(settings.get("k"), float):
        # k is a fraction of the variables, because a stand-in can have fewer variables
        settings["k"] = max(2, round(settings["k"] * problem.n))
    machine.forget_peak()
    before = machine.process_memory("VmRSS")
    question = (run.dataset, dict(run.parameters), run.form, run.solver, settings, run.seed)
    key = json.dumps(question)
    earlier = _warm.get(key)
    result = earlier or _once(problem, run, settings)
    if run.timed:
        _warm[key] = result  # later rounds need neither a warm-up nor a search
    # measured before grading, because computing bounds also needs memory
    peak = machine.process_memory("VmHWM") + machine.memory_of_children()
    if intact.changed(_as_begun[os.getpid()]):
        result = replace(result, flags=tuple(sorted({*result.flags, Flag.patched})))
    answer = of_result(result, run.vectors)
    if run.memory:
        answer = replace(answer, peak_memory=peak, memory_before=before)
    if external_solver.is_command(registry.path("solver", str(run.solver))):
        answer = replace(answer, **external_solver.numbers(result))
        answer = answer.flagged(threads=external_solver.used_threads(result))
    if not run.timed:
        return answer
    if earlier is None and not result.search and result.setup_time + result.solve_time > LONG:
        return replace(answer, samples=1)
    return replace(answer, **_times(problem, run, settings, result))


def _once(problem: Problem, run: Run, settings: Mapping[str, Any]) -> Result:
    """Run a solver once, on a copy of the problem to isolate it from other runs."""
    assert run.solver is not None
    text, begun, waited = io.StringIO(), perf_counter(), machine.waited()
    with redirect_stdout(text):
        result = api.solve(problem, run.solver, seed=run.seed, fresh=True, **settings)
    elapsed = perf_counter() - begun
    # on a busy machine, the harness also waits while the solver's own clock is stopped
    lost = np.nan_to_num(machine.waited() - waited) - result.waited
    flags = set(result.flags)
    if elapsed - result.wall_time - max(lost, 0.0) > MISSED_SECONDS + MISSED_SHARE * elapsed:
        flags.add(Flag.clock)
    if text.getvalue():
        flags.add(Flag.printed)
    if result.claim_refuted:
        flags.add(Flag.claim)
    return replace(result, flags=tuple(sorted(flags)))


def repeated(
    problem: Problem, *, seed: int, name: str, count: int, **settings: Any
) -> dict[str, Any]:
    """Execute ``count`` whole runs without a history, to be timed from outside.

    Returns the seconds that the runs report, the smallest and the largest part in which they worked
    (see `worked`), the seconds in which they waited for a processor, the numbers of trial runs (in
    a search for the penalty) and iterates, and the vector of the last run.
    """
    run = Run(dataset="", solver=name, seed=seed)
    seconds = waited = least = most = 0.0
    trials = iterates = 0
    for _ in range(count):
        result = _once(problem, run, {**settings, "history": False})
        seconds += _spent(result)
        bounds = worked(result)
        least, most = least + bounds[0], most + bounds[1]
        waited += float(np.nan_to_num(result.waited))
        trials += int(result.search.get("runs", 1))
        iterates += int(result.search.get("iterations", result.iterations))
    sums = dict(seconds=seconds, least=least, most=most, waited=waited)
    return {**sums, "trials": trials, "iterates": iterates, "vector": vector_of(result)}


def idle(problem: Problem, *, seed: int, rounds: int, iterates: int) -> dict[str, float]:
    """Return the seconds that the harness takes for a solver that does nothing.

    They are given per trial run (in a search for the penalty) and per iterate.
    """
    trial = min(_idled(problem, 0) for _ in range(rounds))
    longer = min(_idled(problem, iterates) for _ in range(rounds))
    return {"trial": max(trial, 0.0), "iterate": max(longer - trial, 0.0) / iterates}


def _idled(problem: Problem, iterates: int) -> float:
    """Return the seconds of the harness in a run of a solver that does nothing."""
    waited, begun = machine.waited(), perf_counter()
    limits = Limits(max_iterations=iterates)
    result = drive(problem, cast(Any, _Idle), {}, limits, fresh=True)
    wall = perf_counter() - begun - (machine.waited() - waited)
    return wall - worked(result)[0]


class _Idle:
    """A solver, in place of a module, that does nothing but alternate between two vectors."""

    TRAITS = Traits(control="cardinality", accepts="either")

    @staticmethod
    def solve(problem: Problem) -> Iterator[Vector]:
        """Yield two unit vectors (n,) alternately."""
        x = np.eye(problem.n, 2)
        while True:
            yield x[:, 0]
            yield x[:, 1]


def _spent(result: Result) -> float:
    """Return the time of a run in seconds, including a search for its penalty."""
    return float(result.search.get("time", result.setup_time + result.solve_time))


def worked(result: Result) -> tuple[float, float]:
    """Return the smallest and the largest part of these seconds in which the run did not wait.

    Waiting for a processor is only known for the whole run, and the solver's clock covers only part
    of it: the solver may have waited for all of this time or for none.
    """
    spent, waited = _spent(result), float(np.nan_to_num(result.waited))
    return max(spent - waited, 0.0), min(spent, max(result.wall_time - waited, 0.0))


def unseen(
    problem: Problem, *, seed: int, name: str, count: int, **settings: Any
) -> dict[str, Any]:
    """Execute ``count`` runs, each on a different disguise of the problem.

    In a disguise, the variables have a different order, a different unit and, unless loadings must
    be nonnegative, different signs. Returns the seconds of the fastest run, with and without
    all waiting for a processor, and the best vector, converted to the variables of the problem.
    """
    run, rng = Run(dataset="", solver=name, seed=seed), np.random.default_rng()
    signs = (1.0,) if settings.get("nonnegative") else (-1.0, 1.0)
    times, least, vectors = [], [], []
    for _ in range(count):
        order, t = rng.permutation(problem.n), rng.choice(signs, problem.n)
        disguise = problem.disguised(order, rng.uniform(1.0, 2.0) * t)
        result = _once(disguise, run, {**settings, "history": False})
        if not result.good:
            raise SolverError(f"it returned no answer on a disguise of the problem: {result.fault}")
        times.append(_spent(result))
        least.append(worked(result)[0])
        x = np.zeros(problem.n)
        x[order] = t * result.x
        vectors.append(_vector(x, problem.variance(x)))
    best = max(vectors, key=lambda vector: float(vector["variance"]))
    return {"seconds": min(times), "least": min(least), "vector": best}


def rehearsed(
    problem: Problem, *, seed: int, name: str, count: int, **settings: Any
) -> dict[str, Any]:
    """Execute a run on another problem of the same size, so that the next run is as fast as others.

    The variables have another order, other signs unless loadings must be nonnegative, and each has
    another unit, so the answer is different and cannot be stored for the next run. The problem
    itself is only converted, because this work of the harness would seem to be the solver's.
    """
    rng = np.random.default_rng()
    signs = (1.0,) if settings.get("nonnegative") else (-1.0, 1.0)
    units = rng.uniform(1.0, 2.0, problem.n) * rng.choice(signs, problem.n)
    other = problem.disguised(rng.permutation(problem.n), units)
    _once(other, Run(dataset="", solver=name, seed=seed), {**settings, "history": False})
    in_form(problem, registry.module("solver", name).TRAITS)
    return {}


def vector_of(result: Result) -> dict[str, Any]:
    """Return the columns of a row that contain the vector of an answer."""
    return _vector(result.x, result.variance)


def _vector(x: Vector, variance: float) -> dict[str, Any]:
    W = support(x)
    return {"support": W.tolist(), "values": x[W].tolist(), "variance": float(variance)}


def _times(problem: Problem, run: Run, settings: Mapping[str, Any], warm: Result) -> dict[str, Any]:
    """Return mean times over enough runs for an accurate sample; ``warm`` is the warm-up run."""
    seconds = warm.setup_time + warm.solve_time
    count = int(np.clip(np.ceil(SAMPLE / max(seconds, 1e-6)), 1, 500))
    if warm.search:  # time a single run with the penalty that was found
        settings = {k: v for k, v in {**settings, **warm.settings}.items() if k != "k"}
    results = [_once(problem, run, settings) for _ in range(count)]
    flags = {flag for r in [warm, *results] for flag in r.flags}
    if not warm.search and any(_flops(r) < _flops(warm) for r in results):
        flags.add(Flag.warm)
    return {
        "flags": sorted(flag.value for flag in flags) or None,
        "solve_time": sum(r.solve_time for r in results) / count,
        "setup_time": sum(r.setup_time for r in results) / count,
        "samples": count,
    }


def _flops(result: Result) -> int:
    return result.flops + result.setup_flops


def of_result(result: Result, vectors: bool = False) -> Answer:
    """Convert a result to an answer.

    vectors : whether to include u.
    """
    columns: dict[str, Any] = {name: getattr(result, name) for name in SAME}
    columns |= {f"search_{name}": v for name, v in result.search.items() if name in OF_SEARCH}
    columns |= _graded(result) if result.good else {}
    W = result.support
    return Answer(
        **columns,
        reason=result.fault or result.unproven,
        form=result.problem.form,
        used={key: value for key, value in result.settings.items() if np.isscalar(value)},
        flops=result.flops if result.counted else None,
        setup_flops=result.setup_flops if result.counted else None,
        waited=result.waited / result.wall_time if result.wall_time > 0.0 else None,
        flags=[flag.value for flag in result.flags] or None,
        phases=result.phases or None,
        history=result.history or None,
        support=W.tolist(),
        values=result.x[W].tolist(),
        u=result.u.tolist() if vectors and result.u is not None else None,
    )


def _graded(result: Result) -> dict[str, Any]:
    """Return the columns of a feasible x; the grader computes most of them for third parties."""
    if not result.own:
        return {"variance": result.variance, "claimed_bound": result.claimed_bound}
    x_refit = refitted(result.problem, result.x, result.nonnegative)
    graded = {name: getattr(result, name) for name in SAME_IF_FEASIBLE}
    return graded | {"variance_refit": result.problem.variance(x_refit)}
