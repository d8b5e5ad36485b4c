"""Check that a solver satisfies the contract, and describe each violation in one sentence.

The checks run in a separate process, so crashes and endless loops are reported like other failures.
"""

import io
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext, redirect_stderr, redirect_stdout
from dataclasses import dataclass

from spcabench import registry
from spcabench.checking.contract import PROMISES, Broken, Promise, prints_nothing
from spcabench.errors import SolverError, in_one_line
from spcabench.running.worker_process import Ended, Worker, cell
from spcabench.solving.status import Status

TERMINAL = (1, 2)  # file descriptors to which programs can write, bypassing Python's streams
PATIENCE = 60.0  # seconds per check, including compilation


@dataclass(frozen=True)
class Outcome:
    """The outcome of a check.

    verdict : "holds", "fails" or "not checked". sentence : the reason. ends : the reason why the
        remaining checks must be skipped, or "".
    """

    name: str
    verdict: str
    sentence: str = ""
    ends: str = ""


def check(solver: str, patience: float = PATIENCE) -> Iterator[Outcome]:
    """Check a solver, specified by its name or file, against the contract for solvers.

    After a crash, an endless loop or a failed import, the remaining checks are skipped. Raises
    InputError if the name is unknown or the file is missing.
    """
    file = registry.path("solver", solver)
    if solver.endswith(".py"):
        solver = str(file.resolve())  # the solver may change the current folder
    own, stopped = registry.is_own_file(solver), ""
    with (
        nullcontext() if own else cell([file]) as limits,
        closing(Worker(_answer, cell=limits)) as helper,
    ):
        for name, promise in PROMISES.items():
            result = Outcome(name, "not checked", f"{stopped}: {promise.__doc__}")
            if not stopped:
                result = _waited(helper, name, solver, patience)
                stopped = result.ends
            yield result


def _waited(helper: Worker, name: str, solver: str, patience: float) -> Outcome:
    """Return the outcome of a check even if its process crashes or hangs."""
    try:
        return Outcome(**helper.ask([name, solver], patience))
    except TypeError:
        return Outcome(name, "fails", "its process returned no outcome")
    except Ended as end:
        if end.status == Status.KILLED:
            why = (
                f"it did not finish within {patience:g} s: there is an endless loop between two "
                "yields, or the solver is very slow"
            )
            return Outcome(name, "fails", why, ends="after an endless loop")
        why = f"it crashed without a Python error: {end.reason}"
        return Outcome(name, "fails", why, ends="after a crash")


def _answer(question: list[str]) -> dict[str, str]:
    """Run a check, specified by its name and the solver, and return the outcome as a dict."""
    return vars(_outcome(*question))


def _outcome(name: str, solver: str) -> Outcome:
    with _heard() as heard:
        result = outcome(name, PROMISES[name], solver)
        printed = heard()
    if PROMISES[name] is prints_nothing and result.verdict == "holds" and printed:
        return Outcome(
            name,
            "fails",
            f"it printed {printed[:60]!r} during import or from a program that it started",
        )
    return result


@contextmanager
def _heard() -> Iterator[Callable[[], str]]:
    """Capture the terminal output of this process and its children.

    Yields a function that returns the output.
    """
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
    """Run a check in this process and return its outcome."""
    ends = "after a failed import"
    try:
        loaded = registry.module("solver", solver)
        ends = ""
        unchecked = promise(loaded)
    except (Broken, SolverError) as broken:
        return Outcome(name, "fails", str(broken), ends)
    except BaseException as error:  # any exception of the solver, including SystemExit
        raised = in_one_line(error, registry.path("solver", solver))
        return Outcome(name, "fails", f"it raised {raised}", ends)
    return (
        Outcome(name, "not checked", unchecked)
        if unchecked
        else Outcome(name, "holds", promise.__doc__ or "")
    )
