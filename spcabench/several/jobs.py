"""One job: every way of one solver on every problem, as rows, made in a worker process.

The rows hold the loadings themselves. They are graded later, in a process that never imported the
solver (`spcabench.several.standing`).
"""

import hashlib
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

from spcabench import registry
from spcabench.running import fingerprint, preparation, rows, worker
from spcabench.running import job as execute
from spcabench.running.journal import Journal
from spcabench.running.process import Worker
from spcabench.running.schema import Answer, Row
from spcabench.running.task import Task
from spcabench.running.whole_files import write_changed
from spcabench.several import find, suite
from spcabench.several.suite import Item
from spcabench.several.ways import Way, ways
from spcabench.solving.status import Status

LIMIT = 1.0  # seconds of each run of a solver
PATIENCE = 40.0  # seconds after which the process of one way is ended
LOADING = 300.0  # seconds in which a problem must be loaded: that is on no run's clock
TRUE, HELD_OUT = "components", "components, held out"


@dataclass(frozen=True)
class Job:
    """A solver, by its name or an absolute path, with the seconds of each run."""

    solver: str
    limit: float = LIMIT
    every_deflation: bool = False

    @classmethod
    def read(cls, file: Path) -> "Job":
        """The job of a JSON file."""
        return cls(**json.loads(file.read_text(encoding="utf-8")))

    @property
    def label(self) -> str:
        """The solver's name in tables and pictures."""
        return Path(self.solver).stem

    @property
    def key(self) -> str:
        """A name of the file: solvers of the same name in different folders are kept apart."""
        apart = hashlib.sha256(self.solver.encode()).hexdigest()[:8]
        own = f"{self.label}-{apart}" if self.solver.endswith(".py") else self.label
        return f"{own}-{self.limit:g}s" + ("-all" if self.every_deflation else "")

    def write(self, folder: Path) -> Path:
        """Write it below a folder, where it has changed; the file's path."""
        file = folder / f"{self.key}.json"
        write_changed(file, json.dumps(asdict(self)) + "\n")
        return file

    def fingerprint(self) -> str:
        """Hash of all that decides its rows."""
        return fingerprint.of_tasks([task for *_, task in self.tasks()], [PATIENCE])

    def tasks(self) -> Iterator[tuple[Item, Way, Task]]:
        """Every run in order: by problem, number of loadings, cardinality and way."""
        asked = ways(self.solver, self.every_deflation)
        for item in suite.ITEMS:
            for r in item.counts:
                for k in item.ks:
                    for way in asked:
                        yield item, way, self._task(item, way, r, k, find.loadings)
            if item.held_out:
                for way in asked:
                    r, k = item.counts[-1], item.ks[-1]
                    yield item, way, self._task(item, way, r, k, find.halves)

    def _task(self, item: Item, way: Way, r: int, k: int, function: object) -> Task:
        settings = dict(solver=self.solver, how=way.how, r=r, k=k, limit=self.limit)
        return Task(
            dataset=item.dataset,
            parameters=item.parameters,
            function=function,  # type: ignore[arg-type]
            uses=(self.solver,),
            settings=settings,
            timeout=PATIENCE,
        )


def refused(solver: str, item: Item) -> str:
    """Why a solver is not run on a problem, known before; empty where it is run."""
    if missing := registry.unavailable(solver):
        return missing
    traits = registry.module("solver", solver).TRAITS
    if traits.largest is not None and item.n > traits.largest:
        return f"is for at most {traits.largest} variables"
    if (traits.relaxation or traits.exact) and not item.small:
        return "relaxations and exact searches are run on the small problems alone"
    return ""


def run_job(job: Job, out: Path) -> None:
    """Make the rows of a job and write them to a parquet file; one that was killed goes on."""
    out.parent.mkdir(parents=True, exist_ok=True)
    journal = Journal(out, job.fingerprint())
    with closing(Worker(worker.answer)) as helper:
        _fill(journal, job, helper)
    rows.write([journal.rows[str(number)] for number, _ in enumerate(job.tasks())], out)
    journal.close()


def _fill(journal: Journal, job: Job, helper: Worker) -> None:
    """Make the rows that a journal lacks."""
    _warmed(helper, job)
    late: set[tuple[str, str]] = set()  # ways that did not come back from an easier question
    loaded = None
    for number, (item, way, task) in enumerate(job.tasks()):
        key = str(number)
        if key not in journal.rows:
            why = refused(job.solver, item)
            if (item.name, way.how) in late:
                why = f"ended after {PATIENCE:g} s on an easier one"
            if not why and loaded != item.name:
                _loaded(helper, task)
                loaded = item.name
            answer = Answer(status=Status.SKIPPED, reason=why)
            if not why:
                answer = execute.asked(helper, task, grace=0.0)
            journal.add(key, _row(job, item, way, task, answer))
        if journal.rows[key].status == Status.KILLED:
            late.add((item.name, way.how))


def _loaded(helper: Worker, task: Task) -> None:
    """Let the worker load a problem."""
    before = Task(
        dataset=task.dataset,
        parameters=task.parameters,
        function=preparation.tidied,
        timeout=LOADING,
    )
    execute.asked(helper, before, grace=0.0)


def _warmed(helper: Worker, job: Job) -> None:
    """Ask every way on a small problem, on no clock: kernels are compiled there."""
    for way in ways(job.solver, job.every_deflation):
        execute.asked(helper, job._task(suite.ITEMS[0], way, 2, 3, find.loadings), grace=0.0)


def _row(job: Job, item: Item, way: Way, task: Task, answer: Answer) -> Row:
    settings = {**task.settings, "formulation": way.formulation.value}
    asked = task.asked | {"solver": job.label, "settings": settings}
    return Row(
        **vars(answer),
        **asked,
        item=item.name,
        family=item.family,
        kind=HELD_OUT if task.function is find.halves else TRUE,
        asked=task.settings["k"],
        sign=False,
        **execute.stamp(),
    )
