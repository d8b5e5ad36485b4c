"""Plant small faults by chance, one at a time, and list those that the tests of the room miss.

``python -m tests.mutants methods solving -n 20`` plants 20 faults in each of two rooms: a turned
comparison, a sign, a number that is off by one, another axis, the wrong half. Every fault is
planted in a copy of the repository, never here, and the tests of the room run there until the
first failure. A fault that no test catches is either harmless, or shows a property that no test
has.
"""

import argparse
import ast
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
# imported once, before the processes are forked; the package itself is imported by each of them
for library in ("scipy.sparse.linalg", "scipy.stats", "pandas", "numba", "sklearn"):
    import_module(library)

ROOT = Path(__file__).parents[1]
PYTEST = ("-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-p", "no:randomly")
BESIDE = ("solvers", "datasets", "benchmarks")  # rooms beside the package in a checkout
TESTS = {"showing": "solving", "api": "solving", "estimators": "solving", "run": "running"}
PASSED = 0  # status of a process in which all tests pass
TINY = 1e-3  # smaller numbers are tolerances, which no test could tell from their half

TURNED = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
}
OPPOSITES = [("min", "max"), ("argmin", "argmax"), ("any", "all"), ("minimum", "maximum")]
OPPOSITE = {a: b for pair in OPPOSITES for a, b in (pair, pair[::-1])}


class Fault(NamedTuple):
    """A replacement of some bytes of a file."""

    file: Path
    line: int
    start: int
    end: int
    text: str

    def planted(self, source):
        """Return the source with the fault."""
        return source[: self.start] + self.text.encode() + source[self.end :]


def variants(node):
    """Yield the expressions that a small mistake could write instead of an expression."""
    match node:
        case ast.Compare(left, ops, right):
            for i, op in enumerate(ops):
                for other in TURNED.get(type(op), ()):
                    yield ast.Compare(left, [*ops[:i], other(), *ops[i + 1 :]], right)
        case ast.UnaryOp(ast.USub() | ast.Not() | ast.Invert(), operand):
            yield operand
        case ast.Constant(value):
            yield from map(ast.Constant, other_values(value))
        case _:
            yield from other_names_and_halves(node)


