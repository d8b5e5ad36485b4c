"""Code shared by the gene expression datasets, and their stand-in if files are missing."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from spcabench import validate
from spcabench.problem.problem import Divisor, Problem
from spcabench.vectors import Vector, largest_indices

# lower and upper limit of intensities (Dudoit, Fridlyand, Speed 2002, after Golub et al.)
RANGE = (100, 16_000)


def problem(
    name: str,
    source: str,
    file: tuple[str, str],
    table: tuple[Vector, Sequence[str], Sequence[str]],
    genes: int | None,
    center: bool,
    scale: bool,
    log2: bool = False,
) -> Problem:
    """Create a problem from a gene expression table.

    Parameters
    ----------
    name : str
        Name of the problem.
    source : str
        Origin of the table.
    file : tuple of str
        Path of the file in the data folder, and its checksum.
    table : tuple
        X (m, n), the names of the genes and the class labels of the samples.
    genes : int or None
        Number of genes to keep. The genes with the largest variances are kept, in the order of the
        table. None keeps all genes.
    center, scale : bool
        Whether to centre and scale each gene.
    log2 : bool
        Whether to clip intensities between 100 and 16,000 and take their logarithms before genes
        are selected.

    Returns
    -------
    Problem
        A problem for which Sigma is the covariance with divisor m.

    Raises
    ------
    InputError
        If ``genes`` is not a positive integer.
    """
    X, names, labels = table
    if log2:
        X = np.log2(np.clip(X, *RANGE))
    if genes is not None:
        validate.whole("genes", genes, 1)
        chosen = largest_indices(X.var(axis=0), genes)
        X, names = X[:, chosen], [names[i] for i in chosen]
    return Problem.from_data(
        X,
        name if genes is None else f"{name}, {X.shape[1]} genes",
        center=center,
        scale=scale,
        divisor="m",
        features=list(names),
        labels=list(labels),
        provenance=dict(
            source=source,
            file=file[0],
            sha256=file[1],
            stand_in=False,
            preprocessing=(f"log2 of {RANGE[0]} to {RANGE[1]}, " if log2 else "")
            + f"genes {'centred' if center else 'not centred'}, "
            f"{'' if scale else 'not '}scaled",
        ),
    )


def from_rdata(file: Path, name: str) -> tuple[Vector, Sequence[str], Sequence[str]]:
    """Read X (m, n), gene names and class labels from a table in the R package datamicroarray."""
    from spcabench.readers.sources import read_rdata

    table = read_rdata(file)[name]
    return np.asarray(table["x"], dtype=float), table["x"].coords["dim_1"].values, table["y"]


def stand_in(name: str, source: str, divisor: Divisor = "m") -> Problem:
    """Return scikit-learn's breast-cancer table (569 x 30) as a stand-in for the dataset ``name``.

    The features are centred and scaled.
    """
    from sklearn.datasets import load_breast_cancer

    table = load_breast_cancer()
    return Problem.from_data(
        table.data,
        f"{name} (stand-in: breast-cancer table 569 x 30)",
        scale=True,
        divisor=divisor,
        features=list(table.feature_names),
        labels=[str(table.target_names[t]) for t in table.target],
        provenance={
            "source": f"scikit-learn's breast-cancer table, in place of {source}",
            "preprocessing": "features centred and scaled (their units differ)",
            "stand_in": True,
        },
    )
