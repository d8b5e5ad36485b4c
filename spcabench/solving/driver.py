"""The driver runs a solver, stops it, times it, counts its flops and grades its last iterate.

A solver is a generator that yields iterates, so the driver decides when the next one is computed.
Only that call, ``next()``, and the copying of its result are timed and charged. The work of the
driver between two iterates (storing a history, grading) costs the solver nothing, and a solver
cannot grade itself. Anything that would make a number wrong (a ledger that was reset, a second
thread) is flagged.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from random import getrandbits
from time import perf_counter, process_time
from types import ModuleType
from typing import Any

import numpy as np

from spcabench import machine, registry, validate
from spcabench.errors import InputError, SolverError
from spcabench.flops import LEDGER, counting, solving
from spcabench.iterate import Iterate, Traits, as_matrix
from spcabench.problem.data import Data
from spcabench.problem.problem import Problem
from spcabench.solving import joint
from spcabench.solving.result import Result, graded
from spcabench.solving.run_warnings import Flag
from spcabench.solving.status import UNPROVEN, Status
from spcabench.vectors import Vector, distance, normalize

# Settings with the same meaning for every solver. Most belong to the harness; seed and start belong
# to the solver if its solve names them.
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
END = object()  # a solver may yield None by mistake
# Marks a tolerance that was not given. It is not None, because tol=None is a mistake of the caller,
# to be refused like any other value that is not a number. It is recognised by identity.
UNSET = float("nan")
# Names in the history that belong to the harness. A solver's `extra` must not use them, or it could
# overwrite its own variance.
OWN_NUMBERS = (
    "iteration",
    "variance",
    "change",
    "cardinality",
    "flops",
    "seconds",
    "phase",
)
PROVEN = 1e-8  # a value whose relative distance from its bound is smaller is optimal
THREADS_SHARE, THREADS_SECONDS = 1.5, 0.1  # limits of processor over wall time: ratio, excess in s
BASE_BITS, MOST_FLOPS = 52, 1 << 56  # bits of the ledger's initial count; most flops of one step


@dataclass(frozen=True)
class Limits:
    """When a run ends: by its rule, or at a limit of iterations or time.

    Parameters
    ----------
    stop : {"step", "objective", "gap", "end"}, optional
        The quantity compared with ``tol``; by default the solver's STOP, otherwise "step".
    tol : float, optional
        Tolerance of the rule; by default the solver's TOL, otherwise 1e-6.
    max_iterations : int, optional
        Maximum number of iterates after the start; by default the solver's MAX_ITERATIONS,
        otherwise 1000.
    time_limit : float
        Limit on the solver's own time in seconds, including set-up.
    history : bool
        Whether to store the numbers of every iterate.

    Raises
    ------
    InputError
        For an unknown rule or a value out of range.
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
        """Fill in the solver's own settings, or the defaults, if none are given."""
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
        # All of several components must stand still: the first one often does long before.
        change = max(
            [change, *(distance(z, y) for z, y in zip(new.Z.T[1:], old.Z.T[1:], strict=True))]
        )
    return change


def _stated(iterate: Iterate, number: str) -> float:
    """A number used by a stopping rule; raises InputError if the solver does not provide it."""
    if number not in iterate.extra:
        raise InputError(
            f"stop: {number!r} needs a solver that states its {number}; this one does not"
        )
    return iterate.extra[number]


def _objective(new: Iterate, old: Iterate) -> float:
    f, f_old = _stated(new, "objective"), _stated(old, "objective")
    return abs(f - f_old) / max(abs(f_old), 1e-300)


def _gap(new: Iterate, old: Iterate) -> float:
    return _stated(new, "gap")


# Infinity is above every tolerance. It also means that a NaN in x is not noticed during the run; it
# is found when the last iterate is graded.
def _never(new: Iterate, old: Iterate) -> float:
    return np.inf


STOPS: dict[str, Callable[[Iterate, Iterate], float]] = {
    "step": _step,  # ||x - x_prev|| up to sign; for several components the largest
    "objective": _objective,  # relative change of the solver's objective
    "gap": _gap,  # the solver's duality gap
    "end": _never,  # the solver ends by itself
}


@lru_cache
def parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """Return the keyword parameters of a solver's ``solve`` or a dataset's ``load``, by name."""
    return {
        name: p for name, p in inspect.signature(function).parameters.items() if name != "problem"
    }


def check_settings(owner: str, function: Callable[..., Any], settings: Mapping[str, Any]) -> None:
    """Raise InputError, with the nearest name, for a setting that the function does not accept."""
    settings_of_function = set(parameters(function))
    # The settings of a run are removed before a solver's settings are checked. They are listed here
    # only so that the error for a misspelt one ("max_iteration") can suggest the right name.
    if owner.startswith("solver"):
        settings_of_function |= set(RESERVED) - {"start"}
    for name in settings:
        if name not in parameters(function):
            raise InputError(validate.nearest("setting", name, settings_of_function, owner))


