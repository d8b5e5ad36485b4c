"""Solvers in another language: a command reads a problem from a file and writes a vector.

``compare --command`` writes a solver file for the command (`text_of`), which is run like any other
solver. The measured time is that of the command's process, which is a child of the worker; it
excludes writing the problem and reading the answer.
"""

import hashlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from string import Template
from time import perf_counter
from typing import IO

import numpy as np

from spcabench import files, registry
from spcabench.errors import InputError, SolverError
from spcabench.iterate import Iterate
from spcabench.problem.problem import Problem
from spcabench.solving.driver import uses_threads
from spcabench.solving.result import Result
from spcabench.solving.run_warnings import Flag
from spcabench.vectors import Array, Vector

PLACE = re.compile(r"\{(data|covariance|k|out)(?::(npy|csv))?\}")
WITH_FORMAT = re.compile(r"\{(?:data|covariance|k|out):[^}]*\}")
FORMS = "{data}, A (m, n), or {covariance}, Sigma (n, n); {k}; {out}"

FILE = Template('''"""The command $words."""

from spcabench.iterate import Traits
from spcabench.running.command import iterates

TRAITS = Traits(control="cardinality", accepts="$accepts")
EXAMPLE = dict(k=3)
STOP = "end"
COUNTED = False
COMMAND = $command
FOLDER = $folder
PROGRAMS = $programs  # if a program changes, its runs are repeated


def solve(problem, *, k):
    """Yield the vector that the command writes."""
    yield from iterates(problem, k, COMMAND, FOLDER)
''')


def text_of(command: str, folder: Path) -> str:
    """Return the text of a solver file for a command that is executed in a folder.

    Raises InputError if a placeholder is missing, a format unknown, or the program not found.
    """
    for place in WITH_FORMAT.findall(command):
        if not PLACE.fullmatch(place):
            raise InputError(f"--command: {place}: unknown format; choose npy or csv")
    places = {name for name, _ in PLACE.findall(command)}
    if len(places & {"data", "covariance"}) != 1 or not {"k", "out"} <= places:
        raise InputError(f"--command: {command!r}; it must contain {FORMS}")
    words = _words(command)
    if not shutil.which(words[0], path=os.pathsep.join([str(folder), os.environ["PATH"]])):
        raise InputError(f"--command: program {words[0]!r} not found")
    programs = {
        word: hashlib.sha256((folder / word).read_bytes()).hexdigest()
        for word in words
        if not PLACE.search(word) and (folder / word).is_file()
    }
    return FILE.substitute(
        words=repr(command).strip("'\""),
        accepts="data" if "data" in places else "covariance",
        command=repr(command),
        folder=repr(str(folder)),
        programs=repr(programs),
    )


def words_of(file: Path) -> str:
    """Return the command in the file of a solver, or "", without importing the file."""
    return registry.written(str(file), "COMMAND")


def iterates(problem: Problem, k: int, command: str, folder: str) -> Iterator[Iterate]:
    """Yield the vector x (n,) written by a command for a problem."""
    x, cost = _answer(problem, k, command, folder)
    yield Iterate(x, extra=cost)


def measured(result: Result) -> Result:
    """Return a result with the times of the command's process in place of those of its caller."""
    seconds, cpu = result.extra["process_seconds"], result.extra["process_cpu_seconds"]
    threads = {Flag.threads} if uses_threads(seconds, cpu) else set()
    cost = replace(
        result.cost,
        setup_time=0.0,
        solve_time=seconds,
        cpu_time=cpu,
        waited=np.nan,  # the system does not report it for a finished process
        flags=tuple({*result.cost.flags, *threads}),
    )
    return replace(result, cost=cost)


def _answer(problem: Problem, k: int, command: str, folder: str) -> tuple[Vector, dict[str, float]]:
    """Return the vector written by a command, and the time and memory of its process."""
    with files.temporary_folder() as inner:
        values = _files(problem, k, command, inner)
        words = [PLACE.sub(lambda place: values[place[0]], word) for word in _words(command)]
        cost = _run(words, folder, inner)
        out = next(Path(values[p[0]]) for p in PLACE.finditer(command) if p[1] == "out")
        return _vector(out, problem.n), cost


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command) or [""]
    except ValueError as error:
        raise InputError(f"--command: {command!r}: {error}") from None


def _files(problem: Problem, k: int, command: str, folder: Path) -> dict[str, str]:
    """Write the problem to files, and return a mapping from placeholders to their values."""
    values = {}
    for place in PLACE.finditer(command):
        name, kind = place[1], place[2]
        if name == "k":
            values[place[0]] = str(k)
            continue
        file = folder / f"{name}.{kind or ('txt' if name == 'out' else 'npy')}"
        values[place[0]] = str(file)
        if name == "data":
            _write(problem.given_as("data").data.dense(), file)
        elif name == "covariance":
            _write(problem.given_as("covariance").matrix.S, file)  # type: ignore[union-attr]
    return values


def _write(M: Array, file: Path) -> None:
    """Write a matrix in full precision, in the format indicated by the file's suffix."""
    if file.suffix == ".npy":
        np.save(file, M)
    else:
        np.savetxt(file, M, fmt="%.17g", delimiter=",")


def _run(words: list[str], folder: str, inner: Path) -> dict[str, float]:
    """Run a process and return its time and memory; raise SolverError if it fails."""
    with (inner / "stderr").open("w+") as errors:
        start = perf_counter()
        process = subprocess.Popen(
            words,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SolverError(_crash(process.returncode, errors))
    unit = 1 if sys.platform == "darwin" else 1024
    return {
        "process_seconds": seconds,
        "process_cpu_seconds": usage.ru_utime + usage.ru_stime,
        "process_bytes": float(usage.ru_maxrss * unit),
    }


def _crash(code: int, errors: IO[str]) -> str:
    errors.seek(0)
    lines = [line.strip() for line in errors.read().splitlines() if line.strip()]
    words = f"exit code {code}" if code > 0 else f"signal {signal.Signals(-code).name}"
    return f"the command exited with {words}" + (f": {lines[-1][:200]}" if lines else "")


def _vector(file: Path, n: int) -> Vector:
    """Return the n numbers in a file; raise SolverError if it does not contain n numbers."""
    if not file.exists():
        raise SolverError("the command succeeded but did not write {out}")
    try:
        x = _numbers(file)
    except Exception as error:  # readers raise many kinds of errors
        words = " ".join(str(error).split())[:150]
        raise SolverError(f"{{out}} is not a vector of numbers: {words}") from None
    if x.shape != (n,):
        raise SolverError(f"{{out}} contains {x.size} numbers; it must contain n = {n}")
    return x


def _numbers(file: Path) -> Vector:
    """Return all numbers in a file in order."""
    if file.suffix == ".npy":
        return np.load(file, allow_pickle=False).astype(float).ravel()
    words = file.read_text(encoding="utf-8").replace(",", " ").replace(";", " ").split()
    return np.array([float(word) for word in words])
