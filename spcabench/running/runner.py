"""Computes rows: executes a plan in worker processes, times its runs by a protocol, grades answers.

Every job, for a figure or for a comparison, has a plan. Every failure becomes a row. If a job
is killed, its finished runs are not lost. This process never imports third-party solvers, so its
forked processes are as clean as new ones.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from tqdm import tqdm

from spcabench import atomic_files, machine
from spcabench.run import Run, chains
from spcabench.running import exclusive_timing, rows
from spcabench.running.grader import Grader
from spcabench.running.journal import Journal
from spcabench.running.schema import Answer, Row
from spcabench.running.solver_processes import Processes, is_stranger
from spcabench.solving.status import Status

# a first run is suspicious if it exceeds the best later run by this factor and by these seconds
WARM_RATIO, WARM_SECONDS = 3.0, 0.1
WAITED = 0.05  # maximum fraction of its time for which a run can wait without being repeated


@dataclass(frozen=True)
class Protocol:
    """How the runs of a plan are executed and timed.

    Parameters
    ----------
    rounds, least : int
        Maximum and minimum number of timed rounds.
    seconds : float
        No further round is started if it would end after this time.
    fastest : bool
        If True, runs are timed one by one, and the fastest round of each run becomes a row. A run
        that waited for the processor is repeated up to ``retries`` rounds. If False, the runs of a
        group take turns, and each round becomes a row.
    retries : int
        Maximum number of rounds of a run that waited for the processor.
    retry_seconds : float
        Maximum total time of the rounds of a run that waited, in seconds.
    grace : float
        Seconds between the time limit of a run and killing its process.
    warm : sequence of Run
        Untimed warm-up runs, which compile the kernels.
    audit : function, optional
        Function of a `Run` that counts the flops of a third-party solver from outside.
    restart : bool
        Whether each group starts in a new process, without memory left over from earlier groups.
    """

    rounds: int = 1
    least: int = 1
    seconds: float = np.inf
    fastest: bool = False
    retries: int = 1
    retry_seconds: float = 0.0
    grace: float = 30.0
    warm: Sequence[Run] = ()
    audit: Callable[..., Any] | None = None
    restart: bool = False


@dataclass(frozen=True)
class Plan:
    """A plan of runs.

    groups : mapping from names to groups of runs. labels : columns that are equal in all rows.
    key : hash of everything that affects the rows. protocol : how runs are timed.
    """

    groups: Mapping[str, Sequence[Run]]
    labels: Mapping[str, Any]
    key: str
    protocol: Protocol


def make_rows(plan: Plan, out: Path) -> None:
    """Compute the rows of a plan, or resume a killed job, and write them to a parquet file."""
    atomic_files.make_folder(out.parent)
    journal = Journal(out, plan.key)
    rows.write(rows_of(plan, journal), out)
    # only after the rows are written, because this deletes the journal
    journal.close()


def rows_of(plan: Plan, journal: Journal) -> list[Row]:
    """Return the rows of a plan; rows missing from the journal are computed and added to it."""
    tqdm.monitor_interval = 0  # its thread is not safe with forked workers
    # start the grader first, before any third-party code is executed
    processes = Processes(plan.protocol, journal.path.parent)
    with closing(Grader()) as grader, closing(processes):
        job = _Job(plan, journal, grader, processes)
        return [row for name in plan.groups for row in job.group(name)]


@dataclass
class _Job:
    """A plan that is being executed."""

    plan: Plan
    journal: Journal
    grader: Grader
    processes: Processes
    alone: bool = False  # whether the current group holds the exclusive lock on the machine

    def group(self, name: str) -> Iterator[Row]:
        """Yield the rows of all rounds of a group."""
        runs, protocol = self.plan.groups[name], self.plan.protocol
        # memory that earlier groups left allocated would be attributed to this group
        if protocol.restart:
            self.processes.restart()
        # a function repeats its measurements itself
        timed = [run for run in runs if run.timed and run.solver and not protocol.fastest]
        rounds = protocol.rounds if timed else 1
        least = 1 if all(run.one_round for run in timed) else protocol.least
        words, from_journal = (
            f"{self.plan.labels.get('experiment', '')} {name}",
            set(self.journal.rows),
        )
        begun, earlier = perf_counter(), 0.0  # earlier: total time of rows in the journal
        bar = tqdm(total=rounds * len(runs), desc=words.strip(), disable=None, leave=False)
        # a timed group has the machine to itself, so all its runs are executed at the same speed
        self.alone = bool(timed)
        with closing(bar), exclusive_timing.alone() if timed else nullcontext():
            for repeat in range(rounds):
                seconds = perf_counter() - begun + earlier
                # only complete rounds are executed, because ratios of times are fair only for runs
                # of the same round, which see the machine in the same state
                if repeat >= least and seconds * (1 + 1 / repeat) > protocol.seconds:
                    break
                for index, chain in enumerate(chains(runs)):
                    for key, row in self._chain(name, f"{repeat}-{index}", chain):
                        # include the time of earlier processes; otherwise a job that was often
                        # killed would execute more rounds
                        if key in from_journal:
                            earlier += row.outer_time or row.worker_time or 0.0
                        bar.update()
                        yield row

    def _chain(self, group: str, name: str, chain: list[Run]) -> Iterator[tuple[str, Row]]:
        """Yield keys and rows of a run and of the runs that match its cardinality."""
        reached: dict[str, int] = {}
        repeat = int(name.partition("-")[0])
        for place, run in enumerate(chain):
            key = f"{group} {name}-{place}"
            if key not in self.journal.rows:
                answer = self._answer(run, reached)
                if repeat:  # only stored in the first round, because it is the same in all rounds
                    answer = replace(answer, support=None, values=None)
                labels = {**self.plan.labels, "repeat": repeat}
                if not self.plan.protocol.fastest:
                    # figures compare runs in a group, whereas comparisons treat runs separately
                    labels |= {"group": group, "chain": name}
                self.journal.add(key, Row(**{**vars(answer), **labels, **run.asked, **stamp()}))
            row = self.journal.rows[key]
            self.processes.note(run, row.status)
            if row.solver and row.cardinality:
                reached[row.solver] = row.cardinality
            yield key, row

    def _answer(self, run: Run, reached: Mapping[str, int]) -> Answer:
        """Return the graded answer of a run, or an answer with the reason why it was skipped."""
        if run.match:
            if run.match not in reached:
                reason = f"{run.match} has no cardinality to match"
                return Answer(status=Status.ERROR, reason=reason)
            run = run.at(k=reached[run.match])
        # if an easier run of the series was killed, this run would also be killed
        if why := run.skip or self.processes.ended(run):
            return Answer(status=Status.SKIPPED, reason=why)
        protocol = self.plan.protocol
        with self._turn(shared=True):
            if why := self.processes.ready(run):
                return Answer(status=Status.SKIPPED, reason=why)
        with self._turn(shared=not run.timed):
            ask = partial(self.processes.ask, run)
            # a third-party run is already timed from outside over many repetitions
            again = run.timed and not is_stranger(run)
            answer = fastest(ask, again, protocol) if protocol.fastest else ask()
        # grading is not timed, so other jobs can run at the same time
        with self._turn(shared=True):
            return self.processes.graded(self.grader, run, answer)

    def _turn(self, shared: bool) -> AbstractContextManager[None]:
        """Return a shared or exclusive lock on the machine, unless the group already holds one."""
        if self.alone:
            return nullcontext()
        return exclusive_timing.shared() if shared else exclusive_timing.alone()


def fastest(ask: Callable[[], Answer], timed: bool, protocol: Protocol) -> Answer:
    """Return the answer of the fastest round of a run, with the memory of the first round."""
    rounds = [ask()]
    while timed and _is_made_again(rounds, protocol):
        rounds.append(ask())
    # other processes can only slow a round down, so the shortest time is the most accurate
    first, best = rounds[0], _least(rounds)
    times = [answer.seconds for answer in rounds if answer.seconds is not None]
    best = replace(best, round_times=times or None)
    if _fell(first, best):
        best = best.flagged(warm=True)
    return best.with_memory_of(first)


def _least(rounds: Sequence[Answer]) -> Answer:
    """Return the round with the shortest time, or the first round if there is no answer."""
    return min(rounds, key=lambda answer: np.inf if answer.seconds is None else answer.seconds)


def _is_made_again(rounds: Sequence[Answer], protocol: Protocol) -> bool:
    """Whether to repeat a run, because it is short or always waited for the processor."""
    if rounds[-1].seconds is None:
        return False
    if len(rounds) < protocol.rounds and rounds[-1].seconds < protocol.seconds:
        return True
    spent = sum(answer.outer_time or 0.0 for answer in rounds)
    waited = (_least(rounds).waited or 0.0) > WAITED
    # limited, because a job would never finish on a busy machine otherwise
    return waited and len(rounds) < protocol.retries and spent < protocol.retry_seconds


def _fell(first: Answer, best: Answer) -> bool:
    """Whether a later run was much cheaper because the solver stored data between runs.

    Differences caused by a time limit or by waiting for a processor are ignored, because they
    depend on the machine.
    """
    if first.seconds is None or best.seconds is None:
        return False
    dropped = first.flops_in_all is not None and first.flops_in_all > (best.flops_in_all or 0)
    if dropped and {first.status, best.status} != {Status.TIME_LIMIT}:
        return True
    worked = first.seconds * (1.0 - (first.waited or 0.0))
    return worked > WARM_RATIO * best.seconds + WARM_SECONDS


def stamp() -> dict[str, Any]:
    """Return the columns about the machine, the commit and the time of a row."""
    about = machine.describe()
    commit, dirty = machine.commit()
    return {
        "cpu": about["cpu"],
        "blas": about["blas"],
        "machine": about,
        "commit": commit,
        "dirty": dirty,
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
    }
