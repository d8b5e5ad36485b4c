"""The finished rows of an unfinished job, so that it can be resumed after it was killed."""

import hashlib
import json
import sys
from pathlib import Path

from spcabench import atomic_files
from spcabench.running import rows
from spcabench.running.schema import Row
from spcabench.streams import say


class Journal:
    """A file with one record per finished run, which is deleted when the job is complete.

    A record is a line with a checksum, and the JSON of the task's id and its row. A damaged record
    is dropped, and its run is repeated.

    Parameters
    ----------
    out : Path
        The file of the finished job; the journal is in the same folder.
    key : str
        Fingerprint of the job. If the job changes, it gets another journal.
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
                f"spcabench: {self.path}: {dropped} of {len(records)} records are damaged; their "
                "runs are repeated",
                file=sys.stderr,
            )

    def add(self, task: str, row: Row) -> None:
        """Append the row of a task, given by the task's id within the job."""
        self.rows[task] = row
        text = rows.to_json({"task": task, "row": vars(row)})
        # start with a line break, because the last record may be incomplete
        atomic_files.append(self.path, f"\n{_checksum(text.encode())} {text}")

    def close(self) -> None:
        """Delete the journals of this job, including those of its earlier versions."""
        stem = self.path.name.partition(".")[0]
        for old in self.path.parent.glob(f"{stem}.*.journal"):
            old.unlink()


def _read(record: bytes) -> tuple[str, Row]:
    """Return the task and the row of a record. Raises various errors if it is damaged."""
    checksum, _, text = record.partition(b" ")
    if checksum != _checksum(text).encode():
        raise ValueError("wrong checksum")
    entry = json.loads(text)
    return entry["task"], Row(**entry["row"])


def _checksum(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:16]
