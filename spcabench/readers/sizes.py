"""Opening a user's file, and checking its size before memory is allocated, as it can be compressed.

A library's error about a file is an error of the user, who can mend the file. Any other exception
is a bug of this package, and is not caught.
"""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from spcabench import machine
from spcabench.errors import InputError, using_file
from spcabench.machine import readable, require

try:  # isal is two to three times faster
    from isal import igzip_threaded, isal_zlib

    DAMAGED: Any = (OSError, EOFError, zlib.error, isal_zlib.error)
except ImportError:
    igzip_threaded = None  # type: ignore[assignment]
    DAMAGED = (OSError, EOFError, zlib.error)

SHARE = 0.4  # fraction of the free memory that a table can use; its problem needs the same amount
BLOCK = 1 << 20  # bytes read at a time
FIELD = 24.0  # bytes of memory that a field needs while it is read, in addition to its text
MARKS = b"\n", b",", b";", b"\t", b"|", b" "  # between fields
LONGEST = 150  # maximum length of a library's message about a file in characters
ADVICE = (
    "use fewer rows, or compute the covariance from blocks of rows (for a text, of the words with "
    "the largest variances)"
)


@contextmanager
def calling_library(path: Path) -> Iterator[None]:
    """Convert any exception of a library that reads a file to a one-line error about the file.

    All exceptions are converted, because libraries raise many kinds of errors for a damaged file.
    """
    try:
        yield
    except (InputError, MemoryError):
        raise
    except Exception as error:
        words = str(getattr(error, "strerror", None) or error).split("\n")[0].strip()
        kind = Path(path.name.removesuffix(".gz")).suffix
        reason = (words or type(error).__name__)[:LONGEST]
        raise InputError(f"{path}: not a readable {kind} file ({reason})") from error


def afford(path: Path, needed: float) -> None:
    """Raise InputError if the needed bytes exceed a fixed fraction of the free memory."""
    free = machine.free_memory()
    if needed > SHARE * free:
        raise InputError(f"{path}: needs {readable(needed)} of {readable(free)} free: {ADVICE}")


def parquet_schema(path: Path) -> Any:
    """Return the schema of a Parquet file (a pyarrow.Schema).

    Raises InputError if the file is damaged or too large for the free memory.
    """
    parquet = require("pyarrow.parquet")
    with calling_library(path):
        about = parquet.read_metadata(path)
        unpacked = sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups))
        afford(path, max(8.0 * about.num_rows * about.num_columns, float(unpacked)))
        return about.schema.to_arrow_schema()


def _is_gzipped(path: Path) -> bool:
    with using_file(path), path.open("rb") as stream:
        return stream.read(2) == b"\x1f\x8b"


@contextmanager
def open_text(path: Path) -> Iterator[Any]:
    """Open a file for reading bytes, and unpack it if it is gzipped, regardless of its name.

    Raises InputError if the file is damaged.
    """
    opener: Any = open
    if _is_gzipped(path):
        opener = igzip_threaded.open if igzip_threaded else gzip.open
    try:
        with opener(path, "rb") as stream:
            yield stream
    except DAMAGED as error:
        raise InputError(f"{path}: damaged file ({error})") from None


def unpacked(path: Path, per_field: float = 0.0) -> None:
    """Raise InputError if an unpacked text is too large for the memory.

    Each field of a table needs ``per_field`` bytes in addition to the text. A gzipped file is
    unpacked to its end, because its size is unknown. In other files, the first block shows how many
    fields a byte has.
    """
    needed, allowed, gzipped = 0.0, SHARE * machine.free_memory(), _is_gzipped(path)
    with open_text(path) as stream:
        while block := stream.read(BLOCK):
            size = len(block) if gzipped else path.stat().st_size
            fields = sum(map(block.count, MARKS))
            needed += size * (1.0 + per_field * fields / len(block))
            if needed > allowed:
                afford(path, needed)
            if not gzipped:
                return
