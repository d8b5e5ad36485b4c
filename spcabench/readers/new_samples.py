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
    array with n columns, ``used`` contains these positions. With missing="mean", missing values are
    NaN. Raises InputError if columns are missing.
    """
    if how.missing == "columns":
        raise InputError("--missing columns: a model needs all its columns; choose rows or mean")
    X = user_file.contents(path, how, notes)
    with user_file.naming(path, notes):
        if isinstance(X, pd.DataFrame):
            keep = () if how.transpose else needed
            frame, names = table.row_names(X, keep, notes, how.index)
            if how.transpose:
                samples = table.split(frame, how)[1]
                frame, names = table.transposed(samples, names), [*map(str, samples.columns)]
            frame = frame.iloc[:, choose([str(name) for name in frame.columns])]
        else:
            X, names = X.T if how.transpose else X, None
            if X.ndim != 2 or X.shape[1] != n:
                raise InputError(f"has shape {X.shape}; the model needs {n} columns")
            chosen = X[:, used] if not sp.issparse(X) else X.tocsc()[:, used].toarray()
            frame = pd.DataFrame(chosen, columns=used + 1)
        values, present = _complete(frame, how, notes)
    names = names or [str(i + 1) for i in range(len(frame))]
    return values, [names[i] for i in np.flatnonzero(present)]


def _complete(frame: pd.DataFrame, how: Reading, notes: list[str]) -> tuple[Array, Array]:
    """Return the numbers of the samples that remain, and a mask of these samples."""
    if frame.empty:
        raise InputError("no rows; at least one sample is needed")
    text, values = table.split(frame, how)
    if text.shape[1]:
        raise InputError("; ".join(fault.sentence for fault in table.text_faults(text, how)))
    gaps, present = values.isna().to_numpy(), np.ones(len(frame), dtype=bool)
    if gaps.any() and how.missing == "error":
        found = table.missing_values(values, gaps)
        raise table.TableError(f"{found}; use --missing rows or mean", ["--missing", "mean"])
    if gaps.any() and how.missing == "mean":
        notes.append(f"{table.missing_values(values, gaps)}: replaced by the model's means")
    else:
        values, present = table.complete(values, how.missing, notes)
    numbers = values.to_numpy()
    validate.finite("X", np.where(np.isnan(numbers), 0.0, numbers), [*map(str, frame.columns)])
    return numbers, present
