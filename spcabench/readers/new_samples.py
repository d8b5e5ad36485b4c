"""Reading new samples of a model's variables from a user's file."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp

from spcabench import validate
from spcabench.errors import InputError
from spcabench.readers import table, user_file
from spcabench.vectors import Array, Indices

GAPS = "--missing rows leaves {rows} out, --missing mean fills in the model's means"
TEXTS = "--drop-text leaves out every column of text"
NEEDED = "the model needs numbers there"


def read(
    path: Path,
    how: user_file.Reading,
    choose: Callable[[Sequence[str]], list[int]],
    needed: Sequence[str],
    used: Indices,
    n: int,
    notes: list[str],
) -> tuple[Array, list[str]]:
    """Return the samples (m, len(used)) of some variables, and the samples' names.

    In a table, ``choose`` finds the columns by their names, ``needed``. In an array of n columns,
    they are found by their positions, ``used``. Raises InputError if the file lacks some of them.
    """
    X = user_file.contents(path, how, notes)
    if not isinstance(X, pd.DataFrame):
        X = X.T if how.transpose else X
        if X.ndim != 2 or X.shape[1] != n:
            raise InputError(f"{path}: shape {X.shape}; the model needs {n} columns")
        chosen = X[:, used] if not sp.issparse(X) else X.tocsc()[:, used].toarray()
        return _complete(path, pd.DataFrame(chosen, columns=used + 1), how, notes, None)
    frame, names = table.row_names(path, X, () if how.transpose else needed, notes)
    if how.transpose:
        samples = table.without_text(path, table.as_numbers(frame), how.drop_text, notes, TEXTS)
        frame = table.transposed(path, samples, names)
        names = [str(name) for name in samples.columns]
    try:
        columns = choose([str(name) for name in frame.columns])
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    numbers = table.as_numbers(frame.iloc[:, columns])
    table.without_text(path, numbers, False, notes, NEEDED)
    return _complete(path, numbers, how, notes, names)


def _complete(
    path: Path,
    frame: pd.DataFrame,
    how: user_file.Reading,
    notes: list[str],
    names: list[str] | None,
) -> tuple[Array, list[str]]:
    """The numbers and row names; gaps remain if the model's means will fill them."""
    if how.missing == "columns":
        raise InputError("--missing: 'columns'; a model needs all its columns: choose rows or mean")
    if frame.empty:
        raise InputError(f"{path}: no rows; at least one sample is needed")
    values = frame.to_numpy(dtype=np.float64)
    # a gap is not an infinite entry
    validate.finite(str(path), np.where(np.isnan(values), 0.0, values), [*map(str, frame.columns)])
    names = names or [str(i + 1) for i in range(len(frame))]
    if how.missing == "mean":
        gaps = frame.isna().to_numpy()
        if gaps.any():
            notes.append(f"{table.missing_values(frame, gaps)}; filled in with the model's means")
        return frame.to_numpy(dtype=np.float64), names
    complete, present = table.complete(path, frame, how.missing, notes, GAPS)
    return complete.to_numpy(dtype=np.float64), [names[i] for i in np.flatnonzero(present)]
