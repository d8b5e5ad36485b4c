"""Overhead of the harness and the matrix layer, relative to direct calls of BLAS and LAPACK."""

from time import perf_counter

ROUNDS = 100


def best(function):
    """Return the minimum duration of many calls in seconds."""
    times = []
    for _ in range(ROUNDS):
        start = perf_counter()
        function()
        times.append(perf_counter() - start)
    return min(times)


class Grqi:
    """GRQI with n = 1000 and k = 44 on a covariance."""

    def setup_cache(self):
        """Return the time relative to direct calls, and the driver's microseconds per iteration.

        The relative time is computed with and without the start.
        """
        import spcabench

        problem = spcabench.load("gaussian", m=1000, n=1000, seed=0).given_as("covariance")
        result = spcabench.solve(problem, "grqi", k=44)
        S, iterates = problem.matrix.S, self.iterates(problem, result.iterations)
        solve_seconds = best(lambda: spcabench.solve(problem, "grqi", k=44))
        start = best(lambda: spcabench.solve(problem, "grqi", k=44, max_iterations=0))
        solver = best(lambda: self.iterates(problem, result.iterations))
        bare = best(lambda: [self.bare_iteration(S, x) for x in iterates[:-1]])
        bare_start = best(lambda: self.bare_start(S))
        return dict(
            with_start=solve_seconds / (bare + bare_start),
            without_start=(solve_seconds - start) / bare,
            driver=1e6 * (solve_seconds - solver) / result.iterations,
            bare=1e6 * bare / result.iterations,
            iterations=result.iterations,
        )

    def iterates(self, problem, count):
        """Return the iterates of the solver's generator, without the driver."""
        from spcabench.solvers import grqi

        return [x for x, _ in zip(grqi.solve(problem, k=44), range(count + 1), strict=False)]

    def bare_start(self, S):
        """Return the largest column."""
        import numpy as np

        return S[np.argmax(np.einsum("ij,ij->i", S, S))].copy()

    def bare_iteration(self, S, x):
        """Gather rows, solve the bordered system, and multiply."""
        import numpy as np
        from scipy.linalg import lapack

        from spcabench.vectors import support

        W = support(x)
        k = len(W)
        R = S[W]
        K = np.eye(k + 1, order="F")
        K[:k, :k] -= R[:, W] / 3000.0
        rhs = np.ones(k + 1)
        _, _, w, _ = lapack.dgesv(K, rhs, overwrite_a=1, overwrite_b=1)
        return w[:k] @ R

    def track_with_start(self, numbers):
        """Return the time of the whole solve as a multiple of the direct calls."""
        return numbers["with_start"]

    def track_without_start(self, numbers):
        """Return the time of the iterations as a multiple of the direct calls."""
        return numbers["without_start"]

    def track_driver(self, numbers):
        """Return the microseconds per iteration of the driver and the public function."""
        return numbers["driver"]

    track_driver.unit = "us"
    track_with_start.unit = track_without_start.unit = "ratio"
    track_driver.version = track_with_start.version = track_without_start.version = "1"


class Mcol:
    """Mcol-PCA on 5000 x 5000 sparse data with density 20 % and s = 1000, and on Enron's size."""

    timeout = 300

    def setup_cache(self):
        """Return times relative to the ten sparse products, and the seconds on Enron's size."""
        import numpy as np

        import spcabench

        problem = spcabench.load("random_sparse", m=5000, n=5000, density=0.2)
        X, batches = problem.data.X, np.arange(1000).reshape(10, 100)
        columns = [X[:, J] for J in batches]
        bare, first, solves = [], [], []
        for _ in range(7):
            start = perf_counter()
            for C in columns:
                X.T @ (C @ np.ones(100))
            bare.append(perf_counter() - start)
            result = spcabench.solve(problem, "mcol", k=1000)
            first.append(result.phases["columns"]["seconds"])
            solves.append(result.solve_time + result.setup_time)
        enron = spcabench.load("bag_of_words", corpus="enron", stand_in=True)
        runs = [spcabench.solve(enron, "mcol", k=100) for _ in range(3)]
        return dict(
            first=min(first) / min(bare),
            whole=min(solves) / min(bare),
            enron=min(r.solve_time + r.setup_time for r in runs),
        )

    def track_first_phase(self, numbers):
        """Return the time of the first phase as a multiple of its products."""
        return numbers["first"]

    def track_whole(self, numbers):
        """Return the time of the whole solve as a multiple of the products of its first phase."""
        return numbers["whole"]

    def track_enron(self, numbers):
        """Return the seconds on data of Enron's size, with s = 100."""
        return numbers["enron"]

    track_first_phase.unit = track_whole.unit = "ratio"
    track_enron.unit = "s"
    track_first_phase.version = track_whole.version = track_enron.version = "1"


if __name__ == "__main__":
    print(Grqi().setup_cache(), Mcol().setup_cache())
