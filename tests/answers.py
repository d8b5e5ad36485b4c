"""Compute rows of single runs in the same way as a job."""

from pathlib import Path

from spcabench.comparison.plans import TIMING
from spcabench.running import runner
from spcabench.running.runner import Job


def rows_of(runs, timing=TIMING, **fields):
    """Return the rows of some runs, which are a group, timed as in a comparison."""
    return runner.rows_of(Job("trial", {"": list(runs)}, timing, "key", Path(), **fields))


def row_of(run, timing=TIMING):
    """Return the row of a single run."""
    (row,) = rows_of([run], timing)
    return row
