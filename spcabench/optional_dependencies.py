"""Optional libraries, and the extras of spcabench that install them."""

import importlib
import re
from importlib.metadata import PackageNotFoundError, requires
from typing import Any

from spcabench.errors import InputError


class MissingExtra(InputError, ImportError):
    """Raised if an optional library is missing; the message names the extra that installs it."""


def extra_of(library: str) -> str:
    """Return the extra that installs a library, according to the metadata of the package."""
    try:
        declared = requires("spcabench") or []
    except PackageNotFoundError:  # the package is used without being installed
        declared = []
    wanted = library.partition(".")[0]
    for line in declared:
        match = re.match(r"""([\w-]+)[^;]*;.*extra == ["']([\w-]+)["']""", line)
        if match and match[1].replace("-", "_") == wanted and match[2] not in ("all", "dev"):
            return match[2]
    return "all"


def installation(extra: str) -> str:
    """Return the command that installs an extra in a clone; the package is in no index."""
    return f'pip install ".[{extra}]" in a clone of spcabench'


def missing(library: str, extra: str = "") -> MissingExtra:
    """Return the error for a library that is not installed."""
    name = library.partition(".")[0]
    return MissingExtra(f"{name} is not installed; use {installation(extra or extra_of(name))}")


def require(library: str) -> Any:
    """Import and return a library; raise MissingExtra if it is not installed."""
    try:
        return importlib.import_module(library)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != library.partition(".")[0]:
            raise
        raise missing(library) from None
