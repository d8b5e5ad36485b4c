"""Finds the damaged files of a run: they are removed, and the workflow makes them again.

The workflow itself would take a damaged file for a new one, forget the figure that was drawn from
it, and fail in every repeat.
"""

import json
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from spcabench.running import whole_files


def remove(home: Path) -> None:
    """Remove the damaged rows and verdicts in a folder of results, with a sentence for each."""
    for file in sorted((*home.glob("rows/**/*.parquet"), *home.glob("figures/*/claims.json"))):
        what = of_rows(file) if file.suffix == ".parquet" else _of_json(file)
        if what:
            with whole_files.writing(file):
                file.unlink()
            print(f"spcabench: {file} is damaged ({what}); it is made again", file=sys.stderr)


def of_rows(file: Path) -> str:
    """What is wrong with a file of rows, all of which is read; "" where nothing is."""
    try:
        with pq.ParquetFile(file, page_checksum_verification=True) as opened:
            opened.read()
    except (OSError, pa.ArrowException) as error:
        return " ".join(str(error).split())[:100]
    return ""


def _of_json(file: Path) -> str:
    try:
        json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        return " ".join(str(error).split())[:100]
    return ""
