"""A reader of new samples in a user's file, for the variables of a model."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp

from spcabench import validate
from spcabench.errors import InputError
from spcabench.readers import table, user_file
from spcabench.readers.reading import Reading
from spcabench.vectors import Array, Indices


def read(
    path: Path,
    how: Reading,
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
        samples = table.split(frame, how)[1]
        frame, names = table.transposed(samples, names), [str(name) for name in samples.columns]
    try:
        columns = choose([str(name) for name in frame.columns])
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return _complete(path, frame.iloc[:, columns], how, notes, names)


def _complete(
    path: Path,
    frame: pd.DataFrame,
    how: Reading,
    notes: list[str],
    names: list[str] | None,
) -> tuple[Array, list[str]]:
    """Return the numbers and the row names; with missing="mean", the gaps are NaN."""
    if how.missing == "columns":
        raise InputError("--missing columns: a model needs all its columns; choose rows or mean")
    if frame.empty:
        raise InputError(f"{path}: no rows; at least one sample is needed")
    numbers, present = table.numbers(path, frame, how, notes, of_model=True)
    values = numbers.to_numpy(dtype=np.float64)
    # NaN marks a missing value, which gets the model's mean
    validate.finite(str(path), np.where(np.isnan(values), 0.0, values), [*map(str, frame.columns)])
    names = names or [str(i + 1) for i in range(len(frame))]
    return values, [names[i] for i in np.flatnonzero(present)]
