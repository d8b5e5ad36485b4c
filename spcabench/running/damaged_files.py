"""Finds the damaged files of a run: they are removed, and the workflow makes them again.

The workflow itself would take a damaged file for a new one, forget the figure that was drawn from
it, and fail in every repeat.
"""

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from spcabench import atomic_files, opening, registry
from spcabench.running.figure_jobs import jobs
from spcabench.streams import say


def remove(home: Path) -> list[Path]:
    """Remove the damaged rows and verdicts in a folder of results, with a sentence for each.

    Returns the rows that the workflow has to be given by name: it does not look for rows whose
    figure exists. Rows that nothing makes any more are not among them.
    """
    to_make = []
    for file in sorted((*home.glob("rows/*/*.parquet"), *home.glob("figures/*/claims.json"))):
        fault = of_rows(file) if file.suffix == ".parquet" else _of_json(file)
        if not fault:
            continue
        with atomic_files.writing(file):
            file.unlink()
        say(f"spcabench: {file} is damaged ({fault}); it is made again", file=sys.stderr)
        if file.suffix == ".parquet" and _has_job(home, file):
            to_make.append(file)
    return to_make


def _has_job(home: Path, file: Path) -> bool:
    """Whether a file of rows is that of a job: of a figure, or of a comparison."""
    figure, job = file.parent.name, file.stem
    if figure in registry.names("figure"):
        return job in jobs(figure, home.name)
    return (home / "jobs" / file.parent.name / f"{job}.json").exists()


def of_rows(file: Path) -> str:
    """What is wrong with a file of rows, all of which is read; "" if nothing is."""
    try:
        with pq.ParquetFile(file, page_checksum_verification=True) as opened:
            opened.read()
    except (OSError, pa.ArrowException) as error:
        return " ".join(str(error).split())[:100]
    return ""


def _of_json(file: Path) -> str:
    try:
        opening.read_json(file)
    except (OSError, ValueError) as error:
        return " ".join(str(error).removeprefix(f"{file}: ").split())[:100]
    return ""
