"""Colon cancer gene expression (Alon et al. 1999): 62 samples x 2000 genes.

Alon et al., "Broad patterns of gene expression revealed by clustering analysis of tumor and normal colon tissues
probed by oligonucleotide arrays", PNAS 96 (1999): 40 tumour (t) and 22 normal (n) samples. The file is that of the R
package datamicroarray (MIT licence; no licence of the data is stated), sha256 76ea2ffa6226....

Stand-in where the file cannot be had: scikit-learn's breast-cancer table, 569 samples x 30 measurements.
"""

import numpy as np

from spcabench import sources, validate
from spcabench.expression import stand_in
from spcabench.problem import Problem
from spcabench.vectors import largest

FILE = "alon/alon.RData"
SHA256 = "76ea2ffa6226e29237bbe3f41a68ec42ca9ec3bbdbf3f19613cd254fd5fcc1c7"
URL = (
    "https://raw.githubusercontent.com/ramhiser/datamicroarray/a95f6f68ed3debf48ee54f198435fa12aa655b16/data/alon.RData"
)


def load(genes=None, center=True, scale=False):
    """A = X centred by gene, divided by sqrt(m): Sigma (n, n) is the covariance.

    genes : keep so many genes of largest variance; all 2000 unless given.
    center, scale : other readings; the paper states no preprocessing.
    """
    file = sources.find(FILE, SHA256, URL)
    if file is None:
        return stand_in("alon", "Alon et al. (1999)")
    table = sources.read_rdata(file)["alon"]
    X, names = np.asarray(table["x"], dtype=float), table["x"].coords["dim_1"].values
    if genes is not None:
        validate.whole("genes", genes, 1)
        kept = largest(X.var(axis=0), genes)
        X, names = X[:, kept], names[kept]
    return Problem.from_data(
        X,
        "alon" if genes is None else f"alon, {X.shape[1]} genes",
        center=center,
        scale=scale,
        divide_by_m=True,
        features=list(names),
        labels=list(table["y"]),
        provenance=dict(
            source="Alon et al. (1999)",
            file=FILE,
            sha256=SHA256,
            stand_in=False,
            preprocessing=f"genes {'centred' if center else 'not centred'}, {'' if scale else 'not '}scaled",
        ),
    )
