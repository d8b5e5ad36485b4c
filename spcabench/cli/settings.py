"""Settings typed on the command line, ``--set NAME=VALUE``, as values of the right type.

What a setting may be is read off the signature that takes it: that of the solver, or of the run.
"""

import inspect
import json
import math
import types
import typing
from collections.abc import Callable, Sequence
from typing import Any

from spcabench.errors import InputError

OPTIONS = {  # settings that have an option of their own
    "k": "-k",
    "seed": "--seed",
    "nonnegative": "--nonnegative",
    "refit": "--refit",
    "components": "--components",
    "count": "--components",
    "deflation": "--deflation",
    "name": "--solver",
    "problem": "SOURCE",
}
ALLOWED: dict[type, str] = {
    bool: "true and false",
    int: "whole numbers from 0 to 1e15",
    float: "numbers from 0",
    str: "words",
    list: "lists of numbers, [0.5,-1,...]",
}
MOST = 10**15  # a whole number that a computer can still count to
LONGEST = 40  # characters of a value that are shown


def read(texts: Sequence[str], solver: str) -> dict[str, Any]:
    """Return the settings of a solver that the user typed.

    Raises InputError for what is not NAME=VALUE, a name twice, an unknown one, one that has an
    option of its own, and for a value of another type.
    """
    found: dict[str, Any] = {}
    known = _types(solver)
    for text in texts:
        name, equals, value = (word.strip() for word in text.partition("="))
        if not equals or not name:
            raise InputError(f"--set: {text!r:.60}; allowed is NAME=VALUE")
        if name in found:
            raise InputError(f"--set: {name} is given twice")
        if name in OPTIONS:
            raise InputError(f"--set: {name} has an option of its own: {OPTIONS[name]}")
        if name not in known:
            from spcabench.validate import nearest

            raise InputError(f"--set: {nearest(f'setting of solver {solver!r}', name, known)}")
        found[name] = _value(name, value, known[name])
    return found


def _types(solver: str) -> dict[str, type]:
    """The type of every setting, by its name."""
    from spcabench import registry
    from spcabench.solving.driver import Limits, parameters

    found = {name: _type(p) for name, p in inspect.signature(Limits).parameters.items()}
    found |= dict(blocks=float, fresh=bool, alpha=float)  # of `spcabench.solve` and `components`
    taken = parameters(registry.module("solver", solver).solve)
    found |= {name: list if name == "start" else _type(p) for name, p in taken.items()}
    return {name: kind for name, kind in found.items() if name not in OPTIONS}


def _type(parameter: inspect.Parameter) -> type:
    """The type that a parameter is annotated with, or that of its default; else a number."""
    hint = parameter.annotation
    hint = {"bool": bool, "int": int, "float": float, "str": str}.get(
        str(hint).partition(" |")[0], hint
    )
    if isinstance(hint, types.UnionType):
        hint = next(kind for kind in typing.get_args(hint) if kind is not type(None))
    if hint in ALLOWED:
        return hint
    default = parameter.default
    return type(default) if type(default) in ALLOWED else float


def _value(name: str, text: str, kind: type) -> Any:
    try:
        return READERS[kind](text)
    except (ValueError, RecursionError):
        shown = text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
        raise InputError(f"--set: {name}={shown}; allowed are {ALLOWED[kind]}") from None


def _truth(text: str) -> bool:
    return text.lower() == "true" if text.lower() in ("true", "false") else _refused()


def _whole(text: str) -> int:
    value = int(text)
    return value if 0 <= value <= MOST else _refused()


def _number(text: str) -> float:
    value = float(text)
    return value if value >= 0.0 else _refused()


def _word(text: str) -> str:
    return text if text else _refused()


def _list(text: str) -> list[float]:
    value = json.loads(text)
    numbers = isinstance(value, list) and all(type(entry) in (int, float) for entry in value)
    return value if numbers and all(map(math.isfinite, value)) else _refused()


def _refused() -> Any:
    raise ValueError


READERS: dict[type, Callable[[str], Any]] = {
    bool: _truth,
    int: _whole,
    float: _number,
    str: _word,
    list: _list,
}
