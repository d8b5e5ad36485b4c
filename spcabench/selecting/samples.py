"""Divide the samples of a problem into a fitted and a held-out part."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from spcabench.errors import InputError
from spcabench.problem.data import Data
from spcabench.problem.problem import Problem
from spcabench.vectors import Array, Indices, Vector

CENTRED = (
    1e-9  # a column is considered centred if its mean is at most this fraction of its largest entry
)


class Samples:
    """The samples of a problem, and problems created from subsets of them.

    If the problem is centred, each subset is centred again. The scaling is not changed.
    """

    def __init__(self, problem: Problem) -> None:
        A = problem.matrix
        if not isinstance(A, Data):
            raise InputError(
                f"criterion: problem {problem.name!r} has no samples; for a covariance choose "
                "'certified'"
            )
        self.given, self.whole = problem, A
        self.m, self.n = A.shape
        if A.sparse:
            self.centred = _only_centred(problem.name, A)
            self.rows = sp.csr_array(A.X if A.scale is None else A.X * A.scale)
            return
        self.rows = A.dense()
        largest = np.abs(self.rows).max()
        self.centred = bool(np.abs(self.rows.mean(axis=0)).max() <= CENTRED * largest)

    def folds(self, count: int, seed: int) -> Iterator[tuple[Indices, Indices]]:
        """Yield the fitted and the held-out samples of each fold."""
        order = np.random.default_rng(seed).permutation(self.m)
        for i in range(count):
            yield np.sort(np.delete(order, np.s_[i::count])), np.sort(order[i::count])

    def halves(self, count: int, seed: int) -> Iterator[Indices]:
        """Yield halves of the samples, drawn without replacement."""
        rng = np.random.default_rng(seed)
        for _ in range(count):
            yield np.sort(rng.permutation(self.m)[: self.m // 2])

    def problem(self, rows: Indices) -> Problem:
        """Return the problem restricted to these samples."""
        return Problem.from_data(self.rows[rows], center=self.centred, divisor="1")

    def permuted(self, rng: np.random.Generator) -> Problem:
        """Return the problem with all samples, in which the entries of each column are shuffled.

        The means and variances of the columns do not change, so nothing is prepared again.
        """
        A = self.whole
        if A.sparse:
            shuffled = Data(_shuffled(A.X, rng), A.scale, A.U, A.V)
        else:
            shuffled = Data(np.asfortranarray(rng.permuted(self.rows, axis=0)))
        return replace(self.given, matrix=shuffled, _cache={})

    def shares(self, fitted: Indices, held_out: Indices, Z: Array) -> Vector:
        """Return the fraction of the held-out variance that each column of Z (n, r) explains.

        The variance is computed about the mean of the fitted samples.
        """
        X, n = self.rows[held_out], self.n
        mean = self.rows[fitted].mean(axis=0) if self.centred else np.zeros(n)
        mean = np.asarray(mean).ravel()
        scores = X @ Z - mean @ Z
        squares = X.multiply(X).sum() if sp.issparse(X) else np.einsum("ij,ij->", X, X)
        total = squares - 2.0 * np.sum(X @ mean) + len(held_out) * (mean @ mean)
        return (scores**2).sum(axis=0) / total if total > 0.0 else np.zeros(Z.shape[1])


def _shuffled(X: sp.csc_array, rng: np.random.Generator) -> sp.csc_array:
    """Return X (m, n) with the entries of each column in random rows.

    Rows are drawn with replacement, and all entries of a column that share a row are drawn again,
    which favours no row. This would be slow for a column that needs more than a quarter of the
    rows.
    """
    m, n = X.shape
    counts = np.diff(X.indptr)
    rows = rng.integers(m, size=X.nnz, dtype=X.indices.dtype)
    for j in np.flatnonzero(counts > m / 4):
        rows[X.indptr[j] : X.indptr[j + 1]] = rng.permutation(m)[: counts[j]]
    same_column = np.diff(np.repeat(np.arange(n), counts)) == 0
    shuffled = sp.csc_array((X.data.copy(), rows, X.indptr), shape=X.shape)
    while True:
        shuffled.sort_indices()
        equal = (np.diff(shuffled.indices) == 0) & same_column
        if not equal.any():
            return shuffled
        again = np.append(equal, False) | np.append(False, equal)
        shuffled.indices[again] = rng.integers(m, size=again.sum())
        shuffled.has_sorted_indices = False


def _only_centred(name: str, A: Data) -> bool:
    """Whether sparse data are centred; raise InputError if other terms are subtracted too."""
    if A.rank == 0:
        return False
    if A.rank > 1 or np.ptp(A.U) > 0.0:
        raise InputError(
            f"X: {name!r} is sparse, and a component was removed from it; use dense data, or the "
            "problem before the component was removed"
        )
    return True
