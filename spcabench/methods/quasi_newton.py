"""L-BFGS for smooth convex functions.

Unlike in SciPy's implementation, the caller can update a diagonal metric and change the function.
"""

from collections.abc import Callable

import numpy as np

from spcabench.vectors import Vector

MEMORY = 12  # number of stored pairs of steps and gradient changes
FIRST = 0.02  # length of a step if the memory is empty
ARMIJO, WOLFE = 1e-4, 0.9  # constants of the Wolfe conditions: required decrease and flattening
TRIALS = 20  # maximum number of step lengths tried
CURVED = 1e-12  # a pair with a smaller relative curvature is not stored

Function = Callable[[Vector], tuple[float, Vector]]


class Descent:
    """The point z with the smallest value f so far, the gradient g at z and the number of calls."""

    def __init__(self, z: Vector) -> None:
        self.z, self.calls = z, 0
        self.pairs: list[tuple[Vector, Vector]] = []

    def begin(self, function: Function) -> None:
        """Evaluate a function, possibly a new one, without clearing the memory."""
        self.function = function
        self.f, self.g = self._called(self.z)

    def step(self, metric: Vector) -> bool:
        """Make one step that satisfies the Wolfe conditions; return False if no step does.

        metric : the diagonal of an estimate of the inverse Hessian, up to a factor.
        """
        direction = self._direction(metric)
        slope = float(self.g @ direction)
        if slope >= 0.0 and self.pairs:
            self.pairs.clear()
            direction = self._direction(metric)
            slope = float(self.g @ direction)
        if not slope < 0.0:
            return False
        low, high, length = 0.0, np.inf, 1.0
        for _ in range(TRIALS):
            z = self.z + length * direction
            f, g = self._called(z)
            if not f <= self.f + ARMIJO * length * slope:
                high = length
            elif float(g @ direction) < WOLFE * slope:
                low = length
            else:
                break
            length = 2.0 * length if high == np.inf else 0.5 * (low + high)
        else:
            return False
        self._remember(z - self.z, g - self.g)
        self.z, self.f, self.g = z, f, g
        return True

    def _called(self, z: Vector) -> tuple[float, Vector]:
        self.calls += 1
        return self.function(z)

    def _remember(self, s: Vector, y: Vector) -> None:
        if s @ y > CURVED * np.sqrt((s @ s) * (y @ y)):
            self.pairs = [*self.pairs[1 - MEMORY :], (s, y)]

    def _direction(self, metric: Vector) -> Vector:
        """Return minus the estimated inverse Hessian times g, by the two-loop recursion."""
        q = self.g.copy()
        products = [1.0 / float(s @ y) for s, y in self.pairs]
        shares = []
        for (s, y), rho in zip(self.pairs[::-1], products[::-1], strict=True):
            shares.append(rho * float(s @ q))
            q -= shares[-1] * y
        q *= metric
        if self.pairs:
            y = self.pairs[-1][1]
            q /= products[-1] * float(y @ (metric * y))
        else:
            q *= FIRST / max(float(np.linalg.norm(q)), 1e-300)
        for (s, y), rho, share in zip(self.pairs, products, shares[::-1], strict=True):
            q += s * (share - rho * float(y @ q))
        return -q
