"""Generated blocks of documents, each between two marks: ``<!-- NAME: made by ... -->``."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from spcabench.errors import InputError
from spcabench.files import write_changed
from spcabench.page.render import cell

BY = "`make docs`"


def replaced(text: str, blocks: Mapping[str, str], by: str = BY) -> str:
    """Return a document with a new text in each of its blocks.

    by : the command named in the opening marks. Raises InputError if a mark is missing.
    """
    for name, inner in blocks.items():
        begin, end = f"<!-- {name}: made by {by} -->\n", f"<!-- end of {name} -->"
        head, opened, after = text.partition(begin)
        _, closed, tail = after.partition(end)
        if not opened or not closed:
            raise InputError(f"the document has no block between {begin.strip()} and {end}")
        text = f"{head}{begin}{inner}{end}{tail}"
    return text


def renew(file: Path, blocks: Mapping[str, str], by: str = BY) -> None:
    """Renew the text in each block of a document."""
    write_changed(file, replaced(file.read_text(encoding="utf-8"), blocks, by))


def markdown_table(heads: Sequence[Any], lines: Iterable[Iterable[Any]]) -> str:
    """Return a Markdown table."""
    rows = [heads, ["---"] * len(heads), *lines]
    return "".join(f"| {' | '.join(map(cell, row))} |\n" for row in rows)
