"""A bootstrap sample of another dataset: its rows drawn with replacement.

A covariance has no rows, so rows are drawn from the normal distribution with that covariance. A
comparison on fresh problems uses this in place of its real data.
"""

import numpy as np
import scipy.sparse as sp

from spcabench import registry, validate
from spcabench.errors import InputError
from spcabench.problem.problem import Problem
from spcabench.vectors import largest_indices


def load(of="alon", given=None, variables=None, samples=180, seed=0):
    """A = X / sqrt(m) with X centred, where X (m, n) holds the drawn rows.

    of : name of the dataset. given : its parameters, as a mapping.
    variables : number of variables of largest variance in the drawn rows; by default all.
    samples : number of rows drawn from a covariance; data keep their number of rows.
    """
    if variables is not None:
        validate.whole("variables", variables, 1)
    validate.whole("samples", samples, 2)
    validate.whole("seed", seed, 0)
    if of == "bootstrap":
        raise InputError("of: 'bootstrap'; name another dataset")
    original = registry.module("dataset", of).load(**(given or {}))
    X = _drawn(original, samples, np.random.default_rng(seed))
    names = original.features
    if variables is not None:
        columns = largest_indices(_variances(X), min(variables, original.n))
        X, names = X[:, columns], None if names is None else [names[j] for j in columns]
    if sp.issparse(X):  # with few columns left, dense is smaller
        X = X.toarray()
    return Problem.from_data(
        X,
        f"rows of {original.name}, drawn again",
        divisor="m",
        features=names,
        provenance={**original.provenance, "preprocessing": "rows drawn again, centred"},
    )


def _drawn(original, samples, rng):
    """Rows (m, n) drawn with replacement, or drawn from a normal distribution."""
    if original.m is None:
        w, V = np.linalg.eigh(original.matrix.S)
        return rng.standard_normal((samples, original.n)) * np.sqrt(np.maximum(w, 0.0)) @ V.T
    rows = rng.integers(original.m, size=original.m)
    A = original.data
    return sp.csr_array(A.X)[rows] if A.sparse else A.dense()[rows]


def _variances(X):
    """Variances (n,) of the columns of X (m, n), dense or sparse."""
    mean = np.asarray(X.mean(axis=0))
    squares = X.multiply(X) if sp.issparse(X) else X * X
    return np.asarray(squares.mean(axis=0)) - mean**2
