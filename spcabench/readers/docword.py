"""A streaming reader of UCI's docword format.

A file has three header lines (D, W and NNZ), followed by lines "document word count" with one-based
indices. It can be gzipped. It is read in blocks of limited size, and a compiled kernel parses the
numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np
from tqdm import tqdm

from spcabench.errors import InputError
from spcabench.readers.opening import open_text
from spcabench.vectors import Indices

BLOCK = 1 << 22  # size of a block in bytes
LONGEST = 256  # maximum length of a line in bytes
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
        with open_text(path) as stream:
            header = [stream.readline(LONGEST).strip() for _ in range(3)]
        if not all(line.isdigit() and len(line) <= DIGITS for line in header):
            raise InputError(
                f"{path}: the first three lines must be the numbers of documents, words and "
                "triplets"
            )
        return cls(path, *map(int, header))

    def blocks(self) -> Iterator[tuple[Indices, Indices, Indices]]:
        """Yield the documents, words and counts of each block, with one-based indices.

        The arrays are overwritten by the next block. Raises InputError if a line does not consist
        of three numbers in range, or if the number of triplets differs from the header.
        """
        # each line has at least six bytes
        arrays = tuple(np.empty((BLOCK + LONGEST) // 6 + 1, dtype=np.int64) for _ in range(3))
        triplets = 0
        bar = tqdm(total=self.triplets, desc=self.path.name, unit=" triplets", disable=None)
        with bar:
            for data in self._bytes():
                count, fault = _parse(data, self.documents, self.words, *arrays)
                if fault >= 0:
                    text = bytes(data[fault : fault + 40]).split(b"\n")[0].decode(errors="replace")
                    raise InputError(
                        f"{self.path}: {text!r:.60} is not a document up to {self.documents}, a "
                        f"word up to {self.words} and a count from 1"
                    )
                triplets += count
                bar.update(count)
                yield tuple(a[:count] for a in arrays)  # type: ignore[misc]
        if triplets != self.triplets:
            raise InputError(
                f"{self.path}: its header states {self.triplets} triplets, but the file contains "
                f"{triplets}"
            )

    def _bytes(self) -> Iterator[Any]:
        """Yield blocks of complete lines after the header."""
        with open_text(self.path) as stream:
            for _ in range(3):
                stream.readline()
            data = b"not at the end"
            while data:
                data = stream.read(BLOCK)
                yield np.frombuffer(data + stream.readline(LONGEST), dtype=np.uint8)


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
