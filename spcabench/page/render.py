"""Render pages and documents from templates, in one environment with shared filters."""

import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PackageLoader
from markupsafe import Markup

from spcabench import files
from spcabench.page import math_html

# optional pages of a run, by their names in the navigation bar
OPTIONAL = {
    "choose": "choose.html",
    "optimal": "optimal.html",
    "history": "history/index.html",
    "docs": "docs/",
}


def render(template: str, folder: Path | None = None, **values: Any) -> str:
    """Return the text of a template filled with values.

    folder : folder of the template, by default ``spcabench/page/templates``. Templates named
        ``*.html.j2`` escape their values.
    """
    return _environment(folder).get_template(template).render(**values)


@cache
def _environment(folder: Path | None) -> Environment:
    package = PackageLoader("spcabench.page")
    environment = Environment(
        loader=ChoiceLoader([FileSystemLoader(folder), package]) if folder else package,
        autoescape=lambda name: name is not None and name.endswith(".html.j2"),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_shown,
    )
    environment.filters |= {
        "cell": cell,
        "plain": plain,
        "packed": packed,
        "math": math_html.marked_up,
    }
    # pages of a comparison and of the history are written without knowing the others
    environment.globals["site"] = OPTIONAL
    return environment


def _shown(value: Any) -> Any:
    """Return a value as templates show it, with control characters replaced by codes."""
    if isinstance(value, Markup):
        return Markup(files.plain(value))
    return files.plain(value) if isinstance(value, str) else value


def packed(lines: Iterable[Iterable[Any]]) -> Markup:
    """Return the cells of a large table as JSON by columns, from which a script draws the lines.

    A column with repeated cells is stored as a list of distinct cells and, for each line, an index
    into this list. A line break in a cell separates two lines, which are shown one above the other.
    """
    columns: list[list[Any]] = []
    for column in zip(*lines, strict=True):
        # a link is a pair of its text and its address
        cells = [
            files.plain(cell if isinstance(cell, str) else cell.text)
            if isinstance(cell, str) or not cell.address
            else (files.plain(cell.text), cell.address)
            for cell in column
        ]
        place = {text: i for i, text in enumerate(dict.fromkeys(cells))}
        repeats = len(place) < len(cells) / 2
        columns.append([[*place], [place[text] for text in cells]] if repeats else [cells])
    # "</" would end the script element that contains it
    text = json.dumps(columns, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.replace("</", "<\\/"))


def cell(text: Any) -> str:
    """Escape a text for a cell of a Markdown table."""
    return " ".join(str(text).split()).replace("|", "\\|").replace("*", "\\*")


def plain(text: Any) -> str:
    """Return a text on one line, escaped so that Markdown shows it unchanged."""
    # "$" is escaped too, because GitHub renders text between two "$" as mathematics
    return re.sub(r"([\\`*_\[\]<>|$])", r"\\\1", " ".join(str(text).split()))
