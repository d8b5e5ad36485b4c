"""The driver, which runs, times and stops a solver, counts its flops and grades its last iterate.

A solver is a generator that yields iterates, so the driver controls when the next iterate is
computed. Only this call, ``next()``, and copying its result are timed and charged. Operations of
the driver between two iterates, such as storing a history, are not charged to the solver, and a
solver cannot grade itself. The use of a second thread is flagged.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from time import perf_counter, process_time, thread_time
from traceback import extract_tb
from types import ModuleType
from typing import Any

import numpy as np

from spcabench import machine, registry, validate
from spcabench.errors import InputError, SolverError, last_frame
from spcabench.flops import LEDGER, counting, solving
from spcabench.iterate import Iterate, Traits, as_matrix
from spcabench.problem.data import Data
from spcabench.problem.problem import Problem
from spcabench.solving import joint
from spcabench.solving.result import Result, graded, without_constants
from spcabench.solving.run_warnings import Flag
from spcabench.solving.status import UNPROVEN, Status
from spcabench.vectors import Vector, distance, normalize

# Settings with the same meaning for every solver. The harness handles most of them. It passes seed
# and start to the solver if they are parameters of the solver's solve function.
RESERVED = (
    "seed",
    "start",
    "refit",
    "blocks",
    "stop",
    "tol",
    "max_iterations",
    "time_limit",
    "history",
)
END = object()  # not None, because a solver can yield None by mistake
# Default value of a tolerance, compared by identity. It is not None, because tol=None is a mistake
# by the caller and is rejected like any other value that is not a number.
UNSET = float("nan")
# Names that are reserved in a history. A solver's `extra` must not use them, because it could then
# overwrite the variance computed by the harness.
OWN_NUMBERS = (
    "iteration",
    "variance",
    "change",
    "cardinality",
    "flops",
    "seconds",
    "phase",
)
# tolerated processor time of further threads: fraction of that of the first one, plus seconds
THREADS_SHARE, THREADS_SECONDS = 0.25, 0.1


@dataclass(frozen=True)
class Limits:
    """The stopping rule of a run, and its limits on iterations and time.

    Parameters
    ----------
    stop : {"step", "objective", "gap", "end"}, optional
        The quantity that is compared with ``tol``. The default is the solver's STOP if defined, and
        otherwise "step".
    tol : float, optional
        Tolerance of the rule. The default is the solver's TOL if defined, and otherwise 1e-6.
    max_iterations : int, optional
        Maximum number of iterates after the start. The default is the solver's MAX_ITERATIONS if
        defined, and otherwise 1000.
    time_limit : float
        Limit on the time spent in the solver, in seconds, including its set-up.
    history : bool
        Whether to record the variance, cost and other values of every iterate.

    Raises
    ------
    InputError
        If the rule is unknown or a value is out of range.
    """

    stop: str | None = None
    tol: float = UNSET
    max_iterations: int | None = None
    time_limit: float = np.inf
    history: bool = False

    def __post_init__(self) -> None:
        validate.switch("history", self.history)
        if self.stop is not None and str(self.stop) not in STOPS:
            raise InputError(
                validate.nearest("stopping rule (stop)", repr(self.stop).strip("'"), STOPS)
            )
        if self.tol is not UNSET:
            validate.number("tol", self.tol)
        validate.number("time_limit", self.time_limit, finite=False)
        if self.max_iterations is not None:
            validate.whole("max_iterations", self.max_iterations, 0)

    def filled(self, solver: ModuleType) -> Limits:
        """Replace unset limits with the limits that the solver defines, or else the defaults."""
        return replace(
            self,
            stop=self.stop or getattr(solver, "STOP", "step"),
            tol=getattr(solver, "TOL", 1e-6) if self.tol is UNSET else self.tol,
            max_iterations=getattr(solver, "MAX_ITERATIONS", 1000)
            if self.max_iterations is None
            else self.max_iterations,
        )


def _step(new: Iterate, old: Iterate) -> float:
    change = distance(new.x, old.x)
    if new.u is not None and old.u is not None:
        change += distance(new.u, old.u)
    if new.Z is not None and old.Z is not None and new.Z.shape == old.Z.shape:
        # The first component often converges long before the others, so all steps are compared.
        change = max(
            [change, *(distance(z, y) for z, y in zip(new.Z.T[1:], old.Z.T[1:], strict=True))]
        )
    return change


def _stated(iterate: Iterate, number: str) -> float:
    """Return a value used by a stopping rule; raise InputError if the solver does not report it."""
    if number not in iterate.extra:
        raise InputError(
            f"stop: {number!r} requires a solver that reports its {number}; this solver does not"
        )
    return iterate.extra[number]


def _objective(new: Iterate, old: Iterate) -> float:
    f, f_old = _stated(new, "objective"), _stated(old, "objective")
    return abs(f - f_old) / max(abs(f_old), 1e-300)


def _gap(new: Iterate, old: Iterate) -> float:
    return _stated(new, "gap")


# Infinity is above every tolerance. With this rule, a NaN in x is detected only when the last
# iterate is graded.
def _never(new: Iterate, old: Iterate) -> float:
    return np.inf


STOPS: dict[str, Callable[[Iterate, Iterate], float]] = {
    "step": _step,  # ||x - x_prev|| up to sign; with several components, their largest step
    "objective": _objective,  # relative change of the solver's objective
    "gap": _gap,  # the solver's duality gap
    "end": _never,  # the solver stops by itself
}


@lru_cache
def parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """Return the keyword parameters of a solver's ``solve`` or a dataset's ``load`` function."""
    return {
        name: p for name, p in inspect.signature(function).parameters.items() if name != "problem"
    }


def check_settings(owner: str, function: Callable[..., Any], settings: Mapping[str, Any]) -> None:
    """Raise InputError if the function does not accept one of the settings.

    The error suggests the most similar name.
    """
    settings_of_function = set(parameters(function))
    # The reserved settings are removed before this check. They are added to the candidates so that
    # the error for a misspelt name ("max_iteration") can suggest the right name.
    if owner.startswith("solver"):
        settings_of_function |= set(RESERVED) - {"start"}
    for name in settings:
        if name not in parameters(function):
            raise InputError(validate.nearest("setting", name, settings_of_function, owner))


def check_required(owner: str, function: Callable[..., Any], settings: Mapping[str, Any]) -> None:
    """Raise InputError if a setting without a default value is missing."""
    for name, parameter in parameters(function).items():
        variadic = parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
        if parameter.default is parameter.empty and not variadic and name not in settings:
            raise InputError(f"{owner} requires the setting {name!r} (--set {name}=VALUE)")


def in_form(problem: Problem, traits: Traits) -> Problem:
    """Convert the problem to a form that the solver accepts, without charging the solver."""
    # The type is tested because a Gram matrix (data after a deflation) no longer has a data matrix.
    if traits.accepts == "covariance":
        return problem.given_as("covariance")
    if traits.accepts == "data" and not isinstance(problem.matrix, Data):
        return problem.given_as("data")
    return problem


def drive(
    problem: Problem,
    solver: ModuleType,
    settings: Mapping[str, Any],
    limits: Limits,
    seed: int = 0,
) -> Result:
    """Run ``solver.solve`` on the problem and grade its last iterate.

    Parameters
    ----------
    problem : Problem
        A problem in any form. It is converted if the solver does not accept this form.
    solver : module
        The solver's module, which defines ``solve`` and ``TRAITS``.
    settings : mapping
        Keyword arguments of ``solve``.
    limits : Limits
        Stopping rule and limits of the run, and whether to record a history.
    seed : int
        Seed that is passed to ``solve`` if ``solve`` accepts one.

    Returns
    -------
    Result
        The result, with values recomputed from the problem; see `spcabench.Result`.

    Raises
    ------
    InputError
        If the solver does not accept one of the settings.
    SolverError
        If the solver yields nothing, or an object that is not an iterate.
    """
    begun = perf_counter()
    check_settings(f"solver {_name(solver)!r}", solver.solve, settings)
    if solver.TRAITS.largest is not None and problem.n > solver.TRAITS.largest:
        most = solver.TRAITS.largest
        raise InputError(
            f"n: {problem.n} variables; solver {_name(solver)!r} accepts at most {most}"
        )
    problem = in_form(problem, solver.TRAITS)
    waited = machine.waited()
    settings = dict(settings)
    if "seed" in parameters(solver.solve):
        settings["seed"] = seed
    check_required(f"solver {_name(solver)!r}", solver.solve, settings)
    # Each run has its own count, because a solver can start another run inside its own run.
    with counting() as ledger:
        run = _Run(solver.solve(problem, **settings), limits.filled(solver), problem)
        run.to_end()
        ledger.flops = run.charged  # the total is charged to the solver that started this run
    # Grading follows after the ledger is restored, so it is never charged to a solver.
    result = _graded_run(run, solver, problem, settings)
    wall = perf_counter() - begun
    return replace(result, wall_time=wall, waited=machine.waited() - waited)


def _graded_run(
    run: _Run, solver: ModuleType, problem: Problem, settings: dict[str, Any]
) -> Result:
    """Grade the last iterate of a finished run, and return the result."""
    last, k = run.last, settings.get("k")
    nonnegative = solver.TRAITS.nonnegative == "always" or bool(settings.get("nonnegative"))
    own = registry.is_own(solver)
    # only the exact searches of the suite can end with a proof
    ended = _ended(run) if own else run.status
    x, status = graded(last.x, ended, k, problem.n, nonnegative)
    status = joint.graded(status, last.Z, problem.n, k, solver.TRAITS.formulation)
    x, status = without_constants(problem, x, status)
    return Result(
        _name(solver),
        problem,
        settings,
        k,
        x,
        status,
        run.iterations,
        run.flops,
        run.setup_flops,
        run.seconds,
        run.setup_seconds,
        None if last.u is None else normalize(last.u),
        run.history,
        phases=run.phases,
        extra=dict(last.extra),
        counted=getattr(solver, "COUNTED", True),
        compile_time=run.compile_seconds,
        cpu_time=run.cpu_seconds,
        Z=last.Z,
        X=last.X,
        U=last.U,
        penalty=settings.get(solver.TRAITS.penalty),
        rectangular=solver.TRAITS.rectangular,
        nonnegative=nonnegative,
        formulation=solver.TRAITS.formulation,
        own=own,
        claimed=last.bound,
        claimed_whp=last.bound_whp,
        flags=tuple(sorted(run.flags)),
        why=last.why if ended in UNPROVEN else "",
    )


def uses_threads(own: float, total: float) -> bool:
    """Whether several threads computed.

    own, total : processor time of one thread and of all threads, in seconds. Unlike wall time, they
    do not depend on how busy the machine is.
    """
    return total - own > THREADS_SHARE * own + THREADS_SECONDS


def _ended(run: _Run) -> Status:
    """Return the status of a run of the suite's own solvers, which can end an exact search."""
    if run.status != Status.FINISHED or run.last.end is None:
        return run.status
    return Status[run.last.end.upper()]  # `Result` verifies the status "proven"


