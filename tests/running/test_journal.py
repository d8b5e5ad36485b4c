"""Journals keep the good records of any file; the other runs are repeated."""

import numpy as np
import pytest

from spcabench.running.journal import Journal
from spcabench.solving.status import Status
from tests.trial import row

FIRST = row(history=[{"flops": np.int64(3)}])
SECOND = row(status=Status.ZERO, variance=None)


GARBAGE = {
    "truncated": lambda line: line[: len(line) // 2],
    "zeros": lambda line: bytes(4096),
    "unknown column": lambda line: line.replace(b'"status"', b'"colour"'),
}


@pytest.fixture
def journal(tmp_path):
    """Return a journal with one row."""
    records = Journal(tmp_path / "job.parquet", "abc")
    records.add("0-0-0", FIRST)
    return records


def reopened(journal):
    return Journal(journal.path.parent / "job.parquet", "abc")


def test_what_was_added_is_there(journal, tmp_path):
    journal.add("0-0-1", SECOND)
    assert reopened(journal).rows == {"0-0-0": FIRST, "0-0-1": SECOND}
    other = Journal(tmp_path / "job.parquet", "other")
    assert not other.rows
    other.add("0-0-0", FIRST)
    journal.close()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", GARBAGE)
@pytest.mark.parametrize("first", [True, False], ids=["before", "after"])
def test_damaged_records_are_dropped(journal, kind, first):
    good = journal.path.read_bytes().strip()
    bad = GARBAGE[kind](good)
    journal.path.write_bytes(b"\n".join((bad, good) if first else (good, bad)))
    again = reopened(journal)
    assert again.rows == {"0-0-0": FIRST}
    again.add("0-0-1", SECOND)
    assert reopened(journal).rows == {"0-0-0": FIRST, "0-0-1": SECOND}
