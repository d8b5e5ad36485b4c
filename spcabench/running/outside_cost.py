"""The cost of a stranger's run, measured from outside its process.

Inside a worker the solver's file can reach the ledger, the clock and whatever else would watch it.
So whole runs are made in a fresh process and timed by a clock out of reach, the closing of the
solver and its children included; their processor time is that of all its processes; and flops are
counted again by an audit. Of two numbers the larger one counts.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import psutil

from spcabench import machine, registry
from spcabench.run import Run
from spcabench.running import worker
from spcabench.running.schema import Answer
from spcabench.running.worker_process import Worker
from spcabench.solving.status import Status

ENOUGH = 0.05  # seconds that the runs must take together, so that the clock misses little of them
MOST = 200  # runs, whatever they take
ATTEMPTS = 3  # a load disturbs one of them; who hides work, or keeps it between runs, always does
# of the seconds outside, and seconds of one run, that the solver's own clock may miss
MISSED_SHARE, MISSED_SECONDS = 0.25, 0.001
LATE_SHARE, LATE_SECONDS = 0.25, 0.1  # of the time limit, and seconds, by which a run may be late
# of processor to wall time, and seconds beyond, that one thread has at most
THREADS_SHARE, THREADS_SECONDS = 1.25, 0.05
TICKS, LONGER = 0.02, 8  # seconds by which the processor's time is inexact; times as many runs
# a first run this many times slower than later ones, and seconds beyond, is odd
WARM_RATIO, WARM_SECONDS = 5.0, 0.02
ROUNDS, RUNS = 3, 5  # of a solver that does little; the least round tells the harness's share
VECTOR = ("support", "values", "variance")  # the columns of a row that are an answer's vector
_OVERHEADS: dict[str, float] = {}  # problem -> seconds of a run on it that are the harness's
Ask = Callable[[Worker, Run], Answer]
Fresh = Callable[[], AbstractContextManager[Worker]]


@dataclass(frozen=True)
class Cost:
    """The cost of one run, in seconds by both clocks.

    warm : it was cheaper the second time. threads : its processes together had more processor time
    than one thread has. vector : the answer of the last run, as columns of a row.
    """

    declared: float
    outside: float
    warm: bool
    threads: bool
    vector: dict[str, Any]


def costed(
    run: Run, answer: Answer, fresh: Fresh, own: Worker, ask: Ask
) -> tuple[Answer, dict[str, Any]]:
    """The answer with the time of its run by the clock outside, if that is longer.

    Beside it is the vector of the runs that were timed: the lesser one of the two counts.

    fresh : a new process that has loaded the problem and made a first run on others. own : the
    process of this repository's files, in which the harness's own share of a run is measured.
    """
    overhead = _overhead(run, own, ask)
    cost = _undisturbed_cost(run, fresh, ask, overhead)
    if cost is None:
        reason = "it gave no answer when it was run again to be timed"
        return replace(answer, status=Status.ERROR, reason=reason), {}
    outside = cost.outside - overhead
    worked = (answer.seconds or 0.0) * (1.0 - (answer.waited or 0.0))
    if worked > WARM_RATIO * outside + WARM_SECONDS:  # something is kept between processes
        cost, outside = replace(cost, warm=True, declared=worked), worked
    answer = _times(answer, cost, outside)
    limit = run.settings.get("time_limit", np.inf)
    if outside > limit * (1.0 + LATE_SHARE) + LATE_SECONDS:
        reason = f"it took {outside:.2g} s; the time limit is {limit:g} s"
        return replace(answer, status=Status.LATE, reason=reason), {}
    return answer, cost.vector


def _undisturbed_cost(run: Run, fresh: Fresh, ask: Ask, overhead: float) -> Cost | None:
    """The cost of the run, timed again in a new process while it is suspicious.

    It is if its two clocks disagree, or if it is cheaper the second time. If it always is, the
    largest cost; None if no attempt gave an answer, for which a loaded machine may be too slow at
    first.
    """
    costs: list[Cost] = []
    for _ in range(ATTEMPTS):
        with fresh() as helper:
            cost = _cost(run, helper, ask)
        if cost is not None and not (cost.warm or _hidden(cost, cost.outside - overhead)):
            return cost
        costs += [] if cost is None else [cost]
    return max(costs, key=lambda cost: cost.outside, default=None)


def _hidden(cost: Cost, outside: float) -> bool:
    """Whether the solver's own clock missed more than it may."""
    return outside - cost.declared > MISSED_SHARE * outside + MISSED_SECONDS


def _times(answer: Answer, cost: Cost, outside: float) -> Answer:
    """The answer with the longer of two times, and flags where they differ or threads were used."""
    hidden = _hidden(cost, outside)
    answer = answer.flagged(clock=hidden, warm=cost.warm, threads=cost.threads)
    total = max(outside, cost.declared) if hidden else cost.declared
    if answer.search_time is not None:
        return replace(answer, search_time=total)
    setup = min(answer.setup_time or 0.0, total)
    return replace(answer, setup_time=setup, solve_time=total - setup)


