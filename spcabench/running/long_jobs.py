"""Long jobs of a published run, and jobs of long runs, which are only executed on request.

Jobs that took long in a published run start first in a new run. Otherwise cores would idle while
the last long job finishes. A job of a long run is executed only if its row is not published yet.
"""

from collections.abc import Iterable
from pathlib import Path

from spcabench.running import figure_jobs

LONG = 200.0  # minimum duration of a long job in seconds


def longest(published: Path, scale: str, figures: Iterable[str]) -> list[str]:
    """Return the files of rows of the jobs of figures that took long in a published run.

    Timed jobs are excluded, because they run alone in any case. Jobs of other figures, and jobs
    that do not exist any more, are excluded because Snakemake executes every job that it is told
    to prioritise.
    """
    import pandas as pd  # imported here, because few commands need it

    files = []
    for figure in figures if scale == "paper" else []:
        file = published / "rows" / figure / "rows.parquet"
        if not file.exists():
            continue
        seconds = pd.read_parquet(file, columns=["group", "worker_time"]).groupby("group").sum()
        long = {*seconds.index[seconds.worker_time > LONG]}
        files += [
            f"results/{scale}/rows/{figure}/{job}.parquet"
            for job in (figure_jobs.jobs(figure, scale) if long else ())
            if job in long and not job.startswith(figure_jobs.TIMED)
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
