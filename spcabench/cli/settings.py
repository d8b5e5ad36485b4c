"""The settings of a run on the command line: ``--set NAME=VALUE``, ``--time`` and ``--jobs``.

The type of a setting is determined from the signature of the solver, or from `Limits`.
"""

import math
from collections.abc import Callable, Sequence
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin, get_type_hints

from pydantic import (
    AllowInfNan,
    BeforeValidator,
    Field,
    Json,
    Strict,
    TypeAdapter,
    ValidationError,
)

from spcabench.cli import options
from spcabench.errors import InputError

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
OF_RUN: dict[str, Any] = {"seed": int, "refit": bool, "deflation": str}
OF_RUN |= {"alpha": float}


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
    allowed_kinds = kinds(solver)
    for name, value in options.named_values("--set", texts).items():
        if name in OPTIONS:
            raise InputError(f"--set: {name} has its own option: {OPTIONS[name]}")
        if name not in allowed_kinds:
            from spcabench.validate import nearest

            owner = f"solver {solver!r}"
            raise InputError(f"--set: {nearest('setting', name, allowed_kinds, owner)}")
        allowed, adapter = KINDS[allowed_kinds[name]]
        try:
            values[name] = adapter.validate_python(value)
        except ValidationError:
            raise InputError(f"--set: {name}={value:.40}; the value must be {allowed}") from None
    return values


def of_search(
    seconds: float | None, jobs: int, solver: str, typed: dict[str, Any]
) -> dict[str, Any]:
    """Return the settings for ``--time`` and ``--jobs``.

    The time of a solver that counts its operations is converted to a budget of operations.
    """
    from spcabench import registry
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
    """Return a mapping from the names of settings to keys of `KINDS`."""
    from spcabench import registry
    from spcabench.solving.call import Limits

    solve = registry.module("solver", solver).solve
    every = _kinds(Limits) | _kinds(solve) | OF_RUN
    every |= {"start": list[float]} if "start" in every else {}
    return {name: kind for name, kind in every.items() if name not in OPTIONS}


def _kinds(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the kind of each parameter, from its annotation or its default."""
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
    candidates = (math.inf if default == math.inf else None, *union, type(default))
    return next((kind for kind in candidates if kind in KINDS), float)


def _truth(text: str) -> bool | str:
    return {"true": True, "false": False}.get(text.lower(), text)


def _list_of(kind: Any) -> Any:
    return Json[list[Annotated[kind, Strict()]]]  # type: ignore[valid-type]


Finite = Annotated[float, AllowInfNan(False)]
KINDS: dict[Any, tuple[str, TypeAdapter[Any]]] = {
    kind: (allowed, TypeAdapter(read_as))  # type: ignore[arg-type]
    for kind, allowed, read_as in (
        (bool, "true or false", Annotated[bool, Strict(), BeforeValidator(_truth)]),
        (int, "a whole number from 0 to 1e15", Annotated[int, Field(ge=0, le=10**15)]),
        (float, "a finite number, at least 0", Annotated[Finite, Field(ge=0)]),
        (math.inf, "a number, at least 0", Annotated[float, Field(ge=0)]),  # if it is the default
        (str, "a word", Annotated[str, Field(min_length=1)]),
        (list[int], "a list of whole numbers, [3,2,...]", _list_of(int)),
        (list[float], "a list of numbers, [0.5,-1,...]", _list_of(Finite)),
    )
}
