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
    return _read(solver)


def _of_file(solver: str) -> Description:
    with closing(Worker()) as helper:
        try:
            file = str(registry.path("solver", solver).resolve())
            described = helper.call(_described, file, timeout=PATIENCE)
        except Ended as end:
            raise InputError(f"{solver}: its import: {end.reason}") from None
    if isinstance(described, str):
        raise InputError(f"{solver}: {described}")
    return described  # type: ignore[no-any-return]


def _described(solver: str) -> Description | str:
    """Return the description of a solver by its file, or the fault of the file in one line."""
    try:
        return _read(solver)
    except (InputError, SolverError) as error:
        return str(error).removeprefix(f"{solver}: ")
    except (Exception, SystemExit) as error:  # any exception of the file
        return in_one_line(error, registry.path("solver", solver))


def _read(solver: str) -> Description:
    missing = registry.unavailable(solver)
    loaded = registry.module("solver", solver)
    limits = Limits().filled(loaded)
    about = {
        "traits": asdict(loaded.TRAITS),
        "defaults": {
            name: p.default
            for name, p in parameters(loaded.solve).items()
            if p.default is not p.empty and p.default is not None and _is_plain(p.default)
        },
        "settings": {name: dict(getattr(loaded, name.upper(), {})) for name in SETTINGS},
        "stop": str(limits.stop),
        "tol": limits.tol,
        "max_iterations": limits.max_iterations,
        "missing": missing,
    }
    return files.as_type(to_plain(about), Description, solver)  # type: ignore[no-any-return]


def _is_plain(value: Any) -> bool:
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return False
    return True
