"""Gene expression: what its datasets share, and what stands in for those that cannot be had."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from spcabench import validate
from spcabench.problem.problem import Problem
from spcabench.vectors import Vector, largest_indices


def problem(
    name: str,
    source: str,
    file: tuple[str, str],
    table: tuple[Vector, Sequence[str], Sequence[str]],
    genes: int | None,
    center: bool,
    scale: bool,
) -> Problem:
    """A = X centred by gene, divided by sqrt(m), of a table that was read: Sigma (n, n) is the
    covariance.

    file : its path below the data folder and its checksum.
    table : X (m, n), names of the genes, classes of the samples.
    genes : keep so many genes of largest variance, in the table's order; all unless given.

    Raises ValueError where ``genes`` is not a whole number from 1.
    """
    X, names, labels = table
    if genes is not None:
        validate.whole("genes", genes, 1)
        kept = largest_indices(X.var(axis=0), genes)
        X, names = X[:, kept], [names[i] for i in kept]
    return Problem.from_data(
        X,
        name if genes is None else f"{name}, {X.shape[1]} genes",
        center=center,
        scale=scale,
        divide_by_m=True,
        features=list(names),
        labels=list(labels),
        provenance=dict(
            source=source,
            file=file[0],
            sha256=file[1],
            stand_in=False,
            preprocessing=f"genes {'centred' if center else 'not centred'}, "
            f"{'' if scale else 'not '}scaled",
        ),
    )


def from_rdata(file: Path, name: str) -> tuple[Vector, Sequence[str], Sequence[str]]:
    """X (m, n), names of the genes and classes of the samples of one of the R package
    datamicroarray's tables.
    """
    from spcabench.readers.sources import read_rdata

    table = read_rdata(file)[name]
    return np.asarray(table["x"], dtype=float), table["x"].coords["dim_1"].values, table["y"]


def stand_in(name: str, source: str, divide_by_m: bool = True) -> Problem:
    """scikit-learn's breast-cancer table (569 x 30), features centred and scaled, in place of a
    named data set.
    """
    from sklearn.datasets import load_breast_cancer

    table = load_breast_cancer()
    return Problem.from_data(
        table.data,
        f"{name} (stand-in: breast-cancer table 569 x 30)",
        scale=True,
        divide_by_m=divide_by_m,
        features=list(table.feature_names),
        labels=[str(table.target_names[t]) for t in table.target],
        provenance={
            "source": f"scikit-learn's breast-cancer table, in place of {source}",
            "preprocessing": "features centred and scaled (their units differ)",
            "stand_in": True,
        },
    )
