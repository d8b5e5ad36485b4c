"""Long jobs of a published run, and jobs of long runs, which are only executed on request.

Jobs that took long in a published run start first in a new run. Otherwise cores would idle while
the last long job finishes. A job of a long run is executed only if its row is not published yet.
"""

from pathlib import Path

from spcabench.running import figure_jobs

LONG = 200.0  # minimum duration of a long job in seconds


def longest(published: Path, scale: str) -> list[str]:
    """Return the files of rows of the jobs that took long in a published run.

    Timed jobs are excluded, because they run alone in any case.
    """
    import pandas as pd  # imported here, because few commands need it

    files = []
    for file in sorted(published.glob("rows/*/rows.parquet")) if scale == "paper" else []:
        seconds = pd.read_parquet(file, columns=["group", "worker_time"]).groupby("group").sum()
        files += [
            f"results/{scale}/rows/{file.parent.name}/{group}.parquet"
            for group in seconds.index[seconds.worker_time > LONG]
            if not group.startswith("timed-")
        ]
    return files


def unpublished(published: Path, figure: str, scale: str) -> list[str]:
    """Return the jobs of a figure's long runs without a published row, in order.

    Published rows of any commit are accepted, because computing them again takes hours.
    """
    import pandas as pd

    file = published / "rows" / figure / "rows.parquet"
    known = {*pd.read_parquet(file, columns=["group"]).group} if file.exists() else set()
    return [job for job in figure_jobs.jobs(figure, scale, long=True) if job not in known]
