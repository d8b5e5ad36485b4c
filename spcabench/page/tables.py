"""Tables of pages, terminals and LaTeX: a data frame, and how its columns are shown."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd

from spcabench import registry

# the start of a cell in a column of numbers; a list of numbers is none
NUMBER = re.compile(r"(?!.*, )(?:[-+]?\.?\d|n/a|–|$)")
NOTHING: Mapping[str, Any] = MappingProxyType({})


class Link(NamedTuple):
    """A cell that leads to an address, such as a solver with its colour.

    address : "" if there is no page. named : whether the user named it. warned : whether it has
    warnings.
    """

    text: str
    address: str = ""
    colour: str = ""
    named: bool = False
    warned: bool = False

    @property
    def plain(self) -> str:
        """The text; a dagger marks a solver with warnings."""
        return f"{self.text}{'†' * self.warned}"


class Strip(NamedTuple):
    """A cell that draws a number, its interval and the range over seeds, in percent."""

    point: float
    ends: tuple[float, float] | tuple[()]
    seeds: tuple[float, float] | tuple[()]

    @property
    def plain(self) -> str:
        """The interval."""
        return f"[{', '.join(f'{end:.0f}' for end in self.ends)}]" if self.ends else ""


class Column(NamedTuple):
    """A column: its field, how its values are formatted, and its explanation.

    terminal : whether texts show it; a page shows all columns. choose : whether readers can choose
    rows by its value.
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

    A line break in a cell separates two lines. words : on a title, which a ranking of a formulation
    has. first : number of rows that are shown at first, or 0 for all. missing : shown for a missing
    value.
    """

    columns: Sequence[Column]
    rows: pd.DataFrame
    caption: str = ""
    title: str = ""
    words: str = ""
    first: int = 0
    missing: str = "n/a"

    @classmethod
    def of(cls, heads: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> "Table":
        """Return a table of texts."""
        frame = pd.DataFrame([*rows], columns=[*heads], dtype=object)
        return cls([Column(head, head) for head in heads], frame, caption)

    @cached_property
    def cells(self) -> list[tuple[Any, ...]]:
        """The cells of each row: texts, links and strips."""
        columns = [
            [
                value if isinstance(value, tuple) else known(value, column.how, self.missing)
                for value in self.rows[column.field]
            ]
            for column in self.columns
        ]
        return [*zip(*columns, strict=True)]

    @property
    def classes(self) -> list[str]:
        """The class of each column: number, or none."""
        return [
            "number" * all(isinstance(cell, str) and NUMBER.match(cell) for cell in cells)
            for cells in zip(*self.cells, strict=True)
        ]

    def texts(self) -> pd.DataFrame:
        """Return the cells as texts, without empty columns and those that only a page shows."""
        texts = [[getattr(cell, "plain", cell) for cell in row] for row in self.cells]
        frame = pd.DataFrame(texts, columns=[c.head for c in self.columns], dtype=str)
        return frame[[c.head for c in self.columns if c.terminal and (frame[c.head] != "").any()]]

    def lines(self) -> list[str]:
        """Return the table for a terminal: two columns of words are followed by numbers."""
        shown = []
        for place, (head, texts) in enumerate(self.texts().items()):
            column = [str(head).lower(), *texts]
            width = max(map(len, column))
            shown.append([t.ljust(width) if place < 2 else t.rjust(width) for t in column])
        lines = ["  ".join(line) for line in zip(*shown, strict=True)]
        return [f"{self.title}: {self.words}", *lines] if self.title else lines

    def latex(self, cited: Mapping[str, str]) -> str:
        """Return the table for LaTeX, in the style of the booktabs package.

        cited : solver -> key of its paper.
        """
        texts = self.texts()
        frame = texts.map(escaped).rename(columns=escaped)
        keys = texts.Solver.str.removesuffix("†").map(cited)
        frame["Solver"] += [rf"~\cite{{{key}}}" if key == key else "" for key in keys]
        layout = f"ll{'r' * (len(frame.columns) - 2)}"
        text = frame.to_latex(index=False, escape=False, column_format=layout)
        return f"% needs \\usepackage{{booktabs}}\n{text}"


def escaped(text: str) -> str:
    """Escape the special characters of LaTeX, and replace those that it does not know."""
    special = {c: f"\\{c}" for c in "_&%#${}"} | {"\\": r"\textbackslash{}", "†": r"$^\dagger$"}
    special |= {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--"}
    special |= {"\n": " ", "≥": r"$\geq$", "≤": r"$\leq$"}
    return "".join(special.get(c, c if ord(c) < 0x180 and c.isprintable() else "?") for c in text)


def linked(
    solvers: Iterable[Any],
    home: str | None,
    named: Collection[str] = (),
    warned: Collection[str] = (),
    colours: Mapping[str, str] = NOTHING,
) -> list[Link]:
    """Return the cells of solvers, as links if they have pages in the folder of the site.

    home : the way to this folder, or None if there is no site.
    """
    known = {*registry.names("solver")} if home is not None else {*()}
    files = [(str(s), str(s).partition(" ")[0]) for s in solvers]
    return [
        Link(
            *(s, f"{home}solvers/{file}.html" if file in known else "", colours.get(s, "")),
            *(s in named, s in warned),
        )
        for s, file in files
    ]


def known(value: Any, how: Callable[[Any], str] | str, missing: str = "n/a") -> str:
    """Format a number by a function or a format, or return ``missing`` for NaN or None."""
    if pd.isna(value):
        return missing
    return how.format(value) if isinstance(how, str) else how(value)


def percent(value: Any, digits: int = 2) -> str:
    """Format a fraction in percent."""
    # adding zero gives a share that rounds to zero no sign
    return known(round(100.0 * value, digits) + 0.0, f"{{:.{digits}f}} %")


def whole(share: float) -> str:
    """Format a fraction in whole percent."""
    return percent(share, 0)
