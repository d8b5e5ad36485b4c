"""Python files as what they do: hashes that comments, docstrings and layout do not change."""

import ast
import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[1]


def digest(value: Any) -> str:
    """Hash of a value that JSON can hold."""
    text = json.dumps(value, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()


def sets_colour(node: ast.stmt) -> bool:
    """Whether a statement sets COLOUR, which changes pictures only."""
    return isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "COLOUR"


def syntax_tree(file: Path) -> ast.Module | None:
    """A file without docstrings and colour; None where its syntax is wrong."""
    return _parsed(file)[0]


def _parsed(file: Path) -> tuple[ast.Module | None, list[ast.stmt]]:
    """A file without docstrings and colour, and what sets its colour."""
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
    except SyntaxError:
        return None, []
    for node in (tree, *_statements(tree)):
        if (
            isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef))
            and ast.get_docstring(node, clean=False) is not None
        ):
            node.body = node.body[1:]
    colour = [node for node in tree.body if sets_colour(node)]
    tree.body = [node for node in tree.body if not sets_colour(node)]
    return tree, colour


@dataclass(frozen=True)
class _Summary:
    """What is kept of a file: trees in memory would be searched by each collection of garbage."""

    hash: str
    colour: tuple[str, ...]
    imports: tuple[Path, ...]


@lru_cache
def _summary(file: Path) -> _Summary:
    tree, colour = _parsed(file)
    text = ast.dump(tree) if tree else file.read_text(encoding="utf-8")
    return _Summary(
        hashlib.sha256(text.encode()).hexdigest(),
        tuple(map(ast.dump, colour)),
        tuple(_imported(tree)) if tree else (),
    )


def tree_hash(file: Path) -> str:
    """Hash of a file's syntax tree without docstrings and colour; of its text where it has none."""
    return _summary(file).hash


def colour(file: Path) -> tuple[str, ...]:
    """What sets the COLOUR of a file: no statement, or one."""
    return _summary(file).colour


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """All statements below a node: far fewer than nodes, and imports and definitions are some."""
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
    files = {inner for path in _imported(module) for inner in closure(path)}
    dumps = sorted(
        ast.dump(n) for n in nodes.values() if not isinstance(n, (ast.Import, ast.ImportFrom))
    )
    return digest([*dumps, *(tree_hash(path) for path in sorted(files))])


@lru_cache
def _names(file: Path) -> tuple[tuple[ast.stmt, set[str], set[str]], ...]:
    """The statements of a module, each with the names that it sets, and all its names."""
    found = []
    for node in getattr(syntax_tree(file), "body", ()):
        names = [inner for inner in ast.walk(node) if isinstance(inner, ast.Name)]
        found.append((node, _names_set(node, names), {name.id for name in names}))
    return tuple(found)


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


def _imported(tree: ast.Module) -> Iterator[Path]:
    """The files of spcabench that some statements import."""
    for node in _statements(tree):
        if isinstance(node, ast.ImportFrom) and (
            node.level or (node.module or "").split(".")[0] == "spcabench"
        ):
            parts = (node.module or "").split(".")
            inner = [p for p in parts if p and p != "spcabench"]
            folder = PACKAGE.joinpath(*inner)
            files = folder.with_suffix(".py"), *(folder / f"{a.name}.py" for a in node.names)
            yield from filter(Path.is_file, files)
        elif isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
            whole = (PACKAGE.joinpath(*rest) for top, *rest in names if top == "spcabench")
            yield from filter(Path.is_file, (folder.with_suffix(".py") for folder in whole))
