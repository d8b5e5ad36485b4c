"""A streaming reader of UCI's docword format.

A file has three header lines (D, W and NNZ), followed by lines "document word count" with one-based
indices. It can be gzipped. It is read in blocks of limited size, and a compiled kernel parses the
numbers. Errors name the file and the line.
"""

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numba
import numpy as np
from tqdm import tqdm

from spcabench.errors import InputError, using_file
from spcabench.vectors import Indices

try:  # isal is two to three times faster
    from isal import igzip_threaded, isal_zlib

    DAMAGED: Any = (OSError, EOFError, zlib.error, isal_zlib.error)
except ImportError:
    igzip_threaded = None  # type: ignore[assignment]
    DAMAGED = (OSError, EOFError, zlib.error)

BLOCK = 1 << 22  # size of a block in bytes
KEPT = 256  # maximum length of a line in bytes, which the end of a block can split
DIGITS = 17  # maximum number of digits of a number
HEADER = ("number of documents", "number of words", "number of triplets")


@dataclass(frozen=True)
class Docword:
    """A docword file and its header."""

    path: Path
    documents: int
    words: int
    triplets: int

    @classmethod
    def open(cls, path: Path) -> "Docword":
        """Read the header of a file; raise InputError if it is malformed."""
        numbers: list[int] = []
        try:
            with _stream(path) as stream:
                for entry in HEADER:
                    line = stream.readline(KEPT)  # a damaged file can consist of a single line
                    if not line:
                        break
                    if not line.strip().isdigit() or len(line.strip()) > DIGITS:
                        text = line.strip()[:40].decode(errors="replace")
                        raise InputError(
                            f"{path}, line {len(numbers) + 1}: {text!r:.60} is not a {entry}"
                        )
                    numbers.append(int(line))
        except DAMAGED as error:
            raise InputError(f"{path}, line {len(numbers) + 1}: damaged file ({error})") from None
        if len(numbers) < 3:
            raise InputError(f"{path}: {len(numbers)} lines; the header alone has three")
        return cls(path, *numbers)

    def blocks(self) -> Iterator[tuple[Indices, Indices, Indices]]:
        """Yield the documents, words and counts of each block, with one-based indices.

        The arrays are overwritten by the next block. Raises InputError if a line does not consist
        of three numbers in range, or if the number of triplets differs from the header.
        """
        # each line has at least six bytes
        arrays = tuple(np.empty((BLOCK + KEPT) // 6 + 1, dtype=np.int64) for _ in range(3))
        triplets, line = 0, 4
        with tqdm(
            total=self.triplets,
            desc=self.path.name,
            unit=" triplets",
            unit_scale=True,
            disable=None,
        ) as bar:
            for data in self._bytes():
                count, fault = _parse(data, self.documents, self.words, *arrays)
                if fault >= 0:
                    raise InputError(self._fault(data, line, fault))
                line += int(np.count_nonzero(data == 10))
                triplets += count
                if triplets > self.triplets:
                    break
                bar.update(count)
                yield tuple(a[:count] for a in arrays)  # type: ignore[misc]
        if triplets != self.triplets:
            words = "at least " if triplets > self.triplets else ""
            raise InputError(
                f"{self.path}, line {line}: the file contains {words}{triplets} triplets; its "
                f"header states {self.triplets}"
            )

    def _bytes(self) -> Iterator[Any]:
        """Yield blocks of complete lines after the header."""
        buffer = np.empty(BLOCK + KEPT, dtype=np.uint8)
        unread = 0
        with _stream(self.path) as stream:
            try:
                for _ in HEADER:
                    stream.readline()
                while True:
                    size = stream.readinto(buffer[unread : unread + BLOCK])  # type: ignore[attr-defined]
                    filled = unread + size
                    end = filled if size == 0 else _after_last_line(buffer, filled)
                    yield buffer[:end]
                    if size == 0:
                        return
                    unread = filled - end
                    buffer[:unread] = buffer[end:filled].copy()
                    if unread >= KEPT:
                        raise InputError(
                            f"{self.path}: a line has more than {KEPT} characters; a line must "
                            "consist of three numbers"
                        )
            except DAMAGED as error:
                raise InputError(f"{self.path}: damaged file ({error})") from None

    def _fault(self, data: Any, line: int, at: int) -> str:
        line += int(np.count_nonzero(data[:at] == 10))
        text = bytes(data[at : at + 200]).split(b"\n")[0].strip().decode(errors="replace")
        parts = text.split()
        where = f"{self.path}, line {line}"
        if len(parts) != 3 or not all(part.isdecimal() and len(part) <= DIGITS for part in parts):
            return f"{where}: {text[:40]!r:.60} is not three whole numbers"
        for name, value, top in (
            ("document", parts[0], self.documents),
            ("word", parts[1], self.words),
        ):
            if not 1 <= int(value) <= top:
                return f"{where}: {name} {value} is out of range; it must be from 1 to {top}"
        return f"{where}: count {parts[2]}; it must be a positive integer"


def _stream(path: Path) -> IO[bytes]:
    with using_file(path), path.open("rb") as stream:
        gzipped = stream.read(2) == b"\x1f\x8b"
    if not gzipped:
        return path.open("rb")
    return gzip.open(path) if igzip_threaded is None else igzip_threaded.open(path, threads=1)


@numba.njit(cache=True, nogil=True)
def _after_last_line(buffer, filled):
    end = filled
    while end > 0 and buffer[end - 1] != 10:
        end -= 1
    return end


@numba.njit(cache=True, nogil=True)
def _parse(data, documents, words, d, w, c):
    """Parse complete lines into d, w and c, and skip empty lines.

    Returns the number of parsed lines and the position of the first malformed line, or -1.
    """
    i, n, size = 0, 0, len(data)
    values = np.zeros(3, dtype=np.int64)
    while i < size:
        line = i = _skip(data, i, size)
        if i < size and data[i] == 10:
            i += 1
            continue
        if i == size:
            break
        for field in range(3):
            i = first = _skip(data, i, size)
            value = 0
            while i < size and 48 <= data[i] <= 57:
                value = 10 * value + (data[i] - 48)
                i += 1
            if i == first or i - first > DIGITS:
                return n, line
            values[field] = value
        i = _skip(data, i, size)
        if i < size and data[i] != 10:
            return n, line
        i += 1
        if not (1 <= values[0] <= documents and 1 <= values[1] <= words and values[2] >= 1):
            return n, line
        d[n], w[n], c[n] = values[0], values[1], values[2]
        n += 1
    return n, -1


@numba.njit(cache=True, nogil=True)
def _skip(data, i, size):
    """Return the first position >= i that is not a space, tab or carriage return."""
    while i < size and (data[i] == 32 or data[i] == 9 or data[i] == 13):
        i += 1
    return i
