"""Jobs that take long: those of a published run, and those for which no figure waits.

The former start first, so that no core waits for one of them at the end. The latter are executed on
request, each only until its row is published.
"""

from pathlib import Path

from spcabench.running import figure_jobs

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


def unpublished(published: Path, figure: str, scale: str) -> list[str]:
    """Return the jobs of a figure's long runs that have no published row, in order.

    A published row counts whatever its commit is: to compute it again takes hours.
    """
    import pandas as pd

    file = published / "rows" / figure / "rows.parquet"
    known = {*pd.read_parquet(file, columns=["group"]).group} if file.exists() else set()
    return [job for job in figure_jobs.jobs(figure, scale, long=True) if job not in known]
