"""Safe reading of untrusted files.

Before a file is read, it is checked to be a regular file of limited size. JSON is validated against
a type, and errors name the invalid field.
"""

import codecs
import stat
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spcabench.errors import InputError, using_file

if TYPE_CHECKING:
    from pydantic import TypeAdapter

LARGEST = 64_000_000  # maximum size in bytes of a text file that is read at once
LONGEST = 60  # maximum length of a field's name in errors, in characters


def path_named(value: Any) -> Path:
    """Convert a value to a path; raise InputError if it cannot be the name of a file."""
    if not isinstance(value, str | Path) or str(value) in ("", ".") or "\0" in str(value):
        shown = " ".join(repr(value).split())
        raise InputError(f"file: {shown:.80}; it must be a file name or a Path")
    return Path(value)


def regular(file: Path | str, expected: str = "a file", largest: float = float("inf")) -> Path:
    """Return the path of a regular file of limited size, without opening it.

    expected : description of the expected file for error messages. largest : maximum size in bytes.

    Raises InputError for anything else, such as a folder, a device or a pipe.
    """
    path = path_named(file)
    with using_file(file):
        about = path.stat()
    if stat.S_ISDIR(about.st_mode):
        raise InputError(f"{file}: a folder; expected {expected}")
    if not stat.S_ISREG(about.st_mode):
        raise InputError(f"{file}: a device or a pipe; expected {expected}")
    if about.st_size > largest:
        raise InputError(f"{file}: {about.st_size:,} bytes; at most {largest:,.0f} are allowed")
    return path


def folder(path: Path | str, expected: str) -> Path:
    """Return the path of an existing folder; raise InputError for anything else."""
    with using_file(path):
        if not Path(path).exists():
            raise InputError(f"{path}: no such folder; expected {expected}")
        if not Path(path).is_dir():
            raise InputError(f"{path}: a file; expected {expected}")
    return Path(path)


def read_bytes(file: Path | str, expected: str = "a text file") -> bytes:
    """Return the bytes of a text file, without a byte order mark."""
    path = regular(file, expected, LARGEST)
    with using_file(file):
        return path.read_bytes().removeprefix(codecs.BOM_UTF8)


def read_text(file: Path | str, expected: str = "a text file") -> str:
    """Return the text of a UTF-8 file."""
    with using_file(file):
        return read_bytes(file, expected).decode("utf-8")


def read_json(file: Path | str, of: Any = Mapping[str, Any], expected: str = "a JSON file") -> Any:
    """Read a JSON file as an object of the type ``of``: a dataclass, typed dict or container.

    Raises InputError if the JSON is invalid; the error names the field.
    """
    return parsed(read_bytes(file, expected), of, str(file))


def parsed(text: bytes | str, of: Any, source: str) -> Any:
    """Parse JSON as an object of the type ``of``; an InputError names the source and the field."""
    from pydantic import ValidationError

    try:
        return _adapter(of).validate_json(text, strict=True)
    except ValidationError as error:
        raise InputError(f"{source}: {_said(error)}") from None


def checked(data: Any, of: Any, source: str) -> Any:
    """Convert plain data to the type ``of``; an InputError names the source and the field."""
    from pydantic import ValidationError

    try:
        return _adapter(of).validate_python(data)
    except ValidationError as error:
        raise InputError(f"{source}: {_said(error)}") from None


@cache
def _adapter(of: Any) -> "TypeAdapter[Any]":
    from pydantic import TypeAdapter

    return TypeAdapter(of)


def _said(error: Any) -> str:
    """Return a short description of the first error, such as "grqi.ks.0: input should be ..."."""
    first = error.errors(include_url=False, include_context=False)[0]
    where = ".".join(map(str, first["loc"]))
    if first["type"] == "json_invalid":
        return f"not JSON ({first['msg'].removeprefix('Invalid JSON: ')})"
    value = "" if first["type"] == "missing" else f", not {first['input']!r:.40}"
    return f"{where:.{LONGEST}}{': ' if where else ''}{first['msg'].lower()}{value}"
