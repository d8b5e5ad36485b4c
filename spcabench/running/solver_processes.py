"""The processes that run solvers, and the validation of their replies.

Files of this repository share one process. A third-party file gets a new process, folder and
environment for each run, so it cannot transfer data between runs.
"""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spcabench import machine, registry
from spcabench.errors import InputError
from spcabench.run import Run
from spcabench.running import (
    arrays,
    external_solver,
    intact,
    outside_cost,
    preparation,
    worker,
)
from spcabench.running.grader import AGREES, Grader, disagreeing
from spcabench.running.schema import COLUMNS, Answer
from spcabench.running.worker import MISSED_SECONDS, MISSED_SHARE
from spcabench.running.worker_process import Ended, Worker, cell
from spcabench.solving.status import Status

if TYPE_CHECKING:
    from spcabench.running.runner import Protocol

LOADING = 300.0  # maximum seconds for loading a problem, which is not part of a run's time
PATIENCE = 120.0  # maximum seconds for a warm-up run, because compilation can be slow
# columns that a third-party process reports; the harness knows or computes all other columns
STATED = {
    *("status", "reason", "form", "used", "cardinality", "variance", "claimed_bound", "iterations"),
    *("flops", "setup_flops", "search_runs", "search_flops", "search_time"),
    *("solve_time", "setup_time", "compile_time", "cpu_time", "waited", "worker_time", "samples"),
    *("peak_memory", "memory_before", "flags", "extra", "phases", "history"),
    *("support", "values", "u"),
}
# tolerated loading time: a multiple of the time that a process of ours needs, plus seconds
LOAD_RATIO, LOAD_SECONDS = 2.0, 0.01
OF_HARNESS = (Status.DISAGREES, Status.LATE, Status.SKIPPED, Status.KILLED)


