"""What every solver must satisfy, checked on one solver; each failure is a sentence.

The checks run in a process of their own, so that a crash or an endless loop is one more sentence.
"""

import io
from collections.abc import Iterator
from contextlib import closing, redirect_stdout
from dataclasses import dataclass

from spcabench import registry
from spcabench.checking.contract import PROMISES, Broken, Promise
from spcabench.errors import SolverError, in_one_line
from spcabench.running.process import Ended, Worker
from spcabench.solving.status import Status

PATIENCE = 60.0  # seconds of a check, compilation included


@dataclass(frozen=True)
class Outcome:
    """One check: its name, "holds", "fails" or "not checked", and why."""

    name: str
    verdict: str
    sentence: str = ""


def check(solver: str, patience: float = PATIENCE) -> Iterator[Outcome]:
    """Check a solver, given by name or path, for everything that every solver must keep.

    After a crash or an endless loop the remaining promises are not checked. Raises InputError for
    an unknown name or a missing file.
    """
    registry.path("solver", solver)
    stopped = ""
    with closing(Worker(_outcome)) as helper:
        for name, promise in PROMISES.items():
            result = Outcome(name, "not checked", f"{stopped}: {promise.__doc__}")
            if not stopped:
                stopped, result = _waited(helper, name, solver, patience)
            yield result


def _waited(helper: Worker, name: str, solver: str, patience: float) -> tuple[str, Outcome]:
    """What ended the process, if anything did, and the outcome of one check."""
    try:
        return "", helper.ask((name, solver), patience)
    except Ended as end:
        if end.status == Status.KILLED:
            why = (
                f"it did not come back within {patience:g} s: an endless loop between two yields, "
                "or far too slow"
            )
            return "after an endless loop", Outcome(name, "fails", why)
        why = f"it crashed with no Python error: {end.reason}"
        return "after a crash", Outcome(name, "fails", why)


def _outcome(asked: tuple[str, str]) -> Outcome:
    name, solver = asked
    return outcome(name, PROMISES[name], solver)


def outcome(name: str, promise: Promise, solver: str) -> Outcome:
    """One check in this process."""
    try:
        with redirect_stdout(io.StringIO()):  # what a solver prints is told by a promise
            unchecked = promise(registry.module("solver", solver))
    except (Broken, SolverError) as broken:
        return Outcome(name, "fails", str(broken))
    except BaseException as error:  # whatever the solver raises, SystemExit too
        what = in_one_line(error, registry.path("solver", solver))
        return Outcome(name, "fails", f"it raised {what}")
    return (
        Outcome(name, "not checked", unchecked)
        if unchecked
        else Outcome(name, "holds", promise.__doc__ or "")
    )
