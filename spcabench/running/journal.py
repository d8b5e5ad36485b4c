"""The journal of finished runs, from which a killed job is resumed."""

import json
from contextlib import suppress
from pathlib import Path

from spcabench import files
from spcabench.running import rows
from spcabench.running.schema import Row


class Journal:
    """A file with a record for each finished run, which is deleted when the job is complete.

    A record is a line of JSON with the task's id and row. The run of a damaged record is repeated.

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
        for line in lines:
            with suppress(ValueError, TypeError, KeyError):  # the last line can be incomplete
                record = json.loads(line)
                self.rows[record["task"]] = Row(**record["row"])

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
