"""The papers, whose authors and titles are in files next to the figures."""

import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from spcabench import registry
from spcabench.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Paper:
    """The facts about a paper in ``spcabench/figures/KEY.toml``.

    authors : their family names. venue : where it appeared. address : where it can be read. place :
        papers are shown in increasing order of place, then of key. telling : the claims
        that summarise the paper in a few words each, by id; the first is on the first page.
        reproduced, solvers : its reproduced parts and its solvers, for the table of papers.
    """

    key: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    title: str = ""
    venue: str = ""
    address: str = ""
    place: int = sys.maxsize
    telling: Mapping[str, str] = field(default_factory=dict)
    reproduced: str = ""
    solvers: str = ""

    @property
    def name(self) -> str:
        """Authors and year, or the key if the paper has no file."""
        return f"{', '.join(self.authors)} ({self.year})" if self.authors else self.key

    @property
    def reference(self) -> str:
        """Title and venue, if they are known."""
        return ", ".join(filter(None, (self.title, self.venue)))


def in_order(keys: Iterable[str]) -> list[Paper]:
    """Return the papers with these keys in the order in which they are shown."""
    return sorted((paper(key) for key in keys), key=lambda p: (p.place, p.key))


def paper(key: str) -> Paper:
    """Return the paper with a key. Raises InputError if its file cannot be read."""
    return next((_read(file) for file in _files() if file.stem == key), Paper(key=key))


def key_of(figure: str) -> str:
    """Return the key of a figure's paper: the figure's name up to the first underscore."""
    return figure.partition("_")[0]


def _files() -> list[Path]:
    package = import_module(registry.PACKAGES["figure"])
    return [file for folder in package.__path__ for file in sorted(Path(folder).glob("*.toml"))]


def _read(file: Path) -> Paper:
    try:
        words = tomllib.loads(file.read_text(encoding="utf-8"))
        words["authors"] = tuple(words["authors"])
        return Paper(key=file.stem, **words)
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        known = ", ".join(name for name in Paper.__dataclass_fields__ if name != "key")
        raise InputError(f"{file}: {error}; the fields of a paper's file are {known}") from error
