"""One job of a comparison: all runs of one solver, as rows.

They are made in a worker process. A run whose failure is known before is not made.

Jobs do not depend on which solvers are compared: rows are shared by all comparisons of the same
suite.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from dataclasses import fields as dataclass_fields
from pathlib import Path
from typing import Any

import numpy as np

from spcabench import registry
from spcabench.comparison import conditions, resampling, suite
from spcabench.comparison.suite import Item
from spcabench.errors import InputError
from spcabench.running import fingerprint, preparation, rows, turns, worker
from spcabench.running import job as execute
from spcabench.running.grader import Grader
from spcabench.running.journal import Journal
from spcabench.running.process import Worker
from spcabench.running.schema import Answer, Row
from spcabench.running.task import Task
from spcabench.running.whole_files import make_folder, write_changed
from spcabench.solving.flags import Flag
from spcabench.solving.status import Status

# times the limit after which a run, or the whole search of a penalty, is ended
PATIENCE_FACTOR = 5.0
SHORT, ROUNDS = 0.3, 3  # seconds below which a run is made so often; its least time counts
# rounds, and seconds of them, up to which a run that waited for the processor is made again
MOST_ROUNDS, MOST_SECONDS = 8, 3.0
# first runs, of no account, of a covariance and of data: kernels are compiled there
WARM: dict[str, dict[str, int]] = {"pitprops": {}, "gaussian": dict(m=12, n=10)}
PATIENCE = 120.0  # seconds of such a run: kernels take long on a busy machine
# a first run this many times slower than the best of the later ones, and seconds beyond, is odd
WARM_RATIO, WARM_SECONDS = 3.0, 0.1
LOADING = 300.0  # seconds in which a problem must be loaded: that is on no run's clock
MOST_NAMED = 8  # cardinalities that the name of a folder lists
FORMED = 5000  # variables up to which a covariance is formed for a solver that needs one
SMALL = 50  # variables up to which relaxations and exact searches are run


@dataclass(frozen=True)
class Job:
    """A solver on a suite.

    solver : its name, or an absolute path. ks : cardinalities in place of the suite's own. limit :
    seconds of a run. fresh : the seed of new problems in place of the standard ones.
    """

    solver: str
    suite: str = "standard"
    settings: str = "default"
    ks: tuple[int, ...] = ()
    limit: float = 2.0
    fresh: int | None = None

    @classmethod
    def read(cls, file: Path) -> "Job":
        """The job of a JSON file."""
        fields = json.loads(file.read_text(encoding="utf-8"))
        known = {field.name for field in dataclass_fields(cls)}
        if not isinstance(fields, dict) or not {"solver", "ks"} <= {*fields} <= known:
            raise InputError(f"{file}: no job of a comparison")
        return cls(**fields | {"ks": tuple(fields["ks"])})

    @property
    def label(self) -> str:
        """The solver's name in tables and pictures."""
        return Path(self.solver).stem

    @property
    def key(self) -> str:
        """A name of the file: solvers of the same name in different folders are kept apart."""
        apart = hashlib.sha256(self.solver.encode()).hexdigest()[:8]
        return f"{self.label}-{apart}" if self.solver.endswith(".py") else self.label

    @property
    def folder(self) -> str:
        """A name of what it is run on."""
        ks = "".join(f"-k{k}" for k in self.ks[:MOST_NAMED])
        if len(self.ks) > MOST_NAMED:  # a folder's name has at most 255 characters
            rest = hashlib.sha256(repr(self.ks).encode()).hexdigest()[:8]
            ks += f"-to{self.ks[-1]}-{rest}"
        fresh = "" if self.fresh is None else f"-fresh{self.fresh}"
        return f"{self.suite}{fresh}-{self.settings}-{self.limit:g}s{ks}"

    def write(self, folder: Path) -> Path:
        """Write it below a folder, where it has changed; the file's path."""
        file = folder / self.folder / f"{self.key}.json"
        write_changed(file, json.dumps(asdict(self)) + "\n")
        return file

    def fingerprint(self) -> str:
        """Hash of all that decides its rows."""
        rules = [PATIENCE_FACTOR, SHORT, ROUNDS, MOST_ROUNDS, MOST_SECONDS, SMALL, FORMED]
        return fingerprint.of_tasks([task for _, task in self.tasks()], rules)

    def tasks(self) -> Iterator[tuple[Item, Task]]:
        """Every run, in order: the suite, then recovery, then resampling.

        Only solvers that are not nonnegative are resampled. Fresh problems are not: that would
        need the standard data.
        """
        for item in suite.items(self.suite, self.ks, self.fresh):
            for k in item.ks:
                yield item, self._task(item, k, history=True)
        if self.suite in ("standard", "quick"):
            for item in suite.recovery(self.fresh):
                yield item, self._task(item, item.ks[0])
        if self.suite != "standard" or self.fresh is not None:
            return
        for item in suite.items(self.suite):
            if item.name in suite.RESAMPLED and not item.nonnegative:
                for function in (resampling.held_out, resampling.stability):
                    yield item, self._measure(item, function)

    def _task(self, item: Item, k: int, **more: Any) -> Task:
        sign = {"nonnegative": True} if item.nonnegative else {}
        own = suite.settings_of(self.settings, self.label, self.solver)
        return Task(
            dataset=item.dataset,
            parameters=item.parameters,
            solver=self.solver,
            settings=dict(k=k, time_limit=self.limit, **own, **more, **sign),
            seed=item.seed,
            memory=True,
            vectors=True,
            timeout=PATIENCE_FACTOR * self.limit,
        )

    def _measure(self, item: Item, function: Callable[..., dict[str, float]]) -> Task:
        own = suite.settings_of(self.settings, self.label, self.solver)
        k = suite.RESAMPLED[item.name]
        return Task(
            dataset=item.dataset,
            parameters=item.parameters,
            function=function,
            uses=(self.solver,),
            settings=dict(name=self.solver, k=k, time_limit=self.limit, **own),
            seed=item.seed,
            timeout=3 * PATIENCE_FACTOR * self.limit,
        )


