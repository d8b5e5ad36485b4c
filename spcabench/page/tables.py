"""Tables of pages and of terminals: a data frame, and how its columns are shown."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd

from spcabench import registry

NUMBER = re.compile(r"[-+]?\.?\d|n/a|–|$")  # the start of a cell in a column of numbers


class Link(NamedTuple):
    """A cell that leads to an address."""

    text: str
    address: str


class Solver(NamedTuple):
    """A cell with a solver, its colour, and whether it was named and has warnings.

    address : of its page, if it has one.
    """

    text: str
    colour: str = ""
    named: bool = False
    warned: bool = False
    address: str = ""


class Strip(NamedTuple):
    """A cell that draws a number, its interval and the range over seeds, in percent."""

    point: float
    ends: tuple[float, float] | tuple[()]
    seeds: tuple[float, float] | tuple[()]


class Column(NamedTuple):
    """A column: its field, how its values are formatted, and its explanation.

    terminal : whether a terminal shows it; a page shows all columns. choose : whether readers can
    choose rows by its value.
    """

    head: str
    field: str
    how: Callable[[Any], str] | str = "{}"
    meaning: str = ""
    terminal: bool = True
    choose: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of a data frame under heads.

    A line is drawn between two rows with different values in the column "group". A line break in a
    cell separates two lines. words : on a title, which a ranking of a formulation has. first :
    number of rows that are shown at first, or 0 for all.
    """

    columns: Sequence[Column]
    rows: pd.DataFrame
    caption: str = ""
    title: str = ""
    words: str = ""
    first: int = 0

    @classmethod
    def of(cls, heads: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> "Table":
        """Return a table of texts."""
        frame = pd.DataFrame([*rows], columns=[*heads], dtype=object)
        return cls([Column(head, head) for head in heads], frame, caption)

    @cached_property
    def cells(self) -> list[tuple[Any, ...]]:
        """The cells of each row: texts, links, solvers and strips."""
        columns = [[_cell(value, c.how) for value in self.rows[c.field]] for c in self.columns]
        return [*zip(*columns, strict=True)]

    @property
    def begins(self) -> frozenset[int]:
        """Places of the rows that start a new group."""
        steps = self.rows.group.diff() if "group" in self.rows else ()
        return frozenset(place for place, step in enumerate(steps) if step > 0)

    @property
    def classes(self) -> list[str]:
        """The class of each column: number, or none."""
        return [
            "number" * all(isinstance(cell, str) and NUMBER.match(cell) for cell in cells)
            for cells in zip(*self.cells, strict=True)
        ]

    def lines(self) -> list[str]:
        """Return the table for a terminal: two columns of words are followed by numbers."""
        columns = [[c.head.lower(), *of] for c, *of in zip(self.columns, *self.cells, strict=True)]
        shown = [of for column, of in zip(self.columns, columns, strict=True) if column.terminal]
        for place, texts in enumerate(shown):
            texts = [getattr(text, "text", text) for text in texts]
            width = max(map(len, texts))
            shown[place] = [t.ljust(width) if place < 2 else t.rjust(width) for t in texts]
        lines = ["  ".join(line) for line in zip(*shown, strict=True)]
        for place in sorted(self.begins, reverse=True):
            lines.insert(place + 1, "-" * len(lines[0]))
        return [f"{self.title}: {self.words}", *lines] if self.title else lines


def linked(solvers: Iterable[Any], home: str | None) -> list[str | Link]:
    """Return names of solvers, as links if they have pages in the folder of the site."""
    known = {*registry.names("solver")} if home is not None else {*()}
    return [
        Link(str(s), f"{home}solvers/{name}.html") if name in known else str(s)
        for s in solvers
        for name in [str(s).partition(" ")[0]]
    ]


def solver_cells(
    names: Iterable[Any],
    home: str | None,
    named: Iterable[str],
    warned: Iterable[str],
    colours: Mapping[str, str] = MappingProxyType({}),
) -> list[Solver]:
    """Return the cells of solvers in a ranking. home : as in `linked`."""
    named, warned = {*named}, {*warned}
    return [
        Solver(s, colours.get(s, ""), s in named, s in warned, getattr(link, "address", ""))
        for s, link in zip(names, linked(names, home), strict=True)
    ]


def _cell(value: Any, how: Callable[[Any], str] | str) -> Any:
    return value if isinstance(value, tuple) else known(value, how)


def known(value: Any, how: Callable[[Any], str] | str) -> str:
    """Format a number by a function or a format, or return "n/a" if it is missing."""
    if pd.isna(value):
        return "n/a"
    return how.format(value) if isinstance(how, str) else how(value)


def percent(value: Any, digits: int = 2) -> str:
    """Format a fraction in percent."""
    return known(100.0 * value, f"{{:.{digits}f}} %")
