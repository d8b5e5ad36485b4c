"""Search for the penalty that gives a requested cardinality.

Each trial is a complete run from a cold start, unless the solver's trait ``path`` requests a
descent with warm starts. The cost of all trials is recorded separately.
"""

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from types import ModuleType
from typing import Any

import numpy as np

from spcabench.errors import SolverError
from spcabench.flops import counting, solving
from spcabench.problem.problem import Problem
from spcabench.solving.call import Call, in_form
from spcabench.solving.driver import drive
from spcabench.solving.result import Result
from spcabench.solving.run_warnings import Flag
from spcabench.solving.status import Status
from spcabench.vectors import TIE, project

MOST_TRIALS = 30
# If the ratio of two penalties is below 1 + CLOSED, the cardinality is assumed to jump between
# them, and no penalty gives a cardinality in between.
CLOSED = 1e-4
LIMITS = 2.5  # no further trial is started after this multiple of the time limit
NEAR = 0.1  # largest relative difference at which a cardinality is near the requested one


def search(call: Call) -> Result:
    """Return the best trial with at most k nonzeros, or a cut through equal entries; see `_cut`.

    The attribute ``cost.search`` of the result contains the number of trials, the number of trials
    until the cardinality was within 10 % of k, and the iterations, flops and time of all trials.

    The cardinality tends to fall as the penalty grows, but in jumps and not monotonically, so the
    search stores all trials. It narrows a bracket in log(penalty) by interpolation in
    log(cardinality), or by bisection if interpolation is slow, until a trial has exactly k
    nonzeros. The time limit applies to each trial. After two and a half times this limit, the
    search stops with the status "time_limit".
    """
    traits, k = call.traits, call.k
    assert k is not None
    begun = perf_counter()
    converted = in_form(call.problem, traits)  # once, outside the timed trials
    conversion = perf_counter() - begun
    low, high, range_flops, range_seconds = _range(call.problem, call.solver)
    bracket = (_Descent if traits.path else _Bracket)(np.log(low), np.log(high), converted.n, k)
    trials: list[Result] = []

    def tried(penalty: float, **warm: Any) -> Result:
        at = {**call.settings, str(traits.penalty): penalty, **warm}
        # a cold run, without values that earlier trials computed; grading can use all of them
        trial = drive(replace(call, problem=call.problem.copied(), k=None, settings=at))
        trials.append(replace(trial, problem=converted))
        return trials[-1]

    late = _narrowed(bracket, tried, k, LIMITS * call.limits.time_limit)
    fitting = [t for t in trials if t.good and t.cardinality <= k]
    if not fitting:  # just below the largest penalty, a single variable remains
        tried(high * (1 - 1e-9))
        fitting = [t for t in trials[-1:] if t.good and t.cardinality <= k]
    best = _best(fitting, trials, k)
    if late and best.good:
        best = replace(best, status=Status.TIME_LIMIT)
    return _of_all(replace(best, k=k), trials, range_flops, range_seconds, conversion)


def _best(fitting: list[Result], trials: list[Result], k: int) -> Result:
    """Return the best trial with at most k nonzeros, or a better cut through equal entries."""
    if not fitting:
        return _cut(trials, k)
    best = max(fitting, key=lambda t: t.variance)
    denser = [t for t in trials if t.good and t.cardinality > k]
    if best.cardinality == k or not denser:
        return best
    cut = _cut(denser, k)  # if equal variables enter together, the cardinality can jump over k
    return cut if cut.good and cut.variance > best.variance else best


def _narrowed(bracket: "_Bracket", tried: Callable[..., Result], k: int, seconds: float) -> bool:
    """Try penalties until one gives k nonzeros or the bracket closes; return True on a timeout."""
    spent = 0.0
    for _ in range(MOST_TRIALS):
        if bracket.closed:
            return False
        penalty = float(np.exp(bracket.guess()))
        trial = tried(penalty, **bracket.warm)
        bracket.narrow(np.log(penalty), trial)
        spent += trial.cost.seconds
        if trial.cardinality == k and trial.good:
            return False
        if spent > seconds:
            return True
    return False


def _cut(trials: list[Result], k: int) -> Result:
    """Return the sparsest trial, cut to its k largest entries, with the flag `Flag.tied`.

    Equal variables enter together, whatever the penalty, and the rule for ties determines which of
    them are kept. If the largest removed entry differs from the smallest kept entry, the solver has
    no answer for k, and the status is infeasible.
    """
    best = min((t for t in trials if t.good), key=lambda t: t.cardinality, default=trials[-1])
    size = np.abs(best.x)
    cut = project(best.x, k)
    if not best.good or size[cut != 0.0].min() > size[cut == 0.0].max() + TIE * size.max():
        return replace(best, status=Status.INFEASIBLE)
    return replace(best, x=cut, cost=replace(best.cost, flags=(*best.cost.flags, Flag.tied)))


