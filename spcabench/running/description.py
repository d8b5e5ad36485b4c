"""Descriptions of solvers by their files, as plain data; workers import third-party files."""

import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar

from spcabench import opening, registry
from spcabench.errors import InputError, SolverError, in_one_line
from spcabench.iterate import Traits
from spcabench.running.worker_process import Ended, Worker, cell
from spcabench.solving.driver import Limits, parameters
from spcabench.streams import say

SLOW = 5.0  # seconds for importing a file, above which the user is told
PATIENCE = 60.0  # maximum seconds for importing a file
SETTINGS = ("paper", "tuned", "grid")  # the first two are also values of --settings


@dataclass(frozen=True)
class Description:
    """The description of a solver by its file.

    defaults : default values of the settings. settings : the values of PAPER, TUNED and GRID in the
        file, by the lower-case name. stop, tol, max_iterations : the default stopping rule and
        limit. missing : the reason why the solver cannot run here, or "".
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    traits: Traits
    defaults: dict[str, Any]
    settings: dict[str, dict[str, Any]]
    stop: str
    tol: float
    max_iterations: int
    missing: str = ""

    def limits(self, own: Mapping[str, Any]) -> Limits:
        """Return the limits of a run with the settings ``own``."""
        limits = Limits(self.stop, self.tol, self.max_iterations)
        return replace(limits, **{name: own[name] for name in ("stop", "tol") if name in own})


def describe(solver: str) -> Description:
    """Return the description of a solver, specified by name or path.

    A third-party file is imported in a worker. Raises InputError if the description cannot be read.
    """
    return _of_own(solver) if registry.is_own_file(solver) else of_stranger(solver)


@lru_cache
def _of_own(solver: str) -> Description:
    return opening.checked(_said(solver), Description, solver)


def of_stranger(solver: str) -> Description:
    """Return the description of a third-party file, which is imported in a worker."""
    files = [registry.path("solver", solver)]
    with cell(files) as limits, closing(Worker(answer, cell=limits)) as helper:
        begun = perf_counter()  # after the start of the process, which can be slow by itself
        try:
            reply = helper.ask(_absolute(solver), PATIENCE)
        except Ended as end:
            raise InputError(f"{_shown(solver)}: its import: {end.reason}") from None
        seconds = perf_counter() - begun
    if seconds > SLOW:
        say(
            f"{_shown(solver)}: its import took {seconds:.0f} s. Each process of a comparison "
            "imports it again, so comparisons take long",
            flush=True,
        )
    if isinstance(reply, dict) and "fault" in reply:
        raise InputError(f"{_shown(solver)}: {reply['fault']}")
    return opening.checked(reply, Description, _shown(solver))


def _shown(solver: str) -> str:
    """Return a path inside the current folder as a relative path, and other paths unchanged."""
    file = Path(solver)
    return str(file.relative_to(Path.cwd())) if file.is_relative_to(Path.cwd()) else solver


def _absolute(solver: str) -> str:
    """Make the path of a file absolute, because importing it can change the current folder."""
    return str(Path(solver).resolve()) if solver.endswith(".py") else solver


def answer(solver: str) -> dict[str, Any]:
    """Return the description of a solver by its file, or a dict with a ``fault`` in one line."""
    try:
        return _said(solver)
    except SolverError as error:
        return {"fault": str(error)}
    except (Exception, SystemExit) as error:  # any exception of the file
        return {"fault": in_one_line(error, registry.path("solver", solver))}


def _said(solver: str) -> dict[str, Any]:
    missing = registry.unavailable(solver)
    loaded = registry.module("solver", solver)
    limits = Limits().filled(loaded)
    defaults = {
        name: p.default
        for name, p in parameters(loaded.solve).items()
        if p.default is not p.empty and p.default is not None and _is_plain(p.default)
    }
    return {
        "traits": asdict(loaded.TRAITS),
        "defaults": defaults,
        "settings": {name: dict(getattr(loaded, name.upper(), {})) for name in SETTINGS},
        "stop": str(limits.stop),
        "tol": limits.tol,
        "max_iterations": limits.max_iterations,
        "missing": missing,
    }


def _is_plain(value: Any) -> bool:
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return False
    return True
