"""A reader of Matrix Market files, gzipped or not."""

import io
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io

from spcabench.errors import InputError
from spcabench.readers.opening import calling_library, open_text

COMMENTS = re.compile(rb"(?:%[^\n]*\n)*")  # before the numbers
PER_VALUE = {"pattern": 0, "complex": 2}  # otherwise one number


def read(path: Path) -> Any:
    """Return the matrix in a file as a sparse or dense array, according to its layout."""
    with open_text(path) as stream:
        text = stream.read()
    # SciPy's reader (1.17) aborts the process at a zero byte, reads 1,5 as 1 and Fortran's 1.5-101
    # as 1.5, and ignores what follows the value of an entry
    found = _count(COMMENTS.sub(b"", text, count=1))
    with calling_library(path):
        rows, columns, stored, layout, field, symmetry = scipy.io.mminfo(io.BytesIO(text))
        expected = _expected(rows, columns, stored, layout, PER_VALUE.get(field, 1), symmetry)
        if found != expected:
            raise InputError(f"has {found:,} numbers, but its first lines promise {expected:,}")
        return scipy.io.mmread(io.BytesIO(text), spmatrix=False)


def _count(text: bytes) -> int:
    """Return how many numbers a text contains; raise InputError if it contains anything else."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return len(np.fromstring(text, sep=" "))
        except (DeprecationWarning, ValueError):
            raise InputError("contains something other than numbers") from None


def _expected(
    rows: int, columns: int, stored: int, layout: str, per_value: int, symmetry: str
) -> int:
    """Return how many numbers a file has: the sizes, and each entry with its indices."""
    if layout == "coordinate":
        return 3 + stored * (2 + per_value)
    triangle = {"general": rows * columns, "skew-symmetric": rows * (rows - 1) // 2}
    return 2 + per_value * triangle.get(symmetry, rows * (rows + 1) // 2)
