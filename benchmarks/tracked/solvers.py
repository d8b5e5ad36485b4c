"""Flops, iterations, gap, shortfall, time and memory of every solver on the standard problems."""

import json
import sys
from importlib.util import find_spec
from pathlib import Path
from time import process_time

from benchmarks import measure
from benchmarks.problems import PROBLEMS, REDUCED

BEST = json.loads(Path(measure.__file__).with_name("best_known.json").read_text())
AT_COMMIT = {file.stem for file in Path(find_spec("spcabench.solvers").origin).parent.glob("*.py")}
EVERY = {file.stem for file in Path(__file__).parents[2].glob("solvers/*.py")}
if "run_server" in sys.argv:  # with --launch-method forkserver, these libraries are imported once
    import numba  # noqa: F401
    import scipy.sparse.linalg  # noqa: F401

    from spcabench import solve  # noqa: F401


class _Solver:
    """All numbers of one solver; the first number solves a problem and stores the counts."""

    params, param_names = list(REDUCED), ["problem"]
    timeout = 300
    # processor times, which exclude other programs on the machine
    timer = staticmethod(process_time)
    rounds, repeat, sample_time = 1, (1, 7, 0.05), 0.005

    def setup_cache(self):
        """Make asv use one folder for all numbers, where `setup` stores the counts."""

    def setup(self, problem):
        """Count one run, or read the counts if an earlier number has stored them."""
        if self.solver not in AT_COMMIT:
            raise NotImplementedError("not at this commit")
        file = Path(f"{self.solver} {problem}.json")
        if not file.exists():
            file.write_text('{"status": "error", "reason": "it crashed, or took too long"}')
            file.write_text(json.dumps(measure.entry(self.solver, problem, in_history=True)))
        entry = json.loads(file.read_text())
        if entry["status"] == "error":
            raise RuntimeError(entry["reason"])
        if "settings" not in entry:
            raise NotImplementedError(entry.get("reason", entry["status"]))
        self.counts = measure.values(entry, BEST.get(problem))
        self.problem, self.settings = PROBLEMS[problem].make(), entry["settings"]

    def time_solve(self, problem):
        """Solve with the settings of the counted run."""
        from spcabench import solve

        solve(self.problem, self.solver, **self.settings)

    def track_flops(self, problem):
        """Return the flops of the set-up and of all iterations."""
        return self.counts["flops"]

    def track_iterations(self, problem):
        """Return the number of iterations until the solver's tolerance is reached."""
        return self.counts["iterations"]

    def track_gap(self, problem):
        """Return the relative gap to the certified upper bound."""
        return self.counts["gap"]

    def track_shortfall(self, problem):
        """Return the relative shortfall from the best known variance for this cardinality."""
        return self.counts["shortfall"]

    def track_memory(self, problem):
        """Return the peak memory of a call minus the memory in use before it, in bytes."""
        return measure.memory_of(lambda: self.time_solve(problem))

    track_flops.unit = "flops"
    track_iterations.unit = "iterations"
    track_gap.unit = track_shortfall.unit = "share"
    track_memory.unit = "bytes"
    track_flops.version = track_iterations.version = track_gap.version = "1"
    track_shortfall.version = track_memory.version = time_solve.version = "1"


# a class for each solver, so that asv's --bench can select it; n/a if the commit lacks the solver
for _name in sorted(name for name in AT_COMMIT | EVERY if not name.startswith("_")):
    globals()[_name] = type(_name, (_Solver,), {"solver": _name})


class Package:
    """Import time of the package."""

    timeout = 60
    rounds, repeat = 1, 3

    def timeraw_import(self):
        """Time the imports for a solve in a new interpreter."""
        return "from spcabench import solve, load"

    timeraw_import.version = "1"
