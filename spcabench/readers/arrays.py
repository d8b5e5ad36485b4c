"""Readers of .npy, .npz and MATLAB's .mat files. They never execute the content of a file."""

from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

from spcabench.errors import InputError, nearest
from spcabench.readers.opening import calling_library
from spcabench.vectors import Array

STARTS = {b"\x93NUMPY": ".npy", b"PK\x03\x04": ".npz"}  # how files of NumPy begin


def npy(path: Path) -> Array:
    """Return the array of a .npy file, which is mapped into memory and read when it is used."""
    _check_start(path, ".npy")
    with calling_library(path):
        return np.lib.format.open_memmap(path, mode="r")


def npz(path: Path, key: str | None) -> Any:
    """Return the sparse matrix that SciPy stored in an .npz file, or one of its arrays."""
    _check_start(path, ".npz")
    # NumPy does not close a damaged file
    with calling_library(path), path.open("rb") as stream, np.load(stream) as arrays:
        if key is None and {"format", "shape", "data"} <= {*arrays.files}:
            stream.seek(0)
            return sp.load_npz(stream)
        return arrays[_chosen(key, arrays.files)]


def mat(path: Path, key: str | None) -> Any:
    """Return a dense or sparse matrix from a MATLAB file of version 4 to 7."""
    with calling_library(path):
        stored = scipy.io.loadmat(path)
    return stored[_chosen(key, [name for name in stored if not name.startswith("__")])]


def _check_start(path: Path, kind: str) -> None:
    """Raise InputError if a file of NumPy has the name of its other kind."""
    with path.open("rb") as stream:
        start = stream.read(6)
    for begin, found in STARTS.items():
        if start.startswith(begin) and found != kind:
            raise InputError(f"is a {found} file; rename it to {path.with_suffix(found).name}")


def _chosen(key: str | None, stored: list[str]) -> str:
    """Return the name of the array to read; raise InputError unless it is unique."""
    if not stored:
        raise InputError("contains no array")
    if key is None and len(stored) > 1:
        raise InputError(
            f"contains {len(stored)} arrays ({', '.join(stored[:5]):.60}); choose one, for example "
            f"with --read key={stored[0]:.30}"
        )
    if key is not None and key not in stored:
        raise InputError(nearest("array", key, stored))
    return key or stored[0]
