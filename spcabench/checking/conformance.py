"""Check one solver against the contract of every solver; each failure is one sentence.

The checks run in a separate process, so a crash or an endless loop is reported like any failure.
"""

import io
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass

from spcabench import registry
from spcabench.checking.contract import PROMISES, Broken, Promise, prints_nothing
from spcabench.errors import SolverError, in_one_line
from spcabench.running.worker_process import Ended, Worker
from spcabench.solving.status import Status

TERMINAL = (1, 2)  # file descriptors: programs may write to them without Python's streams
PATIENCE = 60.0  # seconds per check, including compilation


@dataclass(frozen=True)
class Outcome:
    """The outcome of one check: its name, "holds", "fails" or "not checked", and the reason.

    ends : the reason why further checks are pointless, or "".
    """

    name: str
    verdict: str
    sentence: str = ""
    ends: str = ""


def check(solver: str, patience: float = PATIENCE) -> Iterator[Outcome]:
    """Check a solver, given by name or path, against everything that every solver must satisfy.

    After a crash, an endless loop or a failed import, the remaining checks are skipped. Raises
    InputError for an unknown name or a missing file.
    """
    file = registry.path("solver", solver)
    if solver.endswith(".py"):
        solver = str(file.resolve())  # the solver may change the current folder
    stopped = ""
    with closing(Worker(_answer)) as helper:
        for name, promise in PROMISES.items():
            result = Outcome(name, "not checked", f"{stopped}: {promise.__doc__}")
            if not stopped:
                result = _waited(helper, name, solver, patience)
                stopped = result.ends
            yield result


def _waited(helper: Worker, name: str, solver: str, patience: float) -> Outcome:
    """The outcome of one check, whatever happens to its process."""
    try:
        return Outcome(**helper.ask([name, solver], patience))
    except TypeError:
        return Outcome(name, "fails", "its process did not answer with an outcome")
    except Ended as end:
        if end.status == Status.KILLED:
            why = (
                f"it did not finish within {patience:g} s: an endless loop between two yields, "
                "or a very slow solver"
            )
            return Outcome(name, "fails", why, ends="after an endless loop")
        why = f"it crashed without a Python error: {end.reason}"
        return Outcome(name, "fails", why, ends="after a crash")


def _answer(question: list[str]) -> dict[str, str]:
    """Run a check, given by its name and the solver, and return the outcome as plain data."""
    return vars(_outcome(*question))


def _outcome(name: str, solver: str) -> Outcome:
    with _heard() as heard:
        result = outcome(name, PROMISES[name], solver)
        printed = heard()
    if PROMISES[name] is prints_nothing and result.verdict == "holds" and printed:
        return Outcome(
            name,
            "fails",
            f"it printed {printed[:60]!r}, on import or from a program that it started",
        )
    return result


@contextmanager
def _heard() -> Iterator[Callable[[], str]]:
    """Capture terminal output of this process and its children; yield a function that reads it."""
    with (
        tempfile.TemporaryFile() as file,
        io.TextIOWrapper(io.FileIO(os.dup(file.fileno()), "w"), write_through=True) as stream,
        redirect_stdout(stream),
        redirect_stderr(stream),
    ):

        def heard() -> str:
            file.seek(0)
            return file.read().decode(errors="replace").strip()

        before = {number: os.dup(number) for number in TERMINAL}
        for number in before:
            os.dup2(file.fileno(), number)
        try:
            yield heard
        finally:
            for number, copy in before.items():
                os.dup2(copy, number)
                os.close(copy)


def outcome(name: str, promise: Promise, solver: str) -> Outcome:
    """Run one check in this process."""
    ends = "after a failed import"
    try:
        loaded = registry.module("solver", solver)
        ends = ""
        unchecked = promise(loaded)
    except (Broken, SolverError) as broken:
        return Outcome(name, "fails", str(broken), ends)
    except BaseException as error:  # whatever the solver raises, including SystemExit
        raised = in_one_line(error, registry.path("solver", solver))
        return Outcome(name, "fails", f"it raised {raised}", ends)
    return (
        Outcome(name, "not checked", unchecked)
        if unchecked
        else Outcome(name, "holds", promise.__doc__ or "")
    )
