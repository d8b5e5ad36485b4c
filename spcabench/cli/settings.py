"""Settings typed on the command line, ``--set NAME=VALUE``, as values of the right type.

What a setting may be is read off the signature that takes it: that of the solver, or of the run.
"""

import inspect
import json
import math
import re
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
        allowed, reader = READERS[known[name]]
        try:
            found[name] = reader(value)
        except (ValueError, RecursionError):
            shown = value if len(value) <= LONGEST else f"{value[: LONGEST - 3]}..."
            raise InputError(f"--set: {name}={shown}; allowed are {allowed}") from None
    return found


def _types(solver: str) -> dict[str, str]:
    """The type of every setting, by its name: a key of `READERS`."""
    from spcabench import registry
    from spcabench.solving.driver import Limits, parameters

    found = {name: _type(p) for name, p in inspect.signature(Limits).parameters.items()}
    found |= dict(blocks="float", fresh="bool", alpha="float")  # of `spcabench.solve`, `components`
    taken = parameters(registry.module("solver", solver).solve)
    found |= {name: _type(parameter) for name, parameter in taken.items()}
    found |= {"start": "list"} if "start" in taken else {}
    return {name: kind for name, kind in found.items() if name not in OPTIONS}


def _type(parameter: inspect.Parameter) -> str:
    """The type that a parameter is annotated with, or that of its default; else a number."""
    if parameter.default == math.inf:
        return "unlimited"
    hint = parameter.annotation
    named = hint if isinstance(hint, str) else getattr(hint, "__name__", str(hint))
    word = re.split(r"[^a-z]", str(hint) if "|" in str(hint) else named)[0]
    if word not in READERS:
        word = type(parameter.default).__name__
    return word if word in READERS else "float"


def _truth(text: str) -> bool:
    return text.lower() == "true" if text.lower() in ("true", "false") else _refused()


def _whole(text: str) -> int:
    value = int(text)
    return value if 0 <= value <= MOST else _refused()


def _number(text: str) -> float:
    value = float(text)
    return value if 0.0 <= value < math.inf else _refused()


def _unlimited(text: str) -> float:
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


READERS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "bool": ("true and false", _truth),
    "int": ("whole numbers from 0 to 1e15", _whole),
    "float": ("finite numbers from 0", _number),
    "unlimited": ("numbers from 0", _unlimited),  # where the default is infinite
    "str": ("words", _word),
    "list": ("lists of numbers, [0.5,-1,...]", _list),
}
