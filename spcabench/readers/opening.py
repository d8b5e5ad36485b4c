"""Opening a user's file, and errors of libraries that read it.

A library's error about a file is an error of the user, who can mend the file. Any other exception
is a bug of this package, and is not caught.
"""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from spcabench.errors import InputError, using_file

try:  # isal is two to three times faster
    from isal import igzip_threaded, isal_zlib

    DAMAGED: Any = (OSError, EOFError, zlib.error, isal_zlib.error)
except ImportError:
    igzip_threaded = None  # type: ignore[assignment]
    DAMAGED = (OSError, EOFError, zlib.error)

LONGEST = 150  # maximum length of a library's message about a file in characters


@contextmanager
def calling_library(path: Path, *others: type[Exception]) -> Iterator[None]:
    """Convert any exception of a library that reads a file to a one-line error about the file.

    All exceptions except ``others`` are converted, because libraries raise many kinds of errors for
    a damaged file.
    """
    raised: tuple[type[Exception], ...] = (InputError, MemoryError, *others)
    try:
        yield
    except raised:
        raise
    except Exception as error:
        words = str(getattr(error, "strerror", None) or error).split("\n")[0].strip()
        if "out of memory" in words:  # pandas
            raise MemoryError(words) from None
        kind = Path(path.name.removesuffix(".gz")).suffix
        reason = (words or type(error).__name__)[:LONGEST]
        raise InputError(f"{path}: not a readable {kind} file ({reason})") from error


@contextmanager
def open_text(path: Path) -> Iterator[Any]:
    """Open a file for reading bytes, and unpack it if it is gzipped, regardless of its name.

    Raises InputError if the file is damaged.
    """
    opener: Any = open
    with using_file(path), path.open("rb") as stream:
        if stream.read(2) == b"\x1f\x8b":
            opener = igzip_threaded.open if igzip_threaded else gzip.open
    try:
        with opener(path, "rb") as stream:
            yield stream
    except DAMAGED as error:
        raise InputError(f"{path}: damaged file ({error})") from None
