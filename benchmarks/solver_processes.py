"""Measure the solvers of a commit in one pass, each in a separate process.

The processes are forked from a process that has imported the common libraries. Libraries are thus
imported once, and a solver that crashes or hangs does not affect other solvers.
"""

import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from tqdm import tqdm

from .commits import ROOT
from .measure import entry
from .solver_code import modules

LOG = 20.0  # seconds between two progress lines in a log
PATIENCE = 1800.0  # time limit of a solver's process in seconds, generous for busy machines
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
OFFLINE = dict.fromkeys(THREADS, "1") | {"SPCABENCH_OFFLINE": "1"}
# on other systems, forking after importing the libraries can crash
FORK = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


def command(module, *arguments):
    """Return the command for ``main()`` of a module in this folder.

    It imports the first spcabench on the path; the current checkout is last on the path.
    """
    code = (
        f"import sys; sys.path.append({str(ROOT)!r}); from benchmarks.{module} import main; main()"
    )
    return [sys.executable, "-P", "-c", code, *arguments]


def environment(tree=None):
    """Return an environment with one thread, no downloads, and spcabench from ``tree``."""
    others = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "SPCABENCH_DATA")
    }
    return others | OFFLINE | ({} if tree is None else {"PYTHONPATH": str(tree)})


def collect(problems, tree, jobs=2, solvers=None, title=""):
    """Return solver -> problem -> counts, as returned by `measure.measured`.

    The counts are measured with the package in the folder ``tree``.

    solvers : names of the solvers; by default all solvers of the package.
    title : title of the progress bar; without a title, no bar is shown.
    """
    if solvers is None:
        solvers = [file.stem for file in modules(Path(tree) / "spcabench" / "solvers")]
    parts = [solvers[i::jobs] for i in range(min(jobs, len(solvers)))]
    seldom = 0.1 if sys.stderr.isatty() else LOG
    shown = title and solvers
    bar = tqdm(total=len(solvers), desc=title, unit="solver", mininterval=seldom, disable=not shown)
    with ThreadPoolExecutor(jobs) as pool, bar:
        counts = dict(
            item
            for part in pool.map(partial(one_part, problems, tree, bar.update), parts)
            for item in part
        )
    return {solver: counts[solver] for solver in solvers}


def checked(*passes):
    """Return the first pass.

    Raises RuntimeError if every run of every pass is an error, because then a solver cannot be the
    cause.
    """
    of_solvers = [by_problem for one in passes for by_problem in one.values()]
    entries = [entry for by_problem in of_solvers for entry in by_problem.values()]
    if entries and all(entry["status"] == "error" for entry in entries):
        raise RuntimeError(f"nothing can be measured: {entries[0]['reason']}")
    return passes[0]


def one_part(problems, tree, show_progress, solvers):
    """Return pairs (solver, problem -> counts) for some solvers, measured one after the other."""
    task = dict(tree=str(tree), problems=list(problems), solvers=list(solvers))
    run, counts = command("solver_processes", json.dumps(task)), []
    place = dict(env=environment(tree), cwd=ROOT.anchor)
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(run, stdout=subprocess.PIPE, stderr=errors, text=True, **place) as process,
    ):
        for line in process.stdout:
            if line.startswith("["):
                counts.append(json.loads(line))
                show_progress()
        if process.wait():
            errors.seek(0)
            raise RuntimeError(f"spcabench cannot be imported: {errors.read().strip()[-500:]}")
    return counts


def main():
    """Print a line of JSON for each solver in the task."""
    import numba  # noqa: F401  the common libraries are imported before the forks
    import scipy.sparse.linalg  # noqa: F401

    import spcabench
    from spcabench import solve  # noqa: F401

    from . import problems  # noqa: F401

    task = json.loads(sys.argv[1])
    if Path(task["tree"]) not in Path(spcabench.__file__).parents:
        sys.exit(f"measured {spcabench.__file__}, not the commit in {task['tree']}")
    for solver in task["solvers"]:
        print(json.dumps([solver, of_solver(solver, task["problems"])]), flush=True)


def of_solver(solver, problems):
    """Return problem -> counts of one solver, measured in a separate process.

    If the process returns no counts for a problem, the status is "error", and the reason is the
    last line of its output.
    """
    with tempfile.TemporaryDirectory() as folder:
        numbers, output = Path(folder, "numbers"), Path(folder, "output")
        numbers.touch()
        process = FORK.Process(target=work, args=(solver, problems, numbers, output))
        process.start()
        process.join(PATIENCE)
        if process.is_alive():
            process.kill()
            process.join()
            reason = f"not finished after {PATIENCE:g} s"
        else:
            lines = output.read_text(errors="replace").strip().splitlines()
            reason = (lines or [f"exit code {process.exitcode}"])[-1]
        counts = dict(json.loads(line) for line in numbers.read_text().splitlines())
    return {name: counts.get(name, {"status": "error", "reason": reason}) for name in problems}


def work(solver, problems, numbers, output):
    """Measure a solver on some problems, and write a line of JSON for each."""
    with open(output, "w") as stream, open(numbers, "a") as lines:
        os.dup2(stream.fileno(), 1)  # keeps the solver's output apart from the numbers
        os.dup2(stream.fileno(), 2)
        for name in problems:
            lines.write(json.dumps([name, entry(solver, name)]) + "\n")
            lines.flush()
