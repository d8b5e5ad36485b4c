"""The command `apply`, which computes the scores of new samples from a saved model."""

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from spcabench.cli import solve as reading
from spcabench.errors import InputError
from spcabench.files import say

File = Annotated[
    Path, typer.Argument(help="The model, written by `solve --out model.npz` or SparsePCA.save.")
]
Data = Annotated[Path, typer.Argument(help="The new samples, in any format that `solve` reads.")]
Out = Annotated[
    Path | None, typer.Option(help="Write the scores to this file: .csv, .parquet or .npy.")
]
NotNeeded = Annotated[
    str | None, typer.Option(hidden=True, help="Not needed, because columns are found by name.")
]


def apply(
    model: File,
    data: Data,
    missing: reading.Missing = "error",
    drop_text: reading.DropText = False,
    transpose: reading.Transpose = False,
    key: reading.Key = None,
    sep: reading.Separator = None,
    decimal: reading.Decimal = None,
    header: reading.Header = None,
    out: Out = None,
    label: NotNeeded = None,
    drop: NotNeeded = None,
) -> None:
    """Compute the scores of new samples from a saved model.

    Columns are found by name. Only the columns that a component uses are needed.
    """
    import numpy as np
    import pandas as pd

    from spcabench.cli import files
    from spcabench.files import replacing
    from spcabench.readers import new_samples
    from spcabench.readers.delimited import guarded
    from spcabench.readers.user_file import Reading
    from spcabench.solving import model as models

    for option, value in (("--label", label), ("--drop", drop)):
        if value is not None:  # users often repeat the options of `solve`
            raise InputError(f"{option}: not needed, because the model finds its columns by name")
    files.check("--out", out, (".csv", ".parquet", ".npy"), inputs=(model, data))
    saved = models.load(model)
    notes: list[str] = []
    style = reading.style(sep, decimal, header)
    how = Reading(missing=missing, drop_text=drop_text, transpose=transpose, key=key, style=style)
    how.check()
    choose = partial(models.chosen_columns, saved)
    n, needed = len(saved.variables), [saved.variables[j] for j in saved.used]
    X, names = new_samples.read(data, how, choose, needed, saved.used, n, notes)
    columns = saved.columns
    scores = pd.DataFrame(saved.scores(X), pd.Index(names, name="sample"), columns)
    for note in notes:
        say(f"note: {note}", file=sys.stderr)
    if out is None:
        say(scores.rename(index=guarded).to_csv(), end="")
        return
    with replacing(out) as aside:
        if out.suffix == ".npy":
            np.save(aside, scores.to_numpy())
        elif out.suffix == ".csv":
            scores.rename(index=guarded).to_csv(aside)
        else:
            scores.to_parquet(aside)
    say(f"scores of samples ({len(scores):,} x {len(columns)}): {out}")
