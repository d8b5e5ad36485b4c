"""The command `apply`, which computes the scores of new samples from a saved model."""

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from spcabench.cli.groups import Table
from spcabench.files import say

File = Annotated[
    Path, typer.Argument(help="The model, written by `solve --out model.npz` or SparsePCA.save.")
]
Samples = Annotated[Path, typer.Argument(help="The new samples, in any format that `solve` reads.")]
Out = Annotated[
    Path | None, typer.Option(help="Write the scores to this file: .csv, .parquet or .npy.")
]


def apply(model: File, data: Samples, table: Table, out: Out = None) -> None:
    """Compute the scores of new samples from a saved model.

    Columns are found by name. Only the columns that a component uses are needed.

    For example:

    `spcabench apply model.npz new.csv --out scores.csv`
    """
    import numpy as np
    import pandas as pd

    from spcabench.cli import output_files
    from spcabench.files import replacing
    from spcabench.readers import new_samples
    from spcabench.showing.text import write_csv
    from spcabench.solving import model as models

    output_files.check("--out", out, (".csv", ".parquet", ".npy"), inputs=(model, data))
    how = table.reading()
    saved = models.load(model)
    notes: list[str] = []
    choose = partial(models.chosen_columns, saved)
    n, needed = len(saved.variables), [saved.variables[j] for j in saved.used]
    X, names = new_samples.read(data, how, choose, needed, saved.used, n, notes)
    scores = pd.DataFrame(saved.scores(X), pd.Index(names, name="sample"), saved.columns)
    for note in notes:
        say(f"note: {note}", file=sys.stderr)
    if out is None:
        say(scores.to_csv(), end="")
        return
    if out.suffix == ".csv":
        write_csv(scores, out)
    else:
        with replacing(out) as aside:
            np.save(aside, scores) if out.suffix == ".npy" else scores.to_parquet(aside)
    say(f"scores of samples ({len(scores):,} x {len(saved.columns)}): {out}")
