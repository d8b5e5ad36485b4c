"""What every solver must satisfy, checked on one solver; each failure is a sentence.

The checks run in a process of their own, so that a crash or an endless loop is one more sentence.
"""

import multiprocessing
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from spcabench import machine, registry
from spcabench.checking.contract import PROMISES, Broken, Promise

PATIENCE = 60.0  # seconds of a check, compilation included
MEMORY = 8e9


@dataclass(frozen=True)
class Outcome:
    """One check: its name, "holds", "fails" or "not checked", and why."""

    name: str
    verdict: str
    sentence: str = ""


def check(solver: str, patience: float = PATIENCE) -> Iterator[Outcome]:
    """Every check on a solver, by name or path; those after a crash or an endless loop are not
    checked.

    Raises ValueError for an unknown name or a missing file.
    """
    registry.path("solver", solver)
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, solver), daemon=True)
    process.start()
    theirs.close()
    ours.poll(PATIENCE)
    ours.recv()  # it is there: what is waited for from now on is the solver
    stopped = ""
    for name, promise in PROMISES.items():
        outcome = Outcome(name, "not checked", f"{stopped}: {promise.__doc__}")
        if not stopped:
            stopped, outcome = _waited(ours, process, name, patience)
        yield outcome
    process.kill()
    process.join()


def _waited(pipe: Connection, process: Any, name: str, patience: float) -> tuple[str, Outcome]:
    """What ended the process, if anything did, and the outcome of one check."""
    try:
        if pipe.poll(patience):
            return "", pipe.recv()
        why = (
            f"it did not come back within {patience:g} s: an endless loop between two yields, "
            "or far too slow"
        )
        return "after an endless loop", Outcome(name, "fails", why)
    except (EOFError, OSError):
        process.join(5)
        why = f"the process crashed, with exit code {process.exitcode} and no Python error"
        return "after a crash", Outcome(name, "fails", why)


def _serve(pipe: Connection, solver: str) -> None:
    machine.limit_memory(MEMORY)
    pipe.send("ready")
    for name, promise in PROMISES.items():
        pipe.send(outcome(name, promise, solver))


def outcome(name: str, promise: Promise, solver: str) -> Outcome:
    """One check in this process."""
    try:
        unchecked = promise(registry.module("solver", solver))
    except Broken as broken:
        return Outcome(name, "fails", str(broken))
    except BaseException as error:  # whatever the solver raises, SystemExit too
        return Outcome(
            name,
            "fails",
            f"it raised {type(error).__name__}: {' '.join(str(error).split()) or 'no words'}",
        )
    return (
        Outcome(name, "not checked", unchecked)
        if unchecked
        else Outcome(name, "holds", promise.__doc__ or "")
    )
