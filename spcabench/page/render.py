"""Render pages and documents from templates, in one environment with shared filters."""

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PackageLoader
from markupsafe import Markup

from spcabench import streams
from spcabench.claims import words
from spcabench.page import math_html


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
    environment.filters |= {"cell": cell, "math": math_html.marked_up}
    environment.filters |= {"duration": words.duration, "compact": math_html.compact}
    return environment


def _shown(value: Any) -> Any:
    """Return a value as templates show it, with control characters replaced by codes."""
    if isinstance(value, Markup):
        return Markup(streams.plain(value))
    return streams.plain(value) if isinstance(value, str) else value


def cell(text: Any) -> str:
    """Escape a text for a cell of a Markdown table."""
    return " ".join(str(text).split()).replace("|", "\\|").replace("*", "\\*")