def _of_all(
    best: Result, trials: list[Result], flops: int, seconds: float, conversion: float
) -> Result:
    """Return the best trial with the flops and times of the whole search.

    ``flops`` and ``seconds`` are the cost of finding the range of the penalty. ``conversion`` is
    the time in seconds for converting the problem to the solver's form.
    """
    costs = [trial.cost for trial in trials]
    totals = {
        "runs": len(trials),
        "near": _first_near(trials, best.k or 0),
        "iterations": sum(t.iterations for t in trials),
        "flops": flops + sum(c.flops + c.setup_flops for c in costs),
        "time": seconds + sum(c.seconds for c in costs),
    }
    cost = replace(
        best.cost,
        search=totals,
        cpu_time=sum(c.cpu_time for c in costs),
        wall_time=conversion + seconds + sum(c.wall_time for c in costs),
        waited=sum(c.waited for c in costs),
        compile_time=sum(c.compile_time for c in costs),
        flags=tuple(sorted({flag for c in (*costs, best.cost) for flag in c.flags})),
    )
    return replace(best, cost=cost)


def _first_near(trials: list[Result], k: int) -> int:
    """Return the number of trials until the first one within 10 % of k, or of all trials."""
    near = (i for i, t in enumerate(trials, 1) if abs(t.cardinality - k) <= NEAR * k)
    return next(near, len(trials))


def _range(problem: Problem, solver: ModuleType) -> tuple[float, float, int, float]:
    """Return the range of the solver's penalty, and the flops and time of computing it."""
    converted = in_form(problem, solver.TRAITS)
    with counting() as ledger, solving():
        start = perf_counter()
        low, high = penalty_range(solver, converted)
        return low, high, ledger.flops, perf_counter() - start


def penalty_range(solver: ModuleType, problem: Problem) -> tuple[float, float]:
    """Return the range of a solver's penalty for a problem; raise SolverError if it is invalid."""
    if not hasattr(solver, "penalty_range"):
        raise SolverError(
            "the file defines no penalty_range(problem), which the search for k needs; specify "
            f"{solver.TRAITS.penalty} instead of k"
        )
    low, high = solver.penalty_range(problem)
    if not 0.0 < low < high < np.inf:
        raise SolverError(
            f"penalty_range returns ({low:.3g}, {high:.3g}); it must be 0 < low < high"
        )
    return low, high


class _Bracket:
    """An interval of log(penalty) in which the cardinality crosses k."""

    def __init__(self, low: float, high: float, n: int, k: int) -> None:
        self.low, self.high, self.k = low, high, k
        self.many, self.few = float(n), 1.0
        self.halve = False
        self.warm: dict[str, Any] = {}  # additional settings of the next trial, for a warm start

    @property
    def closed(self) -> bool:
        return self.high - self.low < CLOSED

    def guess(self) -> float:
        """Return the logarithm of the next penalty, strictly inside the bracket."""
        span = np.log(max(self.many, 2.0)) - np.log(max(self.few, 0.5))
        share = (
            0.5
            if self.halve or span <= 0
            else float(np.log(max(self.many, 2.0) / (self.k + 0.25)) / span)
        )
        return self.low + min(max(share, 0.05), 0.95) * (self.high - self.low)

    def narrow(self, t: float, trial: Result) -> None:
        """Replace the lower or upper end of the bracket with a trial at t = log(penalty)."""
        width, cardinality = self.high - self.low, trial.cardinality
        if cardinality > self.k:
            self.low, self.many = t, float(cardinality)
        else:
            self.high, self.few = t, float(cardinality)
        self.halve = not self.halve and self.high - self.low > 0.5 * width


class _Descent(_Bracket):
    """A descent in steps from the largest penalty, followed by bisection.

    Each trial starts from the x found with the smallest penalty that gave too few nonzeros.
    """

    STEP = float(np.log(0.8))

    def guess(self) -> float:
        return max(self.high + self.STEP, (self.low + self.high) / 2)

    def narrow(self, t: float, trial: Result) -> None:
        super().narrow(t, trial)
        if trial.good and trial.cardinality < self.k:
            self.warm = {"start": trial.x}
