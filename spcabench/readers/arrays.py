"""Readers of .npy, .npz and MATLAB's .mat files. They never execute the content of a file."""

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

from spcabench.errors import InputError
from spcabench.readers import sizes
from spcabench.readers.sizes import calling_library
from spcabench.validate import nearest
from spcabench.vectors import Array


def npy(path: Path) -> Array:
    """Return the array of a .npy file, which is mapped into memory and read when it is used."""
    with calling_library(path):
        return np.lib.format.open_memmap(path, mode="r")


def names(path: Path) -> list[str]:
    """Return the names of the arrays in an .npz file."""
    with calling_library(path), zipfile.ZipFile(path) as archive:
        sizes.afford(path, 2.0 * sum(member.file_size for member in archive.infolist()))
        files = archive.namelist()
    return [name.removesuffix(".npy") for name in files if name.endswith(".npy")]


def npz(path: Path, key: str | None) -> Any:
    """Return the sparse matrix that SciPy stored in an .npz file, or one of its arrays."""
    stored = names(path)
    is_sparse = key is None and {"format", "shape", "data"} <= {*stored}
    chosen = "" if is_sparse else _chosen(path, key, stored)
    with calling_library(path):
        try:
            if is_sparse:
                return sp.load_npz(path)
            with np.load(path, allow_pickle=False) as arrays:
                return arrays[chosen]
        except ValueError as error:
            # NumPy advises to allow pickles, which would execute code from the file
            if "pickle" in str(error):
                raise InputError(f"{path}: not arrays of numbers") from None
            raise


def mat(path: Path, key: str | None) -> Any:
    """Return a dense or sparse matrix from a MATLAB file of version 4 to 7."""
    sizes.afford(path, 2.0 * path.stat().st_size)
    with calling_library(path):
        stored: Mapping[str, Any] = scipy.io.loadmat(path)
    return stored[_chosen(path, key, [name for name in stored if not name.startswith("__")])]


def _chosen(path: Path, key: str | None, stored: list[str]) -> str:
    """Return the name of the array to read; raise InputError unless it is unique."""
    if not stored:
        raise InputError(f"{path}: contains no array")
    if key is None and len(stored) > 1:
        raise InputError(
            f"{path}: contains {len(stored)} arrays ({', '.join(stored[:5]):.60}); choose one, for "
            f"example with --read key={stored[0]:.30}"
        )
    if key is not None and key not in stored:
        raise InputError(f"{path}: {nearest('array', key, stored)}")
    return key or stored[0]
