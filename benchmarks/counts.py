"""The exact counts of the spcabench that is installed: every solver on every standard problem.

Each solver runs in a process of its own: one that crashes or hangs costs the others nothing.
"""

import json
import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BEST = Path(__file__).with_name("best_known.json")
MEASURES = ("flops", "iterations", "gap", "shortfall")
LIMIT = 20.0  # seconds of a run; one that takes longer has no exact count
PATIENCE = 300.0  # seconds of a process
# relaxations: share of the largest penalty, since a search would take most of the time
PENALTY = 0.1
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
OFFLINE = dict.fromkeys(THREADS, "1") | {"SPCABENCH_OFFLINE": "1"}


def command(module, *words):
    """Return the command for ``main()`` of a module of this folder.

    It runs with the spcabench that is found first on the path; this folder comes last.
    """
    code = (
        f"import sys; sys.path.append({str(ROOT)!r}); from benchmarks.{module} import main; main()"
    )
    return [sys.executable, "-P", "-c", code, *words]


def environment(tree=None):
    """Pinned threads, no downloads, and ``tree`` in place of the installed spcabench."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "SPCABENCH_DATA")
    }
    return kept | OFFLINE | ({} if tree is None else {"PYTHONPATH": str(tree)})


def collect(problems, tree=None, jobs=2, solvers=None):
    """Return solver -> problem -> counts, as `measured` gives them.

    They are those of the installed spcabench, or of the one in ``tree``: all its solvers, or some.
    """
    known = codes(tree)
    with ThreadPoolExecutor(jobs) as pool:
        solvers = list(known) if solvers is None else solvers
        found = pool.map(lambda solver: of_solver(runner(tree), solver, problems), solvers)
        return dict(zip(solvers, found, strict=True))


def runner(tree):
    """Return a function that runs a command with the spcabench of a tree."""
    return partial(
        subprocess.run, capture_output=True, text=True, env=environment(tree), cwd=ROOT.anchor
    )


def codes(tree=None):
    """Return solver -> hash of all code that decides its counts, of the spcabench in ``tree``.

    None for a commit that cannot say.
    """
    listed = runner(tree)(command("counts", "--codes"), timeout=PATIENCE)
    if listed.returncode:
        raise RuntimeError(f"spcabench cannot be imported: {listed.stderr.strip()}")
    about = json.loads(listed.stdout)
    if tree is not None and Path(tree) not in Path(about["file"]).parents:
        raise RuntimeError(f"measured {about['file']}, not the commit in {tree}")
    return about["solvers"]


def code(solver):
    """Hash of a solver, of what runs it, of all datasets, and of all that these import."""
    from spcabench import api, registry

    try:
        from spcabench.running.source import closure, digest, tree_hash
    except ImportError:  # an early commit
        return None
    files = {Path(api.__file__), registry.path("solver", solver)}
    files |= {registry.path("dataset", name) for name in registry.names("dataset")}
    return digest(sorted({tree_hash(used) for file in files for used in closure(file)}))


def of_solver(run, solver, problems):
    """Return problem -> counts of one solver, measured in a process of its own.

    Where the process gave nothing, there is an error with its last words.
    """
    try:
        done = run(command("counts", solver, *problems), timeout=PATIENCE)
        lines = done.stdout
        words = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    except subprocess.TimeoutExpired as late:
        lines = late.stdout.decode() if isinstance(late.stdout, bytes) else late.stdout or ""
        words = f"not done after {PATIENCE:g} s"
    found = dict(json.loads(line) for line in lines.splitlines())
    return {name: found.get(name, {"status": "error", "reason": words}) for name in problems}


def measured(solver, name):
    """Counts of one solver on one standard problem.

    flops of the set-up and of all iterations at the penalty found (a search is not in them);
    iterations; gap to the certified bound; variance of x cut to the k largest entries; settings of
    the run; memory of the process at its peak, in bytes. A run that a clock ended has none of
    these. status "skipped" : the problem is not for
    this solver.
    """
    from spcabench import registry, solve

    from .problems import PROBLEMS

    standard, module = PROBLEMS[name], registry.module("solver", solver)
    hard = getattr(module.TRAITS, "relaxation", False) or getattr(module.TRAITS, "exact", False)
    if hard and not standard.small:
        return {"status": "skipped", "reason": "for small problems"}
    problem = standard.make()
    settings = asked(module, problem, standard.k)
    forget_peak()
    result = solve(problem, solver, **settings, time_limit=LIMIT)
    peak = peak_memory()
    if not result.good or result.status == "time_limit":
        return {"status": result.status}
    return graded(result, problem, standard.k, bool(module.TRAITS.control)) | {"memory": peak}


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


def best_known():
    """Problem -> variance of the best answer known at its cardinality, by any solver."""
    return json.loads(BEST.read_text(encoding="utf-8")) if BEST.exists() else {}


def renew_best():
    """Take over the answers that are better than the best known; none is ever made worse."""
    from .problems import PROBLEMS

    best = best_known()
    for entries in collect(PROBLEMS).values():
        for name, entry in entries.items():
            best[name] = max(best.get(name, 0.0), entry.get("variance") or 0.0)
    BEST.write_text(json.dumps(best, indent=1) + "\n", encoding="utf-8")


def main():
    """Print a line of JSON for each problem.

    With --codes, print what is measured. With --best, renew best_known.json.
    """
    import spcabench
    from spcabench import registry

    solver, *problems = sys.argv[1:]
    if solver == "--best":
        renew_best()
        return
    if solver == "--codes":
        known = {name: code(name) for name in registry.names("solver")}
        print(json.dumps({"file": spcabench.__file__, "solvers": known}))
        return
    for name in problems:
        try:
            entry = measured(solver, name)
        except ValueError as error:  # a size, form or dataset that is refused, with its reason
            entry = {"status": "refused", "reason": str(error)}
        except Exception as error:
            entry = {"status": "error", "reason": f"{type(error).__name__}: {error}"}
        print(json.dumps([name, entry]), flush=True)


if __name__ == "__main__":
    main()
