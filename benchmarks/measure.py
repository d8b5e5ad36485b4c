"""Measure one solver on one standard problem: exact counts, time and memory."""

import ctypes
import gc
import math
from contextlib import suppress
from pathlib import Path

from .problems import PROBLEMS

MEASURES = ("flops", "iterations", "gap", "shortfall")
LIMIT = 60.0  # time limit of a run in seconds; a run that exceeds it has no exact counts
# Relaxations get this fraction of the largest penalty, because searching for a penalty would take
# most of the time.
PENALTY = 0.1
# On large problems, the first solver stops only when its budget is used up, after minutes. The
# second, from a library, searches for its penalty for most of a minute.
SEARCHES, SLOWLY = ("branch_and_bound",), ("branch_and_bound", "sklearn_sparse_pca")


def entry(solver, name, in_history=False):
    """Return the result of `measured`, or the status and the reason if it fails."""
    try:
        return measured(solver, name, in_history)
    except ValueError as error:  # a refused size, form or dataset
        return {"status": "refused", "reason": str(error)}
    except Exception as error:
        return {"status": "error", "reason": f"{type(error).__name__}: {error}"}


def measured(solver, name, in_history=False):
    """Return the counts of one solver on one standard problem.

    The counts are: flops of the set-up and of all iterations at the final penalty, excluding the
    search for it; iterations; gap to the certified bound; variance of x truncated to its k largest
    entries; settings of the run; peak memory of the process in bytes. If the run exceeds the time
    limit, only its status is returned. The status "skipped" means that the problem is too large for
    this solver.

    in_history : whether to skip runs of more than a few seconds, because the history measures every
        solver.
    """
    from spcabench import registry, solve

    standard, module = PROBLEMS[name], registry.module("solver", solver)
    hard = getattr(module.TRAITS, "relaxation", False) or getattr(module.TRAITS, "exact", False)
    hard = hard or (solver in SLOWLY if in_history else solver in SEARCHES and standard.large)
    if hard and not standard.small:
        return {"status": "skipped", "reason": "for small problems"}
    problem = standard.make()
    forget_peak()
    result = solve(problem, solver, **settings_of(module, problem, standard.k), time_limit=LIMIT)
    peak = peak_memory()
    if not result.good or result.status == "time_limit":
        return {"status": result.status}
    return graded(result, problem, standard.k, bool(module.TRAITS.control)) | {"memory": peak}


def settings_of(module, problem, k):
    """Return the cardinality or, for a relaxation, the penalty."""
    traits = module.TRAITS
    if getattr(traits, "relaxation", False) and traits.control == "penalty":
        return {traits.penalty: PENALTY * module.penalty_range(problem.given_as("covariance"))[1]}
    return {"k": k} if traits.control else {}


def graded(result, problem, k, sparse):
    """Return the tracked numbers of a result."""
    from spcabench.vectors import project

    return {
        "status": result.status,
        "flops": result.flops + result.setup_flops if result.counted else None,
        "convention": convention(),
        "iterations": result.iterations,
        "gap": result.gap,
        "variance": problem.variance(project(result.x, k)) if sparse else None,
        "settings": {
            key: value
            for key, value in result.settings.items()
            if isinstance(value, int | float | str)
        },
        "seconds": result.setup_time + result.solve_time,
    }


def convention():
    """Return the number of the commit's flop convention; 1 if the commit does not define one."""
    from spcabench import flops

    return getattr(flops, "CONVENTION", 1)


def values(entry, best):
    """Return measure -> number, or NaN if the number is missing.

    best : the best known variance for this cardinality.
    """
    numbers = {name: entry.get(name) for name in MEASURES}
    if entry.get("variance") is not None and best:
        # rounded, because asv would otherwise compare rounding errors near zero
        numbers["shortfall"] = round(1.0 - entry["variance"] / best, 12) + 0.0
    return {name: math.nan if value is None else value for name, value in numbers.items()}


def memory_of(call):
    """Return the peak memory of a call minus the memory in use before it; NaN if unknown."""
    call()  # compiles the kernels
    gc.collect()
    with suppress(OSError, AttributeError):  # returns free memory to the system
        ctypes.CDLL(None).malloc_trim(0)
    forget_peak()
    before = peak_memory()
    call()
    return math.nan if before is None else peak_memory() - before


def forget_peak():
    """Reset the peak memory of this process, if the system supports it."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_memory():
    """Return the peak memory of this process in bytes; None if the system does not report it."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return 1024 * int(line.split()[1])
    return None
