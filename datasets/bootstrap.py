"""A bootstrap sample of another dataset: its rows, drawn with replacement, with random scales.

If the dataset is a covariance, samples from the normal distribution with this covariance are drawn
instead. A comparison on fresh problems uses bootstrap samples in place of its real data. Without
the random factors, supports that are good for most samples could be known.
"""

import numpy as np
import scipy.sparse as sp

from spcabench import registry, validate
from spcabench.errors import InputError
from spcabench.problem.problem import Problem
from spcabench.vectors import largest_indices


def load(of="alon", given=None, variables=None, samples=180, spread=0.0, seed=0):
    """Return A = X / sqrt(m), where X (m, n) contains the drawn rows, centred, or their covariance.

    The form is that of the original problem. The variables are in random order, and each of them is
    multiplied by a random factor.

    of : name of the dataset.
    given : parameters of the dataset, as a mapping.
    variables : load only this number of variables with the largest variances in the drawn rows; by
        default, all variables.
    samples : number of samples drawn if the dataset is a covariance. A sample of data always has
        as many rows as the data.
    spread : standard deviation of the logarithm of the factors; 0 keeps the scales.
    """
    if variables is not None:
        validate.whole("variables", variables, 1)
    validate.whole("samples", samples, 2)
    if validate.number("spread", spread) < 0.0:
        raise InputError(f"spread: {spread}; it must be at least 0")
    validate.whole("seed", seed, 0)
    if of == "bootstrap":
        raise InputError("of: 'bootstrap'; name another dataset")
    original = registry.module("dataset", of).load(**(given or {}))
    rng = np.random.default_rng(seed)
    X, columns = _drawn(original, samples, rng), np.arange(original.n)
    factors = np.exp(spread * rng.standard_normal(original.n))
    X = X @ sp.diags_array(factors) if sp.issparse(X) else X * factors
    if variables is not None:
        columns = largest_indices(_variances(X), min(variables, original.n))
    columns = rng.permutation(columns)
    names = original.features
    drawn = Problem.from_data(
        X[:, columns],
        f"rows of {original.name}, drawn again",
        divisor="m",
        features=None if names is None else [names[j] for j in columns],
        provenance={
            **original.provenance,
            "preprocessing": "rows drawn again, centred, variables in random order"
            + (", multiplied by random factors" if spread else ""),
        },
    )
    # solvers are faster or slower in another form; few words of a corpus form a covariance
    few_words = sp.issparse(X) and variables is not None
    return drawn.given_as("covariance") if original.m is None or few_words else drawn


def _drawn(original, samples, rng):
    """Return rows (m, n) drawn with replacement from data, or from a normal distribution."""
    if original.m is None:
        w, V = np.linalg.eigh(original.matrix.S)
        return rng.standard_normal((samples, original.n)) * np.sqrt(np.maximum(w, 0.0)) @ V.T
    rows = rng.integers(original.m, size=original.m)
    A = original.data
    return sp.csr_array(A.X)[rows] if A.sparse else A.dense()[rows]


def _variances(X):
    """Return the variances (n,) of the columns of X (m, n), dense or sparse."""
    mean = np.asarray(X.mean(axis=0))
    squares = X.multiply(X) if sp.issparse(X) else X * X
    return np.asarray(squares.mean(axis=0)) - mean**2
