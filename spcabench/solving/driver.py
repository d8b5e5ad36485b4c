"""The driver, which runs, times and stops a solver, counts its flops and grades its last iterate.

A solver is a generator that yields iterates, so the driver controls when the next iterate is
computed. Only this call, ``next()``, and copying its result are timed and charged. Operations of
the driver between two iterates, such as storing a history, are not charged to the solver, and a
solver cannot grade itself. The use of a second thread is flagged.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time, thread_time
from traceback import extract_tb
from typing import Any

import numpy as np

from spcabench import machine, registry
from spcabench.errors import InputError, SolverError, last_frame
from spcabench.flops import LEDGER, counting
from spcabench.iterate import Iterate, as_matrix
from spcabench.problem.problem import Problem
from spcabench.solving.call import Call, Limits, in_form
from spcabench.solving.formulations import fault_of_joint
from spcabench.solving.result import Claim, Cost, Result, graded, without_constants
from spcabench.solving.run_warnings import Flag
from spcabench.solving.status import UNPROVEN, Status
from spcabench.vectors import Vector, distance, normalize

FLOAT = np.dtype(np.float64)
END = object()  # not None, because a solver can yield None by mistake
# tolerated processor time of further threads: fraction of that of the first one, plus seconds,
# because idle threads of OpenBLAS spin for 0.1 s before they sleep
THREADS_SHARE, THREADS_SECONDS = 0.25, 0.2


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


def drive(call: Call) -> Result:
    """Run a solver on a problem and grade its last iterate.

    The problem is converted if the solver does not accept its form.

    Returns
    -------
    Result
        The result, with values recomputed from the problem; see `spcabench.Result`.

    Raises
    ------
    SolverError
        If the solver yields nothing, or an object that is not an iterate.
    """
    begun = perf_counter()
    problem = in_form(call.problem, call.traits)
    waited = machine.waited()
    # Each run has its own count, because a solver can start another run inside its own run.
    with counting() as ledger:
        iterates = call.solver.solve(problem, **call.keywords)
        run = _Pass(iterates, call.limits.filled(call.solver), problem)
        run.to_end()
        ledger.flops = run.charged  # the total is charged to the solver that started this run
    # Grading follows after the ledger is restored, so it is never charged to a solver.
    result = _graded(run, call, problem)
    wall, waited = perf_counter() - begun, machine.waited() - waited
    return replace(result, cost=replace(result.cost, wall_time=wall, waited=waited))


def _graded(run: _Pass, call: Call, problem: Problem) -> Result:
    """Grade the last iterate of a finished run, and return the result."""
    last, traits, settings = run.last, call.traits, call.keywords
    k = settings.get("k")
    nonnegative = traits.nonnegative == "always" or bool(settings.get("nonnegative"))
    own = registry.is_own(call.solver)
    # only the exact searches of the suite can end with a proof
    ended = _ended(run) if own else run.status
    x, status = graded(last.x, ended, k, problem.n, nonnegative)
    if last.Z is not None and fault_of_joint(last.Z, problem.n, k, traits.formulation):
        status = Status.INFEASIBLE if status.good else status
    x, status = without_constants(problem, x, status)
    cost = Cost(
        run.flops,
        run.setup_flops,
        getattr(call.solver, "COUNTED", True),
        run.seconds,
        run.setup_seconds,
        run.compile_seconds,
        run.cpu_seconds,
        phases=run.phases,
        flags=tuple(sorted(run.flags)),
    )
    why = last.why if ended in UNPROVEN else ""
    return Result(
        call.name,
        problem,
        settings,
        k,
        x,
        status,
        traits,
        run.iterations,
        cost,
        Claim(last.bound, last.bound_whp, own, why),
        u=None if last.u is None else normalize(last.u),
        Z=last.Z,
        X=last.X,
        U=last.U,
        history=run.history,
        extra=dict(last.extra),
    )


def uses_threads(own: float, total: float) -> bool:
    """Whether several threads computed.

    own, total : processor time of one thread and of all threads, in seconds. Unlike wall time, they
    do not depend on how busy the machine is.
    """
    return total - own > THREADS_SHARE * own + THREADS_SECONDS


def _ended(run: _Pass) -> Status:
    """Return the status of a run of the suite's own solvers, which can end an exact search."""
    if run.status != Status.FINISHED or run.last.end is None:
        return run.status
    return Status[run.last.end.upper()]  # `Result` verifies the status "proven"


