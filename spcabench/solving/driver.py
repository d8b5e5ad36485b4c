"""The driver: runs a solver's iterates, owns clock, ledger, stopping and history, and grades the
last iterate.

Only ``next()`` of the solver is timed and charged. Solvers never grade themselves.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from time import perf_counter
from types import ModuleType
from typing import Any

import numpy as np

from spcabench import validate
from spcabench.errors import InputError
from spcabench.flops import LEDGER, counting
from spcabench.iterate import Iterate, Traits
from spcabench.problem.data import Data
from spcabench.problem.problem import Problem
from spcabench.solving.result import Result, graded
from spcabench.vectors import distance, normalize

RESERVED = ("seed", "start", "refit", "stop", "tol", "max_iterations", "time_limit", "history")
UNSET = float("nan")  # a tolerance that was not given


@dataclass(frozen=True)
class Limits:
    """When a run ends: its own rule at ``tol``, or a limit. ``time_limit`` in seconds of solver
    time.

    stop, tol, max_iterations : the solver's own STOP, TOL, MAX_ITERATIONS, else "step", 1e-6, 1000,
        unless given.
    """

    stop: str | None = None
    tol: float = UNSET
    max_iterations: int | None = None
    time_limit: float = np.inf
    history: bool = False

    def __post_init__(self) -> None:
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
        """With the solver's own settings where none are given."""
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
    return change


def _objective(new: Iterate, old: Iterate) -> float:
    f, f_old = new.extra["objective"], old.extra["objective"]
    return abs(f - f_old) / max(abs(f_old), 1e-300)


def _gap(new: Iterate, old: Iterate) -> float:
    return new.extra["gap"]


def _never(new: Iterate, old: Iterate) -> float:
    return np.inf


STOPS: dict[str, Callable[[Iterate, Iterate], float]] = {
    "step": _step,  # ||x - x_prev|| up to sign
    "objective": _objective,  # relative change of the solver's objective
    "gap": _gap,  # the solver's duality gap
    "end": _never,  # the solver ends by itself
}


@lru_cache
def parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """Keyword parameters of a solver's ``solve`` or a dataset's ``load``."""
    return {
        name: p for name, p in inspect.signature(function).parameters.items() if name != "problem"
    }


def check_settings(owner: str, function: Callable[..., Any], settings: Mapping[str, Any]) -> None:
    """Raise for a setting that the function does not name, suggesting the nearest."""
    known = set(parameters(function))
    if owner.startswith("solver"):
        known |= set(RESERVED) - {"start"}
    for name in settings:
        if name not in parameters(function):
            raise InputError(validate.nearest(f"setting of {owner}", name, known))


def in_form(problem: Problem, traits: Traits) -> Problem:
    """The problem in a form that the solver accepts, its making uncharged."""
    if traits.accepts == "covariance":
        return problem.given_as("covariance")
    if traits.accepts == "data" and not isinstance(problem.matrix, Data):
        return problem.given_as("data")
    return problem


def drive(
    problem: Problem, solver: ModuleType, settings: Mapping[str, Any], limits: Limits, seed: int = 0
) -> Result:
    """Run ``solver.solve`` on the problem, to its end or a limit, and grade the last iterate."""
    name = solver.__name__.rpartition(".")[2]
    check_settings(f"solver {name!r}", solver.solve, settings)
    problem = in_form(problem, solver.TRAITS)
    settings = dict(settings)
    if "seed" in parameters(solver.solve):
        settings["seed"] = seed
    with counting():
        run = _Run(solver.solve(problem, **settings), limits.filled(solver), problem)
        run.to_end()
    last, k = run.last, settings.get("k")
    nonnegative = solver.TRAITS.nonnegative == "always" or bool(settings.get("nonnegative"))
    x, status = graded(last.x, run.status, k, problem.n, nonnegative)
    return Result(
        name,
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
        state=last.state,
        compile_time=run.compile_seconds,
        Z=last.Z,
        X=last.X,
        U=last.U,
        penalty=settings.get(solver.TRAITS.penalty),
        rectangular=solver.TRAITS.rectangular,
        nonnegative=nonnegative,
        proven=last.bound,
        proven_whp=last.bound_whp,
    )


