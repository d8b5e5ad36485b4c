"""Checks of the size of a file before memory is allocated for it, because it can be compressed."""

import gzip
from pathlib import Path
from typing import IO, Any

from spcabench import machine
from spcabench.errors import InputError
from spcabench.machine import readable, require

SHARE = 0.4  # fraction of the free memory that a table can use; its problem needs the same amount
BLOCK = 1 << 20  # bytes unpacked at a time
FIELD = 24.0  # bytes of memory that a field needs while it is read, in addition to its text
LONGEST = 10**8  # maximum bytes of a line; a million fields of a table need a fifth of this
ADVICE = (
    "use fewer rows, or compute the covariance from blocks of rows (for a text, of the words with "
    "the largest variances)"
)


def afford(path: Path, needed: float) -> None:
    """Raise InputError if the needed bytes exceed a fixed fraction of the free memory."""
    free = machine.free_memory()
    if needed > SHARE * free:
        raise InputError(f"{path}: needs {readable(needed)} of {readable(free)} free: {ADVICE}")


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


def open_text(path: Path) -> IO[Any]:
    """Open a file for reading bytes, and unpack it if it is gzipped, regardless of its name."""
    with path.open("rb") as stream:
        gzipped = stream.read(2) == b"\x1f\x8b"
    opener: Any = gzip.open if gzipped else open
    return opener(path, "rb")


def unpacked(path: Path, per_field: float = 0.0) -> None:
    """Raise InputError if an unpacked text is too large for the memory, or if a line is too long.

    Each field of a table needs ``per_field`` bytes in addition to the text. The limit on lines
    exists because readers store several copies of a line.
    """
    size, fields, line = 0, 0, 0
    free = SHARE * machine.free_memory()
    with open_text(path) as stream:
        while block := stream.read(BLOCK):
            size += len(block)
            fields += sum(block.count(mark) for mark in (b"\n", b",", b";", b"\t", b"|", b" "))
            line = line + len(block) if b"\n" not in block else len(block) - block.rfind(b"\n")
            if line > LONGEST:
                raise InputError(f"{path}: a line has more than {readable(LONGEST)}")
            if size + per_field * fields > free:
                afford(path, size + per_field * fields)
