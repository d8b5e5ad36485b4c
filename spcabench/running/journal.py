"""The journal of finished runs, from which a killed job is resumed."""

import json
import sys
from pathlib import Path

from spcabench import files
from spcabench.files import say
from spcabench.running import rows
from spcabench.running.schema import Row


class Journal:
    """A file with a record for each finished run, which is deleted when the job is complete.

    A record is a line of JSON with the task's id and row. If a record is damaged, it is dropped and
    its run is repeated.

    Parameters
    ----------
    out : Path
        File of the finished job. The journal is in the same folder.
    key : str
        Hash of the job. If the job changes, another journal is used.
    """

    def __init__(self, out: Path, key: str) -> None:
        self.path = journal_of(out, key)
        self.rows: dict[str, Row] = {}
        with files.writing(self.path):
            lines = self.path.read_bytes().split(b"\n") if self.path.exists() else []
        records = [line for line in lines if line]
        dropped = 0
        for record in records:
            try:
                task, row = _read(record)
                self.rows[task] = row
            except (ValueError, TypeError, KeyError):
                dropped += 1
        if dropped:
            say(
                f"spcabench: {self.path}: {dropped} of {len(records)} records are damaged; their "
                "runs are repeated",
                file=sys.stderr,
            )

    def add(self, task: str, row: Row) -> None:
        """Append the row of a task, which is identified by its id."""
        self.rows[task] = row
        text = rows.to_json({"task": task, "row": vars(row)})
        # start with a line break, because the previous record can be incomplete
        files.append(self.path, f"\n{text}")

    def close(self) -> None:
        """Delete the journals of this job and of its earlier versions."""
        stem = self.path.name.partition(".")[0]
        for old in self.path.parent.glob(f"{stem}.*.journal"):
            old.unlink()


def journal_of(out: Path, key: str) -> Path:
    """Return the path of the journal of a job, which exists until all its runs are executed."""
    return out.with_suffix(f".{key}.journal")


def _read(record: bytes) -> tuple[str, Row]:
    """Return the task and the row in a record; raise various errors if it is damaged."""
    entry = json.loads(record.decode())
    return entry["task"], Row(**entry["row"])