class Processes:
    """The processes of one job, which writes its rows to a folder."""

    def __init__(self, protocol: "Protocol", rows: Path) -> None:
        self.protocol, self.rows = protocol, rows
        self.common: Worker | None = None
        self.loaded = ""
        self.late: dict[str, str] = {}  # series -> the reason why its harder runs are skipped
        self.first: dict[tuple[str, ...], str] = {}  # solvers -> the error in a warm-up run
        self.installed = intact.installed()
        self.again: list[dict[str, Any]] = []  # vectors of the timed and the audited runs
        self.loads: dict[str, float] = {}  # problem -> seconds in which a process of ours loads it
        # problem -> the file with its arrays, in a folder that confined processes cannot read
        self.stored: dict[str, Path] = {}
        self.folder = tempfile.TemporaryDirectory(prefix="spcabench-")

    def close(self) -> None:
        """Kill the common process, if there is one, and delete the stored problems."""
        if self.common:
            self.common.close()
        self.folder.cleanup()

    def restart(self) -> None:
        """Replace the common process by a new one, if it has been used."""
        if self.common and self.common.asked:
            self.common.restart()
            self.loaded = ""

    def note(self, run: Run, status: Status) -> None:
        """Record a run that was killed, because harder runs of its series must be skipped."""
        if run.series and status == Status.KILLED:
            self.late.setdefault(run.series, f"killed after {run.timeout:g} s on an easier run")

    def ended(self, run: Run) -> str:
        """Return the reason for skipping a run if an easier run of its series was killed, or ""."""
        return self.late.get(run.series, "") if run.series else ""

    def ready(self, run: Run) -> str:
        """Prepare the process of a run, untimed; return the reason for skipping the run, or ""."""
        if not self.protocol.fastest:
            return ""
        stranger = is_stranger(run)
        if run.solvers not in self.first:
            with self._fresh(run) if stranger else nullcontext(self._shared()) as helper:
                self.first[run.solvers] = self._warmed(helper, self.protocol.warm)
        if why := self.first[run.solvers]:
            return why
        if not stranger and (problem := _key(run)) != self.loaded:
            self._prepared(self._shared(), run)
            self.loaded = problem
        return ""

    def ask(self, run: Run) -> Answer:
        """Return the ungraded answer from a run; it contains no numbers if the process died."""
        if is_stranger(run):
            return self._of_stranger(run)
        if self.protocol.fastest:
            self._prepared(self._shared(), run, preparation.tidied)
            return answer_of(self._shared(), replace(run, timed=False), self.protocol.grace)
        return self._with_memory(run)

    def _of_stranger(self, run: Run) -> Answer:
        """Return the answer of a third-party file from new processes, timed from outside."""
        with self._ready(run) as (helper, _):
            answer = self.answer_of(helper, replace(run, timed=False), self.protocol.grace)
            if not (run.solver and answer.status.good):
                return answer
            if not run.timed:
                answer, vectors = outside_cost.disguised(run, answer, helper, self.answer_of)
                self.again = [*vectors]
                return answer
        fresh = partial(self._suspect, run)
        answer, vectors = outside_cost.costed(run, answer, fresh, self._shared(), self.answer_of)
        self.again = [*vectors]
        if self.protocol.audit is None or not answer.status.good:
            return answer
        with self._ready(run) as (helper, _):
            audit = self.protocol.audit
            answer, vector = outside_cost.audited(run, answer, helper, audit, self.answer_of)
        self.again.append(vector)
        return answer

    @contextmanager
    def _ready(self, run: Run) -> Iterator[tuple[Worker, float]]:
        """Yield a new process, after warm-up runs and loading the problem, and the loading time."""
        with self._fresh(run) as helper:
            self._warmed(helper, self._warm(run))
            yield helper, self._load(helper, run)

    @contextmanager
    def _suspect(self, run: Run) -> Iterator[tuple[Worker, float]]:
        """Yield such a process, and its loading time in excess of the time that our process needs.

        The solver could have used the excess time for computations.
        """
        usual = self._usual_load(run)
        with self._ready(run) as (helper, seconds):
            yield helper, max(seconds - LOAD_RATIO * usual - LOAD_SECONDS, 0.0)

    def _warm(self, run: Run) -> list[Run]:
        """Return the warm-up runs before a run."""
        way = run.settings.get("how")
        return [first for first in self.protocol.warm if first.settings.get("how") == way]

    def _usual_load(self, run: Run) -> float:
        """Return the time in seconds in which a new process of ours loads the problem of a run."""
        problem = _key(run)
        if problem not in self.loads:
            plain = partial(outside_cost.of_plain_solver, bool(run.settings.get("nonnegative")))
            with self._fresh(run) as helper:
                self._warmed(helper, [plain(first) for first in self._warm(run) if first.solver])
                self.loads[problem] = self._load(helper, run)
        return self.loads[problem]

    def _with_memory(self, run: Run) -> Answer:
        """Return the answer of the common process, with memory measured in a separate process."""
        answer = answer_of(self._shared(), replace(run, memory=False), self.protocol.grace)
        if not run.memory:
            return answer
        with closing(Worker(worker.answer)) as own:
            measured = answer_of(own, replace(run, timed=False), self.protocol.grace)
        return answer.with_memory_of(measured)

    def graded(self, grader: Grader, run: Run, answer: Answer) -> Answer:
        """Return the answer with the harness's columns and the values from the grader."""
        stranger = is_stranger(run)
        if run.solver:
            own, sha256 = registry.is_own_file(run.solver), _sha256(run.solver)
            answer = replace(answer, own=own, solver_sha256=sha256)
        if run.solver and stranger:
            sign = bool(run.settings.get("nonnegative"))
            answer = replace(answer, k=run.settings.get("k"), nonnegative=sign)
            answer = answer.flagged(patched=intact.installed() != self.installed)
        graded = grader.graded(run, answer, stranger)
        vectors, self.again = [vector for vector in self.again if vector], []
        for vector in vectors:
            if not graded.status.good:
                break
            graded = _lesser(graded, answer, vector, partial(grader.graded, run, stranger=stranger))
        return graded

    def _shared(self) -> Worker:
        """Return the common process of the files of this repository."""
        if self.common is None:
            self.common = Worker(worker.answer)
        return self.common

    def _warmed(self, helper: Worker, runs: Iterable[Run]) -> str:
        """Execute warm-up runs; return the reason for skipping all other runs, or ""."""
        for run in runs:
            if self.answer_of(helper, replace(run, timeout=PATIENCE)).status == Status.KILLED:
                return f"a warm-up run on {run.dataset} did not finish within {PATIENCE:g} s"
        return ""

    def _load(self, helper: Worker, run: Run) -> float:
        """Let a process load the problem of a run, and return the seconds in which it worked."""
        watch = outside_cost.Watch(helper.process.pid)
        self._prepared(helper, run, preparation.tidied, watch)
        return watch.worked

    def _prepared(
        self,
        helper: Worker,
        run: Run,
        function: Callable[..., Any] = preparation.ready,
        watch: outside_cost.Watch | None = None,
    ) -> None:
        """Let the process do the untimed work before a run."""
        before = replace(_on_problem_of(run), function=function)
        self.answer_of(helper, before, watch=watch)

    def answer_of(
        self,
        helper: Worker,
        run: Run,
        grace: float = 0.0,
        watch: outside_cost.Watch | None = None,
    ) -> Answer:
        """Return the answer of a process to a run; see `answer_of`.

        A confined process is only given the arrays of the problem. Otherwise, it could load the
        dataset itself, and so learn a planted support.
        """
        if helper.cell:
            stored = self._stored(run)
            if isinstance(stored, Answer):
                return stored
            given = helper.cell.given / stored.name
            if not given.exists():
                _copy(stored, given)
            run = arrays.without_origin(run, given)
        return answer_of(helper, run, grace, watch)

    def _stored(self, run: Run) -> Path | Answer:
        """Return the file with the arrays of a problem, or an answer if it cannot be loaded."""
        problem = _key(run)
        if problem not in self.stored:
            file = Path(self.folder.name, f"{len(self.stored)}.npz")
            before = replace(
                _on_problem_of(run), function=arrays.write, settings={"file": str(file)}
            )
            answer = answer_of(self._shared(), before)
            if not answer.status.good:
                return answer
            if fault := (answer.extra or {}).get("fault"):
                raise InputError(str(fault))  # no failure of the solver, whose row would be kept
            self.stored[problem] = file
        return self.stored[problem]

    @contextmanager
    def _fresh(self, run: Run) -> Iterator[Worker]:
        """Yield a new, confined process for a run, whose folder is deleted at its end."""
        files = [registry.path("solver", solver) for solver in run.solvers]
        with cell(files, self.rows) as limits, closing(Worker(worker.answer, cell=limits)) as new:
            yield new


