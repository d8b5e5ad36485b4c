"""Problems as files of arrays, which do not reveal their dataset, its seed or a planted support."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from spcabench.problem.covariance import Covariance
from spcabench.problem.data import Data
from spcabench.problem.problem import Problem
from spcabench.run import Run

STORED = "stored"  # in place of the name of a dataset, for a problem in a file


def write(problem: Problem, *, seed: int, file: str) -> dict[str, Any]:
    """Write the arrays of a loaded problem to a file; a function of a `Run`.

    Returns the reason as ``fault`` if the file cannot be written, for example on a full disk.
    """
    matrix = problem.matrix
    if isinstance(matrix, Covariance):
        parts: dict[str, Any] = {"S": matrix.S}
    else:
        assert isinstance(matrix, Data)
        X = matrix.X
        parts = {"U": matrix.U, "V": matrix.V}
        parts |= {} if matrix.scale is None else {"scale": matrix.scale}
        names = ("data", "indices", "indptr", "shape")
        parts |= {name: getattr(X, name) for name in names} if matrix.sparse else {"X": X}
    try:
        np.savez(file, **parts, indefinite=problem.indefinite, divisor=problem.divisor)
    except OSError as error:
        return {"fault": f"{file}: {error.strerror or error}"}
    return {}


def read(file: Path) -> Problem:
    """Return the problem in a file, without its names and its provenance."""
    with np.load(file, allow_pickle=False) as stored:
        parts = dict(stored)
    if "S" in parts:
        matrix: Covariance | Data = Covariance(parts["S"])
    else:
        X = parts["X"] if "X" in parts else _sparse(parts)
        matrix = Data(X, parts.get("scale"), parts["U"], parts["V"])
    indefinite, divisor = bool(parts["indefinite"]), int(parts["divisor"])
    return Problem("unnamed", matrix, indefinite=indefinite, divisor=divisor)


def _sparse(parts: dict[str, Any]) -> sp.csc_array:
    stored = parts["data"], parts["indices"], parts["indptr"]
    return sp.csc_array(stored, shape=tuple(map(int, parts["shape"])))


def without_origin(run: Run, file: Path) -> Run:
    """Return a run on the problem in a file that does not say what the problem is."""
    parameters = {"file": str(file)}
    return replace(run, dataset=STORED, parameters=parameters, label="", series="", columns={})
