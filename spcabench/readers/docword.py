"""A streaming reader of UCI's docword format.

A file has three header lines (D, W and NNZ), followed by lines "document word count" with one-based
indices. It can be gzipped. It is read in blocks of limited size, and a compiled kernel parses the
numbers. Errors name the file and the line.
"""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
        with _stream(path) as stream:
            header = [stream.readline(KEPT).strip() for _ in range(3)]
        for number, line in enumerate(header, start=1):
            if not line.isdigit() or len(line) > DIGITS:
                raise InputError(
                    f"{path}, line {number}: {line.decode(errors='replace')!r:.60}; the first "
                    "three lines must be the numbers of documents, words and triplets"
                )
        return cls(path, *map(int, header))

    def blocks(self) -> Iterator[tuple[Indices, Indices, Indices]]:
        """Yield the documents, words and counts of each block, with one-based indices.

        The arrays are overwritten by the next block. Raises InputError if a line does not consist
        of three numbers in range, or if the number of triplets differs from the header.
        """
        # each line has at least six bytes
        arrays = tuple(np.empty((BLOCK + KEPT) // 6 + 1, dtype=np.int64) for _ in range(3))
        triplets, line = 0, 4
        bar = tqdm(total=self.triplets, desc=self.path.name, unit=" triplets", disable=None)
        with bar:
            for data in self._bytes():
                count, fault = _parse(data, self.documents, self.words, *arrays)
                if fault >= 0:
                    line += int(np.count_nonzero(data[:fault] == 10))
                    text = bytes(data[fault : fault + 40]).split(b"\n")[0].decode(errors="replace")
                    raise InputError(
                        f"{self.path}, line {line}: {text!r:.60} is not a document up to "
                        f"{self.documents}, a word up to {self.words} and a count from 1"
                    )
                line += int(np.count_nonzero(data == 10))
                triplets += count
                if triplets > self.triplets:
                    break
                bar.update(count)
                yield tuple(a[:count] for a in arrays)  # type: ignore[misc]
        if triplets != self.triplets:
            raise InputError(
                f"{self.path}: its header states {self.triplets} triplets, but the file contains "
                f"{'more' if triplets > self.triplets else triplets}"
            )

    def _bytes(self) -> Iterator[Any]:
        """Yield blocks of complete lines after the header."""
        buffer = np.empty(BLOCK + KEPT, dtype=np.uint8)
        unread, size = 0, 1
        with _stream(self.path) as stream:
            for _ in range(3):
                stream.readline()
            while size:
                # nothing fits into the buffer after a line that is too long, so it is parsed
                size = stream.readinto(buffer[unread : unread + BLOCK])
                filled = unread + size
                end = _after_last_line(buffer, filled) if size else filled
                yield buffer[:end]
                unread = filled - end
                buffer[:unread] = buffer[end:filled].copy()


@contextmanager
def _stream(path: Path) -> Iterator[Any]:
    """Open a file for reading bytes, unpacked; raise InputError if it is damaged."""
    with using_file(path), path.open("rb") as stream:
        gzipped = stream.read(2) == b"\x1f\x8b"
    try:
        if gzipped and igzip_threaded:
            with igzip_threaded.open(path, threads=1) as unpacked:
                yield unpacked
        else:
            with (gzip.open if gzipped else open)(path, "rb") as stream:
                yield stream
    except DAMAGED as error:
        raise InputError(f"{path}: damaged file ({error})") from None


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
