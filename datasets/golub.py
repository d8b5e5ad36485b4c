"""Leukemia gene expression (Golub et al. 1999): 72 samples x 7129 genes.

Golub et al., "Molecular classification of cancer: class discovery and class prediction by gene expression
monitoring", Science 286 (1999): 47 ALL and 25 AML samples. The file is that of the R package
datamicroarray (MIT licence; no licence of the data is stated), sha256 594f5507597f....

Stand-in where the file cannot be had: scikit-learn's breast-cancer table, 569 samples x 30 measurements.
"""

import numpy as np

from spcabench import sources, validate
from spcabench.expression import stand_in
from spcabench.problem import Problem
from spcabench.vectors import largest

FILE = "golub/golub.RData"
SHA256 = "594f5507597fb2352d210c803a88a218fbf6d1f2705372029e5738815216747b"
URL = (
    "https://raw.githubusercontent.com/ramhiser/datamicroarray/"
    "a95f6f68ed3debf48ee54f198435fa12aa655b16/data/golub.RData"
)


def load(genes=None, center=True, scale=False):
    """A = X centred by gene, divided by sqrt(m): Sigma (n, n) is the covariance.

    genes : keep so many genes of largest variance; all 7129 unless given.
    center, scale : other readings; the paper states no preprocessing.
    """
    file = sources.find(FILE, SHA256, URL)
    if file is None:
        return stand_in("golub", "Golub et al. (1999)")
    table = sources.read_rdata(file)["golub"]
    X, names = np.asarray(table["x"], dtype=float), table["x"].coords["dim_1"].values
    if genes is not None:
        validate.whole("genes", genes, 1)
        kept = largest(X.var(axis=0), genes)
        X, names = X[:, kept], names[kept]
    return Problem.from_data(
        X,
        "golub" if genes is None else f"golub, {X.shape[1]} genes",
        center=center,
        scale=scale,
        divide_by_m=True,
        features=list(names),
        labels=list(table["y"]),
        provenance=dict(
            source="Golub et al. (1999)",
            file=FILE,
            sha256=SHA256,
            stand_in=False,
            preprocessing=f"genes {'centred' if center else 'not centred'}, {'' if scale else 'not '}scaled",
        ),
    )