def in_form(problem: Problem, traits: Traits) -> Problem:
    """Return the problem in a form that the solver accepts; the conversion is not charged."""
    # A Gram matrix (data after a deflation) no longer has a data matrix, hence the test by type.
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
    fresh: bool = False,
) -> Result:
    """Run ``solver.solve`` on the problem, to its end or a limit, and grade the last iterate.

    Parameters
    ----------
    problem : Problem
        In any form; it is converted if the solver does not accept it.
    solver : module
        A solver's module, with ``solve`` and ``TRAITS``.
    settings : mapping
        Keyword arguments of ``solve``.
    limits : Limits
        When to stop, and whether to keep a history.
    seed : int
        Passed on if ``solve`` accepts it.
    fresh : bool
        Pass a copy of the problem to the solver, so that neither grading nor a later run sees what
        it changes or stores there.

    Returns
    -------
    Result
        The result, with numbers recomputed from the problem; see `spcabench.Result`.

    Raises
    ------
    InputError
        For a setting that the solver does not accept.
    SolverError
        If the solver yields nothing, or something that is not an iterate.
    """
    begun = perf_counter()
    check_settings(f"solver {_name(solver)!r}", solver.solve, settings)
    if solver.TRAITS.largest is not None and problem.n > solver.TRAITS.largest:
        most = solver.TRAITS.largest
        raise InputError(f"n: {problem.n} variables; solver {_name(solver)!r} takes at most {most}")
    problem = in_form(problem, solver.TRAITS)
    waited = machine.waited()
    settings = dict(settings)
    if "seed" in parameters(solver.solve):
        settings["seed"] = seed
    # Knowledge about the answer, such as a planted support, is not part of the question.
    handed = replace(problem.copied(), provenance={}) if fresh else problem
    # A separate ledger: if one run is made inside another, each counts its own flops.
    with counting() as ledger:
        run = _Run(solver.solve(handed, **settings), limits.filled(solver), problem)
        run.to_end()
        ledger.flops = run.charged  # charged to a solver that made this run
    # Graded after the ledger is restored: grading is the harness's work, never the solver's.
    result = _graded_run(run, solver, problem, settings)
    wall = perf_counter() - begun
    return replace(result, wall_time=wall, waited=machine.waited() - waited)


def _graded_run(
    run: _Run, solver: ModuleType, problem: Problem, settings: dict[str, Any]
) -> Result:
    """Return the result of a run that has ended: its last iterate, graded, and its counts."""
    last, k = run.last, settings.get("k")
    nonnegative = solver.TRAITS.nonnegative == "always" or bool(settings.get("nonnegative"))
    own = registry.is_own(solver)
    ended = _ended(run, problem) if own else run.status  # a stranger's statements are only claims
    x, status = graded(last.x, ended, k, problem.n, nonnegative)
    status = joint.graded(status, last.Z, problem.n, k, solver.TRAITS.formulation)
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


def _ended(run: _Run, problem: Problem) -> Status:
    """Why a run of the suite's own solver ended; an exact search gives a more specific status."""
    last = run.last
    if run.status != Status.FINISHED or last.end is None:
        return run.status
    end = Status[last.end.upper()]
    if end == Status.PROVEN:
        proven = last.bound is not None and problem.variance(last.x) >= last.bound * (1.0 - PROVEN)
        return end if proven else Status.FINISHED
    return end


def _name(solver: ModuleType) -> str:
    return solver.__name__.rpartition(".")[2]


