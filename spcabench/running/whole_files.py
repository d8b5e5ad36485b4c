"""Files that are whole or not there, whenever the process is killed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path beside ``path`` to write to; at the end it is renamed, after an error removed.

    It has the same suffix, from which libraries know the format, and holds the process id, so that
    two processes do not write to the same.
    """
    aside = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")
    try:
        yield aside
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file whole."""
    with replacing(path) as aside:
        aside.write_text(text, encoding="utf-8")


def write_changed(path: Path, text: str) -> None:
    """Write a text file, in a folder that is made, unless it holds just that: its time is kept."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text)
