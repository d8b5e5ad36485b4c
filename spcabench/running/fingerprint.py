"""Hashes of all code and settings that affect the rows of a job or the picture of a figure.

They ignore comments, docstrings and layout of Python files.
"""

import ast
import hashlib
import json
import re
import symtable
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from spcabench import registry
from spcabench.run import Run

PACKAGE = Path(__file__).parents[1]
BESIDE = ("solvers", "datasets")  # subpackages that are next to the package in a checkout
SHOWING = PACKAGE / "showing"  # excluded, because pictures and tables of answers affect no row
WORKER = PACKAGE / "running" / "worker.py"  # entry point of the process that computes an answer
# excluded, because descriptions of columns do not affect rows, and new columns have defaults
SCHEMA = PACKAGE / "running" / "schema.py"


def digest(value: Any) -> str:
    """Return the hash of a value that JSON can represent."""
    text = json.dumps(value, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()


def syntax_tree(file: Path) -> ast.Module | None:
    """Return the tree of a file without docstrings, COLOUR and FACTS; None on a syntax error."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):  # ValueError if the file contains NUL
        return None
    for node in (tree, *_statements(tree)):
        if (
            isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef))
            and ast.get_docstring(node, clean=False) is not None
        ):
            node.body = node.body[1:]
    tree.body = [node for node in tree.body if not _only_describes(node)]
    return tree


def _only_describes(node: ast.stmt) -> bool:
    """Whether a statement sets COLOUR or FACTS, which affect pictures and tables but no runs."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    return [getattr(target, "id", "") for target in targets] in (["COLOUR"], ["FACTS"])


@dataclass(frozen=True)
class _Summary:
    """A cached summary of a file. Trees are not cached, because they slow garbage collection."""

    hash: str
    imports: tuple[Path, ...]


@lru_cache
def _summary(file: Path) -> _Summary:
    if file.suffix != ".py":  # a data file that is named in a Python file next to it
        with file.open("rb") as stream:
            return _Summary(hashlib.file_digest(stream, "sha256").hexdigest(), ())
    tree = syntax_tree(file)
    source = file.read_bytes()
    return _Summary(
        hashlib.sha256(ast.dump(tree).encode() if tree else source).hexdigest(),
        (*imported(tree), *_named(source.decode(errors="replace"), file)) if tree else (),
    )


def tree_hash(file: Path) -> str:
    """Return the hash of a file's `syntax_tree` or, if it cannot be parsed, of its text."""
    return _summary(file).hash


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Yield all statements below a node, which is faster than walking all nodes."""
    if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
        return  # never executed
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for inner in getattr(node, field, ()):
            if isinstance(inner, ast.stmt):
                yield inner
            yield from _statements(inner)


def function_hash(function: Callable[..., Any]) -> str:
    """Return the hash of a function, of its module's code that it uses, and of imported files."""
    name, file = function.__name__, sys.modules[function.__module__].__file__
    used, pending = {name}, [name]
    nodes: dict[int, ast.stmt] = {}
    while pending:
        current = pending.pop()
        for node, names_set, names_read in _names(Path(file)) if file else ():
            if id(node) not in nodes and current in names_set:
                nodes[id(node)] = node
                pending += names_read - used
                used |= names_read
    module = ast.Module([*nodes.values()], [])  # functions can contain imports
    files = {inner for path in imported(module) for inner in closure(path)}
    dumps = sorted(
        ast.dump(n) for n in nodes.values() if not isinstance(n, (ast.Import, ast.ImportFrom))
    )
    return digest([*dumps, *(tree_hash(path) for path in sorted(files))])


@lru_cache
def _names(file: Path) -> tuple[tuple[ast.stmt, set[str], set[str]], ...]:
    """Return the statements of a module, each with the names that it defines and reads there."""
    statements = []
    for node in getattr(syntax_tree(file), "body", ()):
        # by scope, because a local variable of a function can have the name of another function
        scope = symtable.symtable(ast.unparse(node), str(file), "exec")
        defined = {s.get_name() for s in scope.get_symbols() if s.is_assigned() or s.is_imported()}
        statements.append((node, defined, {s.get_name() for s in _read(scope)}))
    return tuple(statements)


def _read(scope: symtable.SymbolTable) -> Iterator[symtable.Symbol]:
    """Yield the names of a module that a scope and the scopes inside it read."""
    module = scope.get_type() == "module"
    yield from (s for s in scope.get_symbols() if s.is_referenced() and (module or s.is_global()))
    for inner in scope.get_children():
        yield from _read(inner)


@lru_cache
def closure(file: Path) -> tuple[Path, ...]:
    """Return a file and every file of spcabench that it imports, directly or indirectly."""
    seen: dict[Path, None] = {}
    pending = [file] if file.is_file() else []
    while pending:
        current = pending.pop()
        if current not in seen:
            seen[current] = None
            pending += _summary(current).imports
    return tuple(seen)


def imported(tree: ast.Module) -> Iterator[Path]:
    """Yield the files of spcabench that a file imports, with the packages that contain them."""
    for node in _statements(tree):
        if isinstance(node, ast.ImportFrom):
            yield from _modules(node.module or "", node.names)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield from _modules(alias.name)


def _modules(name: str, names: Iterable[ast.alias] = ()) -> Iterator[Path]:
    """Yield the files of a module of spcabench, of its parent packages, and of ``names`` in it."""
    top, *parts = name.split(".")
    if top != "spcabench":
        return
    # in a checkout, some subpackages are next to the package
    beside = parts and parts[0] in BESIDE and not (PACKAGE / parts[0]).is_dir()
    start = PACKAGE.parent if beside else PACKAGE
    folders = [start.joinpath(*parts[:i]) for i in range(len(parts) + 1)]
    files = [folder / "__init__.py" for folder in folders]
    files += [folders[-1].with_suffix(".py"), *(folders[-1] / f"{a.name}.py" for a in names)]
    yield from (file for file in files if file.parent != SHOWING and file.is_file())


def _named(text: str, file: Path) -> Iterator[Path]:
    """Yield the data files beside the file of a user's solver that its text names."""
    if not file.resolve().is_relative_to(PACKAGE):
        yield from (data for data in _data(file.parent) if data.name in text)


@lru_cache
def _data(folder: Path) -> tuple[Path, ...]:
    """Return the non-Python files of a folder whose names have a suffix."""
    return tuple(p for p in sorted(folder.glob("*.*")) if p.is_file() and p.suffix != ".py")


def of_runs(runs: Iterable[Run], timing: Any = None) -> str:
    """Return the hash of runs, the code that they execute, and how they are timed.

    The code consists of the syntax trees of all files that the worker imports. Comments,
    docstrings, layout and the commit do not affect the hash.
    """
    runs = list(runs)
    files = {*closure(WORKER)}
    # a dataset can be derived from another one, which its parameter ``of`` names
    others = {str(run.parameters.get("of")) for run in runs} & {*registry.names("dataset")}
    for name in {run.dataset for run in runs} | others:
        files |= set(closure(registry.path("dataset", name)))
    for name in {name for run in runs for name in run.solvers}:
        files |= set(closure(registry.path("solver", name)))
    files.discard(SCHEMA)
    functions = {run.function.__name__: run.function for run in runs if run.function}
    parts = [digest([timing, [run.described() for run in runs]])]
    parts += sorted(map(tree_hash, files))  # faster than sorting paths
    parts += [function_hash(functions[name]) for name in sorted(functions)]
    return _short(parts)


def drawing_fingerprint(figure: str) -> str:
    """Return the hash of the code that draws and judges a figure, without its runs."""
    return _short([tree_hash(registry.path("figure", figure)), *_of_all_drawings()])


@lru_cache
def _of_all_drawings() -> tuple[str, ...]:
    """Return the hashes of the code that draws all figures, and the colours of solvers."""
    files = [
        SHOWING / "style.py",
        SHOWING / "words.py",
        PACKAGE / "page" / "draw.py",
        PACKAGE / "page" / "claims_file.py",
    ]
    files += sorted((PACKAGE / "claims").glob("*.py"))
    files += sorted(p for p in (PACKAGE / "figures").glob("_*.py") if p.stem != "__init__")
    return (*map(tree_hash, files), *_colours())


def _colours() -> Iterator[str]:
    """Yield the lines that set the colours of solvers."""
    for name in registry.names("solver"):
        text = registry.path("solver", name).read_text(encoding="utf-8")
        yield from re.findall("^COLOUR = .*", text, re.MULTILINE)


def _short(parts: Iterable[str]) -> str:
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:16]
