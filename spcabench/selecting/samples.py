"""Divide the samples of a problem into a fitted and a held-out part."""

from collections.abc import Iterator

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
        """Return the problem with all samples, in which the entries of each column are shuffled."""
        if not sp.issparse(self.rows):
            permuted = rng.permuted(self.rows, axis=0)
            return Problem.from_data(permuted, center=self.centred, divisor="1")
        X = sp.csc_array(self.rows)
        rows = _random_rows(np.diff(X.indptr), self.m, rng)
        shuffled = sp.csc_array((X.data, rows, X.indptr), shape=X.shape)
        shuffled.sort_indices()
        return Problem.from_data(shuffled, center=self.centred, divisor="1")

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


def _random_rows(counts: Indices, m: int, rng: np.random.Generator) -> Indices:
    """For each column, draw ``counts`` distinct rows from 0 to m - 1, one column after the other.

    Rows are drawn with replacement, and duplicates within a column are drawn again, which favours
    no row. This would be slow for a column that needs more than a quarter of the rows.
    """
    rows = rng.integers(m, size=counts.sum())
    ends = np.cumsum(counts)
    for j in np.flatnonzero(counts > m / 4):
        rows[ends[j] - counts[j] : ends[j]] = rng.permutation(m)[: counts[j]]
    column = np.repeat(np.arange(len(counts)), counts)
    while True:
        _, first = np.unique(column * m + rows, return_index=True)
        again = np.setdiff1d(np.arange(len(rows)), first, assume_unique=True)
        if not len(again):
            return rows
        rows[again] = rng.integers(m, size=len(again))


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
