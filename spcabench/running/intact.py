"""Checks that the functions and files used by the harness are unchanged.

Functions are checked in a worker. A solver's file can replace any function there, including this
check, so the check is an audit and not a protection. Files are checked outside the worker.
"""

import site
import sys
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

OWN = "spcabench."
# modules that the harness uses for writing answers and measuring
LIBRARY = {"builtins", "copy", "json", "json.decoder", "json.encoder", "os", "random", "secrets"}
LIBRARY |= {"select", "time"}


def snapshot() -> dict[tuple[str, str], Any]:
    """Return the current code of each function in the checked modules and their classes."""
    codes: dict[tuple[str, str], Any] = {}
    for name, module in [*sys.modules.items()]:
        if isinstance(module, ModuleType) and (name.startswith(OWN) or name in LIBRARY):
            for word, value in vars(module).items():
                codes[name, word] = _code(value)
                if isinstance(value, type) and value.__module__ == name:
                    codes |= {(f"{name}.{word}", m): _code(v) for m, v in vars(value).items()}
    return codes


def _code(value: Any) -> Any:
    """Return the code of a function, because it can be replaced, or another callable itself."""
    if isinstance(value, FunctionType):
        return value.__code__
    return value if callable(value) else None


def changed(before: dict[tuple[str, str], Any]) -> list[str]:
    """Return the names that no longer exist or whose code has changed."""
    now = snapshot()
    return [".".join(key) for key, value in before.items() if now.get(key) is not value]


def installed() -> frozenset[tuple[str, int, int]]:
    """Return the names, sizes and modification times of files that later commands execute.

    These are the files of the package and the files that Python executes when it starts. A solver's
    file that changes them would affect other processes.
    """
    home = Path(__file__).resolve().parents[1]
    places = [*map(Path, {*site.getsitepackages(), site.getusersitepackages()})]
    starting = (place.glob(name) for place in places for name in ("*.pth", "*customize.py"))
    package = (home.rglob(kind) for kind in ("*.py", "*.toml"))
    files = [file for group in (*package, *starting) for file in group]
    return frozenset((str(f), (s := f.stat()).st_size, s.st_mtime_ns) for f in files if f.is_file())
