"""Makes rows: the runs of a plan in worker processes, graded, by one protocol of timing.

A figure, a suite and the comparison of components are each a plan. Every failure is a row. What is
killed loses no finished run. This process never imports a stranger's solver, so that the processes
which it forks are as good as new.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from tqdm import tqdm

from spcabench import atomic_files, machine
from spcabench.run import Run
from spcabench.running import exclusive_timing, rows
from spcabench.running.grader import Grader
from spcabench.running.journal import Journal
from spcabench.running.schema import Answer, Row
from spcabench.running.solver_processes import Processes, is_stranger
from spcabench.solving.status import Status

# a first run this many times slower than the best of the later ones, and seconds beyond, is odd
WARM_RATIO, WARM_SECONDS = 3.0, 0.1
WAITED = 0.05  # share of its time that a run may wait for the processor


@dataclass(frozen=True)
class Protocol:
    """How the runs of a plan are made and timed.

    Parameters
    ----------
    rounds, least : int
        Timed rounds at most, and at least.
    seconds : float
        No further round is begun that would end later.
    fastest : bool
        True: each run by itself, and a row of its fastest round; one that waited for the processor
        is made up to ``retries`` times. False: the runs of a group take turns, and each round is a
        row.
    retries : int
        See above.
    retry_seconds : float
        Seconds up to which a run is made again because it waited.
    grace : float
        Seconds beyond a run's own limit before its process is ended.
    warm : sequence of Run
        Made first, on no clock: kernels are compiled there.
    audit : function, optional
        Of a `Run`, which counts the flops of a stranger's solver from outside.
    restart : bool
        Whether each group begins in a new process: what the one before left takes memory.
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
    """Groups of runs by name, the columns of every row, and a hash of all that decides them."""

    groups: Mapping[str, Sequence[Run]]
    labels: Mapping[str, Any]
    key: str
    protocol: Protocol


def make_rows(plan: Plan, out: Path) -> None:
    """Make the rows of a plan and write them to a parquet file; one that was killed goes on."""
    atomic_files.make_folder(out.parent)
    journal = Journal(out, plan.key)
    rows.write(rows_of(plan, journal), out)
    # only after the rows are written: it removes the journal, without which a kill would lose them
    # all
    journal.close()


def rows_of(plan: Plan, journal: Journal) -> list[Row]:
    """The rows of a plan: those that a journal has, and the others, which are added to it."""
    tqdm.monitor_interval = 0  # its thread and forked workers do not go together
    # the grader first: nothing of a stranger has been heard here
    with closing(Grader()) as grader, closing(Processes(plan.protocol)) as processes:
        job = _Job(plan, journal, grader, processes)
        return [row for name in plan.groups for row in job.group(name)]


