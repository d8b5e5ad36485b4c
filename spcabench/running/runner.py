"""Executes the runs of a job in a worker process, and writes their rows.

The rule of timing is that of asv: a warm-up run, then as many runs as make a sample of 5 ms; the
runs of a group take turns in rounds; the minimum over the rounds is reported. Every failure becomes
a row. If a job is killed, its finished runs are not lost.
"""

import hashlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from spcabench import files, machine, registry
from spcabench.errors import InputError
from spcabench.files import say
from spcabench.run import Run, chains
from spcabench.running import exclusive_timing, rows, worker
from spcabench.running.journal import Journal, journal_of
from spcabench.running.process import Ended, Worker, end_group
from spcabench.running.schema import Answer, Row
from spcabench.solving.status import Status

LOADING = 300.0  # maximum seconds for loading a problem, which is not part of a run's time
GRADING = 900.0  # maximum seconds for grading an answer, which is not part of a run's time
PATIENCE = 120.0  # maximum seconds for a warm-up run, because compilation can be slow
Progress = Callable[[int, int], None]  # numbers of finished runs and of all runs
# columns of a round that are the same in all rounds of a run, so the first round has them
OF_FIRST = ("support", "values", "u", "history", "peak_memory", "memory_before")


@dataclass(frozen=True)
class Timing:
    """How the timed runs of a group are repeated.

    Parameters
    ----------
    rounds, least : int
        Maximum and minimum number of rounds.
    seconds : float
        No further round is started if the group would then take longer than this.
    longest : float
        A run that takes longer than this in the first round is not repeated.
    fastest : bool
        Whether there is one row for each run, which has the fastest round, its time including the
        search for a penalty. Otherwise each round has a row.
    """

    rounds: int = 1
    least: int = 1
    seconds: float = np.inf
    longest: float = np.inf
    fastest: bool = False


@dataclass(frozen=True)
class Job:
    """Groups of runs, whose rows are written to a file.

    Parameters
    ----------
    name : str
        Name of the job in messages.
    groups : mapping from names to runs
        The worker is restarted for each group, and the runs of a group take turns.
    timing : Timing
        How timed runs are repeated.
    key : str
        Hash of everything that affects the rows.
    out : Path
        File of the rows.
    labels : mapping
        Columns that are the same in all rows.
    warm : sequence of Run
        Runs before those of each group, which compile kernels. Their results are discarded.
    """

    name: str
    groups: Mapping[str, Sequence[Run]]
    timing: Timing
    key: str
    out: Path
    labels: Mapping[str, Any] = field(default_factory=dict)
    warm: Sequence[Run] = ()


def run_job(job: Job, progress: Progress | None = None) -> None:
    """Compute the rows of a job, or resume a killed job, and write its file.

    Runs with the status "not_run" are in the file but not in the journal, which is then not
    deleted: `is_current` is false, and only these runs are executed again.
    """
    files.make_folder(job.out.parent)
    journal = Journal(job.out, job.key)
    before = _checksums(job)
    made = rows_of(job, progress, journal)
    rows.write(made, job.out, job.key)
    if changed := [name for name, checksum in _checksums(job).items() if before[name] != checksum]:
        say(
            f"spcabench: warning: {', '.join(changed)}: changed while it was running, so its rows "
            "can come from several versions",
            file=sys.stderr,
        )
    elif all(row.status != Status.NOT_RUN for row in made):
        # only after the rows are written, because this deletes the journal
        journal.close()


def is_current(job: Job) -> bool:
    """Whether the file of a job has the rows of all its runs."""
    return rows.key_of(job.out) == job.key and not journal_of(job.out, job.key).exists()


def rows_of(
    job: Job, progress: Progress | None = None, journal: Journal | None = None
) -> list[Row]:
    """Return the rows of a job; rows missing from the journal are computed and added to it."""
    with closing(_Execution(job, journal, progress)) as execution:
        return [row for name in job.groups for row in execution.group(name)]


def _checksums(job: Job) -> dict[str, str]:
    """Return the checksums of the files of all solvers of a job."""
    found = {}
    for solver in {name for runs in job.groups.values() for run in runs for name in run.solvers}:
        with suppress(InputError, OSError):  # reported by the runs
            found[solver] = hashlib.sha256(registry.path("solver", solver).read_bytes()).hexdigest()
    return found


