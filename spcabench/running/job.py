"""Makes the rows of one job: its runs, in a worker process.

Timed runs are interleaved. Every failure is a row. A job that is killed loses no finished run.
"""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from tqdm import tqdm

from spcabench import machine
from spcabench.errors import InputError
from spcabench.run import Measure, Run
from spcabench.running import rows, whole_files, worker
from spcabench.running.fingerprint import fingerprint
from spcabench.running.grader import Grader
from spcabench.running.grid import interleaved, jobs, runs_of
from spcabench.running.journal import Journal
from spcabench.running.process import Ended, Worker
from spcabench.running.schema import Answer, Row
from spcabench.running.task import Task
from spcabench.running.worker import MISSED_SECONDS, MISSED_SHARE
from spcabench.solving.flags import Flag
from spcabench.solving.status import Status

GRACE = 30.0  # seconds beyond a run's own time limit before its process is ended
ROUNDS = {"quick": 3, "paper": 15}  # timed rounds
MIN_ROUNDS = {"quick": 1, "paper": 2}  # timed rounds at least
TIME_BUDGET = {"quick": 2.0, "paper": 10.0}  # seconds that all rounds of a group may take
JOB_BUDGET = {"quick": 2.0, "paper": 90.0}  # and those of all groups, where a job has few


def asked(helper: Worker, task: Task, grace: float | None = None) -> Answer:
    """Return the answer to a task; one without numbers where the process crashed or was killed.

    ``grace`` is the seconds beyond the task's own limit, GRACE unless given.
    """
    begun = perf_counter()
    try:
        answer = helper.ask(task, task.timeout + (GRACE if grace is None else grace))
        seconds = perf_counter() - begun
    except Ended as end:
        return Answer(status=end.status, reason=end.reason)
    if answer.status == Status.MEMORY_LIMIT:  # the next run must not have to do with what is left
        helper.restart()
    return _timed_outside(answer, seconds)


def _timed_outside(answer: Answer, seconds: float) -> Answer:
    """The answer with the seconds of this process's clock, flagged where the worker's misses some.

    This clock is out of the solver's reach.
    """
    missed = seconds - (answer.worker_time or 0.0)
    if answer.worker_time is None or missed <= MISSED_SECONDS + MISSED_SHARE * seconds:
        return replace(answer, outer_time=seconds)
    flags = sorted({*(answer.flags or ()), Flag.clock.value})
    return replace(answer, outer_time=seconds, flags=flags)


def run_job(figure: str, scale: str, job: str, out: Path) -> None:
    """Make the rows of one job and write them to a parquet file.

    Raises InputError where the figure has no such job, and the figure's own error where it cannot
    be read.
    """
    known = jobs(figure, scale)
    if not any(known.get(job, {}).values()):
        runs_of(figure, scale)  # raises the figure's own error
        raise InputError(f"job: figure {figure!r} has no job {job!r}; known are {', '.join(known)}")
    whole_files.make_folder(out.parent)
    journal = Journal(out, fingerprint(figure, scale, job))
    found: list[Row] = []
    tqdm.monitor_interval = 0  # its thread and forked workers do not go together
    # the grader first: it must never have seen a solver
    with closing(Grader()) as grader, closing(Worker(worker.answer)) as helper:
        for group, runs in known[job].items():
            if helper.asked and scale == "paper":  # what the group before left takes memory
                helper.restart()
            labels = {"experiment": figure, "scale": scale, "group": group}
            seconds = budget(scale, len(known[job]))
            found += _rows(labels, runs, (helper, grader), journal, seconds)
    rows.write(found, out)
    journal.close()


def budget(scale: str, groups: int) -> float:
    """Return the seconds that all timed rounds of a group may take, in a job of so many groups."""
    return max(TIME_BUDGET[scale], JOB_BUDGET[scale] / groups)


def _rows(
    labels: dict[str, str],
    runs: list[Run | Measure],
    processes: tuple[Worker, Grader],
    journal: Journal,
    limit: float,
) -> Iterator[Row]:
    """The rows of all rounds of a group, one after the other.

    labels : of the group. limit : seconds that its timed rounds may take.
    """
    timed = [run for run in runs if isinstance(run, Run) and run.timed]
    scale = labels["scale"]
    rounds = ROUNDS[scale] if timed else 1
    least = 1 if all(run.one_round for run in timed) else MIN_ROUNDS[scale]
    name, kept = f"{labels['experiment']} {labels['group']}", set(journal.rows)
    begun, earlier = perf_counter(), 0.0  # seconds of kept rows, which an earlier process spent
    with closing(tqdm(total=rounds * len(runs), desc=name, disable=None, leave=False)) as bar:
        for repeat in range(rounds):
            seconds = perf_counter() - begun + earlier
            if repeat >= least and seconds * (1 + 1 / repeat) > limit:
                break
            for index, chain in enumerate(interleaved(runs)):
                of_chain = {**labels, "repeat": repeat, "chain": f"{repeat}-{index}"}
                for place, row in enumerate(_chain(of_chain, chain, processes, journal)):
                    if _key(of_chain, place) in kept:
                        earlier += row.outer_time or row.worker_time or 0.0
                    bar.update()
                    yield row


def _key(labels: dict[str, Any], place: int) -> str:
    """The id of a run within its job."""
    return f"{labels['group']} {labels['chain']}-{place}"


def _chain(
    labels: dict[str, Any],
    chain: list[Run | Measure],
    processes: tuple[Worker, Grader],
    journal: Journal,
) -> Iterator[Row]:
    """A run, and after it those that match its cardinality.

    processes : the one that runs solvers, and the one that grades.
    """
    helper, grader = processes
    reached: dict[str, int] = {}
    for place, run in enumerate(chain):
        key = _key(labels, place)
        if key not in journal.rows:
            answer = _answer(run, reached, helper)
            if labels["repeat"]:  # the same vector as that of the first round
                answer = replace(answer, support=None, values=None)
            answer = grader.graded(Task.of(run), answer)
            journal.add(key, _row(labels, run, answer))
        row = journal.rows[key]
        if row.solver and row.cardinality:
            reached[row.solver] = row.cardinality
        yield row


def _row(labels: dict[str, Any], run: Run | Measure, answer: Answer) -> Row:
    """Return the row of a run; it says what was asked in the figure's own words."""
    match = run.match if isinstance(run, Run) else None
    asked = {**Task.of(run).asked, "match": match, "label": run.label}
    return Row(**vars(answer), **labels, **asked, **stamp())


def _answer(run: Run | Measure, reached: dict[str, int], helper: Worker) -> Answer:
    task = Task.of(run)
    if isinstance(run, Run) and run.match:
        if run.match not in reached:
            reason = f"{run.match} gave no cardinality to match"
            return Answer(status=Status.ERROR, reason=reason)
        task = Task.of(run, k=reached[run.match])
    answer = asked(helper, replace(task, memory=False))
    if not task.memory:
        return answer
    with closing(Worker(worker.answer)) as own:
        measured = asked(own, replace(task, timed=False))
    return with_memory(answer, measured)


def with_memory(answer: Answer, measured: Answer) -> Answer:
    """An answer with the memory of another one."""
    peak, before = measured.peak_memory, measured.memory_before
    return replace(answer, peak_memory=peak, memory_before=before)


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