@dataclass
class _Job:
    """A plan at work."""

    plan: Plan
    journal: Journal
    grader: Grader
    processes: Processes
    alone: bool = False  # whether the group at work has the machine for itself

    def group(self, name: str) -> Iterator[Row]:
        """The rows of all rounds of a group, one after the other."""
        runs, protocol = self.plan.groups[name], self.plan.protocol
        # memory that an earlier group left allocated would be counted for this one
        if protocol.restart:
            self.processes.restart()
        timed = [run for run in runs if run.timed and not protocol.fastest]
        rounds = protocol.rounds if timed else 1
        least = 1 if all(run.one_round for run in timed) else protocol.least
        words, from_journal = (
            f"{self.plan.labels.get('experiment', '')} {name}",
            set(self.journal.rows),
        )
        begun, earlier = perf_counter(), 0.0  # seconds of kept rows, of an earlier process
        bar = tqdm(total=rounds * len(runs), desc=words.strip(), disable=None, leave=False)
        # a whole group has the machine alone, so that its runs take turns at one speed
        self.alone = bool(timed)
        with closing(bar), exclusive_timing.alone() if timed else nullcontext():
            for repeat in range(rounds):
                seconds = perf_counter() - begun + earlier
                # whole rounds only: runs of one round met the same state of the machine, so their
                # ratios are fair
                if repeat >= least and seconds * (1 + 1 / repeat) > protocol.seconds:
                    break
                for index, chain in enumerate(interleaved(runs)):
                    for key, row in self._chain(name, f"{repeat}-{index}", chain):
                        # seconds of an earlier process count too, or a job that is killed often
                        # would get more rounds
                        if key in from_journal:
                            earlier += row.outer_time or row.worker_time or 0.0
                        bar.update()
                        yield row

    def _chain(self, group: str, name: str, chain: list[Run]) -> Iterator[tuple[str, Row]]:
        """A run, and after it those that match its cardinality, each with its key."""
        reached: dict[str, int] = {}
        repeat = int(name.partition("-")[0])
        for place, run in enumerate(chain):
            key = f"{group} {name}-{place}"
            if key not in self.journal.rows:
                answer = self._answer(run, reached)
                if repeat:  # the same vector as that of the first round
                    answer = replace(answer, support=None, values=None)
                labels = {**self.plan.labels, "repeat": repeat}
                if not self.plan.protocol.fastest:
                    # figures compare runs within a group; a comparison has each run for itself
                    labels |= {"group": group, "chain": name}
                self.journal.add(key, Row(**{**vars(answer), **labels, **run.asked, **stamp()}))
            row = self.journal.rows[key]
            self.processes.note(run, row.status)
            if row.solver and row.cardinality:
                reached[row.solver] = row.cardinality
            yield key, row

    def _answer(self, run: Run, reached: Mapping[str, int]) -> Answer:
        """The graded answer to a run, or why it is not made."""
        if run.match:
            if run.match not in reached:
                reason = f"{run.match} gave no cardinality to match"
                return Answer(status=Status.ERROR, reason=reason)
            run = run.at(k=reached[run.match])
        # a harder run of a series whose easier one was killed would only be killed as well
        if why := run.skip or self.processes.ended(run):
            return Answer(status=Status.SKIPPED, reason=why)
        protocol = self.plan.protocol
        with self._turn(shared=True):
            if why := self.processes.ready(run):
                return Answer(status=Status.SKIPPED, reason=why)
        with self._turn(shared=not run.timed):
            ask = partial(self.processes.ask, run)
            # a stranger's run is timed from outside, over many
            again = run.timed and not is_stranger(run)
            answer = fastest(ask, again, protocol) if protocol.fastest else ask()
        # grading may run beside other jobs: nothing in it is timed
        with self._turn(shared=True):
            return self.processes.graded(self.grader, run, answer)

    def _turn(self, shared: bool) -> AbstractContextManager[None]:
        """The machine, alone or shared; a group whose runs take turns has it already."""
        if self.alone:
            return nullcontext()
        return exclusive_timing.shared() if shared else exclusive_timing.alone()


def fastest(ask: Callable[[], Answer], timed: bool, protocol: Protocol) -> Answer:
    """The answer of the fastest round of a run, with the memory of the first one."""
    rounds = [ask()]
    while timed and _is_made_again(rounds, protocol):
        rounds.append(ask())
    # other work only ever makes a round slower, so the least time is the one nearest to the truth
    first, best = rounds[0], _least(rounds)
    times = [answer.seconds for answer in rounds if answer.seconds is not None]
    best = replace(best, round_times=times or None)
    if _fell(first, best):
        best = best.flagged(warm=True)
    return best.with_memory_of(first)


def interleaved(runs: Sequence[Run]) -> Iterator[list[Run]]:
    """Runs that follow each other as one: each run with those that match it."""
    for _, chain in groupby(enumerate(runs), key=lambda pair: _leader(runs, pair[0])):
        yield [run for _, run in chain]


def _leader(runs: Sequence[Run], index: int) -> int:
    run = runs[index]
    while run.match and index:
        # a match may follow another match: all of them belong to the run that began the chain
        index -= 1
        run = runs[index]
    return index


def _least(rounds: Sequence[Answer]) -> Answer:
    """The round that took the least time; the first one where none has an answer."""
    return min(rounds, key=lambda answer: np.inf if answer.seconds is None else answer.seconds)


def _is_made_again(rounds: Sequence[Answer], protocol: Protocol) -> bool:
    """Whether a run is short, or waited for the processor in its fastest round."""
    if rounds[-1].seconds is None:
        return False
    if len(rounds) < protocol.rounds and rounds[-1].seconds < protocol.seconds:
        return True
    spent = sum(answer.outer_time or 0.0 for answer in rounds)
    waited = (_least(rounds).waited or 0.0) > WAITED
    # a busy machine must not make a job run for ever
    return waited and len(rounds) < protocol.retries and spent < protocol.retry_seconds


def _fell(first: Answer, best: Answer) -> bool:
    """Whether a later run of the same problem was far cheaper: something was kept between them.

    How far a run comes until the time limit depends on the machine, and so does waiting for it.
    """
    if first.seconds is None or best.seconds is None:
        return False
    dropped = first.flops_in_all is not None and first.flops_in_all > (best.flops_in_all or 0)
    if dropped and {first.status, best.status} != {Status.TIME_LIMIT}:
        return True
    worked = first.seconds * (1.0 - (first.waited or 0.0))
    return worked > WARM_RATIO * best.seconds + WARM_SECONDS


def stamp() -> dict[str, Any]:
    """The columns that say where and when a row is made."""
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
