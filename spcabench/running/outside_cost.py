"""The cost of a run of a third-party solver, measured from outside its process.

Inside a worker, a solver's file can manipulate the ledger, the clock and any other measurement.
Whole runs are therefore repeated in a new process and timed by a clock outside that process,
including the time to close the solver and its children. The processor time of all its processes is
measured, and an audit counts the flops again. The larger of the two values is used.
"""

import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import psutil

from spcabench import machine, registry
from spcabench.run import Run
from spcabench.running import worker
from spcabench.running.schema import Answer
from spcabench.running.worker_process import Worker
from spcabench.solving.status import Status

ENOUGH = 0.05  # minimum total seconds of the runs, for which the clock is sufficiently accurate
MOST = 200  # maximum number of runs
ATTEMPTS = 3  # load can disturb an attempt, but a solver that hides time does so in all attempts
# tolerated difference of the two clocks: fraction of the outside time, plus seconds per run
MISSED_SHARE, MISSED_SECONDS = 0.25, 0.001
# a smaller difference is charged too, unless the error of the harness's own time could explain it
CHARGED_SHARE, CHARGED_SECONDS = 0.05, 0.0003
# tolerated delay: fraction of the time limit, plus seconds, which are at most half of the limit
LATE_SHARE, LATE_SECONDS = 0.25, 0.1
OVER_SHARE, OVER_SECONDS = 0.05, 0.02  # an answer with a longer delay is flagged
# one thread: processor time <= 1.25 x wall time + 0.05 s
THREADS_SHARE, THREADS_SECONDS = 1.25, 0.05
TICKS, LONGER = 0.02, 8  # error of the processor time in seconds; factor for more runs
# A run in an earlier process that exceeds later runs by this factor and these seconds is
# suspicious, as is a first run in the same process, which is timed again in that case.
WARM_RATIO, WARM_SECONDS = 5.0, 0.02
# a run in an earlier process that exceeds later runs by this factor and these seconds is used
EARLIER_RATIO, EARLIER_SECONDS = 2.0, 0.002
FIRST_RATIO, FIRST_SECONDS = 2.0, 0.005
# a first run that exceeds later runs by this factor and these seconds, in each attempt, is used
USED_RATIO, USED_SECONDS = 1.5, 0.0005
# This number of runs on disguises of the problem must not exceed a run that is shorter than SHORT
# seconds by this factor and these seconds, and must reach this fraction of its variance.
UNSEEN_RATIO, UNSEEN_SECONDS, UNSEEN, SHORT, UNSEEN_SHARE = 2.0, 0.001, 3, 0.1, 0.9
# rounds of a nearly empty solver, and its maximum number of runs per round, to measure the time of
# the harness, and iterates to measure its time per iterate
ROUNDS, RUNS, STEPS = 5, 20, 300
# maximum fraction of a run's time that the harness can take for the trial runs and iterates that
# the run states
MOST_STATED = 0.5
VECTOR = ("support", "values", "variance")  # columns of a row that contain an answer's vector
_OVERHEADS: dict[str, "Overhead"] = {}  # by problem and its form
Ask = Callable[..., Answer]  # of a process and a run
Fresh = Callable[[], AbstractContextManager[tuple[Worker, float]]]


class Overhead(NamedTuple):
    """The seconds that the harness takes.

    They are given per request to the process, run, further trial run of it, and iterate.
    """

    request: float = 0.0
    run: float = 0.0
    trial: float = 0.0
    iterate: float = 0.0

    def of(self, runs: int, trials: int, iterates: int, seconds: float) -> float:
        """Return the seconds that the harness takes for some runs, which take ``seconds``."""
        stated = self.trial * max(trials - runs, 0) + self.iterate * iterates
        return self.request + self.run * runs + min(stated, MOST_STATED * seconds)


NO_OVERHEAD = Overhead()


@dataclass(frozen=True)
class Cost:
    """The cost of a run in seconds.

    declared, outside : time by the clock of the solver and by the outside clock, without the time
        of the harness. first : the time of the first run, by the clock that shows more. warm :
        whether repeated runs were cheaper. threads : whether its processes used more processor time
        than a single thread can. vectors : columns of a row with the answer of the last run and,
        unless the first run was longer, the best answer on disguises.
    """

    declared: float
    outside: float
    first: float
    warm: bool
    threads: bool
    vectors: tuple[dict[str, Any], ...]


