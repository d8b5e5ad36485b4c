"""One pass over the solvers of a commit: each is measured in a separate process.

A process that has imported what all solvers share is forked for each of them. So libraries are
imported once, and a solver that crashes or hangs costs the others nothing.
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

LOG = 20.0  # seconds between two lines of progress in a log
PATIENCE = 1800.0  # seconds of a solver's process; a loaded machine takes long
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
OFFLINE = dict.fromkeys(THREADS, "1") | {"SPCABENCH_OFFLINE": "1"}
# elsewhere a fork after the libraries were imported may crash
FORK = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


def command(module, *arguments):
    """Return the command for ``main()`` of a module of this folder.

    It runs with the spcabench that is found first on the path; this folder comes last.
    """
    code = (
        f"import sys; sys.path.append({str(ROOT)!r}); from benchmarks.{module} import main; main()"
    )
    return [sys.executable, "-P", "-c", code, *arguments]


def environment(tree=None):
    """Pinned threads, no downloads, and ``tree`` in place of the installed spcabench."""
    others = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "SPCABENCH_DATA")
    }
    return others | OFFLINE | ({} if tree is None else {"PYTHONPATH": str(tree)})


def collect(problems, tree, jobs=2, solvers=None, title=""):
    """Return solver -> problem -> counts, as `measure.measured` gives them.

    They are those of the spcabench in the folder ``tree``: all its solvers, or some. title : of the
    progress bar; none is shown without one.
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
    """Return the first pass; RuntimeError if every single run of all of them is an error.

    Then the error is not that of a solver.
    """
    of_solvers = [by_problem for one in passes for by_problem in one.values()]
    entries = [entry for by_problem in of_solvers for entry in by_problem.values()]
    if entries and all(entry["status"] == "error" for entry in entries):
        raise RuntimeError(f"nothing can be measured: {entries[0]['reason']}")
    return passes[0]


def one_part(problems, tree, show_progress, solvers):
    """Return solver and problem -> counts, of some solvers, measured one after the other."""
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
    """Print a line of JSON for each solver of the task."""
    import numba  # noqa: F401  what all solvers share is imported before the forks
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

    If the process gave nothing, there is an error with its last line.
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
            reason = f"not done after {PATIENCE:g} s"
        else:
            lines = output.read_text(errors="replace").strip().splitlines()
            reason = (lines or [f"exit code {process.exitcode}"])[-1]
        counts = dict(json.loads(line) for line in numbers.read_text().splitlines())
    return {name: counts.get(name, {"status": "error", "reason": reason}) for name in problems}


def work(solver, problems, numbers, output):
    """Measure a solver on some problems, and write a line of JSON for each."""
    with open(output, "w") as stream, open(numbers, "a") as lines:
        os.dup2(stream.fileno(), 1)  # what a solver prints is not in the way of the numbers
        os.dup2(stream.fileno(), 2)
        for name in problems:
            lines.write(json.dumps([name, entry(solver, name)]) + "\n")
            lines.flush()
