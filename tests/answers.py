"""Rows of single runs, made as every job makes its own."""

from pathlib import Path
from tempfile import TemporaryDirectory

from spcabench.comparison.plans import PROTOCOL
from spcabench.running import runner
from spcabench.running.journal import Journal
from spcabench.running.runner import Plan


def rows_of(runs, folder, protocol=PROTOCOL):
    """The rows of some runs, whose journal is in a folder."""
    with TemporaryDirectory(dir=folder) as inner:
        journal = Journal(Path(inner) / "rows", "key")
        return runner.rows_of(Plan({"": list(runs)}, {}, "key", protocol), journal)


def row_of(run, folder, protocol=PROTOCOL):
    """The row of a run, timed as one of a comparison."""
    (row,) = rows_of([run], folder, protocol)
    return row
