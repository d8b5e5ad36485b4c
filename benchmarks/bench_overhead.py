"""What the harness and the matrix layer cost beside the bare BLAS and LAPACK calls of the same iterations."""

from time import perf_counter

import numpy as np
from scipy.linalg import lapack

import spcabench
from spcabench.vectors import support

ROUNDS = 400


def best(function):
    """Seconds of a call, the minimum of many."""
    times = []
    for _ in range(ROUNDS):
        start = perf_counter()
        function()
        times.append(perf_counter() - start)
    return min(times)


class Grqi:
    """GRQI at n = 1000, k = 44 on a given Sigma."""

    def setup_cache(self):
        """Ratios to the bare calls, with and without the start, and microseconds of the driver per iteration."""
        problem = spcabench.load("gaussian", m=1000, n=1000, seed=0).given_as("covariance")
        result = spcabench.solve(problem, "grqi", k=44)
        S, iterates = problem.matrix.S, self.iterates(problem, result.iterations)
        whole = best(lambda: spcabench.solve(problem, "grqi", k=44))
        start = best(lambda: spcabench.solve(problem, "grqi", k=44, max_iterations=0))
        solver = best(lambda: self.iterates(problem, result.iterations))
        bare = best(lambda: [self.bare_iteration(S, x) for x in iterates[:-1]])
        bare_start = best(lambda: self.bare_start(S))
        return dict(
            with_start=whole / (bare + bare_start),
            without_start=(whole - start) / bare,
            driver=1e6 * (whole - solver) / result.iterations,
            bare=1e6 * bare / result.iterations,
            iterations=result.iterations,
        )

    def iterates(self, problem, count):
        """The solver's own generator, without the driver."""
        from spcabench.solvers import grqi

        return [x for x, _ in zip(grqi.solve(problem, k=44), range(count + 1), strict=False)]

    def bare_start(self, S):
        """The largest column."""
        return S[np.argmax(np.einsum("ij,ij->i", S, S))].copy()

    def bare_iteration(self, S, x):
        """Gather of the rows, bordered solve, product."""
        W = support(x)
        k = len(W)
        R = S[W]
        K = np.eye(k + 1, order="F")
        K[:k, :k] -= R[:, W] / 3000.0
        rhs = np.ones(k + 1)
        _, _, w, _ = lapack.dgesv(K, rhs, overwrite_a=1, overwrite_b=1)
        return w[:k] @ R

    def track_with_start(self, found):
        """The whole solve over its bare calls."""
        return found["with_start"]

    def track_without_start(self, found):
        """The iterations over their bare calls."""
        return found["without_start"]

    def track_driver(self, found):
        """Microseconds of the driver and the public function, per iteration."""
        return found["driver"]

    track_driver.unit = "us"
    track_with_start.unit = track_without_start.unit = "ratio"
    track_driver.version = track_with_start.version = track_without_start.version = "1"


if __name__ == "__main__":
    print(Grqi().setup_cache())