def _cost(run: Run, helper: Worker, ask: Ask) -> Cost | None:
    """One whole run, then as many as the clock needs; None if they fail."""
    first = _measured(run, 1, helper, ask)
    if first is None:
        return None
    count = int(np.clip(np.ceil(ENOUGH / max(first.seconds, 1e-6)), 1, MOST))
    many = _measured(run, count, helper, ask)
    if many is not None and many.processor > many.wall + TICKS:
        # another thread or process works, or the system's clock of 10 ms says so: longer runs tell
        count = LONGER * count
        many = _measured(run, count, helper, ask)
    if many is None:
        return None
    warm = first.seconds > WARM_RATIO * many.seconds / count + WARM_SECONDS
    return Cost(
        declared=many.declared / count,
        # where something is kept between runs, the first one tells what an answer takes
        outside=first.seconds if warm else many.seconds / count,
        warm=warm,
        threads=many.processor > THREADS_SHARE * many.wall + THREADS_SECONDS,
        vector=many.vector,
    )


class Watch:
    """What a process and all below it do from now on, as it is seen from outside."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.waited, self.asker_waited = machine.waited(pid), machine.waited()
        self.spent = _processor(pid)

    def processor(self) -> float:
        """Processor seconds of all of them."""
        return _processor(self.pid) - self.spent

    def worked(self, wall: float) -> float:
        """Of some seconds, those in which the process did not wait for a processor.

        Nor did this one, which asks it. Who waits for another process of his own saves nothing:
        the processor time of all is the least.
        """
        waits = machine.waited(self.pid) - self.waited, machine.waited() - self.asker_waited
        seconds = max(wall - sum(wait for wait in waits if wait > 0.0), 0.0)
        processor = self.processor()
        return processor if processor > THREADS_SHARE * seconds + THREADS_SECONDS else seconds


class _Taken(NamedTuple):
    """What some runs took.

    seconds : by the clock outside, waiting left out. wall : with it. processor : of all processes.
    declared, waited : as the runs say, waiting and all.
    """

    seconds: float
    wall: float
    processor: float
    declared: float
    waited: float
    vector: dict[str, Any]


def _measured(run: Run, count: int, helper: Worker, ask: Ask) -> _Taken | None:
    """What so many runs took; None if they failed."""
    watch = Watch(helper.process.pid)
    answer = ask(helper, _repeated(run, count))
    if answer.outer_time is None or not answer.status.good:
        return None
    extra, wall = answer.extra or {}, answer.outer_time
    declared, waited = (float(extra.get(name, 0.0)) for name in ("seconds", "waited"))
    worked, processor = watch.worked(wall), watch.processor()
    return _Taken(worked, wall, processor, declared, waited, _vector(extra))


def _vector(extra: Mapping[str, Any]) -> dict[str, Any]:
    """The vector that a process gave; empty if it gave none."""
    vector = extra.get("vector")
    return {name: vector.get(name) for name in VECTOR} if isinstance(vector, dict) else {}


def _repeated(run: Run, count: int) -> Run:
    settings = {name: value for name, value in run.settings.items() if name != "history"}
    return Run(
        dataset=run.dataset,
        parameters=run.parameters,
        function=worker.repeated,
        uses=run.solvers,
        settings=dict(name=run.solver, count=count, **settings),
        seed=run.seed,
        timeout=run.timeout * (1 if count == 1 else 2),
    )


def _overhead(run: Run, own: Worker, ask: Ask) -> float:
    """Seconds of a run that are the harness's: copying the problem, grading, the messages."""
    problem = json.dumps([run.dataset, dict(run.parameters)], sort_keys=True)
    if problem in _OVERHEADS:
        return _OVERHEADS[problem]
    plain, _ = registry.quick_solver(bool(run.settings.get("nonnegative")))
    little = replace(run, solver=plain, settings=dict(k=run.settings["k"], max_iterations=0))
    least = float("inf")
    for _ in range(ROUNDS):  # the first one loads the problem, and may compile
        taken = _measured(little, RUNS, own, ask)
        if taken is None:
            return 0.0
        # else on a busy machine nothing would be left of the share, and the solver would be blamed
        declared = max(taken.declared - taken.waited, 0.0)
        least = min(least, (taken.seconds - declared) / RUNS)
    _OVERHEADS[problem] = max(least, 0.0)
    return _OVERHEADS[problem]


def _processor(pid: int) -> float:
    """Processor seconds of a process and of all below it, those that have ended included."""
    seconds = 0.0
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        own: Any = process.cpu_times()
        seconds = own.children_user + own.children_system
        for member in (process, *process.children(recursive=True)):
            times = member.cpu_times()
            seconds += times.user + times.system
    return seconds


def audited(
    run: Run, answer: Answer, helper: Worker, audit: Callable[..., Any], ask: Ask
) -> tuple[Answer, dict[str, Any]]:
    """The answer with the flops that an audit saw, if these are more than were charged.

    Beside it is the vector of the run that was audited. audit : function of a run. Where it cannot
    see what the run does, no flops are counted.
    """
    if answer.flops is None or answer.status == Status.TIME_LIMIT:
        return answer, {}
    settings = {**_repeated(run, 1).settings}
    del settings["count"]
    watched = ask(helper, replace(_repeated(run, 2), function=audit, settings=settings))
    seen = (watched.extra or {}) if watched.status.good else {}
    if "flops" not in seen:
        return replace(answer, flops=None, setup_flops=None, search_flops=None), {}
    uncounted = int(seen["flops"]) - (answer.flops_in_all or 0)
    answer = answer.flagged(ledger=seen["unseen"] > 0, entries=seen["taken"])
    if uncounted > 0:
        counted = "flops" if answer.search_flops is None else "search_flops"
        answer = replace(answer, **{counted: getattr(answer, counted) + uncounted})
    return answer, _vector(seen)
