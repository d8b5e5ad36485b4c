"""Whether the functions and files that the harness relies on are unchanged.

Of functions it is asked in a worker, where a solver's file can replace any of them, this one too:
an audit, and no guard. Of files it is asked outside.
"""

import site
import sys
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

OWN = "spcabench."
# what the harness says its answers with, and measures by
LIBRARY = {"builtins", "copy", "json", "json.decoder", "json.encoder", "os", "random", "secrets"}
LIBRARY |= {"select", "time"}


def snapshot() -> dict[tuple[str, str], Any]:
    """The code that each name of the modules and their classes has now."""
    codes: dict[tuple[str, str], Any] = {}
    for name, module in [*sys.modules.items()]:
        if isinstance(module, ModuleType) and (name.startswith(OWN) or name in LIBRARY):
            for word, value in vars(module).items():
                codes[name, word] = _code(value)
                if isinstance(value, type) and value.__module__ == name:
                    codes |= {(f"{name}.{word}", m): _code(v) for m, v in vars(value).items()}
    return codes


def _code(value: Any) -> Any:
    """What a name does: a function by its code, which can be replaced too."""
    if isinstance(value, FunctionType):
        return value.__code__
    return value if callable(value) else None


def changed(before: dict[tuple[str, str], Any]) -> list[str]:
    """The names whose code has changed or is gone."""
    now = snapshot()
    return [".".join(key) for key, value in before.items() if now.get(key) is not value]


def installed() -> frozenset[tuple[str, int, int]]:
    """Name, size and time of what later commands run: the package, and what starts Python.

    A solver's file that writes there would reach the processes of others.
    """
    home = Path(__file__).resolve().parents[1]
    places = [*map(Path, {*site.getsitepackages(), site.getusersitepackages()})]
    starting = (place.glob(name) for place in places for name in ("*.pth", "*customize.py"))
    files = [*home.rglob("*.py"), *(file for startup_files in starting for file in startup_files)]
    return frozenset((str(f), (s := f.stat()).st_size, s.st_mtime_ns) for f in files if f.is_file())
