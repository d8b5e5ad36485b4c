"""The jobs that took long in a published run.

They start first, so that no core waits for one of them at the end.
"""

from pathlib import Path

LONG = 200.0  # seconds


def longest(published: Path, scale: str) -> list[str]:
    """Return the files of rows whose jobs took long in a published run.

    Timed jobs are excluded, because they run alone whenever they start.
    """
    import pandas as pd  # here: few commands need it

    files = []
    for file in sorted(published.glob("rows/*/rows.parquet")) if scale == "paper" else []:
        seconds = pd.read_parquet(file, columns=["group", "worker_time"]).groupby("group").sum()
        files += [
            f"results/{scale}/rows/{file.parent.name}/{group}.parquet"
            for group in seconds.index[seconds.worker_time > LONG]
            if not group.startswith("timed-")
        ]
    return files
