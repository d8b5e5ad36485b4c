"""Checks of the size that a file states, before memory is allocated for it.

A header can state a larger size than the file contains, and a compressed file can expand to far
more than its own size. Such files are rejected with a one-line error.
"""

import gzip
import zipfile
from pathlib import Path
from typing import IO, Any

from spcabench import machine
from spcabench.errors import InputError
from spcabench.machine import readable
from spcabench.optional_dependencies import require

SHARE = 0.4  # fraction of the free memory that a table can use; its problem needs the same amount
BLOCK = 1 << 20  # bytes unpacked at a time
BOMB, DENSE = 1e9, 100.0  # a zip member above this size must not have a larger compression ratio
LONGEST = 10**8  # maximum bytes of a line; a million fields of a table need a fifth of this
DENSEST = 1100  # largest possible compression ratio of gzip
MOST_EMPTY = 10**7  # maximum number of empty rows or columns of a sparse file
ADVICE = (
    "use fewer rows, or compute the covariance from blocks of rows (for a text, of the words with "
    "the largest variances)"
)


def afford(path: Path, needed: float) -> None:
    """Raise InputError if the needed bytes exceed a fixed fraction of the free memory."""
    free = machine.free_memory()
    if needed > SHARE * free:
        raise InputError(f"{path}: needs {readable(needed)} of {readable(free)} free: {ADVICE}")


def unpackable(path: Path, member: zipfile.ZipInfo) -> None:
    """Raise InputError if a zip member has an implausibly large compression ratio for numbers."""
    if member.file_size > max(BOMB, DENSE * member.compress_size):
        raise InputError(
            f"{path}: {member.filename!r:.40} expands from {readable(member.compress_size)} to "
            f"{readable(member.file_size)}; the limit is {DENSE:.0f} times, or {readable(BOMB)}"
        )


def parquet_schema(path: Path) -> Any:
    """Return the schema of a Parquet file (a pyarrow.Schema).

    Raises InputError if the file is damaged or too large for the free memory.
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
    """Raise InputError if a header states more bytes than the file can contain."""
    if promised > available:
        raise InputError(
            f"{path}: damaged: its header states at least {readable(promised)} of {content}, but "
            f"the file contains {readable(available)}"
        )


def filled(path: Path, rows: int, columns: int, entries: int) -> None:
    """Raise InputError if nearly all the stated rows or columns would be empty."""
    for lines, count in (("rows", rows), ("columns", columns)):
        if count > MOST_EMPTY + 1000 * entries:
            raise InputError(
                f"{path}: its header states {count:,} {lines} for {entries:,} entries; number the "
                f"{lines} from 1 without gaps"
            )


def is_gzipped(path: Path) -> bool:
    """Whether a file starts with the gzip signature, regardless of its name."""
    with path.open("rb") as stream:
        return stream.read(2) == b"\x1f\x8b"


def open_text(path: Path) -> IO[Any]:
    """Open a file for reading bytes, and unpack it if it is gzipped."""
    opener: Any = gzip.open if is_gzipped(path) else open
    return opener(path, "rb")


def unpacked(path: Path, per_field: float = 0.0) -> int:
    """Return the unpacked size of a text file in bytes.

    Each field of a table needs ``per_field`` bytes in addition to the text. Raises InputError, as
    soon as it is known, if the text is too large for the memory or if a line is too long, because
    readers store several copies of a line.
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
                    f"{path}: not a table of numbers: a line has more than {readable(LONGEST)}"
                )
            if size + per_field * (lines + separators) > free:
                afford(path, size + per_field * (lines + separators))
    return size
