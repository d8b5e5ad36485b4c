"""What a solver's file says of itself, as plain data: of a stranger's one, a worker reads it."""

import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from spcabench import registry
from spcabench.errors import InputError, SolverError, in_one_line
from spcabench.iterate import Traits
from spcabench.running.process import Ended, Worker
from spcabench.solving.driver import Limits, parameters

PATIENCE = 60.0  # seconds in which a file must be read
SETTINGS = ("paper", "tuned")  # as --settings names them
ALLOWED: dict[str, tuple[Any, ...]] = {
    "control": ("cardinality", "penalty", None),
    "accepts": ("covariance", "data", "either"),
    "nonnegative": (True, False, "always"),
    "components": ("single", "joint"),
    "formulation": ("penalised", "orthonormal", "disjoint", "common"),
}


@dataclass(frozen=True)
class Description:
    """What is known of a solver before it is run.

    defaults : of its settings. settings : "paper" and "tuned" -> what the file has of its own.
    stop, tol, max_iterations : the rule by which it ends unless told otherwise. missing : why it
    cannot be run here; empty where it can.
    """

    traits: Traits
    defaults: dict[str, Any]
    settings: dict[str, dict[str, Any]]
    stop: str
    tol: float
    max_iterations: int
    missing: str = ""

    @classmethod
    def read(cls, said: Any) -> "Description":
        """The description of plain data. Raises TypeError or ValueError where it is none."""
        given = dict(said)
        return cls(**given | {"traits": _traits(given.get("traits"))})

    def limits(self, own: Mapping[str, Any]) -> Limits:
        """When a run with these settings ends."""
        limits = Limits(self.stop, self.tol, self.max_iterations)
        return replace(limits, **{name: own[name] for name in ("stop", "tol") if name in own})


def _traits(said: Any) -> Traits:
    """Traits of plain data, each of a kind that traits have."""
    known = {f.name for f in fields(Traits)}
    if not isinstance(said, Mapping) or {*said} != known:
        raise TypeError("its traits are none")
    for name, value in said.items():
        default = getattr(Traits(control=None), name)
        kinds = (int, str, type(None)) if default is None else (type(default),)
        if value not in ALLOWED[name] if name in ALLOWED else type(value) not in kinds:
            raise TypeError(f"its trait {name} is {value!r:.40}")
    return Traits(**said)


def describe(solver: str) -> Description:
    """Return what a solver, a name or a path, says of itself.

    Raises InputError for one that cannot be read; a stranger's file is read in a worker.
    """
    return _of_own(solver) if registry.is_own_file(solver) else of_stranger(solver)


@lru_cache
def _of_own(solver: str) -> Description:
    return Description.read(_said(solver))


def of_stranger(solver: str) -> Description:
    """Return what a file says of itself; a worker imports it."""
    with closing(Worker(answer)) as helper:
        try:
            said = helper.ask(_absolute(solver), PATIENCE)
        except Ended as end:
            raise InputError(f"{_shown(solver)}: its import: {end.reason}") from None
    try:
        if "fault" in said:
            raise InputError(f"{_shown(solver)}: {said['fault']}")
        return Description.read(said)
    except InputError:
        raise
    except (TypeError, ValueError) as error:
        raise InputError(f"{_shown(solver)}: {error}") from None


def _shown(solver: str) -> str:
    """A file from this folder on, where it is below, as people type it."""
    file = Path(solver)
    return str(file.relative_to(Path.cwd())) if file.is_relative_to(Path.cwd()) else solver


def _absolute(solver: str) -> str:
    """A path from any folder: the file may change it."""
    return str(Path(solver).resolve()) if solver.endswith(".py") else solver


def answer(solver: str) -> dict[str, Any]:
    """What a file says of itself, or the ``fault`` in one line."""
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
