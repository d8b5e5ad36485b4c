"""Tables of pages and of terminals: formatted cells under heads."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

NUMBER = re.compile(r"[-+]?\.?\d|n/a|–|$")  # the start of a cell in a column of numbers


class Link(NamedTuple):
    """A cell that leads to an address."""

    text: str
    address: str


class Solver(NamedTuple):
    """A cell with a solver, its colour, and whether it was named and has warnings."""

    text: str
    colour: str = ""
    named: bool = False
    warned: bool = False


class Strip(NamedTuple):
    """A cell that draws a number, its interval and the range over seeds, in percent."""

    point: float
    ends: tuple[float, float] | tuple[()]
    seeds: tuple[float, float] | tuple[()]


@dataclass(frozen=True)
class Table:
    """A table of a page. A line break in a cell separates two lines.

    name : its id. begins : places of the rows above which a line is drawn. first : number of rows
    that are shown at first, or 0 for all.
    """

    heads: Sequence[str]
    rows: Sequence[Sequence[Any]]
    caption: str = ""
    name: str = ""
    begins: frozenset[int] = frozenset()
    first: int = 0

    @property
    def classes(self) -> list[str]:
        """The class of each column: number, or none."""
        return [
            "number" * all(isinstance(cell, str) and NUMBER.match(cell) for cell in cells)
            for cells in zip(*self.rows, strict=True)
        ]


def known(value: Any, how: Callable[[Any], str] | str) -> str:
    """Format a number by a function or a format, or return "n/a" if it is missing."""
    if pd.isna(value):
        return "n/a"
    return how.format(value) if isinstance(how, str) else how(value)


def percent(value: Any, digits: int = 2) -> str:
    """Format a fraction in percent."""
    return known(100.0 * value, f"{{:.{digits}f}} %")


class Column(NamedTuple):
    """A column of a ranking: its field, how it is formatted, and its explanation.

    terminal : whether a terminal shows it; a page shows all columns.
    """

    head: str
    field: str
    how: Callable[[Any], str] | str = "{}"
    meaning: str = ""
    terminal: bool = True


@dataclass(frozen=True)
class Ranking:
    """A ranking, of which a comparison of several components has one for each formulation.

    rows : the solvers in their order, with a group. cells : richer cells for the page: a mapping
    field -> solver's place -> cell.
    """

    columns: Sequence[Column]
    rows: pd.DataFrame
    cells: dict[str, Sequence[Any]]
    title: str = ""
    words: str = ""

    @property
    def begins(self) -> frozenset[int]:
        """Places of the rows that start a new group."""
        return frozenset(i for i, step in enumerate(self.rows.group.diff()) if step > 0)

    def table(self, first: int = 0) -> Table:
        """Return the table of the page."""
        columns = [self.cells.get(c.field) or self._texts(c) for c in self.columns]
        heads, rows = [c.head for c in self.columns], [*zip(*columns, strict=True)]
        return Table(heads, rows, begins=self.begins, first=first)

    def lines(self) -> list[str]:
        """Return the ranking for a terminal: words are on the left, numbers on the right."""
        columns = []
        for place, column in enumerate(c for c in self.columns if c.terminal):
            texts = [column.head.lower(), *self._texts(column)]
            width = max(map(len, texts))
            columns.append([t.ljust(width) if place < 2 else t.rjust(width) for t in texts])
        lines = ["  ".join(line) for line in zip(*columns, strict=True)]
        for place in sorted(self.begins, reverse=True):
            lines.insert(place + 1, "-" * len(lines[0]))
        return [f"{self.title}: {self.words}", *lines] if self.title else lines

    def _texts(self, column: Column) -> list[str]:
        return [known(value, column.how) for value in self.rows[column.field]]
