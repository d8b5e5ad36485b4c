"""What the files of solvers declare, as plain data."""

import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

from spcabench import files, registry
from spcabench.errors import InputError, SolverError, in_one_line
from spcabench.iterate import Traits
from spcabench.running.process import Ended, Worker
from spcabench.running.schema import to_plain
from spcabench.solving.call import Limits, parameters

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

    A user's file is imported in a worker, because its import can hang or exit. Raises InputError if
    the description cannot be read.
    """
    return _of_file(solver) if solver.endswith(".py") else _of_name(solver)


@lru_cache
def _of_name(solver: str) -> Description:
    return files.as_type(_said(solver), Description, solver)  # type: ignore[no-any-return]


def _of_file(solver: str) -> Description:
    file = registry.path("solver", solver).resolve()
    with closing(Worker()) as helper:
        try:
            reply = helper.call(read, str(file), timeout=PATIENCE)
        except Ended as end:
            raise InputError(f"{solver}: its import: {end.reason}") from None
    if "fault" in reply:
        raise InputError(f"{solver}: {reply['fault']}")
    return files.as_type(reply, Description, solver)  # type: ignore[no-any-return]


def read(solver: str) -> dict[str, Any]:
    """Return the description of a solver by its file, or a dict with a ``fault`` in one line."""
    try:
        return to_plain(_said(solver))  # type: ignore[no-any-return]
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
