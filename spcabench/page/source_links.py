"""Where the code behind a page is: addresses from a page's folder, lines of statements."""

import ast
import os
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from spcabench import registry


def source(folder: Path, figure: str) -> str | None:
    """The address of a figure's file from a page, if the figure exists."""
    if figure not in registry.names("figure"):
        return None
    return relative(registry.path("figure", figure), folder)


def relative(file: Path, folder: Path) -> str:
    """The address of a file from a page in a folder."""
    return quote(Path(os.path.relpath(file, folder)).as_posix())


def statements(folder: Path, figure: str) -> dict[str, dict[str, Any]]:
    """Where the statements of a figure are written, by their ids: in its file, or in one beside it.

    The claims of figures that share a paper's code may be written once for all.
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
    """The ids of the statements in a file, with their lines: ``K3 = Statement("K3", ...)``.

    A function that several figures share may make the statement; then its first argument is the id.
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
