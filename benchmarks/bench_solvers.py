"""Time, flops and iterations of every solver at its EXAMPLE, commit by commit."""

import spcabench
from spcabench import registry

SOLVERS = registry.names("solver")


class Gaussian:
    """A'A with standard normal A (n, n)."""

    params = (SOLVERS, [20, 100, 300])
    param_names = ("solver", "n")

    def setup(self, solver, n):
        """The problem in the form that the solver takes; solvers that refuse its size are skipped."""
        self.problem = spcabench.load("gaussian", m=n, n=n, seed=0)
        self.example = dict(registry.module("solver", solver).EXAMPLE)
        if self.example.get("k", 1) > n:
            self.example["k"] = n
        try:
            self.result = spcabench.solve(self.problem, solver, **self.example)
        except ValueError as error:
            raise NotImplementedError from error

    def time_solve(self, solver, n):
        """One solve, the search of a penalty included."""
        spcabench.solve(self.problem, solver, **self.example)

    def track_flops(self, solver, n):
        """Flops of the iterations."""
        return int(self.result.flops)

    def track_iterations(self, solver, n):
        """Iterations to the default tolerance."""
        return int(self.result.iterations)

    track_flops.unit = "flops"
    track_iterations.unit = "iterations"
    track_flops.version = track_iterations.version = time_solve.version = "1"