def _name(solver: ModuleType) -> str:
    return solver.__name__.rpartition(".")[2]


class _Run:
    """One pass over a solver's iterates, in which only ``next()`` is timed and charged.

    The time includes copying each iterate and computing the matrices of the last iterate, because
    an object can delay its computations until it is read.
    """

    def __init__(self, iterates: Any, limits: Limits, problem: Problem) -> None:
        self.iterates, self.limits, self.problem = iterates, limits, problem
        self.change = STOPS[limits.stop or "step"]
        self.phases: dict[str, dict[str, float]] = {}
        self.history: list[dict[str, Any]] = []
        self.flags: set[Flag] = set()
        self.iterations, self.seconds, self.compile_seconds = 0, 0.0, 0.0
        if not isinstance(iterates, Generator):
            raise SolverError(f"solve returned {_kind(iterates)}; it must yield iterates")
        self.charged, self.cpu_seconds, self.own_seconds = 0, 0.0, 0.0
        # A generator does nothing before the first next(), so the set-up is exactly the computation
        # before its first yield (the start). It is recorded separately from the iterations, because
        # it can hide a factorisation that the paper does not count.
        first, self.setup_seconds = self._advance()
        if first is None:
            raise SolverError("solve yielded nothing; it must yield at least its start")
        self.setup_flops = self.charged
        self.last = first
        if self.last.phase is not None:
            self._charge_phase(self.last.phase, self.setup_seconds, self.setup_flops)
        if limits.history:
            self._record(self.last, np.nan)

    @property
    def flops(self) -> int:
        """Flops of the iterations so far, excluding the set-up."""
        return self.charged - self.setup_flops

    def to_end(self) -> None:
        """Advance until a rule or a limit stops the run, and set `status`."""
        # A zero start means that the solver found nothing, so the iterations are skipped.
        self.status = self._loop() if self.last.x.any() else Status.ZERO
        start = perf_counter()
        if self.last.X is not None and self.last.U is not None:
            self.last.X, self.last.U = as_matrix(self.last.X), as_matrix(self.last.U)
        self.seconds += perf_counter() - start
        # Close the generator now: its finally blocks are timed and charged, and its arrays are
        # freed before the next run is timed.
        _, elapsed = self._step(self.iterates.close)
        self.seconds += elapsed
        if uses_threads(self.own_seconds, self.cpu_seconds):
            self.flags.add(Flag.threads)

    def _advance(self) -> tuple[Iterate | None, float]:
        """Return a copy of the next iterate (None after the last one) and its time in seconds."""
        return self._step(self._next)

    def _next(self) -> Iterate | None:
        try:
            item = next(self.iterates, END)
        except RuntimeError as error:
            # Python replaces a StopIteration inside a generator by an error without its line
            if not isinstance(error.__cause__, StopIteration):
                raise
            frames = extract_tb(error.__cause__.__traceback__)
            line = last_frame(error.__cause__, Path(frames[-1].filename))
            raise SolverError(f"solve calls next() on an exhausted iterator ({line})") from error
        return None if item is END else _copied(item, self.problem)

    def _step(self, work: Callable[[], Iterate | None]) -> tuple[Iterate | None, float]:
        """Execute one step of the solver; return its result and its time, excluding compilation."""
        # Numba compiles a kernel during its first call, which can take a thousand times as long as
        # the call itself. Kernels report this time, and it is subtracted.
        LEDGER.flops = LEDGER.evaluations = 0
        with solving():
            cpu, own = process_time(), thread_time()
            compiled, start = LEDGER.compile_seconds, perf_counter()
            item = work()
            elapsed = perf_counter() - start
            self.cpu_seconds += process_time() - cpu
            self.own_seconds += thread_time() - own
        self.charged += LEDGER.flops
        compilation = LEDGER.compile_seconds - compiled
        self.compile_seconds += compilation
        elapsed -= compilation
        return item, elapsed

    def _loop(self) -> Status:
        """Take iterates until a rule or a limit stops the run, and return the status."""
        limits, change = self.limits, self.change
        tol = limits.tol
        steps = limits.max_iterations or 0
        # The set-up counts towards the limit. Otherwise a solver could do all its computations
        # before its first yield.
        seconds = limits.time_limit - self.setup_seconds
        last = self.last
        while True:
            # Limits are checked first, so max_iterations=0 returns the start itself.
            if self.iterations >= steps:
                return Status.MAX_ITERATIONS
            if self.seconds >= seconds:
                return Status.TIME_LIMIT
            item, elapsed = self._advance()
            self.seconds += elapsed
            if item is None:
                return Status.FINISHED
            if item.phase is not None:
                self._charge_phase(item.phase, elapsed, self.charged)
            self.iterations += 1
            self.last = item
            step = change(item, last)
            # Recorded before the run can stop, so the last entry of a history is the answer.
            if limits.history:
                self._record(item, step)
            # With tol=0 the run stops at a fixed point, where the step is exactly zero.
            if step < tol or step == 0.0:
                return Status.CONVERGED
            if not item.x.any():
                return Status.ZERO
            # A NaN would persist in all later iterates, and no rule could ever stop the run.
            if step != step:
                return Status.INFEASIBLE
            last = item

    def _charge_phase(self, phase: str, seconds: float, flops: int) -> None:
        """Add the cost of one iterate to its phase; the set-up belongs to the first phase."""
        # ``flops`` is the total charged so far. Flops that no phase includes yet belong to this
        # iterate, so the sum over the phases is the total of the ledger, including the set-up.
        seen = self.phases.setdefault(phase, {"iterates": 0, "seconds": 0.0, "flops": 0})
        seen["iterates"] += 1
        seen["seconds"] += seconds
        seen["flops"] += flops - sum(p["flops"] for p in self.phases.values())

    def _record(self, item: Iterate, change: float) -> None:
        """Append the values of one iterate, including the solver's ``extra``, to the history."""
        # The clock is stopped here and flops are not counted between two steps, so a history
        # changes neither the flops nor the times of a run.
        phase = {} if item.phase is None else {"phase": item.phase}
        self.history.append(
            {
                **item.extra,
                "iteration": self.iterations,
                "variance": self.problem.variance(item.x),
                "change": change,
                "cardinality": int(np.count_nonzero(item.x)),
                "flops": self.flops,
                "seconds": self.seconds,
                **phase,
            }
        )