def costed(
    run: Run, answer: Answer, fresh: Fresh, own: Worker, ask: Ask
) -> tuple[Answer, tuple[dict[str, Any], ...]]:
    """Return the answer, with the time by the outside clock if it is longer.

    Also return the vectors of the timed runs; the caller uses the worst of all vectors.

    fresh : returns a new process that has executed warm-up runs on other problems and has loaded
        this problem, and the seconds in which the process worked while loading. own : the process
        for this repository's files, in which the harness's part of the time is measured.
    """
    overhead = _overhead(replace(run, form=answer.form), own, ask)
    try:
        cost = _undisturbed_cost(run, fresh, ask, overhead)
    except _NoAnswerError as error:
        reason = f"it returned no answer when it was timed: {error}"
        return replace(answer, status=Status.ERROR, reason=reason), ()
    outside = cost.outside
    worked = (answer.seconds or 0.0) * (1.0 - (answer.waited or 0.0))
    if worked > EARLIER_RATIO * outside + EARLIER_SECONDS:
        # a process can leave something for the next one, for example in the cache of the system
        stored = worked > WARM_RATIO * outside + WARM_SECONDS
        cost, outside = replace(cost, warm=cost.warm or stored, declared=worked), worked
    answer = _times(answer, cost, outside)
    limit = run.settings.get("time_limit", np.inf)
    if _exceeds(outside, limit, LATE_SHARE, LATE_SECONDS):
        reason = f"it took {outside:.2g} s; the time limit is {limit:g} s"
        return replace(answer, status=Status.LATE, reason=reason), ()
    overtime = _exceeds(outside, limit, OVER_SHARE, OVER_SECONDS)
    return answer.flagged(overtime=overtime), cost.vectors


def _exceeds(seconds: float, limit: float, share: float, more: float) -> bool:
    """Whether a time exceeds a limit by a fraction and by seconds, at most half of the limit."""
    return seconds > limit * (1.0 + share) + min(more, 0.5 * limit)


class _NoAnswerError(Exception):
    """Error if timed runs returned no answer; the message states the reason."""


def _undisturbed_cost(run: Run, fresh: Fresh, ask: Ask, overhead: Overhead) -> Cost:
    """Return the cost of a run, timed again in a new process while it is suspicious.

    A run is suspicious if its two clocks disagree, or if it is cheaper the second time. If all
    attempts are suspicious, the largest cost is returned, which is at least that of a first run if
    each of them took longer. The run is only flagged for what all attempts show, because load can
    disturb each attempt in a different way. Raises `_NoAnswerError` only if no attempt returned an
    answer, because a busy machine can at first be too slow.
    """
    costs: list[Cost] = []
    failure = _NoAnswerError()
    for _ in range(ATTEMPTS):
        try:
            with fresh() as (helper, excess):
                cost = _cost(run, helper, ask, overhead)
        except _NoAnswerError as error:
            failure = error
            continue
        cost = replace(cost, outside=cost.outside + excess)
        if not (cost.warm or _hidden(cost) or _longer_at_first(cost)):
            return cost
        costs.append(cost)
    if not costs:
        raise failure
    cost = max(costs, key=lambda cost: cost.outside)
    first = min(cost.first for cost in costs) if all(map(_longer_at_first, costs)) else 0.0
    outside, declared = max(cost.outside, first), max(cost.declared, first)
    if not all(map(_hidden, costs)):
        declared = max(declared, outside)  # it is charged, but not flagged
    return replace(cost, outside=outside, declared=declared, warm=all(c.warm for c in costs))


def _longer_at_first(cost: Cost) -> bool:
    """Whether the first run in a process took longer than the following runs."""
    return cost.first > USED_RATIO * cost.outside + USED_SECONDS


def _hidden(cost: Cost) -> bool:
    """Whether the solver's own clock missed more time than is tolerated."""
    return cost.outside - cost.declared > MISSED_SHARE * cost.outside + MISSED_SECONDS


