"""Safe readers of .npy and .npz files, dense or sparse, which never execute the content of a file.

The header of an array is checked before memory is allocated. All indices of a sparse array are
checked, because SciPy trusts them and would read out of bounds.
"""

import math
import zipfile
from pathlib import Path
from typing import IO, Any

import numpy as np
import scipy.sparse as sp

from spcabench import validate
from spcabench.errors import InputError
from spcabench.readers import sizes
from spcabench.validate import nearest
from spcabench.vectors import Array

HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
SPARSE = {"csr": sp.csr_array, "csc": sp.csc_array, "bsr": sp.bsr_array}
PARTS = {  # names of the arrays of a sparse matrix, in addition to format, shape and data
    **dict.fromkeys(SPARSE, ("indices", "indptr")),
    "coo": ("row", "col"),
    "dia": ("offsets",),
}
NO_NUMBERS = {
    "O": "Python objects, which are never loaded",
    "V": "records with several fields (save them as .csv or .parquet)",
    "U": "text",
    "S": "text",
    "M": "dates",
    "m": "time spans",
}
TINY = 1 << 16  # maximum size of the member "format" in bytes


def npy(path: Path) -> Array:
    """Return the array of a .npy file."""
    with path.open("rb") as stream:
        return _read(path, stream, path.stat().st_size)


def names(path: Path) -> list[str]:
    """Return the names of the arrays in an .npz file."""
    if not zipfile.is_zipfile(path):
        raise InputError(f"{path}: not a zip archive, or damaged")
    with zipfile.ZipFile(path) as archive:
        files = archive.namelist()
    return [name.removesuffix(".npy") for name in files if name.endswith(".npy")]


def npz(path: Path, key: str | None) -> Any:
    """Return the sparse array stored in an .npz file, or one of its dense arrays."""
    if not zipfile.is_zipfile(path):
        raise InputError("not a zip archive, or damaged")
    with zipfile.ZipFile(path) as archive:
        members = {
            info.filename.removesuffix(".npy"): info
            for info in archive.infolist()
            if info.filename.endswith(".npy")
        }
        names = [*members]
        if key is None and {"format", "shape", "data"} <= {*names}:
            return _sparse(path, archive, members)
        if not names:
            raise InputError(f"{path}: contains no array")
        if key is None and len(names) != 1:
            raise InputError(
                f"{path}: contains {len(names)} arrays ({', '.join(names[:5])}); choose one, for "
                f"example with --key {names[0]}"
            )
        if key is not None and key not in names:
            raise InputError(f"{path}: {nearest('array (--key)', key, names)}")
        return _member(path, archive, members[key or names[0]])


def _member(path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Array:
    sizes.unpackable(path, member)
    with archive.open(member) as stream:
        return _read(path, stream, member.file_size)


def _read(path: Path, stream: IO[bytes], size: int) -> Array:
    """Read an array from a stream of ``size`` bytes after checking its header."""
    version = np.lib.format.read_magic(stream)
    if version not in HEADERS:
        raise InputError(f"{path}: .npy version {version}; only 1.0 and 2.0 are supported")
    shape, by_columns, dtype = HEADERS[version](stream)
    if dtype.kind in NO_NUMBERS:
        raise InputError(f"{path}: contains {NO_NUMBERS[dtype.kind]}; the entries must be numbers")
    if dtype.kind == "c":
        raise InputError(f"{path}: contains complex entries; they must be real")
    if any(length < 0 for length in shape):
        raise InputError(f"{path}: damaged: its header states the shape {shape}")
    count = math.prod(shape)
    sizes.kept(path, count * dtype.itemsize, size - stream.tell())
    sizes.afford(path, max(8.0, dtype.itemsize) * count)
    numbers = np.frombuffer(stream.read(count * dtype.itemsize), dtype=dtype, count=count)
    return numbers.reshape(shape, order="F" if by_columns else "C")


def _sparse(path: Path, archive: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo]) -> Any:
    kind = _format(path, archive, members["format"])
    missing = [part for part in PARTS[kind] if part not in members]
    if missing:
        raise InputError(f"{path}: the sparse array ({kind}) has no {', '.join(missing)}")
    shape = _member(path, archive, members["shape"])
    data = _member(path, archive, members["data"])
    if shape.shape != (2,) or shape.dtype.kind not in "iu" or (shape < 0).any():
        raise InputError(
            f"{path}: the sparse array has shape {shape.tolist()!r:.60}; expected two numbers"
        )
    rows, columns = (int(length) for length in shape)
    sizes.filled(path, rows, columns, data.size)
    sizes.afford(path, 40.0 * data.size + 100.0 * columns + 16.0 * rows)
    # converted first, because sums of duplicates would overflow small integer types
    data = data.astype(np.float64)
    parts: list[Array] = []
    for part in PARTS[kind]:
        indices = _member(path, archive, members[part])
        if indices.dtype.kind not in "iu":
            raise InputError(f"{path}: {part} of the sparse array must consist of whole numbers")
        parts.append(indices.astype(np.int64))
    if kind == "coo":
        M = sp.coo_array((data, tuple(parts)), shape=(rows, columns))
    elif kind == "dia":
        M = sp.dia_array((data, parts[0]), shape=(rows, columns))
    else:
        M = SPARSE[kind]((data, *parts), shape=(rows, columns))
    return validate.sparse(str(path), M)  # rejects indices out of range


def _format(path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> str:
    """Return the name of the sparse format; `_read` cannot be used because it rejects text."""
    if member.file_size > TINY:
        raise InputError(f"{path}: damaged: the name of the sparse format is too long")
    with archive.open(member) as stream:
        name = np.lib.format.read_array(stream, allow_pickle=False).item()
    kind = name.decode("ascii") if isinstance(name, bytes) else str(name)
    if kind not in PARTS:
        raise InputError(f"{path}: {nearest('sparse format', kind[:20], PARTS)}")
    return kind
