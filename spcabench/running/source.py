"""Python files as what they do: hashes that comments, docstrings and layout do not change."""

import ast
import hashlib
import json
import sys
from collections.abc import Callable, Iterator
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


@lru_cache
def syntax_tree(file: Path) -> ast.Module | None:
    """A file without docstrings and colour; None where its syntax is wrong."""
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        if (
            isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef))
            and ast.get_docstring(node) is not None
        ):
            node.body = node.body[1:]
    tree.body = [node for node in tree.body if not sets_colour(node)]
    return tree


@lru_cache
def tree_hash(file: Path) -> str:
    """Hash of a file's syntax tree without docstrings and colour; of its text where it has none."""
    tree = syntax_tree(file)
    text = ast.dump(tree) if tree else file.read_text(encoding="utf-8")
    return hashlib.sha256(text.encode()).hexdigest()


def function_hash(function: Callable[..., Any]) -> str:
    """Hash of a function, of what it uses in its module, and of the files that it imports there."""
    name, file = function.__name__, sys.modules[function.__module__].__file__
    tree = syntax_tree(Path(file)) if file else None
    used, pending = {name}, [name]
    nodes: dict[int, ast.stmt] = {}
    while pending:
        current = pending.pop()
        for node in tree.body if tree else ():
            if id(node) not in nodes and current in _names_set(node):
                nodes[id(node)] = node
                pending += {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} - used
                used |= set(pending)
    imports = ast.Module(
        [n for n in nodes.values() if isinstance(n, (ast.Import, ast.ImportFrom))], []
    )
    files = {inner for path in _imported(imports) if path.is_file() for inner in closure(path)}
    dumps = sorted(
        ast.dump(n) for n in nodes.values() if not isinstance(n, (ast.Import, ast.ImportFrom))
    )
    return digest([*dumps, *(tree_hash(path) for path in sorted(files))])


def _names_set(node: ast.stmt) -> set[str]:
    """The names that a statement of a module gives a meaning."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    return {getattr(node, "name", "")} | {
        n.id for n in ast.walk(node) if isinstance(n, ast.Name) and _stored(n)
    }


def _stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


@lru_cache
def closure(file: Path) -> tuple[Path, ...]:
    """A file and every file of spcabench that it imports, directly or not."""
    seen: dict[Path, None] = {}
    pending = [file]
    while pending:
        current = pending.pop()
        if current not in seen and current.is_file():
            seen[current] = None
            pending += _imported(syntax_tree(current))
    return tuple(seen)


def _imported(tree: ast.Module | None) -> Iterator[Path]:
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.ImportFrom) and (
            node.level or (node.module or "").split(".")[0] == "spcabench"
        ):
            parts = (node.module or "").split(".")
            inner = [p for p in parts if p and p != "spcabench"]
            folder = PACKAGE.joinpath(*inner)
            yield folder.with_suffix(".py")
            yield from (folder / f"{alias.name}.py" for alias in node.names)