def _times(answer: Answer, cost: Cost, outside: float) -> Answer:
    """Return the answer with the longer time, with flags if times differ or threads were used."""
    hidden = _hidden(replace(cost, outside=outside))
    answer = answer.flagged(clock=hidden, warm=cost.warm, threads=cost.threads)
    longer = outside - cost.declared > CHARGED_SHARE * outside + CHARGED_SECONDS
    total = outside if longer else cost.declared
    if answer.search_time is not None:
        return replace(answer, search_time=total)
    setup = min(answer.setup_time or 0.0, total)
    return replace(answer, setup_time=setup, solve_time=total - setup)


def _cost(run: Run, helper: Worker, ask: Ask, overhead: Overhead) -> Cost:
    """Measure one whole run, then as many as the clock needs. Raises `_NoAnswerError`."""
    ask(helper, _repeated(run, 1, worker.rehearsed))
    first = _measured(run, 1, helper, ask, overhead)
    count = int(np.clip(np.ceil(ENOUGH / first.wall), 1, MOST))
    many = _measured(run, count, helper, ask, overhead)
    if many.processor > many.worked + 0.5 * TICKS:
        # another thread or process works, or the clock's 10 ms resolution misleads; run longer
        count = LONGER * count
        many = _measured(run, count, helper, ask, overhead)
    declared, outside = many.declared / count, many.seconds / count
    vectors = [many.vector]
    # in a single run, too much waiting can be subtracted from the outside time
    at_first = max(first.seconds, first.least)
    warm = at_first > FIRST_RATIO * outside + FIRST_SECONDS
    if not warm:
        unseen = _unseen(run, many, count, helper, ask)
        vectors.append(unseen.vector)
        if outside < SHORT:  # the time of a longer search can depend on the order of the variables
            warm = unseen.warm
            declared = max(declared, unseen.declared, first.declared if warm else 0.0)
    if warm:  # if data are stored between runs, only the first run shows the true cost
        outside = max(at_first, declared)
    return Cost(
        declared=declared,
        outside=outside,
        first=at_first,
        warm=warm,
        threads=_used_threads(many.processor, many.wall),
        vectors=tuple(vectors),
    )


class Watch:
    """Measurements of a process and its descendants from outside, between two moments.

    wall : seconds between them. waited : seconds in which the process waited for a processor.
    processor : processor seconds of the process and its descendants.
    worked : ``wall`` without the seconds in which the process, or this process, waited for a
        processor. This process can also wait while the other one works, so the result is at least
        the processor time of that process. It is also at least the total processor time of all
        processes, except for the error of its clock (`TICKS`), so a solver gains nothing by waiting
        for its other processes.
    """

    def __init__(self, pid: int) -> None:
        self.pid, self.wall, self.waited, self.worked, self.processor = pid, 0.0, 0.0, 0.0, 0.0
        self.begin()

    def begin(self) -> None:
        """Start to measure."""
        self._waits, self._spent = self._waited(), self._processor()
        self._begun = perf_counter()

    def end(self) -> None:
        """Measure the time since the beginning."""
        self.wall = perf_counter() - self._begun
        waits = [now - then for now, then in zip(self._waited(), self._waits, strict=True)]
        self.waited = waits[0]
        self.worked = max(self.wall - sum(wait for wait in waits if wait > 0.0), 0.0)
        spent = self._processor()
        own, self.processor = (now - then for now, then in zip(spent, self._spent, strict=True))
        # one thread cannot work longer than the clock shows, but several processes can
        self.worked = max(self.worked, min(own, self.wall), self.processor - TICKS)

    @property
    def used_threads(self) -> bool:
        """Whether the processes used more processor time than a single thread can."""
        return _used_threads(self.processor, self.wall)

    def _waited(self) -> tuple[float, float]:
        return machine.waited(self.pid), machine.waited()

    def _processor(self) -> tuple[float, float]:
        """Return the processor time of the process alone, and with all its descendants."""
        processes: list[psutil.Process] = []
        with suppress(psutil.Error):
            process = psutil.Process(self.pid)
            processes = [process, *process.children(recursive=True)]
        spent = [_spent_by(process) for process in processes]
        return (spent[0] if spent else 0.0), sum(spent) + sum(map(_spent_by_ended, processes))


