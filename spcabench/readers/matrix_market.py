"""A reader of Matrix Market files, gzipped or not.

SciPy's reader writes out of bounds if a damaged file contains more values than its header states.
Therefore pandas parses the numbers, and they are counted here.
"""

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from spcabench.errors import InputError
from spcabench.readers import sizes
from spcabench.vectors import Array

LINE = 2000  # maximum number of characters of a header line
DIGITS = 18  # maximum number of digits of an integer
LAYOUTS = ("coordinate", "array")
FIELDS = ("real", "double", "integer", "pattern")
SIGNS = {"general": 0.0, "symmetric": 1.0, "skew-symmetric": -1.0}  # factors of mirrored entries


@dataclass(frozen=True)
class Header:
    """The header of a Matrix Market file.

    lines : number of lines of the header.
    """

    layout: str
    field: str
    symmetry: str
    shape: tuple[int, int]
    entries: int
    lines: int


def read(path: Path) -> Any:
    """Return the matrix in a file as a sparse or dense float64 array, according to its layout."""
    size = sizes.unpacked(path)
    header = _header(path)
    (rows, columns), entries = header.shape, header.entries
    if header.layout == "coordinate":
        sizes.kept(path, 4.0 * entries, size, "entries")
        sizes.filled(path, rows, columns, entries)
        sizes.afford(path, 80.0 * entries + 100.0 * columns + 16.0 * rows)
        return _coordinates(path, header)
    sizes.kept(path, float(entries), size)
    sizes.afford(path, 16.0 * rows * columns)
    return _dense(path, header)


def _header(path: Path) -> Header:
    with sizes.open_text(path) as stream:
        first = stream.readline(LINE).decode("latin-1").lower().split()
        if len(first) != 5 or first[:2] != ["%%matrixmarket", "matrix"]:
            raise InputError("the first line is not '%%MatrixMarket matrix ...'")
        layout, field, symmetry = first[2:]
        readable = layout in LAYOUTS and field in FIELDS and symmetry in SIGNS
        if not readable or (layout == "array" and field == "pattern"):
            raise InputError(
                f"{path}: {' '.join(first[2:])!r:.40}; supported: {' or '.join(LAYOUTS)}; "
                f"{', '.join(FIELDS)} (no array); {', '.join(SIGNS)}"
            )
        line, lines = b"%", 1
        while line.startswith(b"%") or (line and not line.strip()):
            line, lines = stream.readline(LINE), lines + 1
    return Header(layout, field, symmetry, *_sizes(path, layout, symmetry, line, lines), lines)


def _sizes(
    path: Path, layout: str, symmetry: str, line: bytes, number: int
) -> tuple[tuple[int, int], int]:
    """Return the shape, and the number of values after the header."""
    words = line.split()
    expected = 3 if layout == "coordinate" else 2
    if len(words) != expected or not all(w.isdigit() and len(w) <= DIGITS for w in words):
        shown = line[:40].decode("latin-1").strip()
        raise InputError(f"{path}, line {number}: {shown!r:.60}; expected {expected} whole numbers")
    rows, columns, *counts = (int(word) for word in words)
    if symmetry != "general" and rows != columns:
        raise InputError(
            f"{path}, line {number}: size {rows} x {columns}; a {symmetry} matrix must be square"
        )
    if counts:
        return (rows, columns), counts[0]
    diagonal = {"general": None, "symmetric": 1, "skew-symmetric": -1}[symmetry]
    entries = rows * columns if diagonal is None else rows * (rows + diagonal) // 2
    return (rows, columns), entries


def _numbers(path: Path, header: Header, width: int) -> Array:
    """Return the numbers after the header as an array (entries, width) of float64."""
    with sizes.open_text(path) as stream:
        for _ in range(header.lines):
            stream.readline(LINE)
        text = io.TextIOWrapper(stream, encoding="latin-1")
        names = [*range(width + 1)]  # an additional column, to detect lines with too many numbers
        frame = pd.read_csv(
            text, sep=r"\s+", header=None, names=names, comment="%", dtype=np.float64
        )
    if len(frame) != header.entries:
        raise InputError(
            f"{path}: its header states {header.entries:,} entries; the file has {len(frame):,}"
        )
    if frame[width].notna().any() or frame.iloc[:, : min(width, 2)].isna().any(axis=None):
        raise InputError(f"{path}: a line does not have {width} numbers")
    return frame.iloc[:, :width].to_numpy()


def _coordinates(path: Path, header: Header) -> Any:
    triplets = _numbers(path, header, 2 if header.field == "pattern" else 3)
    for axis, place, length in zip(("row", "column"), triplets.T[:2], header.shape, strict=True):
        wrong = (place < 1) | (place > length) | (place != np.floor(place))
        if wrong.any():
            value = place[wrong][0]
            raise InputError(f"{path}: an entry has {axis} {value:g}; it must be 1 to {length}")
    i, j = (triplets[:, :2].T - 1).astype(np.int64)
    values = np.ones(len(triplets)) if header.field == "pattern" else triplets[:, 2]
    lower = sp.coo_array((values, (i, j)), shape=header.shape)
    if header.symmetry == "general":
        return lower
    off = i != j
    mirrored = sp.coo_array(
        (SIGNS[header.symmetry] * values[off], (j[off], i[off])), shape=header.shape
    )
    return sp.coo_array(lower + mirrored)


def _dense(path: Path, header: Header) -> Array:
    values = _numbers(path, header, 1)[:, 0]
    if header.symmetry == "general":
        return values.reshape(header.shape, order="F")
    n, sign = header.shape[0], SIGNS[header.symmetry]
    matrix = np.zeros(header.shape)
    below = np.tril_indices(n, -1 if sign < 0.0 else 0)
    by_columns = np.lexsort((below[0], below[1]))
    i, j = below[0][by_columns], below[1][by_columns]
    matrix[j, i] = sign * values
    matrix[i, j] = values
    return matrix
