"""Removes damaged files of a run, so the workflow creates them again.

Otherwise Snakemake would treat a damaged file as new, discard the figure that was drawn from it,
and fail in every call.
"""

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from spcabench import atomic_files, opening, registry
from spcabench.running.figure_jobs import LONG, jobs
from spcabench.streams import say


def remove(home: Path) -> list[Path]:
    """Remove the damaged rows and verdicts in a folder of results, and report each of them.

    Returns the removed files of rows that belong to current jobs. They must be targets of the
    workflow, which does not look for missing rows of an existing figure.
    """
    to_make = []
    for file in sorted((*home.glob("rows/*/*.parquet"), *home.glob("figures/*/claims.json"))):
        fault = fault_of(file)
        if not fault:
            continue
        with atomic_files.writing(file):
            file.unlink()
        say(f"spcabench: {file} is damaged ({fault}) and will be created again", file=sys.stderr)
        if file.suffix == ".parquet" and _has_job(home, file):
            to_make.append(file)
    return to_make


def _has_job(home: Path, file: Path) -> bool:
    """Whether a file of rows belongs to a job of a figure or of a comparison."""
    figure, job = file.parent.name, file.stem
    if figure in registry.names("figure"):
        return job in jobs(figure, home.name, long=job.startswith(LONG))
    return (home / "jobs" / file.parent.name / f"{job}.json").exists()


def fault_of(file: Path) -> str:
    """Read a whole file, and return a description of an error in it, or ""."""
    try:
        if file.suffix == ".parquet":
            with pq.ParquetFile(file, page_checksum_verification=True) as opened:
                opened.read()
        else:
            opening.read_json(file)
    except (OSError, ValueError, pa.ArrowException) as error:
        return " ".join(str(error).removeprefix(f"{file}: ").split())[:100]
    return ""
