"""Hashes of Python files that comments, docstrings and layout do not change."""

import ast
import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[1]
BESIDE = ("solvers", "datasets")  # folders of the package that a checkout has beside it
SHOWING = PACKAGE / "showing"  # a picture or a table of an answer decides no row


def digest(value: Any) -> str:
    """Hash of a value that JSON can hold."""
    text = json.dumps(value, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()


def sets_colour(node: ast.stmt) -> bool:
    """Whether a statement sets COLOUR, and nothing else, which changes pictures only."""
    return (
        isinstance(node, ast.Assign)
        and [getattr(target, "id", "") for target in node.targets] == ["COLOUR"]
        and isinstance(node.value, ast.Constant)
    )


def states_facts(node: ast.stmt) -> bool:
    """Whether a statement is FACTS = Facts(...) of plain values, which no run reads."""
    return (
        isinstance(node, ast.Assign)
        and [getattr(target, "id", "") for target in node.targets] == ["FACTS"]
        and isinstance(node.value, ast.Call)
        and getattr(node.value.func, "id", "") == "Facts"
        and all(isinstance(k.value, ast.Constant) for k in node.value.keywords)
        and not node.value.args
    )


def syntax_tree(file: Path) -> ast.Module | None:
    """A file without docstrings, colour and facts; None if its syntax is wrong."""
    return _parsed(file)[0]


def _parsed(file: Path) -> tuple[ast.Module | None, list[ast.stmt]]:
    """A file without docstrings, colour and facts, and what sets its colour."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):  # the latter for NUL
        return None, []
    for node in (tree, *_statements(tree)):
        if (
            isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef))
            and ast.get_docstring(node, clean=False) is not None
        ):
            node.body = node.body[1:]
    colour = [node for node in tree.body if sets_colour(node)]
    tree.body = [node for node in tree.body if not (sets_colour(node) or states_facts(node))]
    return tree, colour


@dataclass(frozen=True)
class _Summary:
    """What is kept of a file: trees in memory would be searched by each collection of garbage."""

    hash: str
    colour: tuple[str, ...]
    imports: tuple[Path, ...]


@lru_cache
def _summary(file: Path) -> _Summary:
    if file.suffix != ".py":  # data that a file beside it names
        with file.open("rb") as stream:
            return _Summary(hashlib.file_digest(stream, "sha256").hexdigest(), (), ())
    tree, colour = _parsed(file)
    source = file.read_bytes()
    return _Summary(
        hashlib.sha256(ast.dump(tree).encode() if tree else source).hexdigest(),
        tuple(map(ast.dump, colour)),
        (*imported(tree, file), *_named(source.decode(errors="replace"), file)) if tree else (),
    )


def tree_hash(file: Path) -> str:
    """Hash of a file's tree without docstrings, colour and facts; of its text if it has no tree."""
    return _summary(file).hash


def colour(file: Path) -> tuple[str, ...]:
    """The statement that sets the COLOUR of a file, if there is one."""
    return _summary(file).colour


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """All statements below a node: far fewer than nodes, and imports and definitions are some."""
    if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
        return  # never run
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for inner in getattr(node, field, ()):
            if isinstance(inner, ast.stmt):
                yield inner
            yield from _statements(inner)


def function_hash(function: Callable[..., Any]) -> str:
    """Hash of a function, of what it uses in its module, and of the files that it imports there."""
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
    module = ast.Module([*nodes.values()], [])  # a function may import inside itself
    files = {inner for path in imported(module, Path(file or "")) for inner in closure(path)}
    dumps = sorted(
        ast.dump(n) for n in nodes.values() if not isinstance(n, (ast.Import, ast.ImportFrom))
    )
    return digest([*dumps, *(tree_hash(path) for path in sorted(files))])


@lru_cache
def _names(file: Path) -> tuple[tuple[ast.stmt, set[str], set[str]], ...]:
    """The statements of a module, each with the names that it sets, and all its names."""
    statements = []
    for node in getattr(syntax_tree(file), "body", ()):
        names = [inner for inner in ast.walk(node) if isinstance(inner, ast.Name)]
        statements.append((node, _names_set(node, names), {name.id for name in names}))
    return tuple(statements)


def _names_set(node: ast.stmt, names: list[ast.Name]) -> set[str]:
    """The names that a statement of a module gives a meaning."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    stored = {name.id for name in names if isinstance(name.ctx, ast.Store)}
    return {getattr(node, "name", "")} | stored


@lru_cache
def closure(file: Path) -> tuple[Path, ...]:
    """A file and every file of spcabench that it imports, directly or not."""
    seen: dict[Path, None] = {}
    pending = [file] if file.is_file() else []
    while pending:
        current = pending.pop()
        if current not in seen:
            seen[current] = None
            pending += _summary(current).imports
    return tuple(seen)


def imported(tree: ast.Module, file: Path) -> Iterator[Path]:
    """The files of spcabench that statements of a file import, packages on the way included."""
    for node in _statements(tree):
        if isinstance(node, ast.ImportFrom):
            parts = node.module.split(".") if node.module else []
            if 0 < node.level <= len(file.parents):
                yield from _modules(file.parents[node.level - 1], parts, node.names)
            elif parts and parts[0] == "spcabench":
                yield from _modules(PACKAGE, parts[1:], node.names)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                top, *below = alias.name.split(".")
                if top == "spcabench":
                    yield from _modules(PACKAGE, below)


def _modules(start: Path, parts: list[str], names: Iterable[ast.alias] = ()) -> Iterator[Path]:
    """The files of a module below a folder, of the packages on the way, and of names in it."""
    if start == PACKAGE and parts and parts[0] in BESIDE and not (PACKAGE / parts[0]).is_dir():
        start = PACKAGE.parent  # a checkout has them beside the package
    folders = [start.joinpath(*parts[:i]) for i in range(len(parts) + 1)]
    files = [folder / "__init__.py" for folder in folders]
    files += [folders[-1].with_suffix(".py"), *(folders[-1] / f"{a.name}.py" for a in names)]
    if any(alias.name == "*" for alias in names):
        files += sorted(folders[-1].glob("*.py"))
    yield from (file for file in files if file.parent != SHOWING and file.is_file())


def _named(text: str, file: Path) -> Iterator[Path]:
    """What a solver or a dataset may read by a name in its text: modules, and data beside it."""
    if file.parent.name in BESIDE:
        for name in re.findall(r"""["']spcabench\.([\w.]+)["']""", text):
            yield from _modules(PACKAGE, name.split("."))
    if file.parent.name in BESIDE or not file.resolve().is_relative_to(PACKAGE):
        yield from (data for data in _data(file.parent) if data.name in text)


@lru_cache
def _data(folder: Path) -> tuple[Path, ...]:
    """The files of a folder that are no Python. One without a suffix has a name like any word."""
    return tuple(p for p in sorted(folder.glob("*.*")) if p.is_file() and p.suffix != ".py")