class _Run:
    """One pass over a solver's iterates; only ``next()`` is timed and charged.

    The time includes copying what is yielded, and finally computing its matrices, because an object
    may do its work only when it is read.
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
        # The ledger's initial count in a step cannot be guessed, so a solver that sets the ledger
        # to a number is noticed.
        self.charged, self.cpu_seconds = 0, 0.0
        # A generator runs nothing until its first next(). The work before its first yield, the
        # start, is therefore exactly the set-up. It is recorded separately from the iterations,
        # because it may hide a factorisation that the paper does not count.
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
        """Advance until a rule or a limit ends the run; `status` names it."""
        # A zero start means that the solver found nothing, and there is no direction to continue.
        self.status = self._loop() if self.last.x.any() else Status.ZERO
        start = perf_counter()
        if self.last.X is not None and self.last.U is not None:
            self.last.X, self.last.U = as_matrix(self.last.X), as_matrix(self.last.U)
        self.seconds += perf_counter() - start
        # End the generator now, in the solver's own frame: its finally blocks run while timed and
        # charged, and its arrays are freed before the next run is timed.
        _, elapsed = self._step(self.iterates.close)
        self.seconds += elapsed
        self._watch_threads()

    def _advance(self) -> tuple[Iterate | None, float]:
        """Return a copy of the next iterate (None at the end) and its seconds without compiling."""
        return self._step(self._next)

    def _next(self) -> Iterate | None:
        item = next(self.iterates, END)
        return None if item is END else _copied(item, self.problem)

    def _step(self, work: Callable[[], Iterate | None]) -> tuple[Iterate | None, float]:
        """Do a part of the solver's work; return its result and its seconds without compilation."""
        # Numba compiles during the first call of a kernel, which may take a thousand times as long
        # as the call. Kernels report these seconds, and they are excluded. Copying is included,
        # because what is yielded may do its work only when it is read.
        LEDGER.flops = base = getrandbits(BASE_BITS)
        LEDGER.evaluations = 0
        with solving():
            cpu, compiled, start = process_time(), LEDGER.compile_seconds, perf_counter()
            item = work()
            elapsed = perf_counter() - start
            self.cpu_seconds += process_time() - cpu
        # Any Python code can reach the ledger. A solver that resets it or switches it off is
        # flagged, and so is one that reports more seconds of compilation than have passed.
        if not base <= LEDGER.flops < base + MOST_FLOPS or not LEDGER.on:
            self.flags.add(Flag.ledger)
            LEDGER.on = True
        else:
            self.charged += LEDGER.flops - base
        if LEDGER.compile_seconds != compiled:
            compilation = LEDGER.compile_seconds - compiled
            if not 0.0 < compilation <= elapsed:
                self.flags.add(Flag.compilation)
                return item, elapsed
            elapsed -= compilation
            self.compile_seconds += compilation
        return item, elapsed

    def _loop(self) -> Status:
        """Take iterates until one of the rules ends the run, and name that rule."""
        limits, change = self.limits, self.change
        tol = limits.tol
        steps = limits.max_iterations or 0
        # The set-up counts towards the limit, or all work could be done before the first yield.
        seconds = limits.time_limit - self.setup_seconds
        last = self.last
        while True:
            # Limits are checked first, so that max_iterations=0 returns the start itself.
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
            # Recorded before the run can end, so that the last entry of a history is the answer.
            if limits.history:
                self._record(item, step)
            # tol=0 asks for a fixed point, which a solver that stands still has reached.
            if step < tol or step == 0.0:
                return Status.CONVERGED
            if not item.x.any():
                return Status.ZERO
            # With NaN no later iterate can be better, and every later comparison would be false.
            if step != step:
                return Status.INFEASIBLE
            last = item

    def _watch_threads(self) -> None:
        """Flag a run whose processor time is far above what one thread can use."""
        wall = self.seconds + self.setup_seconds + self.compile_seconds
        if self.cpu_seconds > THREADS_SHARE * wall + THREADS_SECONDS:
            self.flags.add(Flag.threads)

    def _charge_phase(self, phase: str, seconds: float, flops: int) -> None:
        """Add one iterate to its phase; the set-up belongs to the first phase."""
        # ``flops`` is the total charged so far. The part not yet in any phase belongs to this
        # iterate, so the phases add up to the ledger, including the set-up.
        seen = self.phases.setdefault(phase, {"iterates": 0, "seconds": 0.0, "flops": 0})
        seen["iterates"] += 1
        seen["seconds"] += seconds
        seen["flops"] += flops - sum(p["flops"] for p in self.phases.values())

    def _record(self, item: Iterate, change: float) -> None:
        """Append the numbers of one iterate to the history, with the solver's ``extra``."""
        # Charges between two steps are not counted, and the clock is stopped here: a history
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
    """Copy x (n,) and u (m,): a solver may write its next iterate into the same buffer."""
    # X, U and Z are not copied: copying (n, n) for every iterate would cost more than many a step,
    # and only those of the last iterate are ever read.
    iterate = item if isinstance(item, Iterate) else Iterate(item)
    try:
        if type(item) is np.ndarray:  # the usual case; the rest takes as long as a cheap step
            return Iterate(_vector("x", item, problem.n))
        x = _vector("x", iterate.x, problem.n)
        u = None if iterate.u is None else _vector("u", iterate.u, problem.m)
    except (TypeError, ValueError):
        raise SolverError(
            f"solve yielded {_kind(item)}; it must yield x (n,) or an Iterate"
        ) from None
    extra = dict(iterate.extra)
    if reserved := [name for name in OWN_NUMBERS if name in extra]:
        raise SolverError(f"extra: {reserved[0]!r} is a number of the harness; choose another name")
    # dataclasses.replace takes longer than all of the above
    fields = (iterate.Z, iterate.X, iterate.U, iterate.bound, iterate.bound_whp, iterate.phase)
    return Iterate(x, u, *fields, extra, iterate.end, iterate.why)


def _vector(name: str, value: Any, length: int | None) -> Vector:
    """A copy of what was yielded; raises SolverError if its length is unexpected."""
    entries = np.asarray(value)
    if entries.dtype.kind == "c":
        raise SolverError("solve yielded complex numbers; they must be real")
    if not entries.ndim and entries.dtype.kind not in "biuf":
        raise TypeError(name)
    # checked before copying, because an array of a wrong length may be larger than the memory
    vector = entries if entries.ndim else entries[np.newaxis]  # a number is a vector of length one
    if length is not None and vector.shape != (length,):
        raise SolverError(f"solve yielded {name} of shape {entries.shape}; it must be ({length},)")
    return np.array(vector, dtype=np.float64)


def _kind(item: Any) -> str:
    return f"an object of type {type(item).__name__}"
