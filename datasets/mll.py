"""Leukemia gene expression with three classes, MLL (Armstrong et al. 2002): 72 samples x 12582 genes.

Armstrong et al., "MLL translocations specify a distinct gene expression profile that distinguishes a unique leukemia",
Nature Genetics 30 (2002): 24 ALL, 20 MLL and 28 AML samples, raw intensities. The file is the table of the Kent Ridge
repository as one CSV (no licence stated), sha256 4fcfbc5756f0.... It has no public address here.

Stand-in where the file cannot be had: scikit-learn's breast-cancer table, 569 samples x 30 measurements.
"""

import gzip

import numpy as np

from spcabench import sources, validate
from spcabench.expression import stand_in
from spcabench.problem import Problem
from spcabench.vectors import largest

FILE = "mll/MLL.csv.gz"
SHA256 = "4fcfbc5756f03dd966d7f5c4306adfc60dc271a44c996075dc147ee5d9dea3a6"


def load(genes=None, center=True, scale=False):
    """A = X centred by gene, divided by sqrt(m): Sigma (n, n) is the covariance.

    genes : keep so many genes of largest variance; all 12582 unless given.
    center, scale : other readings; the paper states no preprocessing.
    """
    file = sources.find(FILE, SHA256)
    if file is None:
        return stand_in("mll", "Armstrong et al. (2002)")
    X, names, labels = _read(file)
    if genes is not None:
        validate.whole("genes", genes, 1)
        kept = largest(X.var(axis=0), genes)
        X, names = X[:, kept], [names[i] for i in kept]
    return Problem.from_data(
        X,
        "mll" if genes is None else f"mll, {X.shape[1]} genes",
        center=center,
        scale=scale,
        divide_by_m=True,
        features=names,
        labels=labels,
        provenance=dict(
            source="Armstrong et al. (2002)",
            file=FILE,
            sha256=SHA256,
            stand_in=False,
            preprocessing=f"genes {'centred' if center else 'not centred'}, {'' if scale else 'not '}scaled",
        ),
    )


def _read(file):
    """X (72, 12582), the genes' names, and the samples' classes."""
    with gzip.open(file, "rt", encoding="ascii") as stream:
        names = stream.readline().strip().split(",")[:-1]
        rows = [line.strip().split(",") for line in stream if line.strip()]
    try:
        X = np.array([row[:-1] for row in rows], dtype=float)
    except ValueError as error:
        raise ValueError(f"{file}: not a table of numbers with a last column of classes ({error})") from None
    return X, names, [row[-1] for row in rows]
