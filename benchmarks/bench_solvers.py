"""Flops, iterations, gap, shortfall, time and memory of every solver on the standard problems."""

import os
from pathlib import Path

import spcabench
from spcabench import registry

from . import counts
from .problems import PROBLEMS

# the solvers of this checkout and of the commit: one that the commit lacks is skipped there
HERE = {path.stem for path in (Path(__file__).parents[1] / "solvers").glob("[!_]*.py")}
SOLVERS = sorted(HERE | set(registry.names("solver")))
os.environ["SPCABENCH_OFFLINE"] = "1"


class Counts:
    """Exact counts, all from one pass over the solvers."""

    params = (SOLVERS, list(PROBLEMS))
    param_names = ("solver", "problem")

    def setup_cache(self):
        """Solver -> problem -> counts."""
        return counts.collect(PROBLEMS)

    setup_cache.timeout = 900

    def of(self, found, solver, problem, measure):
        """One number; nan for a solver that the commit lacks, or one that has no answer."""
        return float(
            counts.values(found.get(solver, {}).get(problem, {}), counts.best_known().get(problem))[
                measure
            ]
        )

    def track_flops(self, found, solver, problem):
        """Flops of the set-up and of all iterations."""
        return self.of(found, solver, problem, "flops")

    def track_iterations(self, found, solver, problem):
        """Iterations to the solver's own tolerance."""
        return self.of(found, solver, problem, "iterations")

    def track_gap(self, found, solver, problem):
        """Gap to the certified upper bound, relative."""
        return self.of(found, solver, problem, "gap")

    def track_shortfall(self, found, solver, problem):
        """What the variance at the problem's cardinality lacks of the best known, relative."""
        return self.of(found, solver, problem, "shortfall")

    track_flops.unit = "flops"
    track_iterations.unit = "iterations"
    track_gap.unit = track_shortfall.unit = "share"
    track_flops.version = track_iterations.version = track_gap.version = track_shortfall.version = (
        "1"
    )


class Costs(Counts):
    """Time and memory of one call at the penalty found; the set-up is a call that compiles."""

    track_flops = track_iterations = track_gap = track_shortfall = None
    # a time is looked at and decides nothing: one process, half a second at most
    rounds, repeat, warmup_time = 1, (1, 7, 0.4), 0.0
    timeout = 120

    def setup(self, found, solver, problem):
        """The problem, and the settings of the counted run; skipped where that gave no answer.

        asv sets up again before every single call: it is done once.
        """
        entry = found.get(solver, {}).get(problem, {})
        if "settings" not in entry:
            raise NotImplementedError
        if not hasattr(self, "problem"):
            self.problem, self.settings = PROBLEMS[problem].make(), entry["settings"]
            # calls in a sample
            self.number = max(1, min(500, round(0.01 / max(entry["seconds"], 1e-5))))
            self.time_solve(found, solver, problem)

    def time_solve(self, found, solver, problem):
        """Seconds of a whole call."""
        spcabench.solve(self.problem, solver, **self.settings)

    def peakmem_solve(self, found, solver, problem):
        """Peak of the process, its libraries included."""
        spcabench.solve(self.problem, solver, **self.settings)

    time_solve.version = peakmem_solve.version = "1"


class Package:
    """The package itself."""

    timeout = 60

    def timeraw_import(self):
        """Seconds to import what a solve needs, in a new interpreter."""
        return "from spcabench import solve, load"

    timeraw_import.version = "1"