def _lesser(
    graded: Answer, answer: Answer, vector: dict[str, Any], grade: Callable[[Answer], Answer]
) -> Answer:
    """Return the graded answer, with the vector of another run if that vector is worse."""
    try:
        second = grade(replace(answer, **vector))
    except TypeError as error:
        return disagreeing(answer, f"repeated runs returned no valid vector: {error}")
    worth = (second.variance_refit or 0.0) * (1.0 + AGREES)
    return graded if worth >= (graded.variance_refit or 0.0) else second


def is_stranger(run: Run) -> bool:
    """Whether a run executes a third-party file.

    Files that the harness wrote for external commands are not third-party files.
    """
    return any(
        not (
            registry.is_own_file(solver)
            or external_solver.is_command(registry.path("solver", solver))
        )
        for solver in run.solvers
    )


@lru_cache
def _sha256(solver: str) -> str:
    """Return the SHA-256 checksum of a solver's file."""
    return hashlib.sha256(registry.path("solver", solver).read_bytes()).hexdigest()


def _copy(file: Path, copy: Path) -> None:
    """Copy a file; raise InputError if this fails, for example on a full disk."""
    try:
        shutil.copyfile(file, copy)
    except OSError as error:
        raise InputError(f"{copy}: {error.strerror or error}") from None


def _on_problem_of(run: Run) -> Run:
    """Return a run on the same problem, of which everything else is left open."""
    return Run(dataset=run.dataset, parameters=run.parameters, timeout=LOADING)


def _key(run: Run) -> str:
    """Return the problem of a run as a text."""
    return json.dumps([run.dataset, dict(run.parameters)], sort_keys=True)


def answer_of(
    helper: Worker, run: Run, grace: float = 0.0, watch: outside_cost.Watch | None = None
) -> Answer:
    """Return the answer of a process to a run, without numbers if the process died.

    grace : seconds between the timeout of the run and killing the process. watch : measures the
    process while it answers.
    """
    now = {
        "calibration": machine.calibration(),
        "load": machine.load_average(),
        "threads": machine.describe()["threads"],
    }
    watch = watch or outside_cost.Watch(helper.process.pid)
    watch.begin()
    try:
        reply = helper.ask(run.described(), run.timeout + grace)
        watch.end()
    except Ended as end:
        return Answer(status=end.status, reason=end.reason)
    answer = believed(reply, is_stranger(run))
    if answer.peak_memory is not None:  # the process adds the memory of children that have ended
        living = outside_cost.memory_of_running_children(helper.process.pid)
        answer = replace(answer, peak_memory=answer.peak_memory + living)
    if answer.status == Status.MEMORY_LIMIT:  # otherwise the next run would have less memory
        helper.restart()
    answer = _timed_outside(replace(answer, **now), watch)
    # with several components, no repeated runs show whether a third-party file uses threads
    return answer.flagged(threads=bool(run.function) and is_stranger(run) and watch.used_threads)


def believed(reply: Any, stranger: bool) -> Answer:
    """Convert a reply to an answer; from third-party solvers, only columns in `STATED` are used."""
    try:
        if not isinstance(reply, Mapping) or not {*reply} <= {*COLUMNS}:
            raise TypeError(_fault(reply))
        answer = Answer(**{k: v for k, v in reply.items() if not stranger or k in STATED})
    except (TypeError, ValueError) as error:
        return Answer(status=Status.ERROR, reason=f"its answer is invalid: {error}"[:200])
    if stranger and answer.status in OF_HARNESS:
        return Answer(
            status=Status.ERROR, reason=f"it reports the status {answer.status} of the harness"
        )
    return answer


def _fault(reply: Any) -> str:
    """Return the reason why a reply is not an answer; the reply itself can contain the reason."""
    return str(reply.get("fault", "unknown columns") if isinstance(reply, dict) else "no columns")


def _timed_outside(answer: Answer, watch: outside_cost.Watch) -> Answer:
    """Return the answer with the time measured by the outside clock, which no solver can change.

    The answer is flagged if the worker's clock missed time. Waiting for a processor is not counted
    as missed, because a busy machine must not cause a flag. A run cannot have waited longer than
    its process.
    """
    missed = watch.worked - (answer.worker_time or 0.0)
    told = answer.worker_time is not None
    disagree = told and missed > MISSED_SECONDS + MISSED_SHARE * watch.worked
    if answer.waited is not None and answer.seconds:
        answer = replace(answer, waited=min(answer.waited, watch.waited / answer.seconds))
    return replace(answer.flagged(clock=disagree), outer_time=watch.wall)
