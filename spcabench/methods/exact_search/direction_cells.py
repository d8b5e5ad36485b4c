"""The optimum of a matrix of small rank, proven by cells of directions.

Let Sigma <= V V' + remainder I, V (n, d), let x be optimal, and let c = V'x / ||V'x||, a direction
in R^d. For every unit vector c_0 within an angle r of c, c_0'V'x >= cos(r) ||V'x||, and c_0'V'x is
at most the square root of the sum of the k largest squares of V c_0. Therefore this sum, divided by
cos(r)^2, bounds x'V V'x for all directions of a cell with centre c_0 and radius r. A cell is
subdivided if its bound exceeds the best value. Near the best direction, the bound exceeds the value
by about r^2, so few cells of each size remain.
"""

from collections.abc import Callable, Iterator
from itertools import product as combinations

import numpy as np

from spcabench.problem.spectral import product
from spcabench.vectors import Array, Indices, Vector

BATCH = 4096  # number of cells evaluated at a time
LOOKED_AT = 4  # number of cells of each batch whose supports are tried
# maximum number of cells of one size; if many directions tie, all their cells remain
MOST_CELLS = 100_000
# smallest side of a cell: below it, the bound exceeds the best value by rounding alone
NARROWEST = 1e-6
Value = Callable[[Indices], float]


def most(V: Array, k: int, centres: Array, positive: bool) -> Array:
    """Return the sum of the k largest squares of V c for each centre c (q, d)."""
    values = product(centres, V.T)
    squares = np.maximum(values, 0.0) ** 2 if positive else values**2
    n = squares.shape[1]
    return np.partition(squares, n - k, axis=1)[:, n - k :].sum(axis=1)


class Cells:
    """A search over the directions in R^d for the best support of k of the rows of V (n, d).

    Cells are cubes on the faces of [-1, 1]^d, because the angle between two points on a face is at
    most the distance between them.

    best_with : function that takes a promising support and returns the best known value.
    bound : bound on x'(V V' + remainder I)x for all supports.
    """

    def __init__(
        self, V: Array, remainder: float, k: int, positive: bool, best_with: Value
    ) -> None:
        d = V.shape[1]
        self.V, self.remainder, self.k, self.positive, self.best_with = (
            V,
            remainder,
            k,
            positive,
            best_with,
        )
        signs = (1.0, -1.0) if positive else (1.0,)  # c and -c have the same squares
        faces = [(axis, sign) for axis in range(d) for sign in signs]
        self.face = np.array([axis for axis, _ in faces])
        self.sign = np.array([sign for _, sign in faces])
        self.middle, self.side = np.zeros((len(faces), d - 1)), 2.0
        self.steps = np.array(list(combinations((-0.25, 0.25), repeat=d - 1))).reshape(
            2 ** (d - 1), d - 1
        )
        self.bound = np.inf

    def run(self, tolerance: float) -> Iterator[None]:
        """Subdivide cells until no cell can exceed the best value, or too many cells remain."""
        best = self.best_with(np.arange(self.k))
        while 0 < len(self.face) <= MOST_CELLS and self.side > NARROWEST:
            bounds = np.empty(len(self.face))
            for first in range(0, len(bounds), BATCH):
                part = slice(first, first + BATCH)
                bounds[part], best = self._look(part, best)
                yield
            target = best * (1.0 + tolerance)
            self.bound = min(self.bound, max(float(bounds.max()), target))
            self._divide(np.flatnonzero(bounds > target))

    def _look(self, part: slice, best: float) -> tuple[Vector, float]:
        """Return the bounds of a batch of cells, and the best value after trying their supports."""
        face, middle = self.face[part], self.middle[part]
        d = self.V.shape[1]
        centres = np.empty((len(face), d))
        others = np.array([[j for j in range(d) if j != axis] for axis in range(d)], dtype=int)
        centres[np.arange(len(face)), face] = self.sign[part]
        np.put_along_axis(centres, others.reshape(d, d - 1)[face], middle, axis=1)
        centres /= np.linalg.norm(centres, axis=1)[:, None]
        # half the diagonal; the cosine of an angle r is at least 1 - r^2 / 2
        cosine = 1.0 - min(0.5 * self.side * np.sqrt(d - 1.0), 1.4) ** 2 / 2.0
        sums = most(self.V, self.k, centres, self.positive)
        for place in np.argsort(-sums)[:LOOKED_AT]:
            values = product(self.V, centres[place])
            sizes = values if self.positive else np.abs(values)
            best = self.best_with(np.argsort(-sizes, kind="stable")[: self.k])
        return self.remainder + sums / cosine**2, best

    def _divide(self, open_cells: Indices) -> None:
        """Subdivide the open cells."""
        count = len(self.steps)
        middle = self.middle[open_cells][:, None, :] + self.side * self.steps
        self.middle = middle.reshape(len(open_cells) * count, self.middle.shape[1])
        self.face, self.sign = (
            np.repeat(self.face[open_cells], count),
            np.repeat(self.sign[open_cells], count),
        )
        self.side *= 0.5
