"""Find the code behind a page: addresses relative to a page's folder, and lines of statements."""

import ast
import os
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from spcabench import registry


def source(folder: Path, figure: str) -> str | None:
    """Return the address of a figure's file relative to a page, if the figure exists."""
    if figure not in registry.names("figure"):
        return None
    return relative(registry.path("figure", figure), folder)


def relative(file: Path, folder: Path) -> str:
    """Return the address of a file relative to a page's folder."""
    return quote(Path(os.path.relpath(file, folder)).as_posix())


def statements(folder: Path, figure: str) -> dict[str, dict[str, Any]]:
    """Map the ids of a figure's statements to where they are written.

    That is the figure's file, or a private file next to it that several figures share.
    """
    if figure not in registry.names("figure"):
        return {}
    own = registry.path("figure", figure)
    places: dict[str, dict[str, Any]] = {}
    for file in (*sorted(own.parent.glob("_*.py")), own):
        place = {"name": file.name, "address": relative(file, folder)}
        places |= {id: place | {"line": line} for id, line in _lines(file)}
    return places


@lru_cache
def _lines(file: Path) -> tuple[tuple[str, int], ...]:
    """Return the ids and lines of the statements in a file: ``K3 = Statement("K3", ...)``.

    If a shared function creates the statement, its first argument is the id.
    """
    ids = []
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            call = node.value
            named = [k.value for k in call.keywords if k.arg == "id"]
            for value in (*named, *call.args)[:1]:
                if isinstance(value, ast.Constant):
                    ids.append((str(value.value), node.lineno))
    return tuple(ids)
