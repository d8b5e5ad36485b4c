"""Find the code behind a page: addresses relative to a page's folder, and lines of statements."""

import ast
import os
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

from spcabench import registry


def source(folder: Path, figure: str) -> str | None:
    """Return the address of a figure's ``runs`` from a page, if the figure exists."""
    if figure not in registry.names("figure"):
        return None
    return function(registry.path("figure", figure), "runs", folder)


def function(file: Path, name: str, folder: Path) -> str:
    """Return the address of a function in a file, from a page in a folder."""
    lines = [node.lineno for node in _body(file) if getattr(node, "name", "") == name]
    return relative(file, folder, *lines[:1])


def relative(file: Path, folder: Path, line: int | None = None) -> str:
    """Return the address of a file, or of one of its lines, from a page in a folder."""
    address = quote(Path(os.path.relpath(file, folder)).as_posix())
    return f"{address}#L{line}" if line else address


def statements(folder: Path, figure: str) -> dict[str, tuple[str, str]]:
    """Return the link to the code of each statement of a figure: words and address.

    Figures of one paper can share statements, which are then in a separate file.
    """
    if figure not in registry.names("figure"):
        return {}
    own = registry.path("figure", figure)
    return {
        id: (f"{file.name}, line {line}", relative(file, folder, line))
        for file in (*sorted(own.parent.glob("_*.py")), own)
        for id, line in _lines(file)
    }


def _body(file: Path) -> list[ast.stmt]:
    return ast.parse(file.read_text(encoding="utf-8")).body


@lru_cache
def _lines(file: Path) -> list[tuple[str, int]]:
    """Return the id and the line of each statement of a file.

    A statement is the call ``K3 = claim("K3", ...)``, or a function below ``@claim("K3", ...)``.
    """
    calls = [c for node in _body(file) for c in _calls(node) if isinstance(c, ast.Call) and c.args]
    return [
        (str(first.value), call.lineno)
        for call in calls
        if isinstance(first := call.args[0], ast.Constant)
    ]


def _calls(node: ast.stmt) -> list[ast.expr]:
    """Return the expressions that can create the statement: the value, or the decorators."""
    if isinstance(node, ast.FunctionDef):
        return node.decorator_list
    return [node.value] if isinstance(node, ast.Assign) else []
