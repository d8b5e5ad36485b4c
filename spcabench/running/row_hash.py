"""Hashes of all code and settings that affect the rows of a job or the picture of a figure."""

import hashlib
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from spcabench import registry
from spcabench.run import Run
from spcabench.running.code_hash import PACKAGE, closure, colour, digest, function_hash, tree_hash
from spcabench.running.figure_jobs import LONG, jobs

# entry points of the processes that compute and grade an answer
PROCESSES = [PACKAGE / "running" / name for name in ("worker.py", "grader.py")]
# excluded, because descriptions of columns do not affect rows, and new columns have defaults
SCHEMA = PACKAGE / "running" / "schema.py"


def fingerprint(figure: str, scale: str, job: str) -> str:
    """Return the hash of the runs of a job and of the code that they execute.

    The code consists of the syntax trees of all files that the worker and the grader import.
    Comments, docstrings, layout and the commit do not affect the hash.
    """
    groups = jobs(figure, scale, long=job.startswith(LONG)).get(job, {})
    return of_runs([run for group in groups.values() for run in group])


def of_runs(runs: Iterable[Run], protocol: Any = None) -> str:
    """Return the hash of runs, the code that they execute, and their protocol."""
    runs = list(runs)
    files = {file for process in PROCESSES for file in closure(process)}
    # a dataset can be derived from another one, which its parameter ``of`` names
    others = {str(run.parameters.get("of")) for run in runs} & {*registry.names("dataset")}
    for name in {run.dataset for run in runs} | others:
        files |= set(closure(registry.path("dataset", name)))
    for name in {name for run in runs for name in run.solvers}:
        files |= set(closure(registry.path("solver", name)))
    files.discard(SCHEMA)
    functions = {f.__name__: f for run in runs for f in (run.function, run.judge) if f}
    parts = [digest([protocol, [run.described() for run in runs]])]
    parts += [tree_hash(file) for file in sorted(files)]
    parts += [function_hash(functions[name]) for name in sorted(functions)]
    return _short(parts)


def drawing_fingerprint(figure: str) -> str:
    """Return the hash of the code that draws and judges a figure, without its runs."""
    files = [
        registry.path("figure", figure),
        PACKAGE / "style.py",
        *sorted((PACKAGE / "claims").glob("*.py")),
        PACKAGE / "page" / "draw.py",
        PACKAGE / "page" / "claims_file.py",
    ]
    files += sorted(p for p in (PACKAGE / "figures").glob("_*.py") if p.stem != "__init__")
    return _short([*(tree_hash(file) for file in files), *_colours()])


@lru_cache
def _colours() -> tuple[str, ...]:
    """Return the statements that set the colours of solvers, cached to save milliseconds."""
    files = (registry.path("solver", name) for name in registry.names("solver"))
    return tuple(dump for file in files for dump in colour(file))


def _short(parts: Iterable[str]) -> str:
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:16]
