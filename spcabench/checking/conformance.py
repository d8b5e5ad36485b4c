"""What every solver must satisfy, checked on one solver; each failure is a sentence.

The checks run in a process of their own, so that a crash or an endless loop is one more sentence.
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

TERMINAL = (1, 2)  # file descriptors: what a program writes there is on no stream of Python
PATIENCE = 60.0  # seconds of a check, compilation included


@dataclass(frozen=True)
class Outcome:
    """One check: its name, "holds", "fails" or "not checked", and why.

    ends : what makes every further check useless, "" where nothing does.
    """

    name: str
    verdict: str
    sentence: str = ""
    ends: str = ""


def check(solver: str, patience: float = PATIENCE) -> Iterator[Outcome]:
    """Check a solver, given by name or path, for everything that every solver must keep.

    After a crash, an endless loop or a failed import the remaining promises are not checked. Raises
    InputError for an unknown name or a missing file.
    """
    file = registry.path("solver", solver)
    if solver.endswith(".py"):
        solver = str(file.resolve())  # the solver may change the folder
    stopped = ""
    with closing(Worker(_answer)) as helper:
        for name, promise in PROMISES.items():
            result = Outcome(name, "not checked", f"{stopped}: {promise.__doc__}")
            if not stopped:
                result = _waited(helper, name, solver, patience)
                stopped = result.ends
            yield result


def _waited(helper: Worker, name: str, solver: str, patience: float) -> Outcome:
    """The outcome of one check, whatever becomes of its process."""
    try:
        return Outcome(**helper.ask([name, solver], patience))
    except TypeError:
        return Outcome(name, "fails", "what its process says of it is no outcome")
    except Ended as end:
        if end.status == Status.KILLED:
            why = (
                f"it did not come back within {patience:g} s: an endless loop between two yields, "
                "or far too slow"
            )
            return Outcome(name, "fails", why, ends="after an endless loop")
        why = f"it crashed with no Python error: {end.reason}"
        return Outcome(name, "fails", why, ends="after a crash")


def _answer(question: list[str]) -> dict[str, str]:
    """The outcome of a check, given by its name and the solver, as plain data."""
    return vars(_outcome(*question))


def _outcome(name: str, solver: str) -> Outcome:
    with _heard() as heard:
        result = outcome(name, PROMISES[name], solver)
        printed = heard()
    if PROMISES[name] is prints_nothing and result.verdict == "holds" and printed:
        return Outcome(name, "fails", f"it printed {printed[:60]!r}, at its import or by a program")
    return result


@contextmanager
def _heard() -> Iterator[Callable[[], str]]:
    """Keep what this process and its programs write to the terminal; a function that tells it."""
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
    """One check in this process."""
    ends = "after a failed import"
    try:
        loaded = registry.module("solver", solver)
        ends = ""
        unchecked = promise(loaded)
    except (Broken, SolverError) as broken:
        return Outcome(name, "fails", str(broken), ends)
    except BaseException as error:  # whatever the solver raises, SystemExit too
        raised = in_one_line(error, registry.path("solver", solver))
        return Outcome(name, "fails", f"it raised {raised}", ends)
    return (
        Outcome(name, "not checked", unchecked)
        if unchecked
        else Outcome(name, "holds", promise.__doc__ or "")
    )
