"""Runs one job: its runs in a worker process, timed ones interleaved, every failure a row, nothing
lost when killed.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import pandas as pd
import pyarrow
from tqdm import tqdm

from spcabench import machine
from spcabench.errors import InputError, using_file
from spcabench.run import Measure, Run
from spcabench.running import whole_files, worker
from spcabench.running.fingerprint import fingerprint
from spcabench.running.grid import groups, interleaved, runs_of
from spcabench.running.process import LOCK, Ended, Worker
from spcabench.running.task import Task
from spcabench.solving.status import Status

GRACE = 30.0  # seconds beyond a run's own time limit before its process is ended
ROUNDS = {"quick": 5, "paper": 15}  # timed rounds
MIN_ROUNDS = {"quick": 1, "paper": 2}  # timed rounds at least
TIME_BUDGET = {"quick": 6.0, "paper": 60.0}  # seconds that more rounds may take

Row = dict[str, Any]


def asked(helper: Worker, task: Task, grace: float | None = None) -> Row:
    """The row of a task; a status row where the process crashed or was killed.

    grace : seconds beyond the task's own limit, GRACE unless given.
    """
    try:
        return helper.ask(task, task.timeout + (GRACE if grace is None else grace))
    except Ended as end:
        return {"status": end.status, "reason": end.reason}


class Journal:
    """Rows of an unfinished job, one line each: the same command goes on where a killed one
    stopped.
    """

    def __init__(self, out: Path, key: str) -> None:
        self.path = out.with_suffix(f".{key}.journal")
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        self.rows: dict[str, Row] = {}
        for line in lines:
            try:
                entry = json.loads(line)
            except json.JSONDecodeError:  # the line that was being written
                continue
            self.rows[entry["key"]] = entry["row"]

    def add(self, key: str, row: Row) -> None:
        """Append one row."""
        self.rows[key] = row
        with self.path.open("a") as stream:
            stream.write("\n" + json.dumps({"key": key, "row": row}, default=float))

    def close(self) -> None:
        """The job is complete: forget this journal and those of earlier versions of it."""
        stem = self.path.name.partition(".")[0]
        for old in self.path.parent.glob(f"{stem}.*.journal"):
            old.unlink()


def run_job(figure: str, scale: str, group: str, out: Path) -> None:
    """Make the rows of one job and write them to a parquet file.

    Raises ValueError where the figure cannot be read or has no such job.
    """
    runs = groups(figure, scale).get(group)
    if not runs:
        runs_of(figure, scale)  # raises the figure's own error
        raise InputError(
            f"group: figure {figure!r} has no job {group!r}; known are "
            f"{', '.join(groups(figure, scale))}"
        )
    out.parent.mkdir(parents=True, exist_ok=True)
    journal = Journal(out, fingerprint(figure, scale, group))
    rows = list(_rows(f"{figure} {group}", scale, runs, journal))
    table = pd.DataFrame(rows).assign(experiment=figure, scale=scale, group=group, **stamp())
    write_parquet(table, out)
    journal.close()


def _rows(name: str, scale: str, runs: list[Run | Measure], journal: Journal) -> Iterator[Row]:
    helper = Worker(worker.row, LOCK)
    timed = any(isinstance(run, Run) and run.timed for run in runs)
    rounds = ROUNDS[scale] if timed else 1
    start = perf_counter()
    tqdm.monitor_interval = 0  # its thread and forked workers do not go together
    bar = tqdm(total=rounds * len(runs), desc=name, disable=None, leave=False)
    for repeat in range(rounds):
        if (
            repeat >= MIN_ROUNDS[scale]
            and (perf_counter() - start) * (1 + 1 / repeat) > TIME_BUDGET[scale]
        ):
            break  # one more would not fit
        for index, chain in enumerate(interleaved(runs)):
            yield from _chain(chain, f"{repeat}-{index}", repeat, helper, journal, bar)
    bar.close()
    helper.close()


def _chain(
    chain: list[Run | Measure], key: str, repeat: int, helper: Worker, journal: Journal, bar: tqdm
) -> Iterator[Row]:
    """A run, and after it those that match its cardinality."""
    reached: dict[str, int] = {}
    for place, run in enumerate(chain):
        name = f"{key}-{place}"
        if name not in journal.rows:
            answer = _answer(run, reached, helper)
            journal.add(name, _labels(run, repeat) | {"chain": key} | answer)
        made = journal.rows[name]
        reached[_name(run)] = int(made.get("cardinality") or 0)
        bar.update()
        yield made


def _answer(run: Run | Measure, reached: dict[str, int], helper: Worker) -> Row:
    task = Task.of(run)
    if isinstance(run, Run) and run.match:
        if not reached.get(run.match):
            reason = f"{run.match} gave no cardinality to match"
            return {"status": Status.ERROR, "reason": reason}
        task = Task.of(run, k=reached[run.match])
    made = asked(helper, replace(task, memory=False))
    if task.memory:
        own = Worker(worker.row, LOCK)
        measured = asked(own, replace(task, timed=False))
        own.close()
        made |= {key: measured.get(key) for key in ("peak_memory", "memory_before")}
    return made


def _name(run: Run | Measure) -> str:
    return run.name if isinstance(run, Measure) else run.solver


def _labels(run: Run | Measure, repeat: int) -> Row:
    return {
        "dataset": run.dataset,
        "parameters": json.dumps(dict(run.parameters), sort_keys=True),
        "solver": _name(run),
        "settings": json.dumps(dict(run.settings), sort_keys=True),
        "match": getattr(run, "match", None),
        "seed": run.seed,
        "repeat": repeat,
        "label": run.label,
    }


def stamp() -> Row:
    """The columns that say where and when rows were made."""
    about = machine.describe()
    commit, dirty = machine.commit()
    return {
        "cpu": about["cpu"],
        "blas": about["blas"],
        "machine": json.dumps(about),
        "commit": commit,
        "dirty": dirty,
        "written": pd.Timestamp.now("UTC").isoformat(timespec="seconds"),
    }


def write_parquet(table: pd.DataFrame, out: Path) -> None:
    """Write aside, then rename: a file is whole or not there."""
    with whole_files.replacing(out) as aside:
        table.to_parquet(aside, index=False)


def read_rows(files: list[Path]) -> pd.DataFrame:
    """The rows of several jobs as one table; settings, parameters and extra as dicts."""
    table = pd.concat([_read_parquet(file) for file in files], ignore_index=True)
    for column in ("settings", "parameters", "provenance", "extra", "used", "phases"):
        if column in table:
            table[column] = [json.loads(v) if isinstance(v, str) else {} for v in table[column]]
    return table


def _read_parquet(file: Path) -> pd.DataFrame:
    with using_file(file):
        try:
            return pd.read_parquet(file)
        except pyarrow.ArrowInvalid as error:
            raise InputError(f"{file}: not a parquet file ({error})") from error