def _used_threads(processor: float, wall: float) -> bool:
    return processor > THREADS_SHARE * wall + THREADS_SECONDS


class _Taken(NamedTuple):
    """The measured cost of some runs.

    seconds : seconds by the outside clock, without waiting and without the time of the harness.
        wall : the same with both. worked : the same with the time of the harness.
        processor : processor seconds of all processes. declared, waited : seconds that the runs
        report, which include waiting, and the seconds in which they waited. least, most : bounds of
        the seconds that they report, without waiting.
    """

    seconds: float
    wall: float
    worked: float
    processor: float
    declared: float
    least: float
    most: float
    waited: float
    vector: dict[str, Any]


def _measured(
    run: Run, count: int, helper: Worker, ask: Ask, overhead: Overhead = NO_OVERHEAD
) -> _Taken:
    """Measure ``count`` runs. Raises `_NoAnswerError`."""
    watch = Watch(helper.process.pid)
    answer = ask(helper, _repeated(run, count), watch=watch)
    if not answer.status.good:
        raise _NoAnswerError(answer.reason or answer.status)
    extra = answer.extra or {}
    reported = (float(extra.get(name, 0.0)) for name in ("seconds", "least", "most", "waited"))
    trials, iterates = (int(extra.get(name, 0)) for name in ("trials", "iterates"))
    seconds, least, most, waited = reported
    outside = watch.worked - overhead.of(count, trials, iterates, watch.worked)
    outside = max(outside, least)  # the harness can be slower in the process that measures it
    vector = _vector(extra)
    clocks = outside, watch.wall, watch.worked, watch.processor
    return _Taken(*clocks, seconds, least, most, waited, vector)


class _Unseen(NamedTuple):
    """The outcome of runs on disguises: whether they cost much more or are worse, and their time.

    The time in seconds is zero if it is close to the time for the problem itself. vector : the best
    vector, as columns of a row.
    """

    warm: bool
    declared: float
    vector: dict[str, Any]


def _unseen(run: Run, many: _Taken, count: int, helper: Worker, ask: Ask) -> _Unseen:
    """Measure runs on disguises of the problem. Raises `_NoAnswerError`.

    A disguise costs the same as the problem, but no stored information about the problem helps.
    Waiting is subtracted only for comparing times. Its part on the solver's clock is unknown, so
    the least possible time for a disguise is compared with the most possible time for the problem.
    """
    extra = _on_disguises(run, helper, ask)
    seconds, least = (float(extra.get(name, np.nan)) for name in ("seconds", "least"))
    vector = _vector(extra)
    each = many.most / count
    value, variance = (float(v.get("variance") or 0.0) for v in (many.vector, vector))
    worse = variance < UNSEEN_SHARE * value
    if worse or least > UNSEEN_RATIO * each + UNSEEN_SECONDS:
        return _Unseen(True, seconds, vector)
    return _Unseen(False, least if least > (1.0 + MISSED_SHARE) * each else 0.0, vector)


def _on_disguises(run: Run, helper: Worker, ask: Ask) -> dict[str, Any]:
    """Return the numbers of `worker.unseen`. Raises `_NoAnswerError`."""
    answer = ask(helper, _repeated(run, UNSEEN, worker.unseen))
    if not answer.status.good:
        raise _NoAnswerError(answer.reason or answer.status)
    return answer.extra or {}


def disguised(
    run: Run, answer: Answer, helper: Worker, ask: Ask
) -> tuple[Answer, tuple[dict[str, Any], ...]]:
    """Return the answer of a run that is not timed, and its best vector on disguises.

    Without them, a solver could store answers for runs that are not timed. The caller uses the
    worse vector.
    """
    try:
        return answer, (_vector(_on_disguises(run, helper, ask)),)
    except _NoAnswerError as error:
        reason = f"it returned no answer when it solved a disguise of the problem: {error}"
        return replace(answer, status=Status.ERROR, reason=reason), ()


