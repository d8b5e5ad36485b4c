"""Compute rows of single runs in the same way as a job."""

from pathlib import Path
from tempfile import TemporaryDirectory

from spcabench.comparison.plans import PROTOCOL
from spcabench.running import runner
from spcabench.running.journal import Journal
from spcabench.running.runner import Plan


def rows_of(runs, folder, protocol=PROTOCOL):
    """Return the rows of some runs; the journal is written to a folder."""
    with TemporaryDirectory(dir=folder) as inner:
        journal = Journal(Path(inner) / "rows", "key")
        return runner.rows_of(Plan({"": list(runs)}, {}, "key", protocol), journal)


def row_of(run, folder, protocol=PROTOCOL):
    """Return the row of a single run, timed as in a comparison."""
    (row,) = rows_of([run], folder, protocol)
    return row
