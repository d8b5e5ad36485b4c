"""The asv benchmark of one solver: flops, iterations, quality, time and memory."""

import ctypes
import gc
import inspect
import json
import math
from contextlib import suppress
from pathlib import Path
from time import process_time

import numba  # noqa: F401  asv's fork server imports the libraries once, for all benchmarks
import scipy.sparse.linalg  # noqa: F401

from spcabench import registry, solve
from spcabench.vectors import project

from .problems import PROBLEMS

# Relaxations get this fraction of the largest penalty, because the search for a penalty would take
# most of the time.
PENALTY = 0.1
# On a large problem, the first stops only when its budget is used up, after minutes. The second
# searches for its penalty with a library's solver, for most of a minute.
SEARCH, SLOW = "branch_and_bound", "sklearn_sparse_pca"


class _Solver:
    """All numbers of one solver. The first of them solves a problem and stores its counts.

    `benchmarks` makes a subclass for each solver, with its name and whether the commit has it.
    """

    params, param_names = list(PROBLEMS), ["problem"]
    timeout = 300
    timer = staticmethod(process_time)  # excludes other programs on the machine
    rounds, repeat, sample_time = 1, (1, 7, 0.05), 0.005

    def setup_cache(self):
        """Make asv use one folder for all numbers of a commit, where `setup` stores the counts."""

    def setup(self, problem):
        """Count one run, or read the counts if an earlier number has stored them."""
        if not self.present:
            raise NotImplementedError("the commit lacks this solver")
        standard = PROBLEMS[problem]
        module = registry.module("solver", self.solver)
        if takes_minutes(self.solver, module.TRAITS, standard):
            raise NotImplementedError("for smaller problems")
        try:
            self.problem = standard.make()
        except ValueError as error:  # an early commit lacks a dataset
            raise NotImplementedError(str(error)) from error
        file = Path(f"{self.solver} {problem}.json")
        if not file.exists():
            file.write_text("null")  # stays if the run fails, so that it fails only once
            file.write_text(json.dumps(counts_of(module, self.problem, standard)))
        self.counts = json.loads(file.read_text())
        if self.counts is None:
            raise RuntimeError("the first run failed; see the message of an earlier benchmark")
        if "refused" in self.counts:
            raise NotImplementedError(self.counts["refused"])

    def time_solve(self, problem):
        """Solve with the settings of the counted run, without a search for the penalty."""
        run(self.problem, self.solver, self.counts["settings"])

    def track_flops(self, problem):
        """Return the flops of the set-up and of all iterations, without the penalty's search."""
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
        """Return the peak memory of a solve minus the memory in use before it, in bytes."""
        self.time_solve(problem)  # compiles the kernels
        gc.collect()
        with suppress(OSError, AttributeError):  # returns free memory to the system
            ctypes.CDLL(None).malloc_trim(0)
        with suppress(OSError):  # resets the peak; a system without this has no number
            Path("/proc/self/clear_refs").write_text("5")
            before = peak_memory()
            self.time_solve(problem)
            return peak_memory() - before
        return math.nan

    track_flops.unit = "flops"
    track_iterations.unit = "iterations"
    track_gap.unit = track_shortfall.unit = "share"
    track_memory.unit = "bytes"
    track_flops.version = track_iterations.version = track_gap.version = "1"
    track_shortfall.version = track_memory.version = time_solve.version = "1"


# asv shows this in place of the code. Otherwise it would tokenize all benchmarks whenever it starts
# one, which takes longer than most of them.
for _method in filter(inspect.isfunction, vars(_Solver).values()):
    _method.pretty_source = _method.__doc__


def takes_minutes(solver, traits, standard):
    """Whether a solver takes minutes on a problem."""
    hard = any(getattr(traits, kind, False) for kind in ("relaxation", "exact")) or solver == SLOW
    return (hard and not standard.small) or (solver == SEARCH and standard.large)


def settings_of(module, problem, k):
    """Return the cardinality or, for a relaxation with a penalty, the penalty."""
    traits = module.TRAITS
    if getattr(traits, "relaxation", False) and traits.control == "penalty":
        return {traits.penalty: PENALTY * module.penalty_range(problem.given_as("covariance"))[1]}
    return {"k": k} if traits.control else {}


def run(problem, solver, settings):
    """Return the result of a solver, in the words of the commit's `spcabench.solve`."""
    setting = inspect.signature(solve).parameters.get("settings")
    if setting is None or setting.kind is setting.VAR_KEYWORD:
        return solve(problem, solver, **settings)
    k, seed = settings.get("k"), settings.get("seed", 0)
    others = {name: value for name, value in settings.items() if name not in ("k", "seed")}
    return solve(problem, solver, k=k, random_state=seed, settings=others)


def counts_of(module, problem, standard):
    """Return the tracked counts of one run, with its settings; the reason if it is refused."""
    solver, k = module.__name__.rpartition(".")[2], standard.k
    try:
        result = run(problem, solver, settings_of(module, problem, k))
    except ValueError as error:  # the size or the form of the problem
        return {"refused": str(error)}
    if not result.good:
        raise RuntimeError(f"no answer: {result.status}")
    cost = getattr(result, "cost", result)
    variance = problem.variance(project(result.x, k)) if module.TRAITS.control else math.nan
    return {
        "flops": cost.flops + cost.setup_flops if cost.counted else math.nan,
        "iterations": result.iterations,
        "gap": math.nan if result.gap is None else result.gap,
        # rounded, because asv would otherwise compare rounding errors near zero
        "shortfall": round(1.0 - variance / standard.best, 12) + 0.0,
        "settings": {
            name: value
            for name, value in result.settings.items()
            if isinstance(value, int | float | str)
        },
    }


def peak_memory():
    """Return the peak memory of this process in bytes. Raises OSError if the system hides it."""
    text = Path("/proc/self/status").read_text()
    return 1024 * int(text.partition("VmHWM:")[2].split()[0])
