"""Sparse components of a covariance minus other components, found by single swaps.

All swaps are tested exactly (`spcabench.methods.local_search`). The columns of the covariance are
computed only once, so updating a component repeatedly requires no further products.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from spcabench.methods.local_search import best_swap
from spcabench.problem.spectral import leading_pairs
from spcabench.vectors import Array, Indices, Vector, embed, first_largest, largest_indices


class Columns:
    """A covariance or Gram matrix Sigma (n, n), with columns that are computed when needed."""

    def __init__(self, Sigma) -> None:
        self.Sigma, self.diagonal = Sigma, np.array(Sigma.diagonal())
        self.held: dict[int, Vector] = {}

    def rows(self, W: Iterable[int], others: Array, weights: Vector) -> Array:
        """Return the rows W (k, n) of Sigma - others diag(weights) others', for others (n, q).

        This costs k n q flops, which are not charged.
        """
        chosen = np.array([int(j) for j in W])
        for j in chosen:
            if j not in self.held:
                self.held[j] = self.Sigma @ embed(np.ones(1), np.array([j]), len(self.diagonal))
        R = np.stack([self.held[j] for j in chosen])
        return R - (others[chosen] * weights) @ others.T

    def component(
        self,
        x: Vector,
        others: Array,
        weights: Vector,
        k: int,
        free: NDArray[np.bool_] | None = None,
    ) -> Vector:
        """Return a sparse component of Sigma - others diag(weights) others'.

        Swaps start from the support of x, and from the k largest entries in the row of the variable
        with the largest variance. The better result is returned, so the value is never below the
        value of x.

        Parameters
        ----------
        x : array of shape (n,)
            A component with at most k nonzeros, or zero.
        others : array of shape (n, q)
            Other components.
        weights : array of shape (q,)
            The factor with which each other component is subtracted.
        k : int
            Cardinality.
        free : array of bool, of shape (n,), optional
            The variables that x is allowed to use, at least k of them; by default, all variables.

        Returns
        -------
        array of shape (n,)
            A unit vector, or zero if no variance is left.
        """
        d = self.diagonal - (others**2 * weights).sum(axis=1)
        usable = np.full(len(d), True) if free is None else free
        d = np.where(usable, d, -np.inf)
        row = self.rows([first_largest(d, self.Sigma.column_squares)], others, weights)[0]
        sizes = [np.where(usable, np.abs(y), -np.inf) for y in (row, x)]
        starts = [largest_indices(size, k) for size in sizes if size.max() > 0.0]
        if not starts:
            return np.zeros(len(d))
        ends = [self._climbed(W.astype(np.int64), d, others, weights) for W in starts]
        W = max(ends, key=lambda end: end[0])[1]
        v = leading_pairs(self.rows(W, others, weights)[:, W], 1)[1][:, 0]
        return embed(v, W, len(d))

    def _climbed(
        self, W: Indices, d: Vector, others: Array, weights: Vector
    ) -> tuple[float, Indices]:
        """Swap variables from W until no swap improves; return the value and the support (k,)."""
        last = -np.inf
        while True:
            value, i, j = best_swap(self.rows(W, others, weights), d, W)
            if i < 0 or value <= last:
                return value, W
            last, W[i] = value, j