def other_values(value):
    """Return values near a constant; none for texts, and for tolerances."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, abs(value - 1)]
    return [0.9 * value] if isinstance(value, float) and value >= TINY else []


def other_names_and_halves(node):
    """Yield an expression with the opposite operation, or with the other half of some values."""
    match node:
        case ast.BinOp(left, ast.Add() | ast.Sub() as op, right) if not is_text(left, right):
            yield ast.BinOp(left, ast.Sub() if isinstance(op, ast.Add) else ast.Add(), right)
        case ast.BoolOp(op, values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.Slice(None, ast.expr() as half, None):
            yield ast.Slice(half, None)
        case ast.Slice(ast.expr() as half, None, None):
            yield ast.Slice(None, half)
        case ast.Tuple([first, second], ast.Store()):
            yield ast.Tuple([second, first], ast.Store())
        case ast.Attribute(value, name) if name in OPPOSITE:
            yield ast.Attribute(value, OPPOSITE[name], ast.Load())
        case ast.Call(ast.Name(name), arguments, keywords) if name in OPPOSITE:
            yield ast.Call(ast.Name(OPPOSITE[name], ast.Load()), arguments, keywords)


def is_text(*nodes):
    """Whether an expression is a text, a list or a tuple, which are joined and not added."""
    texts = (ast.JoinedStr, ast.List, ast.Tuple)
    constants = [n.value for n in nodes if isinstance(n, ast.Constant)]
    return any(isinstance(n, texts) for n in nodes) or any(isinstance(c, str) for c in constants)


def computing(node):
    """Yield the expressions in a tree that compute, without texts, annotations and errors."""
    for name, child in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_comment"):
            continue
        for each in child if isinstance(child, list) else [child]:
            if isinstance(each, ast.AST) and not isinstance(each, ast.JoinedStr | ast.Raise):
                yield each
                yield from computing(each)


def faults_of(file):
    """Return a list for each expression of a file: the faults that can be planted in it."""
    source = file.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for node in computing(ast.parse(source)):
        faults = []
        for other in variants(node):
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            text = ast.unparse(ast.fix_missing_locations(ast.Expression(other)))
            bare = isinstance(other, ast.Slice | ast.Constant | ast.Tuple)
            text = text if bare else f"({text})"
            faults.append(Fault(file.relative_to(ROOT), node.lineno, start, end, text))
        found += [faults] if faults else []
    return found


def rooms():
    """Return room -> its modules; those at the top of the package are called ground."""
    found = {}
    for file in sorted((ROOT / "spcabench").rglob("*.py")):
        place = file.relative_to(ROOT / "spcabench").parts
        room = place[0] if place[1:] else TESTS.get(file.stem, "ground")
        found.setdefault(TESTS.get(room, room), []).append(file)
    return found | {name: sorted((ROOT / name).glob("*.py")) for name in BESIDE}


class Copy:
    """A copy of the repository in which one fault at a time is planted and tested."""

    def __init__(self, folder):
        self.folder = folder
        known = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(known, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for name in names.split("\0"):
            if (ROOT / name).is_file():  # not deleted
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
        for name in ("solvers", "datasets"):
            (folder / "spcabench" / name).symlink_to(folder / name)

    def start(self, room, fault=None, seconds=600):
        """Run the tests of a room in a process forked from this one, and return its number.

        The files that mention the module with the fault come first. A fault can cause an endless
        loop, so the process may only use some processor seconds.
        """
        files = sorted((self.folder / "tests" / room).glob("test_*.py"))
        if fault:
            named = re.compile(rf"\b{fault.file.stem}\b")
            files.sort(key=lambda file: -len(named.findall(file.read_text())))
            self.forget_kernels(fault.file.stem)
            self.source = (self.folder / fault.file).read_bytes()
            (self.folder / fault.file).write_bytes(fault.planted(self.source))
        if process := os.fork():
            return process
        status = 1
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
            status = self.tested(files)
        finally:
            os._exit(status)

    def tested(self, files):
        """Run test files of the copy in this process; return pytest's exit code."""
        output = os.open(self.folder / "output.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1), os.dup2(output, 2)
        os.chdir(self.folder)
        os.environ["NUMBA_CACHE_DIR"] = str(self.folder / ".numba")
        sys.path[0] = os.environ["PYTHONPATH"] = str(self.folder)
        for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
            del sys.modules[name]
        return int(pytest.main([*PYTEST, *map(str, files)]))

    def mend(self, fault):
        """Remove a fault."""
        (self.folder / fault.file).write_bytes(self.source)
        self.forget_kernels(fault.file.stem)

    def forget_kernels(self, stem):
        """Delete the compiled kernels of a module and of all modules that import it.

        Numba compiles a kernel again if its own file changes, but not if another one does.
        """
        texts = {file.stem: file.read_text() for file in self.folder.glob("spcabench/**/*.py")}
        importers, new = set(), {stem}
        while new:
            importers |= new
            named = re.compile(rf"^ *(?:from|import) .*\b(?:{'|'.join(new)})\b", re.M)
            new = {name for name, text in texts.items() if named.search(text)} - importers
        for file in (self.folder / ".numba").rglob("*.nb[ic]"):
            if file.name.partition(".")[0] in importers:
                file.unlink()


def survivors_of(room, faults, copies, seconds):
    """Yield the faults that no test of a room catches, a few at a time in processes."""
    free, running, waiting = [*copies], {}, [*faults]
    while waiting or running:
        while waiting and free:
            copy, fault = free.pop(), waiting.pop()
            running[copy.start(room, fault, seconds)] = copy, fault
        process, status = os.wait()
        copy, fault = running.pop(process)
        copy.mend(fault)
        free.append(copy)
        if status == PASSED:
            yield fault


def examine(room, files, copies, options):
    """Plant faults in the modules of a room, and print the survivors and their number."""
    _, status, used = os.wait4(copies[0].start(room), 0)
    limit = int(3 * used.ru_utime) + 60
    if status != PASSED:
        print(f"{room}: its tests do not pass without a fault")
        print((copies[0].folder / "output.txt").read_text()[-2000:])
        return
    chance = random.Random(options.seed)
    places = [faults for file in files for faults in faults_of(file)]
    places = chance.sample(places, min(options.n, len(places)))
    faults, missed = [chance.choice(faults) for faults in places], 0
    for fault in survivors_of(room, faults, copies, limit):
        missed += 1
        line = (ROOT / fault.file).read_text().splitlines()[fault.line - 1].strip()
        print(f"  {fault.file}:{fault.line}: {line}   becomes   {fault.text}", flush=True)
    print(f"{room}: {len(faults)} planted, {len(faults) - missed} caught", flush=True)


def main():
    """Read the options and examine the rooms."""
    every = rooms()
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=", ".join(every))
    parser.add_argument("-n", type=int, default=20, help="number of faults in each room")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        copies = [Copy(Path(folder, str(i))) for i in range(options.jobs)]
        for room in options.rooms or every:
            examine(room, every[room], copies, options)


if __name__ == "__main__":
    main()
