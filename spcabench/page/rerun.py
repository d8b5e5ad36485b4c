"""Find a published row by its name on a page, compute it again, and compare both rows.

The name of a figure's row is FIGURE/HASH, as on the page with the numbers of the figure. The name
of a solver's answer in a comparison is COMPARISON/PROBLEM/K/SOLVER, as on the page of its answers.
The name of any other row of a comparison is COMPARISON/HASH.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from spcabench.comparison import plans, stored
from spcabench.comparison.entrants import Entrant
from spcabench.errors import InputError, nearest
from spcabench.files import read_json
from spcabench.page import verify
from spcabench.page.row_names import answer, hashes
from spcabench.run import Run
from spcabench.running import jobs, rows, runner, schema
from spcabench.running.runner import Job

FLOPS = ("flops", "setup_flops", "search_flops")
TIMES = re.compile("second|time")  # names of reported numbers that are times


@dataclass(frozen=True)
class Published:
    """A published row: its rounds of timing, the run that computes it, and its warm-up runs.

    rounds : as returned by `rows.read_text`; the first one has the answer.
    """

    rounds: pd.DataFrame
    run: Run
    warm: Sequence[Run]


def find(name: str, folders: Sequence[Path]) -> Published:
    """Find a published row by its name.

    folders : folders of published runs; the first with the comparison or figure is used.

    Raises InputError for an unknown name (with the most similar name as a suggestion), and for a
    row that the current plan no longer contains.
    """
    place, _, row = name.partition("/")
    files = _files(folders)
    if place not in files:
        raise InputError(f"ROW: {nearest('figure or comparison', place, files)}")
    file = files[place]
    table = rows.read_text([file])
    named = _names(table) if file.parent.parent.name == "compare" else pd.Series(hashes(table))
    rounds = table[(named == row).to_numpy()]
    if rounds.empty:
        raise InputError(f"ROW: {nearest('row', row, {*named}, place)}")
    run, warm = _planned(file, place, rounds.iloc[0])
    return Published(rounds, run, warm)


def _files(folders: Sequence[Path]) -> dict[str, Path]:
    """Return the files of rows by the name of their comparison or figure."""
    return {
        file.parent.name: file
        for folder in reversed(folders)
        for kind in ("rows", "compare")
        for file in (folder / kind).glob(f"*/{stored.ROWS}")
    }


def _names(table: pd.DataFrame) -> pd.Series:
    """Return the names of the rows of a comparison."""
    spelled = [*map(answer, table["item"], table.asked, table.solver)]
    return pd.Series(spelled).where((table.kind == "suite").to_numpy(), hashes(table))


def _planned(file: Path, place: str, row: Any) -> tuple[Run, Sequence[Run]]:
    """Return the run in the current plan that belongs to a row, and its warm-up runs."""
    labelled = {}
    if file.parent.parent.name == "compare":
        # the label of a solver in its comparison can differ from its name
        labelled = {"solver": row.solver}
        file = file.with_name(stored.ENTRANTS)
        entrants = read_json(file, dict[str, Entrant], "the solvers of a comparison")
        job = plans.job(entrants[row.solver], Path())
        candidates, warm = [run for runs in job.groups.values() for run in runs], job.warm
    else:
        candidates, warm = jobs.runs_of(place, row.scale), ()
    for run in candidates:
        asked = run.asked | (labelled if run.solver else {})
        if all(_cell(column, value) == _plain(row[column]) for column, value in asked.items()):
            # the k that the preceding run had reached when the row was published
            matched = replace(run.at(k=int(row.k)), match=None) if run.match else run
            return replace(matched, skip="", series=""), warm
    raise InputError(
        f"ROW: {place} no longer contains this run; it was computed at commit {row.commit:.10}"
    )


def _cell(column: str, value: Any) -> Any:
    """Return a value as it is stored in a file of rows."""
    is_json = schema.COLUMNS[column].kind == "JSON"
    return rows.to_json(value, sort_keys=True) if is_json else value


def _plain(value: Any) -> Any:
    return None if rows.is_empty(value) else value


def again(published: Published) -> Any:
    """Compute the row again with the usual runner."""
    runs = {"": [published.run]}
    job = Job("", runs, plans.TIMING, "", Path(), warm=published.warm)
    (row,) = runner.rows_of(job)
    return row


@dataclass(frozen=True)
class Line:
    """One number of two rows. judged : whether the two numbers must be equal."""

    name: str
    old: Any
    new: Any
    judged: bool = True

    @property
    def differs(self) -> bool:
        """Whether the numbers must be equal but are not: flops exactly, values within 1e-9."""
        if isinstance(self.old, float) and isinstance(self.new, float):
            return self.judged and abs(self.new - self.old) > verify.TOLERANCE * abs(self.old)
        return self.judged and bool(self.old != self.new)


def compared(published: Published, row: Any) -> list[Line]:
    """Compare the numbers of a published row with those of the new one.

    If a time limit stopped one of the runs, only the problems must be equal.
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
    """Yield the numbers that must be equal: status, values, flops, and what a measure returns."""
    yield Line("status", str(old.status), str(row.status))
    for name in ("variance", "variance_refit"):
        yield Line(name, _plain(old[name]), getattr(row, name))
    for name in FLOPS:
        amount = _plain(old[name])
        yield Line(name, amount if amount is None else int(amount), getattr(row, name))
    for name, value in schema.decoded(old.extra or "{}").items() if row.measure else ():
        # lists can contain times without saying so
        if isinstance(value, int | float) and not TIMES.search(name):
            yield Line(name, value, (row.extra or {}).get(name))


def _seconds(row: Any) -> float | None:
    """Return the seconds of a run, including set-up or the search for its penalty."""
    search, own, setup = (_plain(row[n]) for n in ("search_time", "solve_time", "setup_time"))
    return search or (None if own is None else own + (setup or 0.0))
