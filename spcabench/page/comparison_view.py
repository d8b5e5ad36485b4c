"""What the page of a comparison shows, whatever its kind: rankings, failures, and folded sections.

The kinds are comparisons of one component (`comparison_page`) and of several (`components_page`).
"""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from spcabench.comparison.suite import Item
from spcabench.page import comparison_tables
from spcabench.page.comparison_pictures import Picture
from spcabench.page.tables import Table

WIDTH = 100  # characters of a line for a terminal


@dataclass(frozen=True)
class Section:
    """A folded part of the page. linked : whether the bar of the page leads to it."""

    name: str
    title: str
    words: str = ""
    paragraph: str = ""
    facts: Sequence[tuple[str, str]] = ()
    tables: Sequence[Table] = ()
    picture: Picture | None = None
    linked: bool = False


@dataclass(frozen=True)
class View:
    """The contents of a page. The first picture of its sections is not folded.

    order : how solvers are ordered. notes : on their seeds. answers : every run with its solver,
    status, reason, and whether it has an answer. warnings : as returned by
    `comparison_tables.warnings`. newest : the row that the footer describes.
    """

    name: str
    title: str
    lead: str
    order: str
    rankings: Sequence[Table]
    answers: pd.DataFrame
    warnings: Sequence[dict[str, Any]]
    sections: Sequence[Section]
    stand_ins: Sequence[str]
    files: Sequence[str]
    newest: dict[str, Any]
    notes: str = ""

    @property
    def failures(self) -> Table:
        """The runs without an answer: solvers with the same number of them share a row."""
        bad = self.answers[~self.answers.answered]
        counts = bad.groupby(["solver", "status", "reason"]).size().reset_index(name="count")
        alike = counts.groupby(["status", "reason", "count"]).solver.agg(", ".join).reset_index()
        rows = alike[["solver", "status", "count", "reason"]].itertuples(index=False)
        return Table.of(("Solvers", "Status", "Pairs per solver", "Reason"), rows)

    @property
    def noticed(self) -> Table:
        """The warnings."""
        rows = [(w["solver"], w["sentence"], w["count"]) for w in self.warnings]
        return Table.of(("Solver", "What was noticed", "Runs"), rows)

    def text(self) -> str:
        """Return the rankings for a terminal, with their columns, warnings and missing answers."""
        blocks = [line for ranking in self.rankings for line in [*ranking.lines(), ""]]
        explained = [c for c in self.rankings[0].columns if c.terminal and c.meaning]
        told = [f"{c.head.lower():12}{c.meaning}" for c in explained]
        told += filter(None, (self.lead, self.order, self.notes))
        blocks += [textwrap.fill(line, WIDTH, subsequent_indent="  ") for line in told]
        warnings = map(comparison_tables.as_text, self.warnings)
        blocks += ["", *warnings, *comparison_tables.unanswered(self.answers)]
        return "\n".join(blocks).rstrip() + "\n"


def problems(items: Sequence[Item]) -> Table:
    """Return the table of the problems of a suite; counts are numbers of components."""
    rows = [
        (
            item.name,
            item.family,
            ", ".join(map(str, item.counts)),
            ", ".join(map(str, item.ks)),
            " ".join([item.dataset, *(f"{name}={v}" for name, v in item.parameters.items())]),
            item.origin,
        )
        for item in items
    ]
    heads = ("Problem", "Kind", "r", "k", "Dataset", "Origin")
    return Table.of(heads, rows, "The problems: k nonzeros, and r components if there are several")
