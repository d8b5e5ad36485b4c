"""Flops, iterations, gap, shortfall, time and memory of every solver on the standard problems."""

import os
from importlib.util import find_spec
from pathlib import Path

from benchmarks import counts, passes
from benchmarks.codes import named
from benchmarks.problems import REDUCED

# the commit's package is found, and not imported: asv forks this process for every number
TREE = Path(find_spec("spcabench").origin).parents[1]
THERE = {file.stem for file in named(TREE / "spcabench" / "solvers")}
# with the solvers of this checkout: one that the commit lacks is skipped there
SOLVERS = sorted({file.stem for file in named(Path(__file__).parents[2] / "solvers")} | THERE)
# the solvers that are measured, where not all are: see `benchmarks.perf`
ASKED = os.environ.get("SPCABENCH_MEASURED", "").split()
os.environ["SPCABENCH_OFFLINE"] = "1"


class Solvers:
    """All numbers of a solver on a problem, from one pass over the solvers."""

    params = (SOLVERS, list(REDUCED))
    param_names = ("solver", "problem")

    def setup_cache(self):
        """Solver and problem -> measure -> number."""
        if not THERE:
            raise RuntimeError(f"{TREE} is a checkout, and not the package of a commit")
        solvers = [name for name in ASKED or SOLVERS if name in THERE]
        found = passes.checked(passes.collect(REDUCED, TREE, 1, solvers, timed=True))
        best = counts.best_known()
        return {
            (solver, problem): counts.values(entry, best.get(problem)) | counts.costs(entry)
            for solver, entries in found.items()
            for problem, entry in entries.items()
        }

    setup_cache.timeout = 7200

    def of(self, found, solver, problem, measure):
        """One number; nan for a solver that the commit lacks, or one that has no answer."""
        return float(found.get((solver, problem), {}).get(measure, "nan"))

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

    def track_seconds(self, found, solver, problem):
        """Processor's seconds of a call at the penalty found: the median of some."""
        return self.of(found, solver, problem, "seconds")

    def track_memory(self, found, solver, problem):
        """Bytes that a call needs above what the process held before it."""
        return self.of(found, solver, problem, "memory")

    track_flops.unit = "flops"
    track_iterations.unit = "iterations"
    track_gap.unit = track_shortfall.unit = "share"
    track_seconds.unit = "seconds"
    track_memory.unit = "bytes"
    track_flops.version = track_iterations.version = track_gap.version = "2"
    track_shortfall.version = track_seconds.version = track_memory.version = "2"


class Package:
    """The package itself."""

    timeout = 60
    rounds, repeat = 1, 3

    def timeraw_import(self):
        """Seconds to import what a solve needs, in a new interpreter."""
        return "from spcabench import solve, load"

    timeraw_import.version = "1"