def _vector(extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return the vector in a reply, or an empty dict."""
    vector = extra.get("vector")
    return {name: vector.get(name) for name in VECTOR} if isinstance(vector, dict) else {}


def _repeated(run: Run, count: int, function: Callable[..., Any] = worker.repeated) -> Run:
    settings = {name: value for name, value in run.settings.items() if name != "history"}
    return Run(
        dataset=run.dataset,
        parameters=run.parameters,
        form=run.form,
        function=function,
        uses=run.solvers,
        settings=dict(name=run.solver, count=count, **settings),
        seed=run.seed,
        timeout=run.timeout * (1 if count == 1 else 2),
    )


def _overhead(run: Run, own: Worker, ask: Ask) -> Overhead:
    """Return the seconds that the harness takes for copies, grading, messages and iterates.

    Copying data takes longer than copying their covariance, so the form of the run is used.
    """
    problem = json.dumps([run.dataset, dict(run.parameters), run.form], sort_keys=True)
    if problem not in _OVERHEADS:
        little = of_plain_solver(bool(run.settings.get("nonnegative")), run)
        with suppress(_NoAnswerError):
            # the first request loads the problem, and may compile
            _measured(little, 1, own, ask)
            one = _median(_measured(little, 1, own, ask) for _ in range(ROUNDS))
            count = int(np.clip(np.ceil(ENOUGH / one.wall), 2, RUNS))
            many = _median(_measured(little, count, own, ask) for _ in range(ROUNDS))
            each = max(_missed(many) - _missed(one), 0.0) / (count - 1)
            request = max(_missed(one) - each, 0.0)
            idle = replace(
                little, function=worker.idle, settings=dict(rounds=ROUNDS, iterates=STEPS)
            )
            seconds = ask(own, idle).extra or {}
            _OVERHEADS[problem] = Overhead(request, each, **seconds)
    return _OVERHEADS.get(problem, NO_OVERHEAD)


def _median(rounds: Iterable[_Taken]) -> _Taken:
    """Return the round with the median of the seconds that the clock of the solver missed."""
    ordered = sorted(rounds, key=_missed)
    return ordered[len(ordered) // 2]


def _missed(taken: _Taken) -> float:
    """Return the seconds that the clock of the solver does not include.

    Waiting is subtracted from both clocks. Otherwise nothing of the harness's time would be left on
    a busy machine, and the solver would be blamed.
    """
    return taken.seconds - max(taken.declared - taken.waited, 0.0)


def of_plain_solver(nonnegative: bool, run: Run) -> Run:
    """Return the run with its solver replaced by a nearly empty solver of this repository."""
    plain, _ = registry.quick_solver(nonnegative)
    return replace(run, solver=plain, settings=dict(k=run.settings["k"], max_iterations=0))


def _spent_by(process: psutil.Process) -> float:
    """Return the processor time of a running process, on Linux without the 10 ms resolution."""
    with suppress(OSError, OverflowError):
        if sys.platform.startswith("linux"):
            # the clock that clock_getcpuclockid(3) returns
            return time.clock_gettime((~process.pid << 3) | 2)
    with suppress(psutil.Error):  # it can end at any moment, which must not hide the others
        times = process.cpu_times()
        return float(times.user + times.system)
    return 0.0


def _spent_by_ended(process: psutil.Process) -> float:
    """Return the processor time of the descendants of a process that have ended."""
    with suppress(psutil.Error):
        times: Any = process.cpu_times()
        return float(times.children_user + times.children_system)
    return 0.0


def memory_of_running_children(pid: int) -> float:
    """Return the peak memory in bytes of all running descendants of a process.

    The memory of the process is subtracted from each, because a forked child inherits it.
    """
    inherited, peaks = machine.process_memory("VmRSS", pid), []
    with suppress(psutil.Error):
        children = psutil.Process(pid).children(recursive=True)
        peaks = [machine.process_memory("VmHWM", child.pid) for child in children]
    return float(sum(peak - inherited for peak in peaks if peak > inherited))


def audited(
    run: Run, answer: Answer, helper: Worker, audit: Callable[..., Any], ask: Ask
) -> tuple[Answer, dict[str, Any]]:
    """Return the answer with the flops counted by an audit, if they exceed the charged flops.

    Also return the vector of the audited run. If the function ``audit`` cannot count the flops of
    the run, the answer has no flops.
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
