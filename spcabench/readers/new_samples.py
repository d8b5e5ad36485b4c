"""A reader of new samples in a user's file, for the variables of a model."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp

from spcabench import validate
from spcabench.errors import InputError
from spcabench.readers import table, user_file
from spcabench.vectors import Array, Indices

GAPS = "use --missing rows to drop {rows}, or --missing mean to fill in the model's means"
NEEDED = "the model needs numbers in these columns"


def read(
    path: Path,
    how: user_file.Reading,
    choose: Callable[[Sequence[str]], list[int]],
    needed: Sequence[str],
    used: Indices,
    n: int,
    notes: list[str],
) -> tuple[Array, list[str]]:
    """Return the samples (m, len(used)) of the variables of a model, and the names of the samples.

    In a table, ``choose`` returns the positions of the columns with the names ``needed``. For an
    array with n columns, ``used`` contains these positions. Raises InputError if columns are
    missing.
    """
    X = user_file.contents(path, how, notes)
    if not isinstance(X, pd.DataFrame):
        X = X.T if how.transpose else X
        if X.ndim != 2 or X.shape[1] != n:
            raise InputError(f"{path}: has shape {X.shape}; the model needs {n} columns")
        chosen = X[:, used] if not sp.issparse(X) else X.tocsc()[:, used].toarray()
        return _complete(path, pd.DataFrame(chosen, columns=used + 1), how, notes, None)
    frame, names = table.row_names(path, X, () if how.transpose else needed, notes, how.index)
    if how.transpose:
        samples = table.without_text(path, frame, True, notes)
        frame = table.transposed(samples, names)
        names = [str(name) for name in samples.columns]
    try:
        columns = choose([str(name) for name in frame.columns])
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    numbers = table.without_text(path, frame.iloc[:, columns], False, notes, NEEDED)
    return _complete(path, numbers, how, notes, names)


def _complete(
    path: Path,
    frame: pd.DataFrame,
    how: user_file.Reading,
    notes: list[str],
    names: list[str] | None,
) -> tuple[Array, list[str]]:
    """Return the numbers and the row names; with missing="mean", the gaps remain NaN."""
    if how.missing == "columns":
        raise InputError("--missing columns: a model needs all its columns; choose rows or mean")
    if frame.empty:
        raise InputError(f"{path}: no rows; at least one sample is needed")
    values = frame.to_numpy(dtype=np.float64)
    # NaN marks a missing value, which is allowed here
    validate.finite(str(path), np.where(np.isnan(values), 0.0, values), [*map(str, frame.columns)])
    names = names or [str(i + 1) for i in range(len(frame))]
    if how.missing == "mean":
        gaps = frame.isna().to_numpy()
        if gaps.any():
            notes.append(f"{table.missing_values(frame, gaps)}; replaced by the model's means")
        return frame.to_numpy(dtype=np.float64), names
    complete, present = table.complete(path, frame, how.missing, notes, GAPS)
    return complete.to_numpy(dtype=np.float64), [names[i] for i in np.flatnonzero(present)]
