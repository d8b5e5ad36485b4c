"""What is measured of one solver on one standard problem: exact counts, time and memory."""

import ctypes
import gc
import json
import math
from contextlib import suppress
from pathlib import Path
from statistics import quantiles
from time import process_time

ROOT = Path(__file__).resolve().parents[1]
BEST = Path(__file__).with_name("best_known.json")
MEASURES = ("flops", "iterations", "gap", "shortfall")
LIMIT = 60.0  # seconds of a run; one that takes longer has no exact count
# relaxations: share of the largest penalty, since a search would take most of the time
PENALTY = 0.1
# an exact search that only a budget ends on large problems, after minutes; and a library's solver
# whose search for a penalty takes most of a minute
SEARCHES, SLOWLY = ("branch_and_bound",), ("branch_and_bound", "sklearn_sparse_pca")
SAMPLE = 0.005  # seconds that a sample of the time lasts at least
SAMPLES = (3, 7)  # as many samples are taken: the first always, up to the second for a while
ENOUGH = 0.05  # seconds of samples after which no further one is taken
SLOW = 0.2  # seconds of a run that is timed once


def entry(solver, name, timed=False):
    """What `measured` gives, or why there is nothing."""
    try:
        return measured(solver, name, timed)
    except ValueError as error:  # a size, form or dataset that is refused, with its reason
        return {"status": "refused", "reason": str(error)}
    except Exception as error:
        return {"status": "error", "reason": f"{type(error).__name__}: {error}"}


def measured(solver, name, timed=False):
    """Counts of one solver on one standard problem.

    flops of the set-up and of all iterations at the penalty found (a search is not in them);
    iterations; gap to the certified bound; variance of x cut to the k largest entries; settings of
    the run; memory of the process at its peak, in bytes. timed : with the time and the memory of
    further runs, see `costs_of`. A run that a clock ended has none of these. status "skipped" : the
    problem is not for this solver.
    """
    from spcabench import registry, solve

    from .problems import PROBLEMS

    standard, module = PROBLEMS[name], registry.module("solver", solver)
    hard = getattr(module.TRAITS, "relaxation", False) or getattr(module.TRAITS, "exact", False)
    # the history, which has times too, has every solver where it takes no more than seconds
    hard = hard or (solver in SLOWLY if timed else solver in SEARCHES and standard.large)
    if hard and not standard.small:
        return {"status": "skipped", "reason": "for small problems"}
    problem = standard.make()
    settings = asked(module, problem, standard.k)
    forget_peak()
    result = solve(problem, solver, **settings, time_limit=LIMIT)
    peak = peak_memory()
    if not result.good or result.status == "time_limit":
        return {"status": result.status}
    found = graded(result, problem, standard.k, bool(module.TRAITS.control)) | {"memory": peak}
    if timed:
        found |= costs_of(lambda: solve(problem, solver, **found["settings"]))
    return found


def costs_of(call):
    """Quartiles of the processor's seconds of a call that is compiled, and the bytes it needs.

    These are those of the process at its peak, without what it held before the call.
    """
    release()
    forget_peak()
    before = peak_memory()
    first = seconds_of(call, 1)
    memory = None if before is None else peak_memory() - before
    return {"time": [first] * 3 if first > SLOW else quartiles(call, first), "memory": memory}


def quartiles(call, first):
    """Quartiles of the seconds of a call that took so many the first time."""
    number = max(1, min(500, round(SAMPLE / max(first, 1e-5))))
    samples, began = [], process_time()
    while len(samples) < SAMPLES[0] or (
        len(samples) < SAMPLES[1] and process_time() < began + ENOUGH
    ):
        samples.append(seconds_of(call, number))
    return quantiles(samples, method="inclusive")


def seconds_of(call, number):
    """The processor's seconds of a call, of so many in a row."""
    start = process_time()
    for _ in range(number):
        call()
    return (process_time() - start) / number


def release():
    """Give back what the allocator keeps of earlier runs, where the system can."""
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def forget_peak():
    """Let the peak of this process count from now on, where the system can."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_memory():
    """Bytes of this process at its peak; None where the system does not say."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return 1024 * int(line.split()[1])
    return None


def asked(module, problem, k):
    """The cardinality, or the penalty of a relaxation."""
    traits = module.TRAITS
    if getattr(traits, "relaxation", False) and traits.control == "penalty":
        return {traits.penalty: PENALTY * module.penalty_range(problem.given_as("covariance"))[1]}
    return {"k": k} if traits.control else {}


def graded(result, problem, k, sparse):
    """What is tracked of a result."""
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
    """Number of the convention by which flops are counted: the first, where a commit names none."""
    from spcabench import flops

    return getattr(flops, "CONVENTION", 1)


def values(entry, best):
    """Return measure -> number, nan where there is none.

    ``best`` is the variance of the best known answer at this cardinality.
    """
    found = {name: entry.get(name) for name in MEASURES}
    if entry.get("variance") is not None and best:
        found["shortfall"] = 1.0 - entry["variance"] / best
    return {name: math.nan if value is None else value for name, value in found.items()}


def costs(entry):
    """Return measure -> number of what is no count: the median time, its quartiles, memory."""
    found = dict(zip(("fast", "seconds", "slow"), entry.get("time", ()), strict=False))
    found["memory"] = entry.get("memory")
    return {name: value for name, value in found.items() if value is not None}


def best_known():
    """Problem -> variance of the best answer known at its cardinality, by any solver."""
    return json.loads(BEST.read_text(encoding="utf-8")) if BEST.exists() else {}


def renew_best():
    """Take over HEAD's answers that are better than the best known; none is ever made worse."""
    from .commits import commit, tree
    from .passes import checked, collect
    from .problems import PROBLEMS

    best = best_known()
    for entries in checked(collect(PROBLEMS, tree(commit("HEAD")))).values():
        for name, entry in entries.items():
            best[name] = max(best.get(name, 0.0), entry.get("variance") or 0.0)
    BEST.write_text(json.dumps(best, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    renew_best()
