"""Search of a penalty for a wanted cardinality: all trials are recorded apart.

Each trial is a complete cold run, but for solvers whose trait ``path`` asks for a descent with warm
starts.
"""

from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np

from spcabench.problem.problem import Problem
from spcabench.solving.driver import Limits, drive, in_form
from spcabench.solving.result import Result
from spcabench.solving.status import Status

MOST_TRIALS = 30
# ratio of penalties, less one, between which a cardinality that was not found is taken to be jumped
# over
CLOSED = 1e-4


def search(
    problem: Problem,
    solver: ModuleType,
    k: int,
    settings: dict[str, Any],
    limits: Limits,
    seed: int = 0,
) -> Result:
    """The best trial with at most k nonzeros (status "infeasible" where none has as few).

    Its ``search`` holds the trials' number, flops and time.

    The cardinality falls, in jumps and not monotonically, as the penalty grows. The bracket in
    log(penalty) is narrowed by interpolation in log(cardinality), by halves when that is slow,
    until a trial has exactly k nonzeros.
    """
    traits = solver.TRAITS
    low, high = solver.penalty_range(in_form(problem, traits))
    bracket = (_Descent if traits.path else _Bracket)(np.log(low), np.log(high), problem.n, k)
    trials: list[Result] = []
    while len(trials) < MOST_TRIALS and not bracket.closed:
        penalty = float(np.exp(bracket.guess()))
        trials.append(
            drive(
                problem, solver, {**settings, traits.penalty: penalty, **bracket.warm}, limits, seed
            )
        )
        bracket.narrow(np.log(penalty), trials[-1])
        if trials[-1].cardinality == k and trials[-1].good:
            break
    fitting = [t for t in trials if t.good and t.cardinality <= k]
    if not fitting:  # just below the largest penalty one variable is left
        trials.append(
            drive(problem, solver, {**settings, traits.penalty: high * (1 - 1e-9)}, limits, seed)
        )
        fitting = trials[-1:]
    best = max(fitting, key=lambda t: t.variance)
    found = {
        "runs": len(trials),
        "flops": sum(t.flops + t.setup_flops for t in trials),
        "time": sum(t.solve_time + t.setup_time for t in trials),
    }
    # equal variables enter together: then no penalty gives at most k
    return replace(
        best, k=k, search=found, status=Status.INFEASIBLE if best.cardinality > k else best.status
    )


class _Bracket:
    """Penalties, as logarithms t, between which the cardinality passes k."""

    def __init__(self, low: float, high: float, n: int, k: int) -> None:
        self.low, self.high, self.k = low, high, k
        self.many, self.few = float(n), 1.0
        self.halve = False
        self.warm: dict[str, Any] = {}  # settings that the next trial has beside

    @property
    def closed(self) -> bool:
        return self.high - self.low < CLOSED

    def guess(self) -> float:
        """The next penalty to try, as a logarithm: inside the bracket, away from its ends."""
        span = np.log(max(self.many, 2.0)) - np.log(max(self.few, 0.5))
        share = (
            0.5
            if self.halve or span <= 0
            else float(np.log(max(self.many, 2.0) / (self.k + 0.25)) / span)
        )
        return self.low + min(max(share, 0.05), 0.95) * (self.high - self.low)

    def narrow(self, t: float, trial: Result) -> None:
        """Replace the end on whose side the trial fell."""
        width, cardinality = self.high - self.low, trial.cardinality
        if cardinality > self.k:
            self.low, self.many = t, float(cardinality)
        else:
            self.high, self.few = t, float(cardinality)
        self.halve = not self.halve and self.high - self.low > 0.5 * width


class _Descent(_Bracket):
    """From the largest penalty down by steps, few variables being left there; then by halves.

    Each trial starts at the x of the smallest penalty that gave too few nonzeros.
    """

    STEP = float(np.log(0.8))

    def guess(self) -> float:
        return max(self.high + self.STEP, (self.low + self.high) / 2)

    def narrow(self, t: float, trial: Result) -> None:
        super().narrow(t, trial)
        if trial.good and trial.cardinality < self.k:
            self.warm = {"start": trial.x}