def labels(asked: Sequence[Job]) -> list[str]:
    """A name for each job of one comparison: two files of one name are told apart by folders."""
    names = [job.label for job in asked]
    folders = [Path(job.solver).parent.name if job.solver.endswith(".py") else "" for job in asked]
    stems = [
        f"{name} ({folder})" if folder and names.count(name) > 1 else name
        for name, folder in zip(names, folders, strict=True)
    ]
    return [
        f"{name} {job.key[-8:]}" if stems.count(name) > 1 else name
        for name, job in zip(stems, asked, strict=True)
    ]


def entrants(name: str) -> list[str]:
    """All sparse solvers of the registry that give what a suite asks.

    That is answers of any sign, or nonnegative ones.
    """
    nonnegative = all(item.nonnegative for item in suite.SUITES[name])
    traits = {s: registry.module("solver", s).TRAITS for s in registry.names("solver")}
    return [
        s
        for s, t in traits.items()
        if t.control and (t.nonnegative if nonnegative else t.nonnegative != "always")
    ]


def run_job(job: Job, out: Path) -> None:
    """Make the rows of a job and write them to a parquet file; one that was killed goes on."""
    make_folder(out.parent)
    journal = Journal(out, job.fingerprint())
    # the grader first: before anything here imports the solver
    with closing(Grader()) as grader, closing(Worker(worker.answer)) as helper:
        _fill(journal, job, helper, grader)
    rows.write([journal.rows[str(number)] for number, _ in enumerate(job.tasks())], out)
    journal.close()


def _fill(journal: Journal, job: Job, helper: Worker, grader: Grader) -> None:
    """Make the rows that a journal lacks."""
    with turns.shared():
        skip = registry.unavailable(job.solver) or _warmed(helper, job)
    loaded: tuple[str, str] | None = None
    ended: dict[str, str] = {}  # problem -> why no larger cardinality of it is run
    for number, (item, task) in enumerate(job.tasks()):
        key = str(number)
        if key not in journal.rows:
            why = skip or ended.get(item.name, "") or refused(job.solver, item)
            problem = (item.dataset, json.dumps(item.parameters, sort_keys=True))
            if not why and problem != loaded:
                with turns.shared():
                    _prepared(helper, task, preparation.ready)
                loaded = problem
            answer = Answer(status=Status.SKIPPED, reason=why)
            if not why:
                answer = _made(helper, grader, task, timed=_kind(item, task) == "suite")
            journal.add(key, _row(job, item, task, answer))
        if journal.rows[key].status == Status.KILLED:
            ended[item.name] = f"ended after {PATIENCE_FACTOR * job.limit:g} s on an easier one"


