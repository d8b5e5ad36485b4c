"""A reader of Matrix Market files, gzipped or not."""

import io
import re
from pathlib import Path
from typing import Any

import scipy.io

from spcabench.errors import InputError
from spcabench.readers.opening import calling_library, open_text

COMMENTS = re.compile(rb"(?:%[^\n]*\n)*")  # before the numbers
NUMBERS = b"0123456789+-.eE \t\r\n"
# a second sign, point or exponent in a number, such as Fortran's 1.5-101
MALFORMED = re.compile(rb"[\d.][+-]|[eE](?![+-]?\d)|\.\d*\.")


def read(path: Path) -> Any:
    """Return the matrix in a file as a sparse or dense array, according to its layout."""
    with open_text(path) as stream:
        text = stream.read()
    # SciPy's reader (1.17) aborts the process at a zero byte, and reads 1,5 as 1 and 1.5-101 as 1.5
    numbers = COMMENTS.sub(b"", text, count=1)
    if b"\0" in text or numbers.translate(None, NUMBERS):
        raise InputError("not a Matrix Market file: a line has characters other than numbers")
    if wrong := MALFORMED.search(numbers):
        line = numbers[: wrong.end()].splitlines()[-1].decode()
        raise InputError(f"not a Matrix Market file: a line begins {line!r}, which is no number")
    with calling_library(path):
        return scipy.io.mmread(io.BytesIO(text), spmatrix=False)
