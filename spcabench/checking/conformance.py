"""Check that a solver satisfies the contract, and describe each violation in one sentence.

The checks run in a separate process, so crashes and endless loops are reported like other failures.
"""

import io
import re
from collections.abc import Collection, Iterator
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass

from spcabench import registry
from spcabench.checking.contract import OF_MISTAKES, PROMISES, Broken, Promise
from spcabench.errors import SolverError, in_one_line
from spcabench.running.process import Ended, Worker
from spcabench.solving.status import Status

PATIENCE = 30.0  # processor seconds per check, including compilation


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


def check(
    solver: str, patience: float = PATIENCE, names: Collection[str] = tuple(PROMISES)
) -> Iterator[Outcome]:
    """Check a solver, specified by its name or file, against the contract for solvers.

    After a crash, an endless loop or a failed import, the remaining checks are skipped. A failure
    is described once: checks that fail for the same reason are not reached. Raises InputError if
    the name is unknown or the file is missing.

    patience : maximum processor seconds per check. names : the checks, by default all.
    """
    file = registry.path("solver", solver)
    if solver.endswith(".py"):
        solver = str(file.resolve())  # the solver may change the current folder
    stopped = ""
    check_of: dict[str, str] = {}  # reason for a failure -> the first check with this failure
    with closing(Worker()) as helper:
        for name in names:
            if stopped:
                yield Outcome(name, "not checked", f"{stopped}: {PROMISES[name].__doc__}")
                continue
            result = _waited(helper, name, solver, patience)
            stopped = result.ends
            if result.verdict == "fails":
                first = check_of.setdefault(_reason(result.sentence), name)
                if first != name:
                    why = f'not reached, because of the failure in "{first}"'
                    result = Outcome(name, "not checked", why)
            yield result


def _reason(sentence: str) -> str:
    """Return what a sentence has in common with other sentences for the same reason."""
    return re.sub(r"\d+", "#", re.sub(r" \(on \d.*", "", sentence))


def mistakes(solver: str) -> list[str]:
    """Return a sentence for each mistake that an author can make without noticing.

    These are the quick checks of `check`, for the start of a comparison.
    """
    outcomes = check(solver, names=OF_MISTAKES)
    return [outcome.sentence for outcome in outcomes if outcome.verdict == "fails"]


def _waited(helper: Worker, name: str, solver: str, patience: float) -> Outcome:
    """Return the outcome of a check even if its process crashes or hangs."""
    try:
        result: Outcome = helper.call(_outcome, name, solver, timeout=patience, working=True)
        return result
    except Ended as end:
        if end.status == Status.KILLED:
            why = (
                f"it did not finish within {patience:g} s of processor time{end.where}: there is "
                "an endless loop between two yields, or the solver is very slow"
            )
            return Outcome(name, "fails", why, ends="after an endless loop")
        why = f"it crashed without a Python error: {end.reason}"
        return Outcome(name, "fails", why, ends="after a crash")


def _outcome(name: str, solver: str) -> Outcome:
    """Run a check, specified by its name, on a solver whose prints are hidden."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        return outcome(name, PROMISES[name], solver)


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
        if "read-only" in raised or "WRITEABLE" in raised:
            raised += ": the data of the problem must not be changed in place; use a copy"
        return Outcome(name, "fails", f"it raised {raised}", ends)
    return (
        Outcome(name, "not checked", unchecked)
        if unchecked
        else Outcome(name, "holds", promise.__doc__ or "")
    )
