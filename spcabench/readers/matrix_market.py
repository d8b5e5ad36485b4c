"""A reader of Matrix Market files, gzipped or not.

SciPy reads the header. Pandas reads the numbers, because SciPy's reader (1.17) crashes at a zero
byte and reads 1,5 as 1.
"""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.io
import scipy.sparse as sp

from spcabench.errors import InputError
from spcabench.readers import sizes
from spcabench.readers.sizes import calling_library

HEAD = 1 << 20  # maximum number of bytes of the header
SIGNS = {"general": 0.0, "symmetric": 1.0, "skew-symmetric": -1.0}  # factors of mirrored entries


def read(path: Path) -> Any:
    """Return the matrix in a file as a sparse or dense float64 array, according to its layout."""
    sizes.unpacked(path, sizes.FIELD)
    with sizes.open_text(path) as stream:
        # in memory, because SciPy aborts the process if it cannot seek in a stream
        head = io.BytesIO(stream.read(HEAD))
    with calling_library(path):
        rows, columns, entries, layout, field, symmetry = scipy.io.mminfo(head)
    if field == "complex" or symmetry not in SIGNS:
        raise InputError(f"{path}: {field} {symmetry} matrix; only real matrices are supported")
    sign = SIGNS[symmetry]
    if sign and rows != columns:
        raise InputError(f"{path}: size {rows} x {columns}; a {symmetry} matrix must be square")
    if layout == "coordinate":
        table = _numbers(path, entries, 2 if field == "pattern" else 3, np.int64)
        i, j = table[0].to_numpy() - 1, table[1].to_numpy() - 1
        values = np.ones(len(table)) if field == "pattern" else table[2].to_numpy()
    else:
        # entries are stored by columns, and only those below the diagonal if it is symmetric
        if not sign:
            numbers = _numbers(path, entries, 1, np.float64)[0]
            return numbers.to_numpy().reshape((rows, columns), order="F")
        above = 0 if sign > 0 else 1
        values = _numbers(path, rows * (rows + 1 - 2 * above) // 2, 1, np.float64)[0].to_numpy()
        j, i = np.triu_indices(rows, above)
    with calling_library(path):  # which checks the indices
        M = sp.coo_array((values, (i, j)), shape=(rows, columns))
    if sign:
        M = M + sp.coo_array((sign * values * (i != j), (j, i)), shape=M.shape)
    return M if layout == "coordinate" else M.toarray()


def _numbers(path: Path, entries: int, width: int, kind: type) -> pd.DataFrame:
    """Return the ``width`` numbers of each line after the header; the first two have a type."""
    with calling_library(path), sizes.open_text(path) as stream:
        frame = pd.read_csv(
            stream,
            sep=r"\s+",
            header=None,
            # further columns, because the line of the sizes is longer and to find longer lines
            names=[*range(4)],
            dtype={0: kind, 1: kind if width > 1 else np.float64, 2: np.float64, 3: np.float64},
            comment="%",
            encoding="latin-1",
        )
    table = frame.iloc[1:]  # without the line of the sizes
    if len(table) != entries:
        raise InputError(
            f"{path}: its header states {entries:,} entries; the file has {len(table):,}"
        )
    if table.iloc[:, width:].notna().any(axis=None):
        raise InputError(f"{path}: a line does not have {width} numbers")
    return table