class _Execution:
    """A job that is being executed."""

    def __init__(self, job: Job, journal: Journal | None, progress: Progress | None) -> None:
        self.job, self.timing, self.journal = job, job.timing, journal
        self.known: dict[str, Row] = {} if journal is None else dict(journal.rows)
        self.progress = progress or (lambda done, total: None)
        self.total = sum(map(len, job.groups.values()))
        self.done = 0  # number of the first rounds that are finished
        self.worker: Worker | None = None
        self.warm = False  # whether the worker has executed the warm-up runs
        self.hung = ""  # why all runs are skipped after a warm-up run that did not finish
        self.late: dict[str, str] = {}  # series -> the reason why its harder runs are skipped
        self.alone = False  # whether the current group holds the exclusive lock on the machine

    def close(self) -> None:
        """Kill the worker and everything that was started."""
        if self.worker:
            self.worker.close()
        end_group()

    def group(self, name: str) -> list[Row]:
        """Return the rows of a group: those of all rounds, or of the fastest round of each run."""
        runs, timing = self.job.groups[name], self.timing
        # memory that earlier groups left allocated would be attributed to this group
        if self.worker and self.worker.used:
            self.worker.restart()
            self.warm = False
        # a timed group has the machine to itself, so all its runs are executed at the same speed
        self.alone = any(run.timed for run in runs)
        with exclusive_timing.alone() if self.alone else nullcontext():
            made = list(self._rounds(name, runs))
        if not timing.fastest:
            return [row for _, row in made]
        of_run: dict[str, list[Row]] = {}
        for place, row in made:
            of_run.setdefault(place, []).append(row)
        return [fastest(rounds) for rounds in of_run.values()]

    def _rounds(self, name: str, runs: Sequence[Run]) -> Iterator[tuple[str, Row]]:
        """Yield the place in the group and the row of each run, round by round."""
        timing = self.timing
        # a function repeats its measurements itself
        timed = [run for run in runs if run.timed and run.solver]
        rounds = timing.rounds if timed else 1
        least = 1 if all(run.one_round for run in timed) else timing.least
        begun, short = perf_counter(), [True] * len(runs)
        for repeat in range(rounds):
            seconds = perf_counter() - begun
            # only complete rounds are executed, because ratios of times are fair only for runs
            # of the same round, which see the machine in the same state
            if repeat >= least and seconds * (1 + 1 / repeat) > timing.seconds:
                break
            for index, chain in enumerate(chains(runs)):
                if not short[index]:
                    continue
                for place, row in enumerate(self._chain(name, repeat, index, chain)):
                    short[index] &= row.seconds is not None and row.seconds < timing.longest
                    yield f"{index}-{place}", row
                short[index] |= not timing.fastest

    def _chain(self, group: str, repeat: int, index: int, chain: list[Run]) -> Iterator[Row]:
        """Yield the rows of a run and of the runs that match its cardinality."""
        reached: dict[str, int] = {}
        for place, run in enumerate(chain):
            key = f"{group} {repeat}-{index}-{place}"
            if key not in self.known:
                answer = self._answer(run, reached)
                if repeat:  # only stored in the first round, because it is the same in all rounds
                    history = None if self.timing.fastest else answer.history
                    answer = replace(answer, support=None, values=None, history=history)
                labels = {**self.job.labels, "repeat": repeat}
                if not self.timing.fastest:
                    # figures compare runs in a group, whereas comparisons treat runs separately
                    labels |= {"group": group, "chain": f"{repeat}-{index}"}
                row = Row(**{**vars(answer), **labels, **run.asked, **stamp()})
                self.known[key] = row
                if self.journal and row.status != Status.NOT_RUN:
                    self.journal.add(key, row)
            row = self.known[key]
            if run.series and row.status == Status.KILLED:
                reason = f"killed after {run.timeout:g} s on an earlier run"
                self.late.setdefault(run.series, reason)
            if row.solver and row.cardinality:
                reached[row.solver] = row.cardinality
            if not repeat:
                self.done += 1
                self.progress(self.done, self.total)
            yield row

    def _answer(self, run: Run, reached: Mapping[str, int]) -> Answer:
        """Return the graded answer of a run, or an answer with the reason why it was skipped."""
        if run.match:
            if run.match not in reached:
                reason = f"{run.match} has no cardinality to match"
                return Answer(status=Status.ERROR, reason=reason)
            run = run.at(k=reached[run.match])
        # if an easier run of the series was killed, this run would also be killed
        if why := run.skip or (self.late.get(run.series, "") if run.series else ""):
            return Answer(status=Status.SKIPPED, reason=why)
        answer = self._asked(run)
        # a process that was killed from outside says nothing about the solver
        return self._asked(run) if answer.status == Status.NOT_RUN else answer

    def _asked(self, run: Run) -> Answer:
        """Return the answer of the worker to a run, or an answer with the reason for its end."""
        # a timed group holds the exclusive lock
        with nullcontext() if self.alone else exclusive_timing.shared():
            helper = self._warmed()
            if self.hung:
                return Answer(status=Status.SKIPPED, reason=self.hung)
            now = {"calibration": machine.calibration(), "load": machine.load_average()}
            how = (self.timing.fastest, self.timing.longest)
            try:
                if why := helper.call(worker.ready, run, timeout=LOADING):
                    return Answer(status=Status.NOT_RUN, reason=why)
                failed = helper.call(worker.solved, run, *how, timeout=run.timeout)
            except Ended as end:
                self.warm = False
                return Answer(status=end.status, reason=end.reason)
            try:
                told = failed or helper.call(worker.graded, run, timeout=GRADING)
            except Ended as end:
                self.warm = False
                reason = f"its answer could not be graded: {end.reason}"
                return Answer(status=Status.NOT_RUN, reason=reason)
            answer = Answer(**{**told, **now})
            if answer.status == Status.MEMORY_LIMIT:  # the next run would have less memory
                helper.restart()
                self.warm = False
            return answer

    def _warmed(self) -> Worker:
        """Return the worker after the warm-up runs."""
        if self.worker is None:
            self.worker = Worker()
        for first in () if self.warm or self.hung else self.job.warm:
            try:
                self.worker.call(worker.ready, first, timeout=LOADING)
                self.worker.call(worker.solved, first, timeout=PATIENCE)
            except Ended as end:
                if end.status == Status.KILLED:
                    run = f"a warm-up run on {first.dataset}"
                    self.hung = f"{run} did not finish within {PATIENCE:g} s{end.where}"
                    break
        self.warm = True
        return self.worker


def fastest(rounds: Sequence[Row]) -> Row:
    """Return the row of a run with its fastest round, because a busy machine only adds time."""
    first = rounds[0]
    times = [row.seconds for row in rounds if row.seconds is not None]
    best = min(rounds, key=lambda row: np.inf if row.seconds is None else row.seconds)
    kept = {name: getattr(first, name) for name in OF_FIRST}
    flags = sorted({flag for row in rounds for flag in row.flags or ()})
    return replace(best, **kept, repeat=0, round_times=times or None, flags=flags or None)


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