class _Run:
    """One pass over a solver's iterates; only ``next()`` is on the clock and on the ledger."""

    def __init__(self, iterates: Iterator[Any], limits: Limits, problem: Problem) -> None:
        self.iterates, self.limits, self.problem = iterates, limits, problem
        self.change = STOPS[limits.stop or "step"]
        self.phases: dict[str, dict[str, float]] = {}
        self.history: list[dict[str, Any]] = []
        self.iterations, self.seconds = 0, 0.0
        # set at the end, when the ledger goes back to whoever had it before
        self._flops: int | None = None
        compiled, start = LEDGER.compile_seconds, perf_counter()
        first = next(iterates, None)
        if first is None:
            raise InputError("solve: the solver yielded no iterate; at least its start is needed")
        self.compile_seconds = LEDGER.compile_seconds - compiled
        self.setup_seconds = perf_counter() - start - self.compile_seconds
        self.setup_flops = LEDGER.flops
        self.last = _copied(first)
        if self.last.phase is not None:
            self._charge_phase(self.last.phase, self.setup_seconds, self.setup_flops)
        if limits.history:
            self._record(self.last, np.nan)

    @property
    def flops(self) -> int:
        return LEDGER.flops - self.setup_flops if self._flops is None else self._flops

    def to_end(self) -> None:
        """Advance until a rule or a limit says stop; `status` names it."""
        self.status = self._loop() if self.last.x.any() else "zero"
        self._flops = self.flops
        self.iterates.close()  # type: ignore[attr-defined]

    def _loop(self) -> str:
        limits, change, iterates = self.limits, self.change, self.iterates
        tol = limits.tol
        steps = limits.max_iterations or 0
        seconds = limits.time_limit
        last = self.last
        while True:
            if self.iterations >= steps:
                return "max_iterations"
            if self.seconds >= seconds:
                return "time_limit"
            compiled, start = LEDGER.compile_seconds, perf_counter()
            item = next(iterates, None)
            elapsed = perf_counter() - start
            if LEDGER.compile_seconds != compiled:
                elapsed -= LEDGER.compile_seconds - compiled
                self.compile_seconds += LEDGER.compile_seconds - compiled
            self.seconds += elapsed
            if item is None:
                return "finished"
            item = _copied(item)
            if item.phase is not None:
                self._charge_phase(item.phase, elapsed, LEDGER.flops)
            self.iterations += 1
            self.last = item
            step = change(item, last)
            if limits.history:
                self._record(item, step)
            if step < tol or step == 0.0:
                return "converged"
            if not item.x.any():
                return "zero"
            if step != step:
                return "infeasible"
            last = item

    def _charge_phase(self, phase: str, seconds: float, flops: int) -> None:
        """Add one iterate to its phase; the start, and what set it up, is part of the first
        phase.
        """
        seen = self.phases.setdefault(phase, {"iterates": 0, "seconds": 0.0, "flops": 0})
        seen["iterates"] += 1
        seen["seconds"] += seconds
        seen["flops"] += flops - sum(p["flops"] for p in self.phases.values())

    def _record(self, item: Iterate, change: float) -> None:
        phase = {} if item.phase is None else {"phase": item.phase}
        self.history.append(
            {
                "iteration": self.iterations,
                "variance": self.problem.variance(item.x),
                "change": change,
                "cardinality": int(np.count_nonzero(item.x)),
                "flops": self.flops,
                "seconds": self.seconds,
                **item.extra,
                **phase,
            }
        )


def _copied(item: Any) -> Iterate:
    """The driver's own copy of x and u: solvers may reuse their buffers."""
    if isinstance(item, Iterate):
        return replace(
            item, x=np.array(item.x, dtype=np.float64), u=None if item.u is None else item.u.copy()
        )
    return Iterate(np.array(item, dtype=np.float64))
