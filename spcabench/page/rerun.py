"""Makes one published row again, from its name on the page where it is shown, and compares both.

A row of a figure is FIGURE/HASH, as its page of numbers shows it. The answer of a solver in a
comparison is COMPARISON/PROBLEM/K/SOLVER, which is also the address of its line: PROBLEM.html and
#kK-SOLVER. Any other row of a comparison is COMPARISON/HASH.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from spcabench import opening, validate
from spcabench.comparison import merging, plans
from spcabench.comparison.jobs import Job
from spcabench.errors import InputError
from spcabench.page import verify
from spcabench.page.row_names import hashes, in_address
from spcabench.run import Run
from spcabench.running import figure_jobs, rows, runner, schema
from spcabench.running.journal import Journal
from spcabench.running.runner import Plan, Protocol

LINKS = (  # addresses on the pages -> names
    (re.compile(r"compare/([^/]+)/pairs/([^/]+)\.html#k(\d+)-(.+)$"), r"\1/\2/\3/\4"),
    (re.compile(r"figures/([^/]+)/numbers\.html#.*\b([0-9a-f]{8})$"), r"\1/\2"),
)
FLOPS = ("flops", "setup_flops", "search_flops")
TIMES = re.compile("second|time")  # in the names of numbers that a measure gives


@dataclass(frozen=True)
class Published:
    """A published row: its rounds of timing, the run that makes it again, and how.

    rounds : as `rows.read_text` gives them; the first one has the answer.
    """

    rounds: pd.DataFrame
    run: Run
    protocol: Protocol


def find(name: str, folders: Sequence[Path]) -> Published:
    """The published row of a name, or of an address on a page.

    folders : of published runs; the first that has the comparison or the figure counts.

    Raises InputError, which suggests the nearest name, for an unknown one, and for a row that
    today's plan does not have.
    """
    for pattern, named in LINKS:
        if address := pattern.search(name):
            name = address.expand(named)
    place, _, row = name.partition("/")
    files = _files(folders)
    if place not in files:
        raise InputError(f"ROW: {validate.nearest('figure or comparison', place, files)}")
    file = files[place]
    table = rows.read_text([file])
    named = _names(table) if file.parent.parent.name == "compare" else pd.Series(hashes(table))
    rounds = table[(named == row).to_numpy()]
    if rounds.empty:
        raise InputError(f"ROW: {validate.nearest('row', row, {*named}, place)}")
    run, protocol = _planned(file, place, rounds.iloc[0])
    return Published(rounds, run, protocol)


def _files(folders: Sequence[Path]) -> dict[str, Path]:
    """The files of rows by the name of their comparison or figure."""
    return {
        file.parent.name: file
        for folder in reversed(folders)
        for kind in ("rows", "compare")
        for file in (folder / kind).glob(f"*/{merging.ROWS}")
    }


def _names(table: pd.DataFrame) -> pd.Series:
    """The names of the rows of a comparison."""
    spelled = [
        f"{in_address(row.item)}/{row.asked:.0f}/{in_address(row.solver)}"
        for row in table[["item", "asked", "solver"]].itertuples()
    ]
    return pd.Series(spelled).where((table.kind == "suite").to_numpy(), hashes(table))


def _planned(file: Path, place: str, row: Any) -> tuple[Run, Protocol]:
    """The run of today's plan that is a row's, and the protocol of timing."""
    if file.parent.parent.name == "compare":
        jobs = opening.read_json(file.with_name(merging.JOBS), dict[str, Job], "jobs")
        plan = plans.plan(jobs[row.solver])
        candidates, protocol = plan.groups[""], plan.protocol
    else:
        candidates, protocol = figure_jobs.runs_of(place, row.scale), plans.PROTOCOL
    for run in candidates:
        asked = run.asked | {"solver": row.solver if run.solver else run.asked["solver"]}
        if all(_cell(column, value) == _plain(row[column]) for column, value in asked.items()):
            # k is that which the run before had reached when the row was published
            matched = replace(run.at(k=int(row.k)), match=None) if run.match else run
            return replace(matched, skip="", series=""), protocol
    raise InputError(
        f"ROW: {place} does not plan this run any more; commit {row.commit:.10} did, which made it"
    )


def _cell(column: str, value: Any) -> Any:
    """A value as a file of rows holds it."""
    is_json = schema.COLUMNS[column].kind == "JSON"
    return rows.to_json(value, sort_keys=True) if is_json else value


def _plain(value: Any) -> Any:
    return None if rows.is_empty(value) else value


def again(published: Published) -> Any:
    """Make the row again, by the runner and the grader of all rows."""
    plan = Plan({"": [published.run]}, {}, "", published.protocol)
    with TemporaryDirectory() as folder:
        made = runner.rows_of(plan, Journal(Path(folder) / "row.parquet", "again"))
    (row,) = made
    return row


@dataclass(frozen=True)
class Line:
    """One number of two rows. judged : whether it must be equal."""

    name: str
    old: Any
    new: Any
    judged: bool = True

    @property
    def differs(self) -> bool:
        """Whether it must be equal and is not: flops exactly, values to 1e-9."""
        if not self.judged or self.old == self.new:
            return False
        if isinstance(self.old, float) and isinstance(self.new, float):
            return bool(abs(self.new - self.old) > verify.TOLERANCE * abs(self.old))
        return True


def compared(published: Published, row: Any) -> list[Line]:
    """The numbers of a published row beside those of one that was made again.

    Where a clock ended one of them, nothing but the problem must be equal.
    """
    old = published.rounds.iloc[0]
    by_clock = {old.status, row.status} & {*verify.ENDED_BY_CLOCK}
    seconds = [s for _, each in published.rounds.iterrows() if (s := _seconds(each)) is not None]
    return [
        Line("problem", _plain(old.problem), row.problem),
        *(replace(line, judged=not by_clock) for line in _numbers(old, row)),
        Line("seconds", min(seconds, default=None), _seconds(vars(row)), judged=False),
    ]


def _numbers(old: Any, row: Any) -> Iterator[Line]:
    """What must be equal: status, values, flops."""
    yield Line("status", str(old.status), str(row.status))
    for name in ("variance", "variance_refit"):
        yield Line(name, _plain(old[name]), getattr(row, name))
    for name in FLOPS:
        amount = _plain(old[name])
        yield Line(name, amount if amount is None else int(amount), getattr(row, name))
    if row.measure:
        before, after = schema.decoded(old.extra or "{}"), row.extra or {}
        for name, value in before.items():
            if isinstance(value, int | float) and not TIMES.search(name):
                yield Line(name, value, after.get(name))


def _seconds(row: Any) -> float | None:
    """Of a run, the search of its penalty and the start included."""
    search, own, setup = (_plain(row[n]) for n in ("search_time", "solve_time", "setup_time"))
    return search or (None if own is None else own + (setup or 0.0))
