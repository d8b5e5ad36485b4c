"""What the page of a comparison shows, whatever its kind: rankings, failures, and folded sections.

The kinds are comparisons of one component (`comparison_one`) and of several (`comparison_several`).
"""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from spcabench.comparison.ranking import not_run
from spcabench.comparison.suite import Item
from spcabench.files import one_line, replacing
from spcabench.page.comparison_pictures import Picture
from spcabench.page.tables import Table
from spcabench.solving.run_warnings import SENTENCES, Flag

WIDTH = 100  # characters of a line for a terminal
ANSWERS = "table.parquet"
ALL = "all solvers"
Warnings = Sequence[Mapping[str, Any]]
Facts = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Section:
    """A folded part of the page. linked : whether the bar of the page leads to it."""

    name: str
    title: str
    words: str = ""
    paragraph: str = ""
    facts: Facts = ()
    tables: Sequence[Table] = ()
    picture: Picture | None = None
    linked: bool = False


@dataclass(frozen=True)
class View:
    """The contents of a page. The first picture of its sections is not folded.

    order : how solvers are ordered. notes : on seeds and intervals. answers : every run with its
    solver, status, reason, and whether it has an answer. warnings : as returned by `warnings`.
    newest : the row that the footer describes. runs : the table of every answer, which has its own
    page.
    """

    name: str
    title: str
    lead: str
    order: str
    rankings: Sequence[Table]
    answers: pd.DataFrame
    warnings: Warnings
    sections: Sequence[Section]
    files: Sequence[str]
    newest: Mapping[str, Any]
    notes: Sequence[str] = ()
    runs: Table | None = None

    @property
    def stand_ins(self) -> list[str]:
        """The problems that replace other data."""
        return sorted(set(self.answers.problem[self.answers.stand_in.eq(True)]))

    @property
    def failures(self) -> Table:
        """The runs without an answer: solvers with the same number of them share a row."""
        bad = self.answers[~self.answers.answered]
        bad = bad.assign(reason=bad.reason.fillna("").replace("", "no reason is known"))
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
        shown = {*self.rankings[0].texts()}
        explained = [c for c in self.rankings[0].columns if c.head in shown and c.meaning]
        told = [f"{c.head.lower():14}{c.meaning}" for c in explained]
        told += [self.lead, self.order, *self.notes]
        blocks += [textwrap.fill(line, WIDTH, subsequent_indent="  ") for line in told]
        lost = [
            f"{w}: {status} on {n}: {one_line(why)}" for w, status, n, why in self.failures.cells
        ]
        return "\n".join([*blocks, "", *map(as_text, self.warnings), *lost]).rstrip() + "\n"


def warnings(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Return what the harness noticed about the runs: solver, sentence and number of runs."""
    flags = rows[["solver", "flags"]].explode("flags").dropna()
    flags = flags[flags["flags"].isin([*Flag])]  # rows of earlier versions have others
    noticed = [
        {"solver": solver, "sentence": SENTENCES[Flag(flag)], "count": int(count)}
        for (solver, flag), count in flags.value_counts().items()
    ]
    for solver, runs in rows.groupby("solver"):
        if runs.solver_sha256.nunique() > 1:
            sentence = "The file was changed while the comparison ran."
            noticed.append({"solver": solver, "sentence": sentence, "count": len(runs)})
    if len(lost := not_run(rows)):
        sentence = "The harness could not make a run for these pairs, so they are left out."
        noticed.append({"solver": ALL, "sentence": sentence, "count": len(lost)})
    return noticed


def as_text(warning: Mapping[str, Any]) -> str:
    """Return a warning as a line of text."""
    runs = f"{warning['count']} run{'s' * (warning['count'] != 1)}"
    return f"Warning, {warning['solver']} ({runs}): {warning['sentence']}"


def write_answers(folder: Path, table: pd.DataFrame) -> None:
    """Write all answers."""
    with replacing(folder / ANSWERS) as aside:
        table.to_parquet(aside, index=False)


def newest(rows: pd.DataFrame) -> dict[str, Any]:
    """Return the newest row, which represents a comparison in footers and references."""
    row: dict[str, Any] = rows.sort_values("written", kind="stable").iloc[-1].to_dict()
    return row


def how(
    words: str, facts: Facts, machines: Sequence[Sequence[str]], items: Sequence[Item], *more: Table
) -> Section:
    """Return the section about the measurement: facts, machines, the suite's problems.

    machines : pairs of a processor and a commit.
    """
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
    caption = "The problems: k nonzeros, and r components if there are several"
    of = "; ".join(f"{cpu}, commit {commit[:10]}" for cpu, commit in machines)
    tables = [*more, Table.of(heads, rows, caption)]
    facts = [*facts, ("Machine", of)]
    return Section("how", "How it was measured", words, "", facts, tables, linked=True)