class _Pass:
    """One pass over a solver's iterates, in which only ``next()`` is timed and charged.

    The time includes copying each iterate and computing the matrices of the last iterate.
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
        self.charged = self.charged_to_phases = 0
        # A clock of processor time can cost as much as a step, so it is only read at both ends.
        self.begun = process_time(), thread_time()
        # A generator does nothing before the first next(), so the set-up is exactly the computation
        # before its first yield (the start). It is recorded separately from the iterations, because
        # it can hide a factorisation that the paper does not count.
        first, self.setup_seconds = self._step(self._next)
        if first is None:
            raise SolverError("solve yielded nothing; it must yield at least its start")
        self.setup_flops = self.charged
        self.last = first
        self._charge_phase(first, self.setup_seconds)
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
        cpu, own = self.begun
        self.cpu_seconds = process_time() - cpu
        if uses_threads(thread_time() - own, self.cpu_seconds):
            self.flags.add(Flag.threads)

    def _next(self) -> Iterate | None:
        """Return a copy of the next iterate, or None after the last one."""
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
        LEDGER.flops = 0
        # like `flops.solving`, which would take a microsecond
        outer, LEDGER.solving = LEDGER.solving, True
        compiled, start = LEDGER.compile_seconds, perf_counter()
        try:
            item = work()
            elapsed = perf_counter() - start
        finally:
            LEDGER.solving = outer
        self.charged += LEDGER.flops
        compilation = LEDGER.compile_seconds - compiled
        self.compile_seconds += compilation
        return item, elapsed - compilation

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
            item, elapsed = self._step(self._next)
            self.seconds += elapsed
            if item is None:
                return Status.FINISHED
            self._charge_phase(item, elapsed)
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

    def _charge_phase(self, item: Iterate, seconds: float) -> None:
        """Add the cost of one iterate to its phase, if it has one."""
        if item.phase is None:
            return
        seen = self.phases.get(item.phase)
        if seen is None:
            seen = self.phases[item.phase] = {"iterates": 0, "seconds": 0.0, "flops": 0}
        seen["iterates"] += 1
        seen["seconds"] += seconds
        # Flops that no phase includes yet belong to this iterate, so the sum over the phases is the
        # total of the ledger. The set-up thus belongs to the first phase.
        seen["flops"] += self.charged - self.charged_to_phases
        self.charged_to_phases = self.charged

    def _record(self, item: Iterate, change: float) -> None:
        """Append the values of one iterate, including the solver's ``extra``, to the history."""
        # The clock is stopped here and flops are not counted between two steps, so a history
        # changes neither the flops nor the times of a run.
        # The numbers of the harness replace those of a solver that have the same name.
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
    if type(item) is np.ndarray:  # shortcut: the general case takes as long as a cheap step
        return Iterate(_vector("x", item, problem.n))
    iterate = item if isinstance(item, Iterate) else Iterate(item)
    x = _vector("x", iterate.x, problem.n)
    u = None if iterate.u is None else _vector("u", iterate.u, problem.m)
    # dataclasses.replace would take longer than all of the above
    fields = (iterate.Z, iterate.X, iterate.U, iterate.bound, iterate.bound_whp, iterate.phase)
    return Iterate(x, u, *fields, dict(iterate.extra), iterate.end, iterate.why)


def _vector(name: str, value: Any, length: int | None) -> Vector:
    """Copy a yielded vector; raise SolverError if it is not a vector of this length."""
    # shortcut: the other checks take as long as a cheap step
    if type(value) is np.ndarray and value.dtype is FLOAT and value.shape == (length,):
        return value.copy()
    try:
        entries = np.asarray(value)
    except ValueError:  # a ragged list
        entries = np.array(None)
    if entries.dtype.kind == "c":
        raise SolverError("solve yielded complex numbers; they must be real")
    if entries.dtype in (np.float16, np.float32):
        raise SolverError(f"solve yielded {name} of type {entries.dtype}; use float64")
    if entries.dtype.kind not in "biuf":
        raise SolverError(f"solve yielded {_kind(value)}; it must yield x (n,) or an Iterate")
    if length is not None and entries.shape != (length,):
        raise SolverError(f"solve yielded {name} of shape {entries.shape}; it must be ({length},)")
    return np.array(entries, dtype=np.float64)


def _kind(item: Any) -> str:
    return f"an object of type {type(item).__name__}"
