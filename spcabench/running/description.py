"""A solver's description of itself as plain data; a stranger's file is imported in a worker."""

import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from spcabench import opening, registry
from spcabench.errors import InputError, SolverError, in_one_line
from spcabench.iterate import Traits
from spcabench.running.worker_process import Ended, Worker
from spcabench.solving.driver import Limits, parameters

PATIENCE = 60.0  # seconds within which a file must be imported
SETTINGS = ("paper", "tuned", "grid")  # --settings accepts the first two names


@dataclass(frozen=True)
class Description:
    """The facts about a solver that are known before it runs.

    defaults : default values of its settings. settings : "paper", "tuned", "grid" -> the file's
    values. stop, tol, max_iterations : the default stopping rule. missing : why it cannot
    run here; empty if it can.
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
        """Return the limits of a run with these settings."""
        limits = Limits(self.stop, self.tol, self.max_iterations)
        return replace(limits, **{name: own[name] for name in ("stop", "tol") if name in own})


def describe(solver: str) -> Description:
    """Return the description of a solver, given by name or path.

    Raises InputError if it cannot be read. A stranger's file is imported in a worker.
    """
    return _of_own(solver) if registry.is_own_file(solver) else of_stranger(solver)


@lru_cache
def _of_own(solver: str) -> Description:
    return opening.checked(_said(solver), Description, solver)


def of_stranger(solver: str) -> Description:
    """Return the description of a stranger's file, which a worker imports."""
    with closing(Worker(answer)) as helper:
        try:
            reply = helper.ask(_absolute(solver), PATIENCE)
        except Ended as end:
            raise InputError(f"{_shown(solver)}: its import: {end.reason}") from None
    if isinstance(reply, dict) and "fault" in reply:
        raise InputError(f"{_shown(solver)}: {reply['fault']}")
    return opening.checked(reply, Description, _shown(solver))


def _shown(solver: str) -> str:
    """Return a path relative to the current folder if it is inside, as people type it."""
    file = Path(solver)
    return str(file.relative_to(Path.cwd())) if file.is_relative_to(Path.cwd()) else solver


def _absolute(solver: str) -> str:
    """Make the path of a file absolute, because the file may change the current folder."""
    return str(Path(solver).resolve()) if solver.endswith(".py") else solver


def answer(solver: str) -> dict[str, Any]:
    """Return a file's description of itself, or its ``fault`` in one line."""
    try:
        return _said(solver)
    except SolverError as error:
        return {"fault": str(error)}
    except (Exception, SystemExit) as error:  # whatever the file raises
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