def _made(helper: Worker, grader: Grader, task: Task, timed: bool) -> Answer:
    """The graded answer to a run. While one is timed nothing else of the comparison runs."""
    with turns.alone() if timed else turns.shared():
        answer = answered(helper, task)
    with turns.shared():
        return grader.graded(task, answer)


def _warmed(helper: Worker, job: Job) -> str:
    """Run the solver on small problems, on no clock; why it cannot be run at all, if so."""
    easy = replace(job._task(suite.ITEMS[0], 5), timeout=PATIENCE)
    for name, parameters in WARM.items():
        task = replace(easy, dataset=name, parameters=parameters)
        if execute.asked(helper, task, grace=0.0).status == Status.KILLED:
            return f"did not come back from a first run, on {name}, within {PATIENCE:g} s"
    return ""


def _prepared(helper: Worker, task: Task, function: Callable[..., dict[str, float]]) -> None:
    """Let the worker do what comes before a run, on no clock."""
    before = Task(
        dataset=task.dataset, parameters=task.parameters, function=function, timeout=LOADING
    )
    execute.asked(helper, before, grace=0.0)


def refused(solver: str, item: Item) -> str:
    """Why a solver is not run on a problem: known from its traits and the problem's name."""
    traits = registry.module("solver", solver).TRAITS
    if item.nonnegative and not traits.nonnegative:
        return "gives signed answers only"
    if not item.nonnegative and traits.nonnegative == "always":
        return "gives nonnegative answers only"
    size = item.variables or SMALL + 1
    if traits.largest is not None and size > traits.largest:
        return f"is for at most {traits.largest} variables"
    if (traits.relaxation or traits.exact) and size > SMALL:
        return f"relaxations and exact searches are run up to {SMALL} variables"
    if traits.accepts == "covariance" and size > FORMED:
        return (
            f"works on a covariance, formed for up to {FORMED:,} variables: that of {size:,} takes "
            f"{8e-9 * size**2:,.1f} GB"
        )
    return ""


def answered(helper: Worker, task: Task) -> Answer:
    """The answer to a run, with the memory of the first round.

    Of a short run the fastest of three rounds counts. Where that one waited for the processor,
    there are more.
    """
    _prepared(helper, task, preparation.tidied)
    rounds = [execute.asked(helper, task, grace=0.0)]
    while not task.function and _is_made_again(rounds):
        rounds.append(execute.asked(helper, task, grace=0.0))
    first, best = rounds[0], _fastest(rounds)
    times = [answer.seconds for answer in rounds if answer.seconds is not None]
    if times:
        best = replace(best, round_times=times)
    if _fell(first, best):
        best = replace(best, flags=sorted({*(best.flags or ()), Flag.warm.value}))
    return execute.with_memory(best, first)


def _fastest(rounds: Sequence[Answer]) -> Answer:
    """The round that took the least time; the first one where none has an answer."""
    return min(rounds, key=lambda answer: np.inf if answer.seconds is None else answer.seconds)


def _is_made_again(rounds: Sequence[Answer]) -> bool:
    """Whether a run is short, or waited for the processor in its fastest round."""
    if rounds[-1].seconds is None:
        return False
    if len(rounds) < ROUNDS and rounds[-1].seconds < SHORT:
        return True
    spent = sum(answer.outer_time or 0.0 for answer in rounds)
    waited = (_fastest(rounds).waited or 0.0) > conditions.WAITED
    return waited and len(rounds) < MOST_ROUNDS and spent < MOST_SECONDS


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


def _kind(item: Item, task: Task) -> str:
    """What a row is of: times of the suite alone are compared."""
    return task.measure or ("recovery" if item.family == "recovery" else "suite")


def _row(job: Job, item: Item, task: Task, answer: Answer) -> Row:
    asked = task.asked | {
        "solver": job.label,
        "settings": {k: v for k, v in task.settings.items() if k not in ("history", "name")},
    }
    return Row(
        **vars(answer),
        **asked,
        item=item.name,
        family=item.family,
        kind=_kind(item, task),
        asked=task.settings["k"],
        sign=item.nonnegative,
        **execute.stamp(),
    )