def _copied(item: Any, problem: Problem) -> Iterate:
    """Copy x (n,) and u (m,), because a solver can reuse their memory for its next iterate."""
    # X, U and Z are not copied. Copying (n, n) matrices would often cost more than a step, and only
    # the matrices of the last iterate are ever read.
    iterate = item if isinstance(item, Iterate) else Iterate(item)
    try:
        if type(item) is np.ndarray:  # shortcut: the general case takes as long as a cheap step
            return Iterate(_vector("x", item, problem.n))
        x = _vector("x", iterate.x, problem.n)
        u = None if iterate.u is None else _vector("u", iterate.u, problem.m)
    except (TypeError, ValueError):
        raise SolverError(
            f"solve yielded {_kind(item)}; it must yield x (n,) or an Iterate"
        ) from None
    extra = dict(iterate.extra)
    if reserved := [name for name in OWN_NUMBERS if name in extra]:
        raise SolverError(f"extra: the name {reserved[0]!r} is reserved; choose another name")
    # dataclasses.replace would take longer than all of the above
    fields = (iterate.Z, iterate.X, iterate.U, iterate.bound, iterate.bound_whp, iterate.phase)
    return Iterate(x, u, *fields, extra, iterate.end, iterate.why)


def _vector(name: str, value: Any, length: int | None) -> Vector:
    """Copy a yielded vector; raise SolverError if its length is wrong."""
    entries = np.asarray(value)
    if entries.dtype.kind == "c":
        raise SolverError("solve yielded complex numbers; they must be real")
    if entries.dtype in (np.float16, np.float32):
        raise SolverError(f"solve yielded {name} of type {entries.dtype}; use float64")
    if not entries.ndim and entries.dtype.kind not in "biuf":
        raise TypeError(name)
    # checked before copying, because an array of a wrong length can exceed the available memory
    vector = entries if entries.ndim else entries[np.newaxis]  # a number is a vector of length one
    if length is not None and vector.shape != (length,):
        raise SolverError(f"solve yielded {name} of shape {entries.shape}; it must be ({length},)")
    return np.array(vector, dtype=np.float64)


def _kind(item: Any) -> str:
    return f"an object of type {type(item).__name__}"
