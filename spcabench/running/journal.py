"""The rows of an unfinished job: after it was killed, the same command makes the others."""

import hashlib
import json
import sys
from pathlib import Path

from spcabench import atomic_files
from spcabench.running import rows
from spcabench.running.schema import Row
from spcabench.streams import say


class Journal:
    """A file with one record for each finished run, which is removed when the job is complete.

    A record is a line: a checksum, and JSON of the task's id and of its row. A record that is not
    just as it was written is dropped, and its run is made again.

    Parameters
    ----------
    out : Path
        The file of the finished job; the journal lies beside it.
    key : str
        Fingerprint of the job. A job that has changed has another journal.
    """

    def __init__(self, out: Path, key: str) -> None:
        self.path = out.with_suffix(f".{key}.journal")
        self.rows: dict[str, Row] = {}
        with atomic_files.writing(self.path):
            lines = self.path.read_bytes().split(b"\n") if self.path.exists() else []
        records = [line for line in lines if line]
        dropped = 0
        for record in records:
            try:
                task, row = _read(record)
                self.rows[task] = row
            except (ValueError, TypeError, KeyError, RecursionError):
                dropped += 1
        if dropped:
            say(
                f"spcabench: {self.path}: {dropped} of {len(records)} records damaged; their runs "
                "are made again",
                file=sys.stderr,
            )

    def add(self, task: str, row: Row) -> None:
        """Append the row of a task, given by its id within the job."""
        self.rows[task] = row
        text = rows.to_json({"task": task, "row": vars(row)})
        # a line break first: half a record may stand there
        atomic_files.append(self.path, f"\n{_checksum(text.encode())} {text}")

    def close(self) -> None:
        """The job is complete: forget this journal and those of earlier versions of it."""
        stem = self.path.name.partition(".")[0]
        for old in self.path.parent.glob(f"{stem}.*.journal"):
            old.unlink()


def _read(record: bytes) -> tuple[str, Row]:
    """The task and the row of a record. Raises one of several errors where it is damaged."""
    checksum, _, text = record.partition(b" ")
    if checksum != _checksum(text).encode():
        raise ValueError("another checksum")
    entry = json.loads(text)
    return entry["task"], Row(**entry["row"])


def _checksum(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:16]
