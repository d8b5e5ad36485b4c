"""Checks the size that a file states before memory is allocated for it.

A header can state more than the file contains, and a compressed file can contain far more than its
own size. Both are refused with a one-line error, in readable units.
"""

import gzip
import zipfile
from pathlib import Path
from typing import IO, Any

from spcabench import machine
from spcabench.errors import InputError
from spcabench.machine import readable
from spcabench.optional_dependencies import require

SHARE = 0.4  # of the free memory that a table may take, because the problem takes as much again
BLOCK = 1 << 20  # bytes unpacked at a time
BOMB, DENSE = 1e9, 100.0  # bytes, and the largest accepted compression ratio of a zip member
LONGEST = 10**8  # bytes of a line; a million fields of a table take a fifth of this
DENSEST = 1100  # largest possible compression ratio of gzip
MOST_EMPTY = 10**7  # empty rows and columns that a sparse file may state
ADVICE = (
    "take fewer rows, or form the covariance by blocks of rows (for a text, of the words of "
    "largest variance)"
)


def afford(path: Path, needed: float) -> None:
    """Raise InputError if the bytes needed exceed a share of the free memory."""
    free = machine.free_memory()
    if needed > SHARE * free:
        raise InputError(f"{path}: {readable(needed)} needed, {readable(free)} free: {ADVICE}")


def unpackable(path: Path, member: zipfile.ZipInfo) -> None:
    """Raise InputError for a zip member that expands further than compressed numbers ever do."""
    if member.file_size > max(BOMB, DENSE * member.compress_size):
        raise InputError(
            f"{path}: {member.filename!r:.40} grows from {readable(member.compress_size)} to "
            f"{readable(member.file_size)}; the limit is {DENSE:.0f} times, or {readable(BOMB)}"
        )


def parquet_schema(path: Path) -> Any:
    """Return the columns of a Parquet file (a pyarrow.Schema) that fits into the free memory.

    Raises InputError for a file that is too large or damaged.
    """
    pa, parquet = require("pyarrow"), require("pyarrow.parquet")
    try:
        about = parquet.read_metadata(path)
        unpacked = sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups))
        afford(path, max(8.0 * about.num_rows * about.num_columns, float(unpacked)))
        return about.schema.to_arrow_schema()
    except (pa.ArrowException, OSError, OverflowError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"{path}: not a readable .parquet file ({reason:.100})") from error


def kept(path: Path, promised: float, available: float, content: str = "numbers") -> None:
    """Raise InputError if a header states more bytes than the file can hold."""
    if promised > available:
        raise InputError(
            f"{path}: damaged: its header promises at least {readable(promised)} of {content}, the "
            f"file holds {readable(available)}"
        )


def filled(path: Path, rows: int, columns: int, entries: int) -> None:
    """Raise InputError if nearly all of the stated rows and columns would be empty."""
    for lines, count in (("rows", rows), ("columns", columns)):
        if count > MOST_EMPTY + 1000 * entries:
            raise InputError(
                f"{path}: its header promises {count:,} {lines} for {entries:,} entries: number "
                f"the {lines} from 1 without gaps"
            )


def is_gzipped(path: Path) -> bool:
    """Whether a file has the gzip signature, whatever its name."""
    with path.open("rb") as stream:
        return stream.read(2) == b"\x1f\x8b"


def open_text(path: Path) -> IO[Any]:
    """Open a file to read its bytes, unpacked if it is gzipped."""
    opener: Any = gzip.open if is_gzipped(path) else open
    return opener(path, "rb")


def unpacked(path: Path, per_field: float = 0.0) -> int:
    """Return the bytes of a text, in one pass of bounded memory that stops early if it is too long.

    A field takes ``per_field`` bytes in addition to the text itself. Raises InputError for a text
    that is too large, and for a line that is too long, because readers store a line several times.
    """
    size, lines, separators, line = 0, 0, 0, 0
    free = SHARE * machine.free_memory()
    with open_text(path) as stream:
        while block := stream.read(BLOCK):
            size += len(block)
            lines += block.count(b"\n")
            separators += sum(block.count(mark) for mark in (b",", b";", b"\t", b"|", b" "))
            line = line + len(block) if b"\n" not in block else len(block) - block.rfind(b"\n")
            if line > LONGEST:
                raise InputError(
                    f"{path}: a line has more than {readable(LONGEST)}: not a table of numbers"
                )
            if size + per_field * (lines + separators) > free:
                afford(path, size + per_field * (lines + separators))
    return size
