"""The settings of a run on the command line: ``--set NAME=VALUE``, ``--time`` and ``--jobs``.

The type of a setting is determined from the signature of the solver, or from `Limits`.
"""

import json
from collections.abc import Callable, Sequence
from types import UnionType
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin, get_type_hints

from spcabench import registry
from spcabench.cli import options
from spcabench.errors import InputError, nearest
from spcabench.files import as_type

if TYPE_CHECKING:
    from spcabench.cli.groups import Run

OPTIONS = {  # settings that have their own option
    "k": "-k",
    "nonnegative": "--nonnegative",
    "components": "--components",
    "count": "--components",
    "jobs": "--jobs",
    "name": "--solver",
    "problem": "SOURCE",
}
# settings of `spcabench.solve` and `spcabench.components`
OF_RUN: dict[str, Any] = {"seed": int, "refit": bool, "deflation": str, "alpha": float}
KINDS = (bool, int, float, str, list[int], list[float])


def of_run(run: "Run", solver: str) -> dict[str, Any]:
    """Return the settings of a run, from all of its options."""
    values = read(run.setting or (), solver)
    if "deflation" in values and run.components == 1:
        raise InputError("--set: deflation has no effect without --components")
    values |= of_search(run.time, run.jobs, solver, values)
    return values | ({"nonnegative": True} if run.nonnegative else {})


def read(texts: Sequence[str], solver: str) -> dict[str, Any]:
    """Parse the settings of a solver from texts of the form NAME=VALUE.

    Raises InputError if a text has another form, if a name is unknown or repeated, if a setting has
    its own option, or if a value has the wrong type.
    """
    values: dict[str, Any] = {}
    allowed = kinds(solver)
    for name, text in options.named_values("--set", texts).items():
        if name in OPTIONS:
            raise InputError(f"--set: {name} has its own option: {OPTIONS[name]}")
        if name not in allowed:
            raise InputError(f"--set: {nearest('setting', name, allowed, f'solver {solver!r}')}")
        value = as_type(_parsed(text), allowed[name], f"--set: {name}")
        if isinstance(value, int | float) and not value >= 0:
            raise InputError(f"--set: {name}={text:.40}; the value must be at least 0")
        values[name] = value
    return values


def _parsed(text: str) -> Any:
    """Return the JSON value in a text, or the text itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def of_search(
    seconds: float | None, jobs: int, solver: str, typed: dict[str, Any]
) -> dict[str, Any]:
    """Return the settings for ``--time`` and ``--jobs``.

    The time of a solver that counts its operations is converted to a budget of operations.
    """
    from spcabench.solving.call import parameters

    loaded = registry.module("solver", solver)
    values: dict[str, Any] = {}
    if jobs != 1:
        if "jobs" not in parameters(loaded.solve):
            raise InputError(f"--jobs: solver {solver!r} runs in a single process")
        values["jobs"] = jobs
    if seconds is not None:
        pace = loaded.TRAITS.pace
        name, value = ("budget", seconds * pace) if pace else ("time_limit", seconds)
        if name in typed:
            raise InputError(f"--set: {name} cannot be combined with --time, which also sets it")
        values[name] = value
    return values


def kinds(solver: str) -> dict[str, Any]:
    """Return the type of each setting that a run of a solver accepts."""
    from spcabench.solving.call import Limits

    every = _kinds(Limits) | _kinds(registry.module("solver", solver).solve) | OF_RUN
    every |= {"start": list[float]} if "start" in every else {}
    return {name: kind for name, kind in every.items() if name not in OPTIONS}


def _kinds(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the type of each parameter, from its annotation or its default."""
    from spcabench.solving.call import parameters

    try:
        hints = get_type_hints(function)
    except Exception:  # names in annotations of a third-party file can be undefined at run time
        hints = {}
    return {
        name: _kind(hints.get(name), parameter.default)
        for name, parameter in parameters(function).items()
    }


def _kind(hint: Any, default: Any) -> Any:
    union = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return next((kind for kind in (*union, type(default)) if kind in KINDS), float)
